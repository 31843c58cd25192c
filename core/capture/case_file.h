// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <string>
#include <string_view>

namespace dynascope::capture {

/// Whether a text begins like an oracle case: a JSON object. Looks at the first characters only.
[[nodiscard]] bool looksLikeCase(std::string_view head);

/// An oracle case (tests/oracle/README.md): one compile "-" whose first stage is the graph of the case and
/// whose others are PyTorch's own answers, with the inputs to run it on. A case of kind cudagraph_tree_trace
/// has no graph: it becomes Session::tree. The error names what is missing.
[[nodiscard]] Result<session::Session> readCaseFile(const session::ByteSourcePtr& source,
                                                    const std::string& label, const TaskContext& task);

} // namespace dynascope::capture
