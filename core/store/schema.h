// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a session file. Used by core/store only.
//
// A file of version N holds exactly the tables that version N creates, text for text: anything else, such as
// a trigger or a view, is no session file.
#pragma once

#include "core/store/database.h"

namespace dynascope::store {

inline constexpr int newestVersion = 1;
inline constexpr std::int64_t applicationId = 0x44594e53; ///< "DYNS", at byte 68 of the file

/// Makes the tables of the newest version in an empty database.
[[nodiscard]] Result<void> createTables(Database& database);

/// The version of a file, once it is known to be a sound session file that can be read.
[[nodiscard]] Result<int> checkedVersion(Database& database, const std::string& label);

} // namespace dynascope::store
