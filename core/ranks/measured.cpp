// SPDX-License-Identifier: BSD-3-Clause
#include "core/ranks/measured.h"

#include <algorithm>
#include <cstdio>

namespace dynascope::ranks {

namespace {

constexpr double worthSaying = 0.05; ///< of a step

std::string milliseconds(double ns) {
    char out[32];
    std::snprintf(out, sizeof out, "%.2f ms", ns * 1e-6);
    return out;
}

std::string textOf(const profile::MeasuredCollective& one) {
    const auto& [last, shortest] = one.time.least();
    const auto& [waits, longest] = one.time.most();
    return "rank " + std::to_string(last) + " comes last to " + one.node + ": rank " + std::to_string(waits) +
           " is in it for " + milliseconds(longest) + " of a step, rank " + std::to_string(last) + " for " +
           milliseconds(shortest) + ", by their profiles";
}

} // namespace

void addMeasured(const session::Session& session, const profile::RankTimes& times, Report& report) {
    if (times.step.ns.empty()) return;
    report.measured = times.step.ns.size();
    for (const profile::MeasuredCollective& one : times.collectives) {
        if (!one.time.isApart() || one.time.apart() < worthSaying * times.step.least().second) continue;
        Reason reason;
        reason.verdict = RanksVerdict::Slower;
        reason.ranks = {one.time.least().first};
        reason.compile = one.compile;
        reason.node = one.node;
        reason.file = one.file;
        reason.line = one.line;
        reason.text = textOf(one);
        if (const auto place = one.places.find(reason.ranks.front()); place != one.places.end()) {
            reason.at = place->second.first;
            const auto& stages = session.compiles[reason.at].stages;
            if (place->second.second < stages.size()) reason.stage = stages[place->second.second];
        }
        const auto row = std::ranges::find(report.rows, one.compile, &CompileRow::id);
        if (row != report.rows.end() && row->reason == none) {
            row->reason = report.reasons.size();
            row->verdict = reason.verdict;
        }
        ++report.count[static_cast<std::size_t>(reason.verdict)];
        report.verdict = std::max(report.verdict, reason.verdict);
        report.reasons.push_back(std::move(reason)); // nothing hurts less: it stands behind all others
    }
}

Result<Report> examineMeasured(const session::Session& session, const TaskContext& task) {
    Result<Report> out = examine(session, task);
    if (!out || session.profiles.empty()) return out;
    // For this call alone, so that nothing keeps the session that it does not own.
    const session::SessionPtr here(std::shared_ptr<const void>(), &session);
    const auto times = profile::rankTimes(here, task);
    if (!times) return tl::unexpected(times.error());
    addMeasured(session, *times, *out);
    return out;
}

} // namespace dynascope::ranks
