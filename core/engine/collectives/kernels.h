// SPDX-License-Identifier: BSD-3-Clause
//
// What PyTorch gives its functional collectives in Python only (torch/distributed/_functional_collectives.py): kernels
// for meta tensors, and gradients. Their CPU kernels are PyTorch's own.
#pragma once

namespace dynascope::engine {

/// Registers what is missing, once per process; where Python registered it already, nothing. Thread-safe.
void ensureCollectiveKernels();

} // namespace dynascope::engine
