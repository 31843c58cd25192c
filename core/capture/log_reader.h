// SPDX-License-Identifier: BSD-3-Clause
//
// What TORCH_LOGS prints, as a Session: the messages that say what a TORCH_TRACE record says are read as
// such; all others, and the program's own output, are kept as records.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <string>

namespace dynascope::capture {

/// Processes become ranks: by their own "[rank0]:" where they have one, else in order of appearance. An Error
/// where the task is cancelled or the disk is full.
[[nodiscard]] Result<session::Session> readTorchLog(const session::ByteSourcePtr& source,
                                                    const std::string& label, const TaskContext& task);

} // namespace dynascope::capture
