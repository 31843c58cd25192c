// SPDX-License-Identifier: BSD-3-Clause
//
// TraceReader's stages: graphs and generated code, with their place in the pipeline; and the source lines
// that records quote.
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/capture/trace_reader.h"
#include "core/torch_text/text_lines.h"
#include "core/torch_text/traceback.h"

#include <algorithm>
#include <charconv>

namespace dynascope::capture {

using session::Phase;

Phase TraceReader::phaseOf(const Visit& visit, std::string_view name, StagePlace place) const {
    switch (place) {
    case StagePlace::Dynamo:
        return Phase::Dynamo;
    case StagePlace::Export:
        return Phase::Export;
    case StagePlace::PreGrad:
        return Phase::PreGrad;
    case StagePlace::Joint:
        return Phase::Joint;
    case StagePlace::JointOrInference:
        return visit.open->hasInference ? Phase::Inference : Phase::Joint;
    case StagePlace::Inference:
        return Phase::Inference;
    case StagePlace::Forward:
        return Phase::Forward;
    case StagePlace::Backward:
        return Phase::Backward;
    case StagePlace::Code:
        return Phase::Code;
    case StagePlace::PreOrPostGrad: {
        const bool traced =
            std::any_of(visit.open->stages.begin(), visit.open->stages.end(),
                        [](const session::StagePtr& stage) { return stage->phase >= Phase::Joint; });
        if (!traced) return Phase::PreGrad;
        break;
    }
    case StagePlace::Traced: {
        using Work = TimingBuilder::Work;
        const int rank = visit.record.rank;
        if (m_timing.isUnderWay(rank, Work::Inductor)) break;
        if (m_timing.isUnderWay(rank, Work::JointTrace)) return Phase::Joint;
        return m_timing.isUnderWay(rank, Work::Autograd) ? Phase::Inference : Phase::Dynamo;
    }
    case StagePlace::PostGrad:
        break;
    }
    // Inductor compiles the backward graph after the forward one: within a timing event that says so, after
    // the frame's own compile is over, or as the second of its kind.
    const Open& open = *visit.open;
    if (m_timing.isUnderWay(visit.record.rank, TimingBuilder::Work::Backward)) return Phase::PostGradBackward;
    if (!open.hasBackward) return Phase::PostGradForward;
    const auto count = open.stageCounts.find({std::max(0, visit.record.attempt), std::string(name)});
    const bool second = count != open.stageCounts.end() && count->second > 0;
    return open.hasMetrics || second ? Phase::PostGradBackward : Phase::PostGradForward;
}

// What is away stays so: what is read of such payloads (leavesPayload()) is here.
std::string_view TraceReader::bytesOf(const session::Payload& payload) {
    return payload.source ? payload.source->bytes().substr(payload.offset, payload.length)
                          : std::string_view("");
}

void TraceReader::addStage(const Visit& visit, std::string name, StagePlace place) {
    if (!visit.open) return; // kept as a record
    const Phase phase = visit.phase ? *visit.phase : phaseOf(visit, name, place);
    if (place == StagePlace::Inference) visit.open->hasInference = true;
    if (place == StagePlace::Backward) visit.open->hasBackward = true;
    addStage(visit, std::move(name), phase, visit.record.payload, visit.payloadLine, {});
}

void TraceReader::addStage(const Visit& visit, std::string name, Phase phase, session::Payload payload,
                           std::size_t line, std::string detail) {
    const bool whole =
        payload.offset == visit.record.payload.offset && payload.length == visit.record.payload.length;
    auto stage = std::make_shared<session::Stage>();
    stage->attempt = std::max(0, visit.record.attempt);
    stage->k = visit.open->stageCounts[{stage->attempt, name}]++;
    stage->name = std::move(name);
    stage->phase = phase;
    stage->content = phase == Phase::Code ? session::Stage::Content::Code : session::Stage::Content::Graph;
    stage->detail = std::move(detail);
    stage->record = visit.index;
    stage->line = line;
    stage->payload = std::move(payload);

    const std::string_view text = bytesOf(stage->payload);
    bool isNew = true;
    if (whole && m_hash) {
        const auto [known, inserted] = m_stageByHash.try_emplace(*m_hash, stage);
        isNew = inserted;
        if (!inserted && known->second->content == stage->content &&
            known->second->payload.length == stage->payload.length)
            stage->shareReadingWith(*known->second);
    }
    if (isNew && stage->content == session::Stage::Content::Graph) quoteComments(text);
    visit.open->stages.push_back(std::move(stage));
}

void TraceReader::readHooks(const Visit& visit) {
    if (!visit.open) return;
    // "label:class GraphModule(...):" or "label:graph():", then indented lines.
    const session::Payload& whole = visit.record.payload;
    const std::string_view text = bytesOf(whole);
    std::size_t line = visit.payloadLine - 1;
    struct Begun {
        std::string_view label;
        std::size_t at = 0, end = 0, line = 0;
    };
    Begun begun;
    const auto close = [&] {
        if (begun.label.empty()) return;
        const std::size_t space = begun.label.find(' ');
        session::Payload piece = whole;
        piece.offset += begun.at;
        piece.length = begun.end - begun.at;
        const std::string_view detail = space == std::string_view::npos ? "" : begun.label.substr(space + 1);
        addStage(visit, std::string(begun.label.substr(0, space)), Phase::Hooks, std::move(piece), begun.line,
                 std::string(detail));
        begun = {};
    };
    for (LineReader lines(text); !lines.done();) {
        std::string_view current = lines.next();
        ++line;
        if (current.starts_with('\t')) current.remove_prefix(1);
        const auto at = static_cast<std::size_t>(current.data() - text.data());
        const std::string_view content = trimmed(current);
        if (content.empty()) continue;
        if (current.front() == ' ') {
            begun.end = at + current.size();
            continue;
        }
        close();
        const std::size_t colon = current.find(':');
        if (colon == std::string_view::npos || !beginsLikeGraph(current.substr(colon + 1))) continue;
        begun = {current.substr(0, colon), at + colon + 1, at + current.size(), line};
    }
    close();
}

ir::SourceLocation TraceReader::location(const simdjson::dom::element& frame) const {
    ir::SourceLocation out;
    out.line =
        static_cast<std::uint32_t>(std::clamp<std::int64_t>(json::integer(frame, "line", 0), 0, UINT32_MAX));
    out.function = json::text(frame, "name");
    out.code = json::text(frame, "loc");
    simdjson::dom::element file;
    if (frame["filename"].get(file) != simdjson::SUCCESS) return out;
    std::int64_t id = 0;
    std::string_view name;
    if (file.get(id) == simdjson::SUCCESS) {
        const auto found = m_strings.find(id);
        if (found != m_strings.end()) out.file = found->second;
    } else if (file.get(name) == simdjson::SUCCESS) {
        out.file = name;
    }
    return out;
}

ir::StackTrace TraceReader::stack(const simdjson::dom::element& frames) const {
    ir::StackTrace out;
    simdjson::dom::array items;
    if (frames.get(items) != simdjson::SUCCESS) return out;
    for (const simdjson::dom::element frame : items)
        out.push_back(location(frame));
    return out;
}

void TraceReader::quote(const ir::SourceLocation& location) {
    if (location.code.empty() || location.line == 0 || location.file.empty()) return;
    session::SourceFile& file = m_session.sources[location.file];
    if (file.path.empty()) file.path = location.file;
    file.lines.try_emplace(location.line, location.code);
}

void TraceReader::quote(const ir::StackTrace& stack) {
    for (const ir::SourceLocation& frame : stack)
        quote(frame);
}

void TraceReader::quoteComments(std::string_view payload) {
    // "# File: cap.py:29 in f, code: h=x@w"
    constexpr std::string_view key = "# File: ";
    constexpr std::string_view codeKey = ", code: ";
    for (std::size_t at = payload.find(key); at != std::string_view::npos; at = payload.find(key, at + 1)) {
        const std::string_view line =
            payload.substr(at + key.size(), payload.find('\n', at) - at - key.size());
        const std::size_t code = line.find(codeKey);
        if (code == std::string_view::npos) continue;
        const std::string_view head = line.substr(0, code);
        const std::size_t in = head.rfind(" in ");
        const std::string_view place = head.substr(0, in);
        const std::size_t colon = place.rfind(':');
        if (colon == std::string_view::npos) continue;
        std::uint32_t number = 0;
        const auto [end, error] =
            std::from_chars(place.data() + colon + 1, place.data() + place.size(), number);
        if (error != std::errc() || end != place.data() + place.size() || number == 0) continue;
        const std::string_view quoted = trimmed(line.substr(code + codeKey.size()));
        if (quoted.empty()) continue;
        auto file = m_session.sources.find(std::string(place.substr(0, colon)));
        if (file == m_session.sources.end())
            file = m_session.sources
                       .emplace(std::string(place.substr(0, colon)),
                                session::SourceFile{std::string(place.substr(0, colon)), {}})
                       .first;
        file->second.lines.try_emplace(number, quoted);
    }
}

} // namespace dynascope::capture
