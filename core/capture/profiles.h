// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles of torch.profiler among the files of a capture, and by themselves.
#pragma once

#include "core/base/task.h"
#include "core/profile/join.h"
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

/// Whether an input is a profile that was attached: it has its whole path as its name.
[[nodiscard]] bool isAttached(const session::InputFile& file);

struct Attached {
    session::SessionPtr session; ///< the same compiles and stages, with the profile last among its profiles
    profile::JoinedPtr joined;   ///< that profile
    std::string doubt; ///< why nothing, or not all, of it can be joined; empty where there is no doubt
};
/// Reads a profile that lies elsewhere, and adds it to a session and to its inputs; one from the same path is read
/// again. An Error where the file cannot be read, or is no profile.
[[nodiscard]] Result<Attached> attachProfile(const session::Session& session, const std::string& path,
                                             const TaskContext& task = {});

/// Whether the file at a path is a profile, by its name and first bytes; false where it cannot be read.
[[nodiscard]] bool isProfileFile(const std::string& path);

/// A session of one profile that is unpacked, without a trace.
[[nodiscard]] Result<session::Session> readProfile(std::string_view text, const std::string& label,
                                                   const TaskContext& task);

} // namespace dynascope::capture
