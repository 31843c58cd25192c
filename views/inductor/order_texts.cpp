// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/order_texts.h"

#include "views/inductor/pass_texts.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using Look = TableCell::Look;
using inductor::WeighedOrder;
using inductor::WeighedOrders;

/// "+12 KiB" of a peak against the one that was taken.
TableCell againstTaken(const WeighedOrder& order, const WeighedOrder& taken) {
    const bool more = order.peak >= taken.peak;
    const std::uint64_t bytes = more ? order.peak - taken.peak : taken.peak - order.peak;
    if (bytes == 0) return {tr("the same peak"), Look::Quiet, Tone::None, {}, 0.0};
    return {(more ? QStringLiteral("+") : QStringLiteral("−")) + bytesText(bytes),
            Look::MonoQuiet,
            Tone::None,
            {},
            more ? double(bytes) : -double(bytes)};
}

QString stepText(const inductor::ScheduleStep& step) {
    if (!step.changed) return tr("changed nothing");
    if (!step.removed.empty()) return tr("took out %1").arg(namesText(step.removed));
    if (step.moved > 0) return tr("%1 at another place").arg(countText(step.moved, tr("node"), tr("nodes")));
    return tr("changed the list of nodes");
}

} // namespace

QString orderName(const WeighedOrders& weighed, std::size_t order) {
    const std::string& method = weighed.orders[order].method;
    return method.empty() ? tr("order %1").arg(order) : toQString(method);
}

std::vector<TableColumn> orderColumns() {
    return {{tr("Order"), tr("How PyTorch came to it; baseline: as fusion left it"), 220},
            {tr("Peak"),
             tr("By PyTorch's estimate: buffers, each from the node that makes it to the last that reads it, "
                "and inputs "
                "that may be freed. Memory that the wrapper reuses is not in it"),
             90, true},
            {tr("Against taken"), tr("How much more or less than the order that PyTorch took"), 110, true},
            {tr("Nodes elsewhere"), tr("That stand at another place than in the order that PyTorch took"),
             120, true},
            {tr("Peak at"), tr("The kernel that runs when most is live"), 320}};
}

std::vector<TableRow> orderRows(const inductor::Schedule& schedule) {
    const WeighedOrders& weighed = schedule.weighed;
    const WeighedOrder* taken = weighed.takenOrder();
    const inductor::KernelNames names(schedule);
    std::vector<TableRow> out;
    for (std::size_t i = 0; i < weighed.orders.size(); ++i) {
        const WeighedOrder& order = weighed.orders[i];
        const bool isTaken = taken == &order;
        const std::size_t at = inductor::peakOf(order);
        const auto moved = inductor::movedAgainstTaken(weighed, i);
        TableCell against;
        if (isTaken)
            against = {tr("taken"), Look::Strong};
        else if (taken != nullptr)
            against = againstTaken(order, *taken);
        out.push_back(
            {{orderName(weighed, i), isTaken ? Look::Strong : Look::Text},
             {bytesText(order.peak), Look::Mono, Tone::None, {}, double(order.peak)},
             std::move(against),
             {!moved || isTaken ? QString()
              : *moved == 0     ? tr("none")
                                : tr("%1 of %2").arg(*moved).arg(order.nodes.size()),
              Look::MonoQuiet},
             {at < order.nodes.size() ? toQString(names.of(order.nodes[at])) : QString(), Look::Mono}});
    }
    return out;
}

QString noOrdersText(const inductor::PassRecording& recording, const inductor::Schedule* schedule) {
    if (schedule == nullptr) return tr("No scheduler ran for this graph.");
    const inductor::PassPhase* phase = recording.phase(schedule->phase);
    const inductor::CompileInRecording* compile = phase ? recording.compile(phase->compile) : nullptr;
    if (compile != nullptr)
        if (const auto room = compile->settings.find("inductor"); room != compile->settings.end())
            if (const auto set = room->second.find("reorder_for_peak_memory");
                set != room->second.end() && set->second == "False")
                return tr(
                    "PyTorch weighed no orders: torch._inductor.config.reorder_for_peak_memory is False.");
    return tr("The recording has no orders that PyTorch weighed. A new one has them, where "
              "torch._inductor.config.reorder_for_peak_memory is on.");
}

std::vector<TableColumn> scheduleStepColumns() {
    return {{tr("Step"), tr("Of the scheduler, besides fusion, in their order"), 280},
            {tr("ms"), tr("How long it took"), 80, true},
            {tr("Change"), tr("What it made of the list of nodes"), 600}};
}

std::vector<TableRow> scheduleStepRows(const inductor::Schedule& schedule) {
    std::vector<TableRow> out;
    for (const inductor::ScheduleStep& step : schedule.steps)
        out.push_back(
            {{toQString(step.name), step.changed ? Look::Strong : Look::Text},
             {QStringLiteral("%1").arg(step.us / 1000, 0, 'f', 2), Look::MonoQuiet, Tone::None, {}, step.us},
             {stepText(step), step.changed ? Look::Text : Look::Quiet}});
    return out;
}

} // namespace dynascope::views
