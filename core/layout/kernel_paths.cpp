// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/kernel_paths.h"

namespace dynascope::layout {

void placeKernels(const ir::Graph& graph, const std::vector<KernelBlock>& kernels, ModulePaths& paths) {
    if (!paths.backward.empty()) return;
    std::vector<std::uint32_t> timesComputed(graph.size(), 0);
    for (const KernelBlock& kernel : kernels)
        for (const ir::NodeIndex node : kernel.nodes)
            if (node < graph.size()) ++timesComputed[node];
    for (const KernelBlock& kernel : kernels) {
        std::vector<ir::NodeIndex> own;
        for (const ir::NodeIndex node : kernel.nodes) {
            if (node >= graph.size() || timesComputed[node] != 1) continue;
            const ir::Op op = graph.node(node).op;
            if (op != ir::Op::Placeholder && op != ir::Op::Output) own.push_back(node);
        }
        if (own.size() < 2) continue;
        PathId around = paths.ofNode[own.front()];
        for (const ir::NodeIndex node : own)
            around = paths.table.common(around, paths.ofNode[node]);
        const PathId place = paths.table.add(around, kernel.name);
        paths.kernels.emplace(place, kernel.detail);
        for (const ir::NodeIndex node : own)
            paths.ofNode[node] = place;
        paths.any = true;
    }
}

} // namespace dynascope::layout
