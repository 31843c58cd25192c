// SPDX-License-Identifier: BSD-3-Clause
//
// Memory snapshots among the files of a capture: those that `dynascope-cli run --what memory` wrote, or the program itself.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <string_view>

namespace dynascope::capture {

/// Whether a file in a folder may be a memory snapshot by its name ("x.pickle", "x.pkl") and its first bytes.
[[nodiscard]] bool isSnapshot(std::string_view name, std::string_view bytes);

/// Reads each snapshot among the session's files into Session::memories, by rank, and the first of them into
/// Session::memory; what cannot be read becomes a warning. False if the task was cancelled.
[[nodiscard]] bool addSnapshots(session::Session& session, const session::Inputs& inputs,
                                const TaskContext& task);

} // namespace dynascope::capture
