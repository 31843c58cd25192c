// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/schedule_memory.h"

#include "app/cli/table.h"
#include "core/base/words.h"
#include "core/inductor/buffer_lives.h"

#include <algorithm>

namespace dynascope::cli {

using inductor::Schedule;
using nlohmann::json;

namespace {

json ordersJson(const Schedule& schedule) {
    json out = json::array();
    const inductor::KernelNames names(schedule);
    for (std::size_t i = 0; i < schedule.weighed.orders.size(); ++i) {
        const inductor::WeighedOrder& order = schedule.weighed.orders[i];
        json kernels = json::array();
        for (const std::uint32_t node : order.nodes)
            kernels.push_back(names.of(node));
        out.push_back({{"method", order.method},
                       {"peak_bytes", order.peak},
                       {"taken", schedule.weighed.taken == i},
                       {"kernels", std::move(kernels)},
                       {"live_bytes", order.live}});
    }
    return out;
}

std::string ordersReport(const Schedule& schedule) {
    Table table({Table::Align::Left, Table::Align::Right, Table::Align::Left, Table::Align::Left});
    const inductor::WeighedOrders& weighed = schedule.weighed;
    const inductor::KernelNames names(schedule);
    for (std::size_t i = 0; i < weighed.orders.size(); ++i) {
        const inductor::WeighedOrder& order = weighed.orders[i];
        const std::size_t at = inductor::peakOf(order);
        const auto moved = inductor::movedAgainstTaken(weighed, i);
        table.add({order.method.empty() ? "order " + std::to_string(i) : order.method,
                   formatBytes(order.peak),
                   at < order.nodes.size() ? "at " + names.of(order.nodes[at]) : std::string(),
                   weighed.taken == i ? "taken"
                   : moved == 0       ? "the same order"
                   : moved            ? count(*moved, "node") + " elsewhere than in the one taken"
                                      : std::string()});
    }
    return table.empty() ? std::string()
                         : "    orders that PyTorch weighed, by its own estimate of their peaks\n" +
                               table.toString("      ");
}

} // namespace

json memoryJson(const Schedule& schedule) {
    const inductor::ScheduleMemory memory = inductor::memoryOf(schedule);
    json buffers = json::array();
    for (const inductor::BufferLife& life : memory.lives)
        buffers.push_back({{"name", life.buffer},
                           {"bytes", life.bytes ? json(*life.bytes) : json()},
                           {"memory", life.memory},
                           {"first", life.first},
                           {"last", life.last},
                           {"reuses", life.takesFrom},
                           {"allocated_by_kernel", life.byKernel},
                           {"output", life.isOutput}});
    return {{"calls", memory.steps},
            {"buffers", std::move(buffers)},
            {"live_bytes", memory.live},
            {"peak_bytes", memory.peak()},
            {"peak_call", memory.live.empty() ? json() : json(memory.peakStep)},
            {"allocations", memory.allocations},
            {"reuses", memory.reuses},
            {"orders", ordersJson(schedule)},
            {"estimate_of_pytorch", schedule.peak ? json(*schedule.peak) : json()}};
}

std::string memoryReport(const Schedule& schedule) {
    const inductor::ScheduleMemory memory = inductor::memoryOf(schedule);
    std::string out;
    if (memory.steps.empty()) return out + "    the recording has no lines of the wrapper\n";
    out += "    " + count(memory.lives.size(), "buffer") + ": " + count(memory.allocations, "allocation") +
           ", " + count(memory.reuses, "reuse") + "; at most " + formatBytes(memory.peak()) +
           " live, at call " + std::to_string(memory.peakStep) + ", " + memory.steps[memory.peakStep] + '\n';
    if (memory.unsized > 0) out += "    without " + count(memory.unsized, "buffer") + " of symbolic size\n";
    if (schedule.peak)
        out += "    PyTorch's own estimate of the peak is " +
               formatBytes(static_cast<std::uint64_t>(std::max(0.0, *schedule.peak))) + "\n";
    Table table({Table::Align::Left, Table::Align::Right, Table::Align::Left, Table::Align::Left});
    for (const inductor::BufferLife& life : memory.lives)
        table.add({life.buffer, life.bytes ? formatBytes(*life.bytes) : "?",
                   "calls " + std::to_string(life.first) + " to " + std::to_string(life.last),
                   life.takesFrom.empty() ? (life.byKernel ? "allocated by the kernel" : "")
                                          : "in the memory of " + life.takesFrom});
    return out + table.toString("    ") + ordersReport(schedule);
}

json stepsJson(const Schedule& schedule) {
    json out = json::array();
    for (const inductor::ScheduleStep& step : schedule.steps)
        out.push_back({{"name", step.name},
                       {"time_us", step.us},
                       {"changed", step.changed},
                       {"removed", step.removed},
                       {"moved", step.moved}});
    return out;
}

std::string stepsReport(const Schedule& schedule) {
    Table table({Table::Align::Left, Table::Align::Left});
    for (const inductor::ScheduleStep& step : schedule.steps) {
        if (!step.changed) continue;
        std::string what =
            step.moved > 0 ? count(step.moved, "node") + " moved" : "the list of nodes changed";
        if (!step.removed.empty()) what = "took out " + joined(step.removed, " ");
        table.add({step.name, what});
    }
    return table.empty() ? std::string() : "    steps that changed something\n" + table.toString("      ");
}

} // namespace dynascope::cli
