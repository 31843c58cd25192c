// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/rederive_json.h"

#include "core/base/json_fields.h"

namespace dynascope::engine {

namespace {

using nlohmann::json;
using passes::partition::Decision;

json decisionsJson(const std::vector<Decision>& decisions) {
    json out = json::array();
    for (const Decision& decision : decisions)
        out.push_back({{"node", decision.node},
                       {"decision", decisionName(decision.kind)},
                       {"bytes", decision.bytes},
                       {"why", decision.why}});
    return out;
}

std::vector<Decision> readDecisions(const json& list) {
    std::vector<Decision> out;
    for (const json& item : list) {
        const json& bytes = field(item, "bytes");
        const bool saved = stringField(item, "decision") == decisionName(Decision::Kind::Saved);
        out.push_back({saved ? Decision::Kind::Saved : Decision::Kind::Recomputed, stringField(item, "node"),
                       bytes.is_number_integer() ? bytes.get<std::int64_t>() : 0, stringField(item, "why")});
    }
    return out;
}

std::vector<std::string> lines(const json& list) {
    std::vector<std::string> out;
    for (const json& line : list)
        if (line.is_string()) out.push_back(line.get<std::string>());
    return out;
}

std::size_t count(const json& stage, const char* key) {
    const json& number = field(stage, key);
    return number.is_number_unsigned() ? number.get<std::size_t>() : 0;
}

} // namespace

std::string_view decisionName(Decision::Kind kind) {
    return kind == Decision::Kind::Saved ? "saved" : "recomputed";
}

json rederivedJson(const RederivedStage& stage) {
    json out{{"rank", stage.rank},
             {"compile_id", stage.compile},
             {"stage", stage.stage},
             {"from", stage.from},
             {"verdict", rederivedName(stage.verdict)},
             {"reason", stage.reason},
             {"nodes", stage.nodes},
             {"matched", stage.matched},
             {"time_us", stage.microseconds},
             {"captured", stage.captured},
             {"derived", stage.got},
             {"node", stage.node},
             {"derived_node", stage.nodeGot},
             {"missed_guard", stage.missedGuard},
             {"left_out", stage.leftOut},
             {"decisions", decisionsJson(stage.decisions)}};
    if (stage.attempt != 0) out["attempt"] = stage.attempt;
    if (!stage.metadata.is_null()) out["metadata"] = stage.metadata;
    if (!stage.versions.empty()) out["versions"] = stage.versions;
    if (!stage.hooks.empty()) out["hooks"] = stage.hooks;
    return out;
}

std::optional<RederivedStage> readRederived(const json& stage) {
    RederivedStage out;
    bool known = false;
    for (const Rederived verdict : {Rederived::Isomorphic, Rederived::Equivalent, Rederived::Different,
                                    Rederived::Declined, Rederived::NotDerived, Rederived::Alone})
        if (rederivedName(verdict) == stringField(stage, "verdict")) {
            out.verdict = verdict;
            known = true;
        }
    if (!known) return std::nullopt;
    const json& rank = field(stage, "rank");
    const json& time = field(stage, "time_us");
    const json& attempt = field(stage, "attempt");
    out.attempt = attempt.is_number_integer() ? attempt.get<int>() : 0;
    out.rank = rank.is_number_integer() ? rank.get<int>() : 0;
    out.compile = stringField(stage, "compile_id");
    out.stage = stringField(stage, "stage");
    out.from = stringField(stage, "from");
    out.reason = stringField(stage, "reason");
    out.versions = stringField(stage, "versions");
    out.nodes = count(stage, "nodes");
    out.matched = count(stage, "matched");
    out.microseconds = time.is_number() ? time.get<double>() : 0;
    out.captured = lines(field(stage, "captured"));
    out.got = lines(field(stage, "derived"));
    out.node = stringField(stage, "node");
    out.nodeGot = stringField(stage, "derived_node");
    out.missedGuard = stringField(stage, "missed_guard");
    out.leftOut = stringField(stage, "left_out");
    out.hooks = stringField(stage, "hooks");
    out.decisions = readDecisions(field(stage, "decisions"));
    out.metadata = field(stage, "metadata");
    return out;
}

} // namespace dynascope::engine
