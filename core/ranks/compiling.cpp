// SPDX-License-Identifier: BSD-3-Clause
//
// Who compiles more often, whom caches serve, and on which device each rank is.
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/ranks/parts.h"
#include "core/session/compile_counts.h"
#include "core/session/resume.h"

#include <algorithm>

namespace dynascope::ranks::detail {

namespace {

using session::Compile;
using session::Status;

/// "only rank 2 compiled again f", "only rank 2 goes on after a graph break of f at line 12 (2/0)".
std::string aloneWords(const Row& row, const Compile& compile, std::span<const int> ranks) {
    const std::string who = "only " + rankWords(ranks);
    if (const auto resumed = session::parseResumedFunction(compile.function); resumed && !compile.isRecompile)
        return who + ' ' + (ranks.size() == 1 ? "goes" : "go") + " on after a graph break of " +
               std::string(resumed->function) + " at line " + std::to_string(resumed->line);
    return who + (compile.isRecompile ? " compiled again" : " compiled") +
           (row.shown.function.empty() ? std::string() : ' ' + row.shown.function);
}

void judgeRecompile(const Reader& reader, const Row& row, bool collectives, Report& out) {
    const Compile& compile = compileOf(reader, row, row.present.front());
    Reason reason =
        reasonAt(reader, row, collectives ? RanksVerdict::WillHang : RanksVerdict::Slower, row.present);
    const double seconds = session::compileTime(compile);
    reason.text = aloneWords(row, compile, reason.ranks) +
                  (seconds > 0 ? ", " + formatSeconds(seconds) : std::string());
    if (!compile.recompileReasons.empty())
        reason.text += ": " + std::string(firstLine(compile.recompileReasons.front()));
    if (collectives) reason.text += "; compiler collectives are on, so that this compile waits for all ranks";
    out.reasons.push_back(std::move(reason));
}

/// Ranks that did not end a compile as most did.
void judgeStatus(const Reader& reader, const Row& row, Report& out) {
    std::map<Status, std::vector<std::size_t>> by;
    for (const std::size_t rank : row.present)
        by[compileOf(reader, row, rank).status].push_back(rank);
    if (by.size() < 2) return;
    const auto most = std::ranges::max_element(by, {}, [](const auto& entry) { return entry.second.size(); });
    const bool waits =
        std::ranges::any_of(row.shown.lanes, [](const Lane& lane) { return !lane.calls.empty(); });
    for (const auto& [status, ranks] : by) {
        if (status == most->first) continue;
        const bool failed = status == Status::Failed;
        const Compile& compile = compileOf(reader, row, ranks.front());
        Reason reason = reasonAt(reader, row,
                                 !failed ? RanksVerdict::Slower
                                 : waits ? RanksVerdict::WillHang
                                         : RanksVerdict::MayBeWrong,
                                 ranks);
        const bool breaks = status == Status::GraphBreak && most->first == Status::Compiled;
        reason.text = row.shown.function + ' ' +
                      (breaks ? "breaks" : "is " + std::string(session::statusName(status))) + " on " +
                      rankWords(reason.ranks) + " and " + (breaks ? "is " : "") +
                      std::string(session::statusName(most->first)) + (breaks ? " whole on " : " on ") +
                      rankWords(numbersOf(reader, most->second));
        if (failed && !compile.failReason.empty())
            reason.text += ": " + std::string(firstLine(compile.failReason));
        if (status == Status::GraphBreak && !compile.finalBreaks().empty()) {
            const session::GraphBreak& last = *compile.finalBreaks().back();
            reason.text += ": " + last.title;
            if (const ir::SourceLocation* at = last.location()) {
                reason.file = at->file;
                reason.line = at->line;
            }
        }
        out.reasons.push_back(std::move(reason));
    }
}

/// What ranks compiled in place of each other.
void judgeFunction(const Reader& reader, const Row& row, Report& out) {
    std::map<std::string, std::vector<std::size_t>> by;
    for (const std::size_t rank : row.present)
        by[compileOf(reader, row, rank).function].push_back(rank);
    if (by.size() < 2) return;
    const auto most = std::ranges::max_element(by, {}, [](const auto& entry) { return entry.second.size(); });
    for (const auto& [function, ranks] : by) {
        if (function == most->first) continue;
        Reason reason = reasonAt(reader, row, RanksVerdict::MayBeWrong, ranks);
        reason.text = row.shown.id + " is " + function + " on " + rankWords(reason.ranks) + " and " +
                      most->first + " on " + rankWords(numbersOf(reader, most->second));
        out.reasons.push_back(std::move(reason));
    }
}

} // namespace

void judgeCompiling(const Reader& reader, const std::vector<Row>& rows, bool collectives, Report& out) {
    // A function that is broken on some ranks only: what they compiled after the break follows from that.
    std::set<std::size_t> broken;
    for (const Row& row : rows)
        if (!row.parts.empty() && std::ranges::any_of(row.present, [&](std::size_t rank) {
                return compileOf(reader, row, rank).status !=
                       compileOf(reader, row, row.present.front()).status;
            }))
            broken.insert(row.function);
    for (const Row& row : rows) {
        const bool follows = row.inner && broken.contains(row.function) && !collectives;
        if (row.present.size() < reader.ranks().size() && !follows)
            judgeRecompile(reader, row, collectives, out);
        judgeStatus(reader, row, out);
        judgeFunction(reader, row, out);
    }
}

void judgeCaches(const Reader& reader, const std::vector<Row>& rows, Report& out) {
    using Outcome = session::CacheEvent::Outcome;
    std::vector<std::string> keys(reader.ranks().size(), "caches:");
    for (const Row& row : rows) {
        std::map<std::string, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>>
            by; // hit, not hit
        for (const std::size_t rank : row.present) {
            if (!compileOf(reader, row, rank).caches.empty()) keys[rank] += row.shown.id + ' ';
            std::map<std::string, Outcome> last;
            for (const session::CacheEvent& event : compileOf(reader, row, rank).caches) {
                last[event.cache] = event.outcome;
                keys[rank] += event.cache + ' ' + std::string(session::outcomeName(event.outcome)) + ' ';
            }
            for (const auto& [cache, outcome] : last)
                (outcome == Outcome::Hit ? by[cache].first : by[cache].second).push_back(rank);
        }
        for (const auto& [cache, ranks] : by) {
            if (ranks.first.empty() || ranks.second.empty()) continue;
            Reason reason = reasonAt(reader, row, RanksVerdict::Slower, ranks.second);
            reason.text = rankWords(reason.ranks) + " found nothing in " + cache + ", which served " +
                          rankWords(numbersOf(reader, ranks.first));
            out.reasons.push_back(std::move(reason));
        }
    }
    out.caches = groupsOf(reader.ranks(), keys);
}

void judgeDevices(const Reader& reader, Report& out) {
    const std::size_t count = reader.ranks().size();
    for (std::size_t i = 0; i < count; ++i)
        if (reader.ranks()[i] != static_cast<int>(i) || reader.device(i) < 0) return;
    // Ranks of a machine have devices 0, 1, 2, ...; how many a machine has is what most of them fit.
    std::size_t machine = 0, best = 0;
    for (std::size_t size = 1; size <= count; ++size) {
        if (count % size != 0) continue;
        std::size_t fits = 0;
        for (std::size_t i = 0; i < count; ++i)
            fits += static_cast<std::size_t>(reader.device(i)) == i % size ? 1 : 0;
        if (fits > best) {
            best = fits;
            machine = size;
        }
    }
    if (2 * best <= count) return;
    for (std::size_t i = 0; i < count; ++i) {
        const auto device = static_cast<std::size_t>(reader.device(i));
        if (device == i % machine) continue;
        Reason reason;
        reason.verdict = RanksVerdict::MayBeWrong;
        reason.ranks = {static_cast<int>(i)};
        reason.text = "rank " + std::to_string(i) + " runs on device " + std::to_string(device);
        const std::size_t other = i - i % machine + device;
        if (device < machine && other < count) reason.text += " as rank " + std::to_string(other) + " does";
        out.reasons.push_back(std::move(reason));
    }
}

} // namespace dynascope::ranks::detail
