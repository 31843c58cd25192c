// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/schedule_view.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>
#include <map>

namespace dynascope::views {

std::vector<RefusedReason> refusedReasons(const inductor::Schedule& schedule) {
    using Pair = std::pair<std::string, std::string>;
    std::map<std::uint32_t, std::pair<RefusedReason, std::map<Pair, std::size_t>>> byReason;
    const auto add = [&byReason](std::uint32_t reason, const Pair& names, std::size_t times,
                                 const std::optional<double>& score, std::uint32_t round) {
        auto& [out, seen] = byReason[reason];
        out.reason = reason;
        out.times += times;
        const auto [at, fresh] = seen.try_emplace(names, out.pairs.size());
        if (fresh) out.pairs.push_back({names.first, names.second, {}, {}, 0});
        RefusedPair& pair = out.pairs[at->second];
        pair.times += times;
        if (score && (!pair.score || *score > *pair.score)) pair.score = score;
        if (pair.rounds.empty() || pair.rounds.back() != round) pair.rounds.push_back(round);
    };
    for (const inductor::Question& question : schedule.questions) {
        if (question.answer == inductor::Question::Answer::Yes) continue;
        for (const std::uint32_t reason : question.reasons)
            add(reason, {question.nameA, question.nameB}, question.times, question.score, question.round);
    }
    const auto nameOf = [&schedule](std::uint32_t id) {
        const inductor::SchedulerNode* node = schedule.node(id);
        return node == nullptr ? std::string() : node->name;
    };
    for (const inductor::TimedFusion& timed : schedule.timed)
        if (!timed.fused) add(decidedByTiming, {nameOf(timed.a), nameOf(timed.b)}, 1, {}, timed.round);
    std::vector<RefusedReason> out;
    for (auto& [number, reason] : byReason) {
        std::ranges::stable_sort(reason.first.pairs, [](const RefusedPair& a, const RefusedPair& b) {
            return a.score.value_or(-1) > b.score.value_or(-1);
        });
        out.push_back(std::move(reason.first));
    }
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
        const QString text = reason.reason == decidedByTiming
                                 ? tr("decided by timing: one kernel was not faster than two")
                                 : toQString(recording.reason(reason.reason));
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

std::vector<TableRow> refusedPairRows(const std::vector<RefusedPair>& pairs) {
    std::vector<TableRow> out;
    for (const RefusedPair& pair : pairs) {
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
