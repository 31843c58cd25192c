// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/saved_stages.h"

#include "core/base/log.h"
#include "core/computed/program_text.h"
#include "core/engine/wire/stage_document.h"
#include "core/ir/text.h"
#include "core/rederive/rederive_json.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::computed {

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
    const StageVerdict& verdict = stage.verdict;
    if (verdict == StageVerdict{}) return {};
    const Parting& parting = stage.known.parting;
    wire::VerdictDocument out;
    out.verdict = verdictName(verdict.kind);
    out.text = verdict.text;
    out.node = verdict.node;
    out.nodeFrom = verdict.nodeFrom;
    out.isomorphic = verdict.isomorphic;
    out.twin = verdict.twin;
    out.differences = stage.known.differences;
    out.parting = {parting.node, parting.nodeFrom, parting.expected, parting.actual, parting.text};
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

store::SavedStage rederivationToStore(const StageRederivation& known, bool shown) {
    store::SavedStage out;
    out.root = known.address;
    out.name = known.stage->name;
    out.detail = rederivation;
    out.k = known.stage->k;
    if (!shown && known.said.row.derived) out.graph = ir::printReadable(*known.said.row.derived).text;
    out.recording = engine::writeRederivation(known.said);
    return out;
}

/// None where it cannot be read: the stage is there all the same.
StageVerdict readVerdict(const std::string& text, ComputedStage& known) {
    StageVerdict verdict;
    const auto saved = wire::readVerdictDocument(text);
    if (!saved) return verdict;
    verdict.kind = verdictKind(saved->verdict).value_or(StageVerdict::Kind::NotRun);
    verdict.text = saved->text;
    verdict.node = saved->node;
    verdict.nodeFrom = saved->nodeFrom;
    verdict.isomorphic = saved->isomorphic;
    verdict.twin = saved->twin;
    known.differences = saved->differences;
    const wire::VerdictDocument::Parting& parting = saved->parting;
    known.parting = {parting.node, parting.nodeFrom, parting.expected, parting.actual, parting.text};
    return verdict;
}

/// One stage after the other, parents first.
class Restorer {
public:
    Restorer(const session::Session& session, RestoredStages& out)
        : m_session(session)
        , m_out(out) {}

    bool add(const store::SavedStage& saved) {
        m_places.push_back({});
        const session::Compile* compile = m_session.find(saved.root.rank, saved.root.compileId);
        if (!compile) return false;
        const session::StagePtr root =
            graphStage(*compile, saved.root.stage, saved.root.k, saved.root.attempt);
        if (!root) return false;
        if (saved.detail == rederivation) return addRederivation(saved, root);
        RestoredStages::OfCompile& made = ofCompile(std::size_t(compile - m_session.compiles.data()));

        const ComputedStage* before = nullptr;
        PlacedStage computed;
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
        if (const StageVerdict verdict = readVerdict(saved.verdict, *known); verdict != StageVerdict{})
            m_out.verdicts.emplace_back(known->stage, verdict);
        if (known->twin) m_shown[known->twin->id()] = known->stage;
        made.stages.push_back(std::move(computed));
        m_out.known.push_back(std::move(*known));
        return true;
    }

private:
    struct Place {
        const session::Compile* compile = nullptr;
        std::size_t index = 0, known = 0; ///< in OfCompile::stages and RestoredStages::known
    };

    bool addRederivation(const store::SavedStage& saved, const session::StagePtr& stage) {
        auto said = engine::readRederivation(saved.recording);
        if (!said) return false;
        ir::GraphPtr& derived = said->row.derived;
        // Stored once, where it is shown.
        if (const auto shown = m_shown.find(session::idOf(stage.get())); shown != m_shown.end())
            derived = *shown->second->graph();
        if (!saved.graph.empty())
            if (const auto graph = ir::readGraph(saved.graph)) derived = *graph;
        StageRederivation& out = m_out.rederived.emplace_back();
        out.stage = stage;
        out.address = saved.root;
        out.said = std::move(*said);
        return true;
    }

    RestoredStages::OfCompile& ofCompile(std::size_t compile) {
        const auto at = std::find_if(m_out.compiles.begin(), m_out.compiles.end(),
                                     [&](const auto& known) { return known.compile == compile; });
        if (at != m_out.compiles.end()) return *at;
        m_out.compiles.push_back({compile, {}});
        return m_out.compiles.back();
    }

