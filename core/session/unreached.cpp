// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/unreached.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

namespace dynascope::session {

namespace {

std::mutex g_mutex;
std::vector<std::string> g_reasons; // under g_mutex
std::atomic<bool> g_any{false};

} // namespace

void noteUnreached(std::string why) {
    const std::scoped_lock lock(g_mutex);
    if (std::ranges::find(g_reasons, why) == g_reasons.end()) g_reasons.push_back(std::move(why));
    g_any = true;
}

bool anyUnreached() {
    return g_any;
}

std::vector<std::string> unreached() {
    const std::scoped_lock lock(g_mutex);
    return g_reasons;
}

} // namespace dynascope::session
