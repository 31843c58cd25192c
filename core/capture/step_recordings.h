// SPDX-License-Identifier: BSD-3-Clause
//
// Recordings of Dynamo's steps, and of Inductor's passes, among the files of a capture.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <string>
#include <string_view>

namespace dynascope::capture {

/// "dynamo_steps_7.dsteps", "inductor_passes_7.dpasses", and the tail that lies beside each while it is written.
[[nodiscard]] bool isRecordingName(std::string_view name);
[[nodiscard]] bool looksLikeRecording(std::string_view bytes); ///< of Dynamo
[[nodiscard]] bool looksLikePassRecording(std::string_view bytes);
/// `label` with the ending that a recording of these bytes has.
[[nodiscard]] std::string recordingName(std::string_view label, std::string_view bytes);

/// A file by itself and the tail beside it, as readInputs() takes them.
[[nodiscard]] Result<session::Inputs> recordingInputs(const std::string& path);

/// Reads every recording among the session's files; what cannot be read, and what a recording warns of,
/// becomes a warning. False if the task was cancelled.
[[nodiscard]] bool addRecordings(session::Session& session, const session::Inputs& inputs,
                                 const TaskContext& task);
/// A session of recordings without a trace; an Error where none of them can be read.
[[nodiscard]] Result<session::Session> readRecordings(const session::Inputs& inputs, const TaskContext& task);

} // namespace dynascope::capture
