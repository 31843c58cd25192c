// SPDX-License-Identifier: BSD-3-Clause
//
// Orders of a schedule that PyTorch weighed by their peak of memory before it took one, and what the scheduler's steps
// besides fusion did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynascope::inductor {

struct Schedule;

/// What an order would take, by PyTorch's own estimate (torch/_inductor/memory.py, estimate_peak_memory): buffers of the
/// scheduler, each from the node that makes it to the last that reads it, and inputs that may be freed. That the wrapper
/// reuses memory is not in it.
struct WeighedOrder {
    std::string method;     ///< "baseline": as fusion left it; "topological_sort_lpmf", ...; empty: not known
    std::uint64_t peak = 0; ///< bytes
    std::vector<std::uint32_t> nodes; ///< numbers of the scheduler's nodes
    std::vector<std::uint64_t> live;  ///< bytes while each of them runs; as many as `nodes`
};

struct WeighedOrders {
    std::vector<WeighedOrder> orders;
    std::optional<std::size_t> taken; ///< into `orders`

    [[nodiscard]] const WeighedOrder* takenOrder() const {
        return taken && *taken < orders.size() ? &orders[*taken] : nullptr;
    }
};

/// Nodes of an order that stand at another place in the other.
[[nodiscard]] std::size_t placesApart(const std::vector<std::uint32_t>& a,
                                      const std::vector<std::uint32_t>& b);
/// The first node at which an order has most; its size where it has no nodes.
[[nodiscard]] std::size_t peakOf(const WeighedOrder& order);
/// The kernels that nodes of a schedule become. Refers to the schedule.
class KernelNames {
public:
    explicit KernelNames(const Schedule& schedule);
    /// "cpp_fused_add_0", "extern_kernels.mm"; the node's own name where no kernel is known, "?" where there is no node.
    [[nodiscard]] std::string of(std::uint32_t node) const;

private:
    const Schedule& m_schedule;
    std::unordered_map<std::uint32_t, const std::string*> m_byNode;
    std::unordered_map<std::string_view, const std::string*> m_byOperation;
};

/// Nodes of an order that stand elsewhere in the one that was taken; none where that is not known.
[[nodiscard]] std::optional<std::size_t> movedAgainstTaken(const WeighedOrders& weighed, std::size_t order);

/// "dead_node_elimination", "reorder_for_peak_memory": what a step made of the list of nodes.
struct ScheduleStep {
    std::string name;
    double us = 0;
    bool changed = false;
    std::vector<std::string> removed; ///< that stand in the list no more, in groups or not at all
    std::size_t moved = 0;            ///< that have another place; 0 also where it was not recorded
};

} // namespace dynascope::inductor