    std::optional<ComputedStage> read(const store::SavedStage& saved, const session::Compile& compile,
                                      const session::StagePtr& root, const ComputedStage* before,
                                      PlacedStage& computed) const {
        auto recording = wire::readStageDocument(saved.recording, saved.graph);
        if (!recording) return std::nullopt;
        ComputedStage known;
        if (const auto& derived = recording->derived)
            known.twin = graphStage(compile, derived->stage, derived->k, derived->attempt);
        if (recording->passes.empty() != (known.twin != nullptr)) return std::nullopt;
        known.passes = recording->passes;
        known.mode = {recording->removesViews, recording->callerWritesBack};
        known.source = computed.source;
        known.root = before ? before->root : root;
        computed.removed = recording->removed;
        return known.twin
                   ? readDerived(saved, *recording, std::move(known), computed)
                   : readMade(saved, std::move(*recording), compile, before, std::move(known), computed);
    }

    static std::optional<ComputedStage> readDerived(const store::SavedStage& saved,
                                                    const wire::StageDocument& recording, ComputedStage known,
                                                    PlacedStage& computed) {
        const auto graph = ir::readGraph(saved.graph);
        const auto source = known.source->graph();
        if (!graph || !source) return std::nullopt;
        known.graphText = saved.graph;
        known.nodesBefore = (*source)->size();
        known.nodesAfter = (*graph)->size();
        known.root = known.stage = computed.stage = derivedStage(*known.twin, *graph, saved.graph);
        known.microseconds = recording.derived->microseconds;
        return known;
    }

    std::optional<ComputedStage> readMade(const store::SavedStage& saved, wire::StageDocument recording,
                                          const session::Compile& compile, const ComputedStage* before,
                                          ComputedStage known, PlacedStage& computed) const {
        std::shared_ptr<const wire::ExecuteReply> eager;
        if (recording.eager) eager = std::make_shared<const wire::ExecuteReply>(std::move(*recording.eager));
        const bool isTold = recording.reply.has_value();
        if (!isTold) recording.reply.emplace();
        recording.reply->graph = saved.graph;
        ProgramText program;
        if (const auto source = known.source->graph(); source && !before)
            program = programOf(m_session, compile, **source);
        auto made =
            madeStage(std::move(known), std::make_shared<const wire::PassReply>(std::move(*recording.reply)),
                      std::move(eager), std::move(program));
        if (!made) return std::nullopt;
        if (!isTold) { // what an engine that said nothing would have said
            made->known.reply = nullptr;
            made->known.recording = nullptr;
        }
        made->stage->name = saved.name;
        made->stage->k = saved.k;
        made->stage->detail = saved.detail;
        made->known.stage = computed.stage = std::move(made->stage);
        computed.origins = std::move(made->origins);
        return std::move(made->known);
    }

    const session::Session& m_session;
    RestoredStages& m_out;
    std::vector<Place> m_places;
    std::unordered_map<session::StageId, session::StagePtr> m_shown; ///< derived stages by their twin
};

} // namespace

std::vector<store::SavedStage> toStore(const std::vector<StageToSave>& stages,
                                       const std::vector<StageRederivation>& rederived) {
    std::vector<store::SavedStage> out;
    out.reserve(stages.size() + rederived.size());
    for (const StageToSave& stage : stages) {
        const session::Stage& made = *stage.known.stage;
        out.push_back({stage.parent, stage.root, made.name, made.detail, made.k, stage.known.graphText,
                       recordingText(stage), verdictText(stage)});
    }
    std::unordered_map<session::StageId, ir::GraphPtr> shown; // by twin
    for (const StageToSave& stage : stages)
        if (stage.known.twin) shown[stage.known.twin->id()] = *stage.known.stage->graph();
    for (const StageRederivation& known : rederived) {
        const auto at = shown.find(session::idOf(known.stage.get()));
        out.push_back(rederivationToStore(known, at != shown.end() && at->second == known.said.row.derived));
    }
    return out;
}

RestoredStages fromStore(const session::Session& session, const std::vector<store::SavedStage>& stages,
                         const TaskContext& task) {
    const log::Stopwatch watch;
    RestoredStages out;
    Restorer restorer(session, out);
    for (const store::SavedStage& saved : stages) {
        if (task.cancelled()) return out;
        if (restorer.add(saved)) continue;
        ++out.lost;
        log::write(log::Topic::Computed, "left out of a session file: ", saved.name, " of ",
                   saved.root.toString());
    }
    log::write(log::Topic::Computed, "took ", out.known.size(), " stages and ", out.rederived.size(),
               " rederivations from a session file in ", watch.ms(), " ms, ", out.lost, " left out");
    return out;
}

} // namespace dynascope::computed
