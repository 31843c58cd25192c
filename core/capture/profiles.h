// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles of torch.profiler among the files of a capture, and by themselves.
#pragma once

#include "core/base/task.h"
#include "core/profile/profile.h"
#include "core/session/session.h"

#include <string>
#include <string_view>

namespace dynascope::capture {

/// Whether a file in a folder may be a profile by its name ("trace.json.gz") and its first bytes, which are unpacked
/// where it is gzip.
[[nodiscard]] bool isProfile(std::string_view name, std::string_view bytes);

/// Reads each profile among the session's files into Session::profiles; what cannot be read, and what a profile warns
/// of, becomes a warning. False if the task was cancelled.
[[nodiscard]] bool addProfiles(session::Session& session, const session::Inputs& inputs,
                               const TaskContext& task);

/// A session of one profile that is unpacked, without a trace.
[[nodiscard]] Result<session::Session> readProfile(std::string_view text, const std::string& label,
                                                   const TaskContext& task);

} // namespace dynascope::capture
