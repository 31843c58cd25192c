// SPDX-License-Identifier: BSD-3-Clause
//
// Functionalization for composite operators that write: PyTorch has no kernel for them there, since autograd, which
// AOTAutograd always has above it, takes them apart first. A run without autograd would meet them whole: in-place ones
// are refused then, and those that write within keep their writes.
#pragma once

namespace dynascope::engine {

/// Registers their composite kernels for functionalization, and what it tries on meta tensors (meta_kernels.h), once per
/// process. Thread-safe.
void ensureFunctionalKernels();

} // namespace dynascope::engine
