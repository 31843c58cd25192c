// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/unreached.h"

#include <atomic>
#include <mutex>
#include <utility>

namespace dynascope::session {

namespace {

std::mutex g_mutex;
std::vector<std::string> g_reasons; // under g_mutex
std::atomic<std::size_t> g_count{0};

} // namespace

void noteUnreached(std::string why) {
    const std::scoped_lock lock(g_mutex);
    std::erase(g_reasons, why);
    g_reasons.push_back(std::move(why));
    ++g_count;
}

std::size_t unreachedCount() {
    return g_count;
}

std::vector<std::string> unreached() {
    const std::scoped_lock lock(g_mutex);
    return g_reasons;
}

} // namespace dynascope::session
