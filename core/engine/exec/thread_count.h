// SPDX-License-Identifier: BSD-3-Clause
//
// How many threads LibTorch's kernels use, for the time of a scope. The count is the process's: one scope at a time.
#pragma once

#include <ATen/Parallel.h>

namespace dynascope::engine {

/// Puts back, at its end, how many there were when it began.
class ThreadCount {
public:
    ThreadCount()
        : m_before(at::get_num_threads()) {}
    ThreadCount(const ThreadCount&) = delete;
    ThreadCount& operator=(const ThreadCount&) = delete;
    ~ThreadCount() {
        if (at::get_num_threads() != m_before) at::set_num_threads(m_before);
    }

private:
    int m_before;
};

/// One thread: kernels on small tensors lose more by waking others than they gain.
class OneThread {
public:
    OneThread() { at::set_num_threads(1); }

private:
    ThreadCount m_before; ///< made before the body of the constructor
};

} // namespace dynascope::engine
