// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/step_recordings.h"

#include "core/dynamo/recording.h"
#include "core/inductor/compile_passes.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <filesystem>

namespace dynascope::capture {

namespace {

constexpr std::string_view stepEnding = ".dsteps", passEnding = ".dpasses", tailEnding = ".tail";

/// Reads one recording into the session; its warnings.
Result<std::vector<std::string>> add(session::Session& session, const session::InputFile& file,
                                     session::ByteSourcePtr tail, const TaskContext& task) {
    if (file.name.ends_with(passEnding)) {
        const auto passes = inductor::PassRecording::read(file.source, std::move(tail), task);
        if (!passes) return tl::unexpected(passes.error());
        session.passRecordings.push_back(*passes);
        return (*passes)->warnings();
    }
    const auto steps = dynamo::Recording::read(file.source, std::move(tail), task);
    if (!steps) return tl::unexpected(steps.error());
    session.recordings.push_back(*steps);
    return (*steps)->warnings();
}

/// The program may still be writing to it, or take it away.
session::ByteSourcePtr copyOf(const session::ByteSource& source) {
    return session::makeByteSource(std::string(source.bytes()));
}

} // namespace

bool isRecordingName(std::string_view name) {
    if (name.ends_with(tailEnding)) name.remove_suffix(tailEnding.size());
    return name.ends_with(stepEnding) || name.ends_with(passEnding);
}

bool looksLikeRecording(std::string_view bytes) {
    return journal::isOf(bytes, dynamo::stepFormat);
}

bool looksLikePassRecording(std::string_view bytes) {
    return journal::isOf(bytes, inductor::passFormat);
}

std::string recordingName(std::string_view label, std::string_view bytes) {
    const std::string_view ending = looksLikePassRecording(bytes) ? passEnding : stepEnding;
    return std::string(label) + std::string(label.ends_with(ending) ? std::string_view() : ending);
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
        if (!isRecordingName(file.name) || file.name.ends_with(tailEnding)) continue;
        const auto tail =
            std::find_if(inputs.files.begin(), inputs.files.end(),
                         [&](const session::InputFile& other) { return other.name == file.name + ".tail"; });
        const Result<std::vector<std::string>> warnings =
            add(session, file, tail == inputs.files.end() ? nullptr : copyOf(*tail->source), task);
        if (task.cancelled()) return false;
        if (!warnings) {
            session.warnings.push_back({Error{warnings.error().message, file.name}, SIZE_MAX});
            continue;
        }
        for (const std::string& warning : *warnings)
            session.warnings.push_back({Error{warning, file.name}, SIZE_MAX});
    }
    return true;
}

Result<session::Session> readRecordings(const session::Inputs& inputs, const TaskContext& task) {
    session::Session session;
    session.kind = session::Kind::DynamoRecording;
    if (!addRecordings(session, inputs, task)) return cancellation();
    if (session.recordings.empty() && session.passRecordings.empty())
        return tl::unexpected(session.warnings.front().error);
    for (const auto& passes : session::attachedAs<inductor::PassRecording>(session.passRecordings))
        std::ranges::move(inductor::compilesIn(*passes), std::back_inserter(session.compiles));
    return session;
}

} // namespace dynascope::capture
