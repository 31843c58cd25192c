// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/saved_stages.h"

#include "core/computed/node_values.h"
#include "core/engine/wire/stage_document.h"
#include "core/ir/text.h"
#include "core/rederive/rederive_json.h"
#include "core/session/byte_source.h"
#include "views/engine/pass_replies.h"
#include "views/models/labels.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::views {

namespace {

constexpr const char* rederivation = "rederivation"; ///< `detail` of what deriving a stage said

std::string recordingText(const StageToSave& stage) {
    const ComputedStage& known = stage.known;
    wire::StageDocument out;
    out.passes = known.passes;
    out.removesViews = known.mode.removesViews;
    out.callerWritesBack = known.mode.callerWritesBack;
    out.removed = stage.removed;
    if (known.twin) out.derived = {known.twin->name, known.twin->k, known.twin->attempt, known.microseconds};
    if (known.reply) out.reply = *known.reply;
    if (known.eager) out.eager = *known.eager;
    return wire::writeStageDocument(out);
}

std::string verdictText(const StageToSave& stage) {
    const Verdict& verdict = stage.verdict;
    if (verdict == Verdict{}) return {};
    const Parting& parting = stage.known.parting;
    wire::VerdictDocument out;
    out.verdict = verdictName(verdict.kind);
    out.text = verdict.text.toStdString();
    out.node = verdict.node;
    out.nodeFrom = verdict.nodeFrom;
    out.isomorphic = verdict.isomorphic;
    out.twin = verdict.twin.toStdString();
    for (const QString& line : stage.known.differences)
        out.differences.push_back(line.toStdString());
    out.parting = {parting.node, parting.nodeFrom, parting.expected.toStdString(),
                   parting.actual.toStdString(), parting.text.toStdString()};
    return wire::writeVerdictDocument(out);
}

session::StagePtr graphStage(const session::Compile& compile, std::string_view name, int k, int attempt) {
    const auto at =
        std::find_if(compile.stages.begin(), compile.stages.end(), [&](const session::StagePtr& stage) {
            return stage->name == name && stage->k == k && stage->attempt == attempt &&
                   stage->content == session::Stage::Content::Graph;
        });
    return at == compile.stages.end() ? nullptr : *at;
}

store::ComputedStage rederivationToStore(const StageRederivation& known, bool shown) {
    store::ComputedStage out;
    out.root = known.address;
    out.name = known.stage->name;
    out.detail = rederivation;
    out.k = known.stage->k;
    if (!shown && known.said.row.derived) out.graph = ir::printReadable(*known.said.row.derived).text;
    wire::Any recording{{"rederived", engine::rederivedJson(known.said.row)}};
    if (known.said.metadata) recording["metadata"] = engine::rederivedJson(*known.said.metadata);
    out.recording = wire::textOf(recording);
    return out;
}

/// None where it cannot be read: the stage is there all the same.
Verdict readVerdict(const std::string& text, ComputedStage& known) {
    Verdict verdict;
    const auto saved = wire::readVerdictDocument(text);
    if (!saved) return verdict;
    verdict.kind = verdictKind(saved->verdict).value_or(Verdict::Kind::NotRun);
    verdict.text = toQString(saved->text);
    verdict.node = saved->node;
    verdict.nodeFrom = saved->nodeFrom;
    verdict.isomorphic = saved->isomorphic;
    verdict.twin = toQString(saved->twin);
    for (const std::string& line : saved->differences)
        known.differences << toQString(line);
    const wire::VerdictDocument::Parting& parting = saved->parting;
    known.parting = {parting.node, parting.nodeFrom, toQString(parting.expected), toQString(parting.actual),
                     toQString(parting.text)};
    return verdict;
}

/// One stage after the other, parents first.
class Restorer {
public:
    Restorer(const session::Session& session, RestoredStages& out)
        : m_session(session)
        , m_out(out) {}

    bool add(const store::ComputedStage& saved) {
        m_places.push_back({});
        const session::Compile* compile = m_session.find(saved.root.rank, saved.root.compileId);
        if (!compile) return false;
        const session::StagePtr root =
            graphStage(*compile, saved.root.stage, saved.root.k, saved.root.attempt);
        if (!root) return false;
        if (saved.detail == rederivation) return addRederivation(saved, root);
        RestoredStages::OfCompile& made = ofCompile(std::size_t(compile - m_session.compiles.data()));

        const ComputedStage* before = nullptr;
        Workspace::Computed computed;
        if (saved.parent >= 0) {
            if (std::size_t(saved.parent) + 1 >= m_places.size()) return false;
            const Place& parent = m_places[std::size_t(saved.parent)];
            if (parent.compile != compile) return false; // was not understood, or is another frame's
            before = &m_out.known[parent.known];
            computed.from = int(compile->stages.size() + parent.index);
            computed.source = before->stage;
        } else {
            computed.from = int(std::find(compile->stages.begin(), compile->stages.end(), root) -
                                compile->stages.begin());
            computed.source = root;
        }
        std::optional<ComputedStage> known = read(saved, *compile, root, before, computed);
        if (!known) return false;
        m_places.back() = {compile, made.stages.size(), m_out.known.size()};
        if (const Verdict verdict = readVerdict(saved.verdict, *known); verdict != Verdict{})
            m_out.verdicts.emplace_back(known->stage, verdict);
        if (known->twin) m_shown[known->twin.get()] = known->stage;
        made.stages.push_back(std::move(computed));
        m_out.known.push_back(std::move(*known));
        return true;
    }

private:
    struct Place {
        const session::Compile* compile = nullptr;
        std::size_t index = 0, known = 0; ///< in OfCompile::stages and RestoredStages::known
    };

