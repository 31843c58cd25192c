// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace dynascope::engine {

/// Counterparts of kernels that PyTorch has in Python, which its tracer takes instead of those in C++:
/// matmul, dropout, batch norm, recurrent networks, upsampling, the short-time Fourier transform, and some
/// losses. Registered while it lives, for the whole process. Without one are those that cannot be traced on
/// the CPU: batch norm of cuDNN and MIOpen, and packed sequences, which depend on the data of a tensor.
class PythonKernels {
public:
    PythonKernels();
    ~PythonKernels();
    PythonKernels(const PythonKernels&) = delete;
    PythonKernels& operator=(const PythonKernels&) = delete;

private:
    struct Library;
    std::unique_ptr<Library> m_library;
};

} // namespace dynascope::engine
