// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/verify/verification.h"

#include "core/base/json_fields.h"
#include "core/passes/same_values.h"

#include <map>
#include <set>

namespace dynascope::engine {

namespace {

using nlohmann::json;
/// Nodes after by the node before. Several may hold the same value: an in-place operator's functional form,
/// and the view of the new base that replaces its tensor.
using Names = std::map<std::string, std::set<std::string>>;

const json& member(const json& object, const char* key) {
    static const json none = json::array();
    const auto found = object.find(key);
    return found == object.end() || !found->is_array() ? none : *found;
}

/// Whether functionalization's scorecard calls the step's own value out of date: a view of a tensor that was
/// written holds an old value on purpose.
bool stale(const json& step, const std::string& source) {
    for (const json& row : member(step, "scorecard")) {
        if (stringField(row, "value") == source && row.value("stale", json()) == true) return true;
    }
    return false;
}

/// What one step says about the value of its source node.
void addStep(const json& step, Names& names) {
    const std::string source = stringField(step, "source");
    if (source.empty()) return;
    std::set<std::string> found;
    std::string last; // of the nodes that stand for the operator itself
    for (const json& node : member(step, "emitted")) {
        const std::string why = stringField(node, "why");
        // The parts of several results come after the operator, under FX's name for such a node.
        const bool part = stringField(node, "node").starts_with("getitem") && !source.starts_with("getitem");
        if (!part && why != "inverse" && why != "regeneration" && why != "write_back")
            last = stringField(node, "node");
    }
    if (!last.empty()) found.insert(last);
    for (const json& row : member(step, "scorecard")) {
        if (stringField(row, "value") == source && !stringField(row, "current").empty())
            found.insert(stringField(row, "current"));
    }
    for (const json& changed : member(step, "changed")) {
        if (stringField(changed, "before") == source) found.insert(stringField(changed, "after"));
    }
    if (stale(step, source)) found.clear();
    if (!found.empty() || stale(step, source)) names[source] = std::move(found);
    for (const json& removed : member(step, "removed")) {
        if (const std::string now = stringField(removed, "replacement"); !now.empty())
            names[stringField(removed, "node")] = {now};
    }
}

} // namespace

std::vector<MatchedPair> matchedPairs(const ir::Graph& source, const ir::Graph& computed,
                                      const json& passReply) {
    std::vector<MatchedPair> out;
    // No pass made it of the source: a name that both have says nothing.
    if (member(passReply, "steps").empty()) {
        for (const auto& [a, b] : passes::sameValues(source, computed))
            if (source.node(a).op != ir::Op::Output) out.push_back({a, b});
        return out;
    }
    // One table a pass, in order; a node that a pass says nothing about keeps its name.
    std::vector<std::pair<std::string, Names>> passes;
    for (const json& step : member(passReply, "steps")) {
        const std::string pass = stringField(step, "pass");
        if (passes.empty() || passes.back().first != pass) passes.emplace_back(pass, Names());
        addStep(step, passes.back().second);
    }
    std::set<ir::NodeIndex> taken;
    for (ir::NodeIndex i = 0; i < source.size(); ++i) {
        if (source.node(i).op == ir::Op::Output) continue;
        std::set<std::string> now{source.node(i).name};
        for (const auto& [pass, names] : passes) {
            std::set<std::string> next;
            for (const std::string& name : now) {
                const auto found = names.find(name);
                if (found == names.end()) {
                    next.insert(name);
                } else {
                    next.insert(found->second.begin(), found->second.end());
                }
            }
            now = std::move(next);
        }
        for (const std::string& name : now) {
            const ir::NodeIndex node = computed.find(name);
            if (node == ir::npos || computed.node(node).op == ir::Op::Output) continue;
            if (taken.insert(node).second) out.push_back({i, node});
        }
    }
    return out;
}

} // namespace dynascope::engine
