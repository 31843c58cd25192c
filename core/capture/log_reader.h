// SPDX-License-Identifier: BSD-3-Clause
//
// What TORCH_LOGS prints, as a Session: the messages that say what a TORCH_TRACE record says are read as
// such; all others, and the program's own output, are kept as records.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <string>
#include <vector>

namespace dynascope::capture {

/// The log of a rank, or of several that share a stream.
struct RankLog {
    session::ByteSourcePtr source;
    std::string label;
    int rank = -1; ///< of the file's name; -1 where it names none
};

/// Processes become ranks: by their own "[rank0]:" where they have one, else by the file's name, else in
/// order of appearance. An Error where the task is cancelled or the disk is full.
[[nodiscard]] Result<session::Session> readTorchLogs(const std::vector<RankLog>& logs,
                                                     const TaskContext& task);

} // namespace dynascope::capture
