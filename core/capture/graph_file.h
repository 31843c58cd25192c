// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <string>

namespace dynascope::capture {

/// Adds the code lines that the stacks of a graph's nodes quote to the session's sources.
void quoteStacks(session::Session& session, const ir::Graph& graph);

/// A file or text that is graph text itself: one compile "-" with a stage for each graph found.
[[nodiscard]] Result<session::Session> readGraphFile(const session::ByteSourcePtr& source,
                                                     const std::string& label, const TaskContext& task);

} // namespace dynascope::capture
