// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/compile_passes.h"

#include "core/base/log.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <utility>

namespace dynascope::inductor {

namespace {

constexpr std::size_t mostPassText = std::size_t(1) << 30U; ///< of all texts of a compile

/// What one compile id of a trace may stand for: compiles of a recording, one an attempt.
struct Recorded {
    PassRecordingPtr recording;
    std::vector<std::uint32_t> attempts;
};

/// In the order in which the processes of a rank compiled this id.
std::vector<Recorded> compilesOf(const session::Session& session, int rank, const std::string& id) {
    std::vector<PassRecordingPtr> recordings;
    for (const PassRecordingPtr& recording : session::attachedAs<PassRecording>(session.passRecordings)) {
        const int of = recording->rank() < 0 ? 0 : recording->rank();
        if (of == rank || session.ranks.size() <= 1) recordings.push_back(recording);
    }
    std::stable_sort(recordings.begin(), recordings.end(),
                     [](const auto& a, const auto& b) { return a->started() < b->started(); });
    std::vector<Recorded> out;
    for (const PassRecordingPtr& recording : recordings) {
        std::map<int, std::vector<std::uint32_t>> byRun;
        for (const CompileInRecording& compile : recording->compiles())
            if (compile.compileId == id) byRun[compile.run].push_back(compile.id);
        for (auto& [run, attempts] : byRun)
            out.push_back({recording, std::move(attempts)});
    }
    return out;
}

/// Pre-grad graphs end with a line that the recorder does not see.
std::string withoutGraphId(std::string text) {
    text.erase(std::min(text.size(), text.find("\n\n # graph id:")));
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

/// Whether the trace printed a graph of the compile as the recorder saw it, and none otherwise. Dynamo makes the same graph
/// of every compile of the same frame: it tells where the recording has no other.
bool holdsGraphsOf(const Recorded& recorded, const session::Compile& compile) {
    const PassRecording& recording = *recorded.recording;
    bool any = false, ofDynamo = false, recordedMore = false;
    for (std::size_t i = 0; i < recording.stages().size(); ++i) {
        const TracedStage& stage = recording.stages()[i];
        const PassPhase* phase = recording.phase(stage.phase);
        if (phase == nullptr ||
            std::ranges::find(recorded.attempts, phase->compile) == recorded.attempts.end())
            continue;
        const bool isDynamos = stage.name == "dynamo_output_graph";
        recordedMore |= !isDynamos;
        const auto same = std::ranges::find_if(
            compile.stages, [&](const session::StagePtr& traced) { return traced->name == stage.name; });
        if (same == compile.stages.end()) continue;
        const Result<std::string> text = recording.stageText(i);
        if (!text || withoutGraphId(*text) != withoutGraphId((*same)->payload.text())) return false;
        (isDynamos ? ofDynamo : any) = true;
        // Forward and backward have stages of one name; the first says enough.
        if (stage.name == "before_post_grad_graph") break;
    }
    return any || (ofDynamo && !recordedMore);
}

std::string idWithoutRun(session::CompileId id) {
    id.run = 1;
    return id.toString();
}

/// The pass that a state is called after: the outermost that ends with it.
const RecordedPass* makerOf(const CompilePasses& passes, const State& state) {
    const RecordedPass* maker = passes.recording->pass(state.pass);
    while (maker != nullptr) {
        const RecordedPass* outer = passes.recording->pass(maker->parent);
        if (outer == nullptr || outer->after != state.id) break;
        maker = outer;
    }
    return maker;
}

/// Which part of a split a state is: "forward", "backward"; empty for all others.
std::string_view partOf(const PassPhase& phase, std::uint32_t state) {
    if (phase.name != "partition" || phase.made.size() != 2) return {};
    return phase.made[0] == state ? "forward" : phase.made[1] == state ? "backward" : std::string_view();
}

session::Phase phaseOfPart(std::string_view part) {
    return part == "backward" ? session::Phase::Backward : session::Phase::Forward;
}

class Rows {
public:
    Rows(const PassRecording& recording, const std::vector<std::uint32_t>& compiles, CompilePasses& out)
        : m_recording(recording)
        , m_compiles(compiles.begin(), compiles.end())
        , m_out(out.rows)
        , m_copies(std::make_shared<std::deque<Change>>()) {
        out.copied = m_copies;
    }

    void run() {
        for (const RecordedPass& pass : m_recording.passes()) {
            const PassPhase* phase = m_recording.phase(pass.phase);
            if (phase == nullptr || !m_compiles.contains(phase->compile)) continue;
            addBetween(pass.before);
            PassRow row{phase,        &pass, pass.before, pass.after, pass.nodesBefore, pass.nodesAfter,
                        &pass.change, 0};
            for (const RecordedPass* outer = m_recording.pass(pass.parent); outer != nullptr;
                 outer = m_recording.pass(outer->parent))
                ++row.depth;
            m_out.push_back(row);
        }
        addBetween(static_cast<std::uint32_t>(m_recording.states().size()));
    }

private:
    /// Changes between passes that a pass which begins in state `until` was run after.
    void addBetween(std::uint32_t until) {
        for (; m_next <= m_recording.states().size() && (m_next <= until || isPart(m_next)); ++m_next) {
            const State& state = *m_recording.state(m_next);
            const std::uint32_t earlier = std::exchange(m_last[state.module], state.id);
            const PassPhase* phase = m_recording.phase(state.phase);
            if (phase == nullptr || !m_compiles.contains(phase->compile)) continue;
            if (state.first) {
                addPart(*phase, state);
                continue;
            }
            if (state.pass != 0) {
                addCopy(earlier, state);
                continue;
            }
            const State* before = m_recording.state(earlier);
            if (before == nullptr) continue;
            m_out.push_back(
                {phase, nullptr, before->id, state.id, before->nodes, state.nodes, &state.change, 0});
        }
    }

    /// Both parts of a split stand together, before the passes over the first.
    [[nodiscard]] bool isPart(std::uint32_t state) const {
        const PassPhase* phase = m_recording.phase(m_recording.state(state)->phase);
        return phase != nullptr && !partOf(*phase, state).empty();
    }

    void addPart(const PassPhase& phase, const State& state) {
        static const Change none;
        const State* joint = m_recording.state(phase.last);
        const std::string_view part = partOf(phase, state.id);
        if (!part.empty() && joint != nullptr)
            m_out.push_back(
                {&phase, nullptr, joint->id, state.id, joint->nodes, state.nodes, &none, 0, part});
    }

    /// A function that gives back a graph for its caller to put in place ended with the graph that it was given; what it
    /// made is found later.
    void addCopy(std::uint32_t earlier, const State& state) {
        const auto row = std::find_if(m_out.rbegin(), m_out.rend(), [&state](const PassRow& one) {
            return one.pass != nullptr && one.pass->index == state.pass;
        });
        if (row == m_out.rend() || row->changed() || row->after != earlier) return;
        row->after = state.id;
        row->nodesBefore = m_recording.state(earlier)->nodes;
        row->nodesAfter = state.nodes;
        row->change = &m_copies->emplace_back(byName(earlier, state));
    }

    /// Nodes of one name are one node, which changed where it is printed otherwise.
    Change byName(std::uint32_t earlier, const State& state) const {
        Change out;
        std::set<std::string_view> before, after;
        for (const NodeRef& node : state.change.erased)
            before.insert(node.name);
        for (const NodeRef& node : state.change.created)
            after.insert(node.name);
        for (const NodeRef& node : state.change.erased)
            if (!after.contains(node.name)) out.erased.push_back(node);
        const std::map<std::string, std::string> was = nodeTexts(earlier), now = nodeTexts(state.id);
        for (const NodeRef& node : state.change.created) {
            if (!before.contains(node.name)) {
                out.created.push_back(node);
                continue;
            }
            const auto a = was.find(node.name), b = now.find(node.name);
            if (a != was.end() && b != now.end() && a->second != b->second) out.updated.push_back(node.id);
        }
        return out;
    }

    [[nodiscard]] std::map<std::string, std::string> nodeTexts(std::uint32_t state) const {
        std::map<std::string, std::string> out;
        const Result<std::string> text = m_recording.text(state);
        const Result<ir::GraphPtr> graph = text ? ir::readGraph(*text) : tl::unexpected(text.error());
        if (graph)
            for (const ir::NodePtr& node : (*graph)->nodes())
                out.emplace(node->name, ir::printNode(*node, {}));
        return out;
    }

    const PassRecording& m_recording;
    std::set<std::uint32_t> m_compiles;
    std::vector<PassRow>& m_out;
    std::shared_ptr<std::deque<Change>> m_copies;
    std::uint32_t m_next = 1;
    std::map<std::uint32_t, std::uint32_t> m_last; ///< states of modules so far
};

} // namespace

session::Phase tracePhaseOf(const PassPhase& phase) {
    const bool backward = phase.graph == "backward";
    if (phase.name == "dynamo") return session::Phase::Dynamo;
    if (phase.name == "pre_grad") return session::Phase::PreGrad;
    if (phase.name == "post_grad" || phase.name == "inductor")
        return backward ? session::Phase::PostGradBackward : session::Phase::PostGradForward;
    if (phase.graph == "joint") return session::Phase::Joint;
    if (phase.graph == "inference") return session::Phase::Inference;
    return backward                   ? session::Phase::Backward
           : phase.graph == "forward" ? session::Phase::Forward
                                      : session::Phase::Text;
}

session::Phase tracePhaseOf(const PassRow& row) {
    return row.part.empty() ? tracePhaseOf(*row.phase) : phaseOfPart(row.part);
}

int CompilePasses::stageOf(std::uint32_t state) const {
    const auto at = std::find_if(stages.begin(), stages.end(),
                                 [state](const PassStage& stage) { return stage.state == state; });
    return at == stages.end() ? -1 : static_cast<int>(at - stages.begin());
}

CompilePasses passesOf(const session::Session& session, const session::Compile& compile) {
    const std::string id = idWithoutRun(compile.id);
    std::vector<Recorded> recorded = compilesOf(session, compile.rank, id);
    std::vector<const session::Compile*> traced;
    for (const session::Compile& other : session.compiles)
        if (other.rank == compile.rank && idWithoutRun(other.id) == id) traced.push_back(&other);
    CompilePasses out;
    // What came from a cache is traced and not recorded: then the graphs tell which is which.
    const bool byOrder = recorded.size() == traced.size();
    for (const session::Compile* other : traced) {
        const auto at = std::ranges::find_if(
            recorded, [&](const Recorded& one) { return byOrder || holdsGraphsOf(one, *other); });
        if (at == recorded.end()) continue;
        if (other == &compile) {
            out.recording = at->recording;
            Rows(*out.recording, at->attempts, out).run();
            return out;
        }
        recorded.erase(at);
    }
    return out;
}

session::StagePtr beginOf(const CompilePasses& passes, std::string_view name, int k) {
    if (!passes.recording) return nullptr;
    std::set<std::uint32_t> compiles;
    for (const PassRow& row : passes.rows)
        compiles.insert(row.phase->compile);
    for (const PassPhase& phase : passes.recording->phases()) {
        if (phase.name != name || !compiles.contains(phase.compile) || k-- > 0) continue;
        Result<std::string> text = passes.recording->text(phase.first);
        if (!text) return nullptr;
        auto stage = std::make_shared<session::Stage>();
        stage->name = phase.name + "/start";
        stage->phase = tracePhaseOf(phase);
        const std::size_t length = text->size();
        stage->payload = {session::makeByteSource(std::move(*text)), 0, length};
        return stage;
    }
    return nullptr;
}

Result<void> addStages(CompilePasses& passes, const TaskContext& task) {
    passes.stages.clear();
    if (!passes.recording) return {};
    const PassRecording& recording = *passes.recording;
    std::set<std::uint32_t> wanted;
    for (const PassRow& row : passes.rows)
        for (const std::uint32_t state : {row.before, row.after})
            if (recording.state(state) != nullptr) wanted.insert(state);
    const log::Stopwatch watch;
    std::map<std::string, int> seen;
    std::size_t bytes = 0;
    for (const std::uint32_t id : wanted) {
        if (task.cancelled()) return cancellation();
        task.report("Reading graphs", passes.stages.size(), wanted.size());
        const State& state = *recording.state(id);
        const PassPhase* phase = recording.phase(state.phase);
        if (phase == nullptr) continue;
        const RecordedPass* pass = makerOf(passes, state);
        Result<std::string> text = recording.text(id);
        if (!text) return tl::unexpected(text.error());
        bytes += text->size();
        if (bytes > mostPassText) return failure("the graphs between passes have more text than 1 GiB");
        auto stage = std::make_shared<session::Stage>();
        const std::string_view part = partOf(*phase, id);
        stage->name = phase->name + '/' +
                      (pass            ? pass->name
                       : !part.empty() ? std::string(part)
                       : state.first   ? "start"
                                       : "between_passes");
        stage->k = seen[stage->name]++;
        stage->phase = part.empty() ? tracePhaseOf(*phase) : phaseOfPart(part);
        const std::size_t length = text->size();
        stage->payload = {session::makeByteSource(std::move(*text)), 0, length};
        passes.stages.push_back({id, phase, std::move(stage)});
    }
    log::write(log::Topic::Inductor, "read ", passes.stages.size(), " graphs between passes in ", watch.ms(),
               " ms, ", bytes, " bytes");
    return {};
}

session::Compile compileOf(const CompilePasses& passes, const session::Compile& compile) {
    session::Compile out;
    out.rank = compile.rank;
    out.id = compile.id;
    out.status = compile.status;
    out.userStack = compile.userStack;
    out.function = compile.function;
    for (const PassStage& stage : passes.stages)
        out.stages.push_back(stage.stage);
    return out;
}

std::vector<session::Compile> compilesIn(const PassRecording& recording) {
    std::vector<session::Compile> out;
    for (const CompileInRecording& one : recording.compiles()) {
        session::Compile compile;
        compile.rank = std::max(0, recording.rank());
        std::sscanf(one.compileId.c_str(), "%d/%d", &compile.id.frame, &compile.id.compile);
        compile.id.run = one.run;
        if (compile.id.empty()) continue;
        auto at = std::ranges::find(out, compile.id, &session::Compile::id);
        if (at == out.end()) {
            compile.status = session::Status::Compiled;
            compile.isRecompile = compile.id.compile > 0; // PyTorch counts the compiles of a frame
            at = out.insert(out.end(), compile);
        }
        for (const PassPhase& phase : recording.phases()) {
            if (phase.compile != one.id) continue;
            if (!phase.ended) at->status = session::Status::Incomplete;
            if (!phase.exception.empty()) at->status = session::Status::Failed;
        }
    }
    return out;
}

std::string changeText(const Change& change) {
    std::string out;
    const auto add = [&out](const char* sign, std::size_t n) {
        if (n > 0) out += (out.empty() ? "" : " ") + (sign + std::to_string(n));
    };
    add("+", change.created.size());
    add("-", change.erased.size());
    add("~", change.updated.size());
    add("renamed ", change.renamed.size());
    if (change.moved) out += out.empty() ? "moved" : " moved";
    return out;
}

std::vector<const Schedule*> schedulesOf(const CompilePasses& passes) {
    std::vector<const Schedule*> out;
    if (!passes.recording) return out;
    std::set<std::uint32_t> compiles;
    for (const PassRow& row : passes.rows)
        compiles.insert(row.phase->compile);
    for (const Schedule& schedule : passes.recording->schedules()) {
        const PassPhase* phase = passes.recording->phase(schedule.phase);
        if (phase != nullptr && compiles.contains(phase->compile)) out.push_back(&schedule);
    }
    return out;
}

std::vector<NodeStep> historyOf(const CompilePasses& passes, std::uint64_t id) {
    std::vector<NodeStep> out;
    const auto isIn = [id](const std::vector<NodeRef>& nodes) {
        return std::ranges::any_of(nodes, [id](const NodeRef& node) { return node.id == id; });
    };
    for (std::size_t i = 0; i < passes.rows.size(); ++i) {
        const PassRow& row = passes.rows[i];
        // What a pass changed is told of those inside it as well: they say it better.
        const bool inside = row.pass != nullptr && i + 1 < passes.rows.size() &&
                            passes.rows[i + 1].depth > row.depth &&
                            std::any_of(passes.rows.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                        passes.rows.end(), [&](const PassRow& inner) {
                                            return inner.pass != nullptr &&
                                                   inner.pass->parent == row.pass->index && inner.changed();
                                        });
        if (inside) continue;
        std::vector<NodeRef> linked;
        if (row.pass != nullptr) {
            for (const RecordedPass::Replaced& replaced : row.pass->replaced) {
                if (replaced.after.id == id) linked.push_back(replaced.before);
                if (replaced.before.id == id) linked.push_back(replaced.after);
            }
        }
        const Change& change = *row.change;
        if (isIn(change.created))
            out.push_back({NodeStep::What::Made, i, std::move(linked)});
        else if (isIn(change.erased))
            out.push_back({NodeStep::What::Removed, i, std::move(linked)});
        else if (std::ranges::any_of(change.renamed, [id](const auto& node) { return node.id == id; }))
            out.push_back({NodeStep::What::Renamed, i, {}});
        else if (std::ranges::find(change.updated, id) != change.updated.end())
            out.push_back({NodeStep::What::Changed, i, {}});
    }
    return out;
}

} // namespace dynascope::inductor
