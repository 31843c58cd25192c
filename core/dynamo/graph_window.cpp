// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/graph_window.h"

#include "core/base/text.h"
#include "core/ir/text.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>

namespace dynascope::dynamo {

GraphWindow newestNodes(const State& state, std::uint32_t graph, std::size_t chunk) {
    GraphWindow out;
    if (graph >= state.graphs.size()) return out;
    for (std::uint32_t id = state.graphs[graph].first; id != 0 && out.nodes.size() < state.nodes.size();
         id = state.nodes[id - 1].after)
        out.nodes.push_back(id);
    const std::size_t count = out.nodes.size();
    if (chunk == 0 || count < 2 * chunk) return out;
    out.earlier = (count / chunk - 1) * chunk;
    std::vector<std::uint32_t> ids = out.nodes;
    const auto first = ids.begin() + static_cast<std::ptrdiff_t>(out.earlier);
    std::nth_element(ids.begin(), first, ids.end());
    std::erase_if(out.nodes, [oldest = *first](std::uint32_t id) { return id < oldest; });
    return out;
}

namespace {

/// The names after the signs of nodes in a line; the first is the node's own.
std::vector<std::string_view> namesIn(std::string_view line) {
    std::vector<std::string_view> out;
    for (std::size_t at = line.find('%'); at != std::string_view::npos; at = line.find('%', at)) {
        const std::size_t first = ++at;
        while (at < line.size() && isNameByte(line[at]))
            ++at;
        if (at > first) out.push_back(line.substr(first, at - first));
    }
    return out;
}

} // namespace

ir::GraphPtr fxGraph(std::span<const GraphLine> lines) {
    // Nodes that the reader would miss are read as inputs and left out again.
    std::unordered_set<std::string_view> known;
    std::string text = "graph():";
    std::size_t missing = 0;
    for (const GraphLine& line : lines) {
        const std::vector<std::string_view> names = namesIn(line.text);
        const bool output = line.text.find_first_not_of(' ') == line.text.find("return ");
        for (std::size_t i = output ? 0 : 1; i < names.size(); ++i) {
            if (!known.insert(names[i]).second) continue;
            const std::string name(names[i]);
            text += "\n    %" + name + " : [num_users=1] = placeholder[target=" + name + ']';
            ++missing;
        }
        if (!output && !names.empty()) known.insert(names.front());
    }
    for (const GraphLine& line : lines)
        text.append("\n").append(line.text);
    const Result<ir::GraphPtr> read = ir::readGraph(text);
    if (!read || (*read)->size() != missing + lines.size()) return nullptr;
    ir::GraphBuilder out;
    out.setStyle((*read)->style());
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const ir::NodePtr& node = (*read)->nodes()[missing + i];
        if (lines[i].value.empty()) {
            out.add(node);
            continue;
        }
        ir::Node annotated = *node;
        annotated.meta = ir::parseAnnotation(lines[i].value);
        out.add(std::move(annotated));
    }
    return out.build();
}

} // namespace dynascope::dynamo
