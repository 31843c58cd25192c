// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/saved_stages.h"

#include "core/base/json_fields.h"
#include "core/engine/client/rederive_json.h"
#include "core/ir/text.h"
#include "core/session/byte_source.h"
#include "views/engine/node_values.h"
#include "views/engine/pass_replies.h"
#include "views/models/labels.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::views {

namespace {

using nlohmann::json;

constexpr int mostLevels = 100;                      ///< of JSON; a tensor has at most 64 dimensions
constexpr const char* rederivation = "rederivation"; ///< `detail` of what deriving a stage said

/// No object where the text is no JSON, or nests deeper than replies do: copies of a value recurse.
json parsedShallow(const std::string& text) {
    int depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\') ++i;
            if (c == '"') inString = false;
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > mostLevels) return {};
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return json::parse(text, nullptr, false);
}

std::string dumped(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

bool flagOf(const json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_boolean() && at->get<bool>();
}

/// How a stage was made. The replies are JSON already and as large as the rest is small.
std::string recordingText(const StageToSave& stage) {
    const ComputedStage& known = stage.known;
    json how{{"passes", known.passes},
             {"removes_views", known.mode.removesViews},
             {"caller_writes_back", known.mode.callerWritesBack},
             {"removed", stage.removed}};
    if (known.twin)
        how["derived"] = {{"stage", known.twin->name},
                          {"k", known.twin->k},
                          {"attempt", known.twin->attempt},
                          {"time_us", known.microseconds}};
    std::string out = "{\"how\":" + dumped(how);
    if (known.reply) out += ",\"reply\":" + *known.reply;
    if (known.eager) out += ",\"eager\":" + *known.eager;
    return out + '}';
}

std::string verdictText(const StageToSave& stage) {
    const Verdict& verdict = stage.verdict;
    if (verdict == Verdict{}) return {};
    json differences = json::array();
    for (const QString& line : stage.known.differences)
        differences.push_back(line.toStdString());
    const Parting& parting = stage.known.parting;
    return dumped({{"verdict", std::string(verdictName(verdict.kind))},
                   {"text", verdict.text.toStdString()},
                   {"node", verdict.node},
                   {"node_from", verdict.nodeFrom},
                   {"isomorphic", verdict.isomorphic},
                   {"twin", verdict.twin.toStdString()},
                   {"differences", std::move(differences)},
                   {"parting",
                    {{"node", parting.node},
                     {"node_from", parting.nodeFrom},
                     {"expected", parting.expected.toStdString()},
                     {"actual", parting.actual.toStdString()},
                     {"text", parting.text.toStdString()}}}});
}

session::StagePtr graphStage(const session::Compile& compile, std::string_view name, int k, int attempt) {
    const auto at =
        std::find_if(compile.stages.begin(), compile.stages.end(), [&](const session::StagePtr& stage) {
            return stage->name == name && stage->k == k && stage->attempt == attempt &&
                   stage->content == session::Stage::Content::Graph;
        });
    return at == compile.stages.end() ? nullptr : *at;
}

/// The captured stage that a derived one is held against; null where there is none.
session::StagePtr readTwin(const json& how, const session::Compile& compile) {
    const auto derived = how.find("derived");
    if (derived == how.end() || !derived->is_object()) return nullptr;
    const auto number = [&](const char* key) {
        const auto at = derived->find(key);
        return at != derived->end() && at->is_number_integer() ? at->get<int>() : 0;
    };
    return graphStage(compile, stringField(*derived, "stage"), number("k"), number("attempt"));
}

double numberOf(const json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_number() ? at->get<double>() : 0;
}

store::ComputedStage rederivationToStore(const StageRederivation& known, bool shown) {
    store::ComputedStage out;
    out.root = known.address;
    out.name = known.stage->name;
    out.detail = rederivation;
    out.k = known.stage->k;
    if (!shown && known.said.row.derived) out.graph = ir::printReadable(*known.said.row.derived).text;
    json recording{{"rederived", engine::rederivedJson(known.said.row)}};
    if (known.said.metadata) recording["metadata"] = engine::rederivedJson(*known.said.metadata);
    out.recording = dumped(recording);
    return out;
}

Verdict readVerdict(const std::string& text, ComputedStage& known) {
    Verdict verdict;
    const json saved = parsedShallow(text);
    if (!saved.is_object()) return verdict;
    verdict.kind = verdictKind(stringField(saved, "verdict")).value_or(Verdict::Kind::NotRun);
    verdict.text = toQString(stringField(saved, "text"));
    verdict.node = stringField(saved, "node");
    verdict.nodeFrom = stringField(saved, "node_from");
    verdict.isomorphic = flagOf(saved, "isomorphic");
    verdict.twin = toQString(stringField(saved, "twin"));
    if (const auto lines = saved.find("differences"); lines != saved.end() && lines->is_array())
        for (const json& line : *lines)
            if (line.is_string()) known.differences << toQString(line.get_ref<const std::string&>());
    if (const auto parting = saved.find("parting"); parting != saved.end() && parting->is_object())
        known.parting = {stringField(*parting, "node"), stringField(*parting, "node_from"),
                         toQString(stringField(*parting, "expected")),
                         toQString(stringField(*parting, "actual")),
                         toQString(stringField(*parting, "text"))};
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
        const json recording = parsedShallow(saved.recording);
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
        const json recording = parsedShallow(saved.recording);
        if (!graph || !source || !recording.is_object()) return std::nullopt;
        const auto how = recording.find("how");
        if (how == recording.end() || !how->is_object()) return std::nullopt;
        const auto passes = how->find("passes");
        if (passes == how->end() || !passes->is_array()) return std::nullopt;

        ComputedStage known;
        known.twin = readTwin(*how, compile);
        if (passes->empty() != (known.twin != nullptr)) return std::nullopt;
        for (const json& pass : *passes)
            if (pass.is_string()) known.passes.push_back(pass.get<std::string>());
        if (known.passes.size() != passes->size()) return std::nullopt;
        known.mode = {flagOf(*how, "removes_views"), flagOf(*how, "caller_writes_back")};
        known.source = computed.source;
        known.root = before ? before->root : root;
        known.graphText = saved.graph;
        known.nodesBefore = (*source)->size();
        known.nodesAfter = (*graph)->size();
        computed.removed = flagOf(*how, "removed");
        if (known.twin) {
            known.root = known.stage = computed.stage = derivedStage(*known.twin, *graph, saved.graph);
            known.microseconds = numberOf(how->at("derived"), "time_us");
            return known;
        }

        const auto reply = recording.find("reply");
        const bool answered = reply != recording.end() && reply->is_object();
        if (answered) *graph = withShapes(**graph, *reply);
        auto stage = std::make_shared<session::Stage>();
        stage->name = saved.name;
        stage->k = saved.k;
        stage->phase = session::Phase::Computed;
        stage->detail = saved.detail;
        stage->payload = {session::makeByteSource(saved.graph), 0, saved.graph.size(), false};
        stage->setGraph(*graph);
        known.stage = computed.stage = std::move(stage);

        if (!answered) return known;
        known.reply = std::make_shared<const std::string>(dumped(*reply));
        computed.origins = readOrigins(*reply, **source, **graph);
        if (const auto attributes = reply->find("attrs"); attributes != reply->end())
            known.attributes = *attributes;
        known.microseconds = numberOf(*reply, "median_us");
        if (known.passes.back() != "functionalize") return known;
        FunctionalRun run = readFunctionalRun(*reply, *source);
        run.mode = known.mode;
        run.graph = *graph;
        if (const auto eager = recording.find("eager"); eager != recording.end()) {
            run.eager = readNodeValues(*eager);
            known.eager = std::make_shared<const std::string>(dumped(*eager));
        }
        if (!before) run.program = programOf(m_session, compile, **source);
        known.recording = std::make_shared<const Recording>(std::move(run));
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
