// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a session file. Used by core/store only.
//
// A file of version N holds exactly the tables that version N creates, text for text: anything else, such as
// a trigger or a view, is no session file. An older file is never changed where it lies; a copy of it goes
// through one migration after the other when it is read. A new version adds its tables, a migration, and a
// fixture in tests/data/store.
#pragma once

#include "core/store/database.h"

namespace dynascope::store {

inline constexpr int newestVersion = 2;
inline constexpr std::int64_t applicationId = 0x44594e53; ///< "DYNS", at byte 68 of the file

/// Makes the tables of the newest version in an empty database.
[[nodiscard]] Result<void> createTables(Database& database);

/// The version of a file, once it is known to be a sound session file that can be read.
[[nodiscard]] Result<int> checkedVersion(Database& database, const std::string& label);

/// Brings a copy of a database of version `from` to the newest.
[[nodiscard]] Result<void> migrate(Database& database, int from);

} // namespace dynascope::store
