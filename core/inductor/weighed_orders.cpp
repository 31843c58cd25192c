// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/weighed_orders.h"

#include "core/inductor/schedule.h"

#include <algorithm>

namespace dynascope::inductor {

std::size_t peakOf(const WeighedOrder& order) {
    return static_cast<std::size_t>(std::ranges::max_element(order.live) - order.live.begin());
}

std::string kernelOf(const Schedule& schedule, std::uint32_t node) {
    // A kernel of several loops is defined for nodes of its own; its operations are those of the schedule.
    const std::vector<std::string> operations = schedule.operationsOf(node);
    const auto holds = [&](const Kernel& kernel) {
        return std::ranges::find(kernel.nodes, node) != kernel.nodes.end() ||
               (!operations.empty() &&
                std::ranges::find(kernel.operations, operations.front()) != kernel.operations.end());
    };
    if (const auto kernel = std::ranges::find_if(schedule.kernels, holds); kernel != schedule.kernels.end())
        return kernel->name;
    const SchedulerNode* known = schedule.node(node);
    if (known == nullptr) return "?";
    return known->kernel.empty() ? known->name : known->kernel;
}

std::optional<std::size_t> movedAgainstTaken(const WeighedOrders& weighed, std::size_t order) {
    const WeighedOrder* taken = weighed.takenOrder();
    if (taken == nullptr || order >= weighed.orders.size()) return std::nullopt;
    const std::vector<std::uint32_t>& nodes = weighed.orders[order].nodes;
    std::size_t moved = 0;
    for (std::size_t i = 0; i < std::min(nodes.size(), taken->nodes.size()); ++i)
        moved += nodes[i] != taken->nodes[i] ? 1 : 0;
    return moved;
}

} // namespace dynascope::inductor
