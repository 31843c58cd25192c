// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/side_effects.h"

#include <algorithm>
#include <array>
#include <vector>

namespace dynascope::engine {

std::optional<WriteToInput> writeToInput(const ir::Graph& graph) {
    // The input whose memory a node's value is, npos for memory of its own.
    std::vector<ir::NodeIndex> owner(graph.size(), ir::npos);
    const auto ownerOf = [&](const ir::Node& node) {
        if (node.args.empty() || !node.args[0].isNode()) return ir::npos;
        const ir::NodeIndex source = graph.find(node.args[0].text);
        return source == ir::npos ? ir::npos : owner[source];
    };
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        if (node.op == ir::Op::Placeholder) {
            owner[i] = i;
            continue;
        }
        const ir::OpKind kind = ir::opKind(node);
        if (kind != ir::OpKind::View && kind != ir::OpKind::Write) continue;
        owner[i] = ownerOf(node);
        if (kind == ir::OpKind::Write && owner[i] != ir::npos)
            return WriteToInput{node.name, graph.node(owner[i]).name};
    }
    return std::nullopt;
}

bool forbidsSideEffects(std::string_view target) {
    constexpr std::array<std::string_view, 5> strict{"cond", "while_loop", "map_impl", "scan",
                                                     "associative_scan"};
    target.remove_prefix(std::min(target.size(), std::string_view("torch.ops.higher_order.").size()));
    return std::find(strict.begin(), strict.end(), target) != strict.end();
}

} // namespace dynascope::engine
