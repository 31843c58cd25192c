// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>

namespace dynascope {

/// What one of several threads that share work is told.
struct Sharer {
    bool isCallers = false;          ///< it is the caller's thread: it alone tells progress
    const std::atomic<bool>& failed; ///< one of them threw, so the rest of the work is for nothing
};

/// Calls `work` on the caller's thread and on up to `helpers` more, where so many can be had, and returns once all calls
/// have. What a call throws, such as memory that ran out, is thrown on the caller's thread then: of several the first.
void shareWork(std::size_t helpers, const std::function<void(const Sharer&)>& work);

} // namespace dynascope
