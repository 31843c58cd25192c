// SPDX-License-Identifier: BSD-3-Clause
//
// The formats of one file, as a table: each with its name, how it is told by content, and its reader. What is
// packed, a folder, or a session file is taken apart by open.h before.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <string>
#include <string_view>

namespace dynascope::capture {

struct OpenOptions;

[[nodiscard]] bool isBlank(std::string_view text);

/// What the first bytes of a file say about its kind. Looks at no more than 64 KiB.
[[nodiscard]] session::Kind sniff(std::string_view head);

/// The name of the format whose reader takes a file: "TORCH_TRACE log"; empty where none does. May look
/// through all of it.
[[nodiscard]] std::string_view formatName(const session::ByteSourcePtr& source);

/// Reads one file that is not packed. `label` names it in messages. Sets all of a Session but path, title and
/// inputs. Errors as of open(). Blocks; run it on a worker.
[[nodiscard]] Result<session::Session> readFormat(const session::ByteSourcePtr& source,
                                                  const std::string& label, const TaskContext& task,
                                                  const OpenOptions& options);

} // namespace dynascope::capture
