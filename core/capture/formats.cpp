// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/formats.h"

#include "core/base/log.h"
#include "core/capture/case_file.h"
#include "core/capture/debug_folder.h"
#include "core/capture/dot_graph.h"
#include "core/capture/graph_file.h"
#include "core/capture/log_folder.h"
#include "core/capture/log_lines.h"
#include "core/capture/log_memory.h"
#include "core/capture/log_reader.h"
#include "core/capture/memory_reader.h"
#include "core/capture/open.h"
#include "core/capture/pickle.h"
#include "core/capture/profiles.h"
#include "core/capture/step_recordings.h"
#include "core/capture/trace_reader.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>

namespace dynascope::capture {

namespace {

using session::Kind;

constexpr std::size_t headBytes = 65536;

bool looksBinary(std::string_view text) {
    return text.substr(0, headBytes).find('\0') != std::string_view::npos;
}

/// A file, or one file of an archive, once it is unpacked.
struct PlainInput {
    session::ByteSourcePtr source;
    std::string label;     ///< names it in messages
    std::string_view text; ///< what `source` holds
    /// As sniff() says; of what that does not know, whether it is a log further on
    Kind kind = Kind::Unknown;
};

int rankOf(const PlainInput& input) {
    return rankOfName(std::filesystem::path(input.label).filename().string());
}

Result<session::Session> openGraphs(const PlainInput& input, const TaskContext& task, const OpenOptions&) {
    return readGraphFile(input.source, input.label, task);
}

Result<session::Session> openCase(const PlainInput& input, const TaskContext& task, const OpenOptions&) {
    return readCaseFile(input.source, input.label, task);
}

Result<session::Session> openLogs(const PlainInput& input, const TaskContext& task,
                                  const OpenOptions& options) {
    Result<session::Session> log = readTorchLogs({{input.source, input.label, rankOf(input)}}, task);
    if (!log) return log;
    const bool anyCompile = std::any_of(log->compiles.begin(), log->compiles.end(),
                                        [](const session::Compile& compile) { return !compile.id.empty(); });
    // An excerpt without compile ids may still hold graphs, which the reader of pasted text finds.
    if (!anyCompile && ir::looksLikeGraph(input.text))
        if (Result<session::Session> graphs = openGraphs(input, task, options)) return graphs;
    return log;
}

Result<session::Session> openTrace(const PlainInput& input, const TaskContext& task,
                                   const OpenOptions& options) {
    return readTraces({{input.source, input.label, rankOf(input)}}, options, task);
}

Result<session::Session> openDot(const PlainInput& input, const TaskContext& task, const OpenOptions&) {
    const std::string name = std::filesystem::path(input.label).filename().string();
    Result<session::Session> drawn = readDebugFolder(
        {{name + (input.label.ends_with(".dot") ? "" : ".dot"), input.source}}, input.label, task);
    if (drawn && drawn->compiles.empty()) return tl::unexpected(drawn->warnings.front().error);
    return drawn;
}

Result<session::Session> openPickle(const PlainInput& input, const TaskContext& task, const OpenOptions&) {
    Result<session::MemorySnapshot> snapshot = readMemorySnapshot(input.text, task);
    if (task.cancelled()) return cancellation();
    if (!snapshot)
        return failure("a pickle, which is never loaded, and " + snapshot.error().message, input.label);
    session::Session session;
    session.kind = Kind::MemorySnapshot;
    session.memory = std::make_shared<const session::MemorySnapshot>(std::move(*snapshot));
    return session;
}

Result<session::Session> openRecording(const PlainInput& input, const TaskContext& task, const OpenOptions&) {
    return readRecordings({input.label, true, {{recordingName(input.label, input.text), input.source}}},
                          task);
}

Result<session::Session> openProfile(const PlainInput& input, const TaskContext& task, const OpenOptions&) {
    return readProfile(input.text, input.label, task);
}

/// A kind of file that holds a capture.
struct Format {
    std::string_view name;
    bool (*looksLike)(const PlainInput& input);
    Result<session::Session> (*open)(const PlainInput& input, const TaskContext& task,
                                     const OpenOptions& options);
};

/// The first that looks like a file reads it: the surer a look, the further up. Text is all that is left for
/// the last, which says itself where there is no graph in it.
constexpr Format formats[] = {
    {"profile", [](const PlainInput& input) { return input.kind == Kind::Profile; }, openProfile},
    {"TORCH_LOGS output", [](const PlainInput& input) { return input.kind == Kind::TorchLogs; }, openLogs},
    {"TORCH_TRACE log", [](const PlainInput& input) { return input.kind == Kind::TorchTrace; }, openTrace},
    {"DOT graph", [](const PlainInput& input) { return looksLikeDot(input.text); }, openDot},
    {"memory snapshot", [](const PlainInput& input) { return looksLikePickle(input.text); }, openPickle},
    {"recording of Dynamo", [](const PlainInput& input) { return looksLikeRecording(input.text); },
     openRecording},
    {"recording of passes", [](const PlainInput& input) { return looksLikePassRecording(input.text); },
     openRecording},
    {"oracle case",
     [](const PlainInput& input) { return !looksBinary(input.text) && looksLikeCase(input.text); }, openCase},
    {"graph text", [](const PlainInput& input) { return !looksBinary(input.text); }, openGraphs},
};

PlainInput plainInput(const session::ByteSourcePtr& source, const std::string& label) {
    PlainInput input{source, label, source->bytes()};
    input.kind = sniff(input.text);
    // A log that begins in the middle of a long payload.
    if (input.kind == Kind::Unknown && TraceReader::holdsRecord(input.text)) input.kind = Kind::TorchTrace;
    if (input.kind == Kind::Unknown && looksLikeTorchLog(input.text)) input.kind = Kind::TorchLogs;
    return input;
}

const Format* formatOf(const PlainInput& input) {
    const auto* const found = std::find_if(std::begin(formats), std::end(formats),
                                           [&](const Format& format) { return format.looksLike(input); });
    return found == std::end(formats) ? nullptr : found;
}

} // namespace

bool isBlank(std::string_view text) {
    return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

Kind sniff(std::string_view head) {
    head = head.substr(0, headBytes);
    if (profile::looksLikeProfile(head)) return Kind::Profile;
    if (looksLikeTorchLog(head)) return Kind::TorchLogs;
    if (TraceReader::holdsRecord(head)) return Kind::TorchTrace;
    if (looksBinary(head)) return Kind::Unknown;
    if (looksLikeCase(head)) return Kind::OracleCase;
    if (!ir::looksLikeGraph(head)) return Kind::Unknown;
    const std::size_t fx = head.find("graph(");
    const std::size_t readable = head.find("def forward(");
    return fx < readable ? Kind::FxText : Kind::ReadableText;
}

std::string_view formatName(const session::ByteSourcePtr& source) {
    const Format* format = formatOf(plainInput(source, {}));
    return format ? format->name : std::string_view();
}

Result<session::Session> readFormat(const session::ByteSourcePtr& source, const std::string& label,
                                    const TaskContext& task, const OpenOptions& options) {
    if (isBlank(source->bytes())) return failure("file is empty", label);
    const PlainInput input = plainInput(source, label);
    const Format* format = formatOf(input);
    if (!format && input.text.starts_with("PK\x03\x04"))
        // Its index stands at the end, so that none of it can be unpacked.
        return failure(
            "a zip archive that ends before its index, as a .pt2 or a .zip that was not copied whole", label);
    if (!format) return failure("neither a TORCH_TRACE log nor graph text", label);
    log::write(log::Topic::Capture, label, ": ", source->bytes().size(), " bytes, read as ", format->name);
    Result<session::Session> session = format->open(input, task, options);
    if (task.cancelled()) return cancellation();
    return session;
}

} // namespace dynascope::capture
