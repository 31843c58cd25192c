// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/schedule_view.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>
#include <map>

namespace dynascope::views {

std::vector<RefusedReason> refusedReasons(const inductor::Schedule& schedule) {
    std::map<std::uint32_t, RefusedReason> byReason;
    const auto add = [](RefusedReason& out, inductor::Refusal refusal) {
        out.times += refusal.times;
        out.pairs.push_back(std::move(refusal));
    };
    for (inductor::Refusal& refusal : inductor::refusalsOf(schedule)) {
        RefusedReason& out = byReason[refusal.reason];
        out.reason = refusal.reason;
        add(out, std::move(refusal));
    }
    std::vector<RefusedReason> out;
    for (auto& [number, reason] : byReason)
        out.push_back(std::move(reason));
    RefusedReason timing;
    for (inductor::Refusal& refusal : inductor::refusedByTiming(schedule))
        add(timing, std::move(refusal));
    if (!timing.pairs.empty()) out.push_back(std::move(timing));
    for (RefusedReason& reason : out)
        std::ranges::stable_sort(reason.pairs, [](const inductor::Refusal& a, const inductor::Refusal& b) {
            return a.score.value_or(-1) > b.score.value_or(-1);
        });
    std::ranges::stable_sort(
        out, [](const RefusedReason& a, const RefusedReason& b) { return a.times > b.times; });
    return out;
}

std::vector<TableColumn> reasonColumns() {
    return {{tr("Times"), tr("How often the scheduler gave this reason"), 60, true},
            {tr("Reason"), tr("As Inductor says it, or that times decided"), 400}};
}

std::vector<TableRow> reasonRows(const inductor::PassRecording& recording,
                                 const std::vector<RefusedReason>& reasons) {
    std::vector<TableRow> out;
    const double most = reasons.empty() ? 1 : double(std::max<std::size_t>(1, reasons.front().times));
    for (const RefusedReason& reason : reasons) {
        TableCell times{
            numberText(reason.times), TableCell::Look::Mono, Tone::Bad, {}, qulonglong(reason.times)};
        times.share = double(reason.times) / most;
        const QString text = reason.reason ? toQString(recording.reason(*reason.reason))
                                           : tr("decided by timing: one kernel was not faster than two");
        out.push_back({std::move(times), {text, TableCell::Look::Text, Tone::None, text}});
    }
    return out;
}

std::vector<TableColumn> refusedPairColumns() {
    return {{tr("Pair"), tr("Nodes of the scheduler, as they were when it was asked"), 200},
            {tr("Shared"), tr("Bytes that both read or write, which fusing them would read and write once"),
             80, true},
            {tr("Rounds"), tr("Of fusion, in which it was first asked so"), 60, true}};
}

std::vector<TableRow> refusedPairRows(const std::vector<inductor::Refusal>& pairs) {
    std::vector<TableRow> out;
    for (const inductor::Refusal& pair : pairs) {
        QStringList rounds;
        for (const std::uint32_t round : pair.rounds)
            rounds << QString::number(round);
        TableCell shared;
        if (pair.score && *pair.score >= 0)
            shared = {
                bytesText(qulonglong(*pair.score)), TableCell::Look::MonoQuiet, Tone::None, {}, *pair.score};
        TableCell names{tr("%1 with %2").arg(toQString(pair.a), toQString(pair.b)), TableCell::Look::Mono};
        names.cutMiddle = true;
        out.push_back({std::move(names),
                       std::move(shared),
                       {rounds.join(QStringLiteral(", ")), TableCell::Look::MonoQuiet}});
    }
    return out;
}

} // namespace dynascope::views
