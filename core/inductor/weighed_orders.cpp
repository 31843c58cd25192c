// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/weighed_orders.h"

#include "core/inductor/schedule.h"

#include <algorithm>

namespace dynascope::inductor {

std::size_t placesApart(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    std::size_t out = 0;
    for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        out += a[i] != b[i] ? 1 : 0;
    return out;
}

std::size_t peakOf(const WeighedOrder& order) {
    return static_cast<std::size_t>(std::ranges::max_element(order.live) - order.live.begin());
}

KernelNames::KernelNames(const Schedule& schedule)
    : m_schedule(schedule) {
    for (const Kernel& kernel : schedule.kernels) {
        for (const std::uint32_t node : kernel.nodes)
            m_byNode.try_emplace(node, &kernel.name);
        for (const std::string& operation : kernel.operations)
            m_byOperation.try_emplace(operation, &kernel.name);
    }
}

std::string KernelNames::of(std::uint32_t node) const {
    if (const auto known = m_byNode.find(node); known != m_byNode.end()) return *known->second;
    // A kernel of several loops is defined for nodes of its own; its operations are those of the schedule.
    const std::vector<std::string> operations = m_schedule.operationsOf(node);
    if (!operations.empty())
        if (const auto known = m_byOperation.find(operations.front()); known != m_byOperation.end())
            return *known->second;
    const SchedulerNode* alone = m_schedule.node(node);
    if (alone == nullptr) return "?";
    return alone->kernel.empty() ? alone->name : alone->kernel;
}

std::optional<std::size_t> movedAgainstTaken(const WeighedOrders& weighed, std::size_t order) {
    const WeighedOrder* taken = weighed.takenOrder();
    if (taken == nullptr || order >= weighed.orders.size()) return std::nullopt;
    return placesApart(weighed.orders[order].nodes, taken->nodes);
}

} // namespace dynascope::inductor
