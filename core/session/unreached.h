// SPDX-License-Identifier: BSD-3-Clause
//
// What lies on another machine and could not be got when it was asked for. Whoever shows something of such a file asks
// here, as they ask for files that were cut short (mapping_guard.h).
#pragma once

#include <string>
#include <vector>

namespace dynascope::session {

/// Notes why a file could not be reached: one line, which names it. Any thread.
void noteUnreached(std::string why);
/// Whether anything was noted. Cheap. Any thread.
[[nodiscard]] bool anyUnreached();
/// What was noted, each once, in its order. Any thread.
[[nodiscard]] std::vector<std::string> unreached();

} // namespace dynascope::session
