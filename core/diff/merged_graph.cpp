// SPDX-License-Identifier: BSD-3-Clause
#include "core/diff/merged_graph.h"

#include <string>
#include <unordered_map>
#include <utility>

namespace dynascope::diff {

namespace {

constexpr int deepestRenamed = 200;

using Names = std::unordered_map<std::string, std::string>;

void rename(ir::Argument& argument, const Names& names, int depth) {
    if (argument.isNode()) {
        if (const auto at = names.find(argument.text); at != names.end()) {
            argument.text = at->second;
            argument.spelling.clear();
        }
    }
    if (depth >= deepestRenamed) return;
    for (ir::Argument& item : argument.items)
        rename(item, names, depth + 1);
}

/// What nodes of A are called in the merged graph, where that differs.
Names newNames(const ir::Graph& a, const ir::Graph& b, const GraphDiff& diff) {
    Names names;
    for (ir::NodeIndex n = 0; n < a.size(); ++n) {
        const std::string& name = a.node(n).name;
        const ir::NodeIndex partner = diff.partnerOfA[n];
        if (partner != ir::npos) {
            if (b.node(partner).name != name) names.emplace(name, b.node(partner).name);
            continue;
        }
        std::string unique = name;
        while (b.find(unique) != ir::npos)
            unique += " (A)";
        if (unique != name) names.emplace(name, unique);
    }
    return names;
}

} // namespace

MergedGraph mergeGraphs(const ir::Graph& a, const ir::Graph& b, const GraphDiff& diff) {
    MergedGraph merged;
    merged.fromA.assign(a.size(), ir::npos);
    merged.fromB.assign(b.size(), ir::npos);
    const Names names = newNames(a, b, diff);
    ir::GraphBuilder builder;
    builder.setName(b.name());
    const auto note = [&merged](ir::NodeIndex inA, ir::NodeIndex inB, Change change) {
        const auto at = static_cast<ir::NodeIndex>(merged.changes.size());
        merged.changes.push_back(change);
        merged.nodeOfA.push_back(inA);
        merged.nodeOfB.push_back(inB);
        if (inA != ir::npos) merged.fromA[inA] = at;
        if (inB != ir::npos) merged.fromB[inB] = at;
    };
    for (const Row& row : diff.rows) {
        if (row.b != ir::npos) {
            if (merged.fromB[row.b] != ir::npos) continue;
            builder.add(b.nodes()[row.b]);
            note(diff.partnerOfB[row.b], row.b, diff.b[row.b]);
        } else if (row.a != ir::npos && diff.partnerOfA[row.a] == ir::npos) {
            ir::Node node = a.node(row.a);
            if (const auto at = names.find(node.name); at != names.end()) node.name = at->second;
            for (ir::Argument& argument : node.args)
                rename(argument, names, 0);
            for (auto& [key, argument] : node.kwargs)
                rename(argument, names, 0);
            builder.add(std::move(node));
            note(row.a, ir::npos, Change::Removed);
        }
    }
    for (const auto& [name, graph] : b.subgraphs())
        builder.addSubgraph(name, graph);
    merged.graph = builder.build();
    return merged;
}

} // namespace dynascope::diff
