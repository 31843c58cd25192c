// SPDX-License-Identifier: BSD-3-Clause
//
// What a session holds, as rows of the tables of a session file of the newest version. Used by core/store only.
#pragma once

#include "core/store/database.h"
#include "core/store/session_file.h"

namespace dynascope::store {

/// The capture, into empty tables. `id` tells it apart (SessionContents::captureId).
[[nodiscard]] Result<void> writeCapture(Database& database, const std::string& id,
                                        const SessionContents& contents, const TaskContext& task);
/// Everything but the capture, in the place of what was there.
[[nodiscard]] Result<void> writeRest(Database& database, const SessionContents& contents,
                                     const TaskContext& task);

} // namespace dynascope::store
