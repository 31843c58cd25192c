// SPDX-License-Identifier: BSD-3-Clause
//
// The environment that a stranger's graph may see: a user's holds tokens and names.
#pragma once

#include <string_view>

namespace dynascope::engine {

/// Whether LibTorch, its libraries, the C library or a sanitizer reads this variable.
[[nodiscard]] bool isNeededVariable(std::string_view name);

/// Removes all other variables, and their text from the memory that /proc/self/environ shows. Not
/// thread-safe: call it before threads are started.
void scrubEnvironment();

} // namespace dynascope::engine
