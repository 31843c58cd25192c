// SPDX-License-Identifier: BSD-3-Clause
//
// What lies on another machine and could not be got when it was asked for. Whoever shows something of such a file asks
// here, as they ask for files that were cut short (mapping_guard.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace dynascope::session {

/// Notes why a file could not be reached: one line, which names it. Any thread.
void noteUnreached(std::string why);
/// How often anything was noted, also the same again. Cheap. Any thread.
[[nodiscard]] std::size_t unreachedCount();
/// What was noted, each once, the latest last. Any thread.
[[nodiscard]] std::vector<std::string> unreached();

} // namespace dynascope::session