    bool addRederivation(const store::ComputedStage& saved, const session::StagePtr& stage) {
        const wire::Any recording = wire::parsed(saved.recording);
        if (!recording.is_object() || !recording.contains("rederived")) return false;
        auto row = engine::readRederived(recording.at("rederived"));
        if (!row) return false;
        // Stored once, where it is shown.
        if (const auto shown = m_shown.find(stage.get()); shown != m_shown.end())
            row->derived = *shown->second->graph();
        if (!saved.graph.empty())
            if (const auto graph = ir::readGraph(saved.graph)) row->derived = *graph;
        StageRederivation& out = m_out.rederived.emplace_back();
        out.stage = stage;
        out.address = saved.root;
        out.said.row = std::move(*row);
        if (const auto metadata = recording.find("metadata"); metadata != recording.end())
            out.said.metadata = engine::readRederived(*metadata);
        return true;
    }

    RestoredStages::OfCompile& ofCompile(std::size_t compile) {
        const auto at = std::find_if(m_out.compiles.begin(), m_out.compiles.end(),
                                     [&](const auto& known) { return known.compile == compile; });
        if (at != m_out.compiles.end()) return *at;
        m_out.compiles.push_back({compile, {}});
        return m_out.compiles.back();
    }

    std::optional<ComputedStage> read(const store::ComputedStage& saved, const session::Compile& compile,
                                      const session::StagePtr& root, const ComputedStage* before,
                                      Workspace::Computed& computed) const {
        auto graph = ir::readGraph(saved.graph);
        const auto source = computed.source->graph();
        auto recording = wire::readStageDocument(saved.recording, saved.graph);
        if (!graph || !source || !recording) return std::nullopt;

        ComputedStage known;
        if (const auto& derived = recording->derived)
            known.twin = graphStage(compile, derived->stage, derived->k, derived->attempt);
        if (recording->passes.empty() != (known.twin != nullptr)) return std::nullopt;
        known.passes = recording->passes;
        known.mode = {recording->removesViews, recording->callerWritesBack};
        known.source = computed.source;
        known.root = before ? before->root : root;
        known.graphText = saved.graph;
        known.nodesBefore = (*source)->size();
        known.nodesAfter = (*graph)->size();
        computed.removed = recording->removed;
        if (known.twin) {
            known.root = known.stage = computed.stage = derivedStage(*known.twin, *graph, saved.graph);
            known.microseconds = recording->derived->microseconds;
            return known;
        }

        if (recording->reply) *graph = withShapes(**graph, *recording->reply);
        auto stage = std::make_shared<session::Stage>();
        stage->name = saved.name;
        stage->k = saved.k;
        stage->phase = session::Phase::Computed;
        stage->detail = saved.detail;
        stage->payload = {session::makeByteSource(saved.graph), 0, saved.graph.size(), false};
        stage->setGraph(*graph);
        known.stage = computed.stage = std::move(stage);

        if (!recording->reply) return known;
        known.reply = std::make_shared<const wire::PassReply>(std::move(*recording->reply));
        computed.origins = originsOf(*known.reply, **source, **graph);
        known.attributes = known.reply->attributes;
        known.microseconds = known.reply->medianMicroseconds;
        if (known.passes.back() != "functionalize") return known;
        computed::FunctionalRun run = computed::functionalRun(*known.reply, *source);
        run.mode = known.mode;
        run.graph = *graph;
        if (recording->eager) {
            known.eager = std::make_shared<const wire::ExecuteReply>(std::move(*recording->eager));
            run.eager = computed::nodeValues(*known.eager);
        }
        if (!before) run.program = computed::programOf(m_session, compile, **source);
        known.recording = std::make_shared<const computed::FunctionalRecording>(std::move(run));
        return known;
    }

    const session::Session& m_session;
    RestoredStages& m_out;
    std::vector<Place> m_places;
    std::unordered_map<const session::Stage*, session::StagePtr> m_shown; ///< derived stages by their twin
};

} // namespace

std::vector<store::ComputedStage> toStore(const std::vector<StageToSave>& stages,
                                          const std::vector<StageRederivation>& rederived) {
    std::vector<store::ComputedStage> out;
    out.reserve(stages.size() + rederived.size());
    for (const StageToSave& stage : stages) {
        const session::Stage& made = *stage.known.stage;
        out.push_back({stage.parent, stage.root, made.name, made.detail, made.k, stage.known.graphText,
                       recordingText(stage), verdictText(stage)});
    }
    std::unordered_map<const session::Stage*, ir::GraphPtr> shown; // by twin
    for (const StageToSave& stage : stages)
        if (stage.known.twin) shown[stage.known.twin.get()] = *stage.known.stage->graph();
    for (const StageRederivation& known : rederived) {
        const auto at = shown.find(known.stage.get());
        out.push_back(rederivationToStore(known, at != shown.end() && at->second == known.said.row.derived));
    }
    return out;
}

RestoredStages fromStore(const session::Session& session, const std::vector<store::ComputedStage>& stages,
                         const TaskContext& task) {
    RestoredStages out;
    Restorer restorer(session, out);
    for (const store::ComputedStage& saved : stages) {
        if (task.cancelled()) return out;
        if (!restorer.add(saved)) ++out.lost;
    }
    return out;
}

} // namespace dynascope::views
