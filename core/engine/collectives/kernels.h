// SPDX-License-Identifier: BSD-3-Clause
//
// What PyTorch gives its functional collectives in Python only (torch/distributed/_functional_collectives.py): kernels
// for meta tensors, and gradients. Their CPU kernels are PyTorch's own.
#pragma once

#include <ATen/core/ivalue.h>
#include <vector>

namespace dynascope::engine {

/// Registers what is missing, once per process; where Python registered it already, nothing. Thread-safe.
void ensureCollectiveKernels();

/// Real process groups work in the background until somebody waits. With this, collectives of programs that are compiled
/// afterwards are waited for where they are called: their time is their node's, and no memory that was planned anew is
/// still being read. For the whole process; before its first program.
void waitAtOnce();
[[nodiscard]] bool waitsAtOnce();
/// Waits for what a collective returned.
void waitFor(const std::vector<c10::IValue>& results);

} // namespace dynascope::engine
