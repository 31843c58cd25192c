// SPDX-License-Identifier: BSD-3-Clause
//
// Meta kernels for writing operators that PyTorch gives one in Python only. Functionalization tries every
// in-place operator on meta tensors first, for the errors of which its functional form knows nothing.
#pragma once

namespace dynascope::engine {

/// Registers the missing ones, once per process. They run the CPU kernel on stand-ins of the same geometry,
/// where those are small; large ones go unchecked. Thread-safe.
void ensureMetaKernels();

} // namespace dynascope::engine
