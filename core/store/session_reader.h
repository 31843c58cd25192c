// SPDX-License-Identifier: BSD-3-Clause
//
// The tables of a session file, of the newest version, as what they hold. Used by core/store only.
#pragma once

#include "core/store/database.h"
#include "core/store/session_file.h"

namespace dynascope::store {

/// Checks all that it reads, as a stranger may have written it. The capture's files are unpacked into the folder
/// for temporary files. Errors are of the file `label`.
[[nodiscard]] Result<SessionContents> readTables(Database& database, const std::string& label,
                                                 const TaskContext& task, const SessionLimits& limits);

} // namespace dynascope::store
