// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/json_fields.h"
#include "core/base/text.h"
#include "core/ranks/flight.h"
#include "core/session/breaks.h"

#include <algorithm>

namespace dynascope::ranks {

namespace {

using session::Phase;

/// The file that PyTorch wrote a stage's code to; empty where the record does not say.
std::string fileOfCode(const session::Session& session, const session::Stage& stage) {
    if (stage.record >= session.records.size()) return {};
    const auto header = nlohmann::json::parse(session.records[stage.record].header.text(), nullptr, false);
    if (!header.is_object()) return {};
    const nlohmann::json& code = field(header, "inductor_output_code");
    return code.is_object() ? stringField(code, "filename") : std::string();
}

/// Lines of output code that call a collective, from 1.
std::vector<std::uint32_t> callingLines(std::string_view code) {
    std::vector<std::uint32_t> out;
    std::uint32_t number = 1;
    for (std::size_t at = 0; at < code.size(); ++number) {
        const std::size_t end = std::min(code.find('\n', at), code.size());
        const std::string_view line = trimmed(code.substr(at, end - at));
        at = end + 1;
        const bool calls = line.find("torch.ops._c10d_functional.") != std::string_view::npos ||
                           line.find("torch.ops._dtensor.") != std::string_view::npos;
        if (!calls || line.starts_with('#') || line.starts_with("assert_") ||
            line.find("wait_tensor") != std::string_view::npos)
            continue;
        out.push_back(number);
    }
    return out;
}

std::string_view lineOf(std::string_view text, std::uint32_t number) {
    for (std::uint32_t i = 1; i < number && !text.empty(); ++i)
        text.remove_prefix(std::min(text.find('\n') + 1, text.size()));
    return text.substr(0, std::min(text.find('\n'), text.size()));
}

/// The last graph before the code: after Inductor's passes, of the same half.
session::StagePtr graphOfCode(const session::Compile& compile, const session::Stage& code) {
    session::StagePtr out;
    for (const session::StagePtr& stage : compile.stages) {
        if (stage->attempt != code.attempt || stage->content != session::Stage::Content::Graph) continue;
        const bool inductors =
            stage->phase == Phase::PostGradForward || stage->phase == Phase::PostGradBackward;
        if (inductors && stage->record < code.record && (!out || stage->record > out->record)) out = stage;
    }
    return out;
}

/// Whether an entry of the recorder may be of that call: "send" of isend, or of one in a batch.
bool isOfKind(const FlightEntry& entry, const Collective& call) {
    const std::string kind = entry.kind();
    if (kind == call.kind) return true;
    return (kind == "send" || kind == "recv") &&
           (call.kind == 'i' + kind || call.kind == kind + '_' || call.kind == "batch_p2p_ops");
}

} // namespace

std::string FlightEntry::kind() const {
    std::string_view out = name;
    if (const std::size_t colon = out.find(':'); colon != std::string_view::npos)
        out.remove_prefix(colon + 1);
    return std::string(out.substr(0, out.find(' ')));
}

FlightPlaces::FlightPlaces(const session::Session& session, const Report& report)
    : m_session(session)
    , m_report(report) {
    for (std::size_t i = 0; i < session.compiles.size(); ++i)
        for (const session::StagePtr& stage : session.compiles[i].stages)
            if (stage->content == session::Stage::Content::Code) addCode(i, stage);
}

void FlightPlaces::addCode(std::size_t compile, const session::StagePtr& stage) {
    const std::string file = fileOfCode(m_session, *stage);
    if (file.empty()) return;
    Code code{compile, stage, {}, graphOfCode(m_session.compiles[compile], *stage)};
    const std::string text = stage->payload.text();
    const std::vector<std::uint32_t> lines = callingLines(text);
    std::vector<Collective> calls;
    if (code.graph)
        if (const auto graph = code.graph->graph()) calls = collectivesOf(**graph);
    // In the same order, or nothing is said of nodes.
    bool fits = lines.size() == calls.size();
    for (std::size_t i = 0; fits && i < lines.size(); ++i)
        fits = lineOf(text, lines[i]).find('.' + calls[i].kind) != std::string_view::npos;
    if (fits)
        for (std::size_t i = 0; i < lines.size(); ++i)
            code.lines.emplace(lines[i], std::move(calls[i]));
    else
        code.graph = nullptr;
    m_codes.insert_or_assign({m_session.compiles[compile].rank, file}, std::move(code));
}

FlightPlace FlightPlaces::inCode(const Code& code, const ir::SourceLocation& frame) const {
    FlightPlace out;
    out.compile = m_session.compiles[code.compile].id.toString();
    out.at = code.compile;
    out.outputLine = frame.line;
    out.stage = code.stage;
    const auto line = code.lines.find(frame.line);
    if (line == code.lines.end()) return out;
    out.node = line->second.node;
    out.stage = code.graph;
    out.file = line->second.at.file;
    out.line = line->second.at.line;
    return out;
}

namespace {

/// "[8, 32]" of "Float[8, 32]" and of "f32[8, 32]".
std::string_view shapeOf(std::string_view tensor) {
    return tensor.substr(std::min(tensor.find('['), tensor.size()));
}

/// Calls of a lane that an entry may be of. Gloo makes an all_reduce of each reduce_scatter.
std::vector<const Call*> callsOf(const Lane& lane, const FlightEntry& entry, bool byShape) {
    std::vector<const Call*> out;
    for (const Call& call : lane.calls) {
        const bool kind = isOfKind(entry, call.what) ||
                          (entry.kind() == "all_reduce" && call.what.kind.starts_with("reduce_scatter"));
        const bool shape = !entry.inputs.empty() && !call.what.inputs.empty() &&
                           shapeOf(entry.inputs.front()) == shapeOf(call.what.inputs.front());
        if (kind && (shape || !byShape)) out.push_back(&call);
    }
    return out;
}

} // namespace

/// By the rank's own id.
void FlightPlaces::setCompile(FlightPlace& place, const CompileRow& row, int rank) const {
    const auto index = std::ranges::find(m_report.ranks, rank) - m_report.ranks.begin();
    place.at = row.compiles[static_cast<std::size_t>(index)];
    place.compile = place.at == none ? row.id : m_session.compiles[place.at].id.toString();
}

FlightPlace FlightPlaces::find(int rank, const FlightEntry& entry) const {
    for (const ir::SourceLocation& frame : entry.frames)
        if (const auto code = m_codes.find({rank, frame.file}); code != m_codes.end())
            return inCode(code->second, frame);
    FlightPlace out;
    for (const ir::SourceLocation& frame : entry.frames) {
        if (session::isInstalled(frame.file) || frame.file.starts_with('<')) continue;
        if (out.file.empty()) {
            out.file = frame.file;
            out.line = frame.line;
        }
        for (const CompileRow& row : m_report.rows)
            for (const Lane& lane : row.lanes) {
                if (!std::ranges::binary_search(lane.ranks, rank)) continue;
                for (const Call& call : lane.calls) {
                    if (!isOfKind(entry, call.what) || call.what.at.line != frame.line ||
                        call.what.at.file != frame.file)
                        continue;
                    const CompileRow& of = m_report.rows[call.row];
                    out = {{}, call.what.node, frame.file, frame.line, 0, none, call.stage};
                    setCompile(out, of, rank);
                    return out;
                }
            }
    }
    return out.compile.empty() ? byFunction(rank, entry, out) : out;
}

// Code that Dynamo made of a function has the function's own first line for most of what it does.
FlightPlace FlightPlaces::byFunction(int rank, const FlightEntry& entry, const FlightPlace& otherwise) const {
    const CompileRow* of = nullptr;
    const Lane* calls = nullptr;
    for (const CompileRow& row : m_report.rows) {
        const bool called = std::ranges::any_of(entry.frames, [&](const ir::SourceLocation& frame) {
            return !row.at.file.empty() && frame.file == row.at.file && frame.line == row.at.line;
        });
        const auto lane = std::ranges::find_if(row.lanes, [&](const Lane& one) {
            return std::ranges::binary_search(one.ranks, rank) &&
                   std::ranges::any_of(one.calls,
                                       [&](const Call& call) { return isOfKind(entry, call.what); });
        });
        if (!called || lane == row.lanes.end()) continue;
        if (of) return otherwise; // one of several compiles of the function
        of = &row;
        calls = &*lane;
    }
    if (!of) return otherwise;
    FlightPlace out = otherwise;
    setCompile(out, *of, rank);
    std::vector<const Call*> fitting = callsOf(*calls, entry, false);
    if (fitting.size() > 1) fitting = callsOf(*calls, entry, true);
    if (fitting.size() != 1) return out;
    const Call& call = *fitting.front();
    setCompile(out, m_report.rows[call.row], rank);
    out.node = call.what.node;
    out.stage = call.stage;
    if (!call.what.at.file.empty()) {
        out.file = call.what.at.file;
        out.line = call.what.at.line;
    }
    return out;
}

} // namespace dynascope::ranks
