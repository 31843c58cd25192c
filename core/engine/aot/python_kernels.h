// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

namespace dynascope::engine {

/// Counterparts of kernels that PyTorch has in Python, which its tracer takes instead of those in C++:
/// matmul, dropout, native_batch_norm. Registered while it lives, for the whole process.
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
