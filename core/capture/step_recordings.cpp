// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/step_recordings.h"

#include "core/dynamo/recording.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <filesystem>

namespace dynascope::capture {

namespace {

constexpr std::string_view ending = ".dsteps", tailEnding = ".dsteps.tail";

/// The program may still be writing to it, or take it away.
session::ByteSourcePtr copyOf(const session::ByteSource& source) {
    return session::makeByteSource(std::string(source.bytes()));
}

} // namespace

bool isRecordingName(std::string_view name) {
    return name.ends_with(ending) || name.ends_with(tailEnding);
}

bool looksLikeRecording(std::string_view bytes) {
    return dynamo::isRecording(bytes);
}

Result<session::Inputs> recordingInputs(const std::string& path) {
    Result<session::ByteSourcePtr> file = session::openByteSource(path);
    if (!file) return tl::unexpected(file.error());
    const std::string name = std::filesystem::path(path).filename().string();
    session::Inputs inputs{path, true, {{name, std::move(*file)}}};
    std::error_code ignored;
    if (std::filesystem::is_regular_file(path + ".tail", ignored))
        if (const auto tail = session::openByteSource(path + ".tail"))
            inputs.files.push_back({name + ".tail", copyOf(**tail)});
    return inputs;
}

bool addRecordings(session::Session& session, const session::Inputs& inputs, const TaskContext& task) {
    for (const session::InputFile& file : inputs.files) {
        if (!file.name.ends_with(ending)) continue;
        const auto tail =
            std::find_if(inputs.files.begin(), inputs.files.end(),
                         [&](const session::InputFile& other) { return other.name == file.name + ".tail"; });
        const Result<dynamo::RecordingPtr> recording = dynamo::Recording::read(
            file.source, tail == inputs.files.end() ? nullptr : copyOf(*tail->source), task);
        if (task.cancelled()) return false;
        if (!recording) {
            session.warnings.push_back({Error{recording.error().message, file.name, 0, 0}, SIZE_MAX});
            continue;
        }
        for (const std::string& warning : (*recording)->warnings())
            session.warnings.push_back({Error{warning, file.name, 0, 0}, SIZE_MAX});
        session.recordings.push_back(*recording);
    }
    return true;
}

Result<session::Session> readRecordings(const session::Inputs& inputs, const TaskContext& task) {
    session::Session session;
    session.kind = session::Kind::DynamoRecording;
    if (!addRecordings(session, inputs, task)) return cancellation();
    if (session.recordings.empty()) return tl::unexpected(session.warnings.front().error);
    return session;
}

} // namespace dynascope::capture
