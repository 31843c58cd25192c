// SPDX-License-Identifier: BSD-3-Clause
//
// Compile times of ranks in sentences, for the window and the command line.
#include "core/base/words.h"
#include "core/ranks/compile_times.h"

#include <algorithm>

namespace dynascope::ranks {

namespace {

constexpr double nothingUs = 0.5; ///< what clocks round

std::string rankText(int rank) {
    return "rank " + std::to_string(rank);
}

/// "rank 2 begins last, 0.45 s after rank 0, and ends last, 0.49 s after rank 0".
std::string lastWords(int lastToBegin, double beginApart, int firstToBegin, int lastToEnd, double endApart,
                      int firstToEnd) {
    if (beginApart < nothingUs && endApart < nothingUs) return "all begin and end at once";
    const auto after = [](double us, int rank) {
        return us < nothingUs ? std::string(", as all do")
                              : ", " + timeWords(us) + " after " + rankText(rank);
    };
    return rankText(lastToBegin) + " begins last" + after(beginApart, firstToBegin) +
           (lastToBegin == lastToEnd ? ", and ends last" : "; " + rankText(lastToEnd) + " ends last") +
           after(endApart, firstToEnd);
}

/// A send waits for its peer alone.
bool hasCollectives(const CompileRow& row) {
    return std::ranges::any_of(row.lanes, [](const Lane& lane) {
        return std::ranges::any_of(lane.calls, [](const Call& call) { return !call.what.pointToPoint; });
    });
}

std::string idWords(const IdTime& id, const CompileRow& row) {
    std::string out = row.id + (row.function.empty() ? "" : ' ' + row.function) + ": " +
                      lastWords(id.lastToBegin, id.lastBeginUs - id.firstBeginUs, id.firstToBegin,
                                id.lastToEnd, id.lastEndUs - id.firstEndUs, id.firstToEnd);
    if (hasCollectives(row) && id.lastEndUs - id.firstEndUs >= nothingUs)
        out += "; who ended before waits in its collectives for those of its process group";
    return out;
}

} // namespace

std::string timeWords(double us) {
    return us < nothingUs ? "0 s" : formatSeconds(us * 1e-6);
}

std::string readyWords(const CompileTimes& times, const RankTime& rank) {
    const double before = times.wholeUs - rank.endUs;
    if (rank.rank == times.lastToEnd) return "ready last, at " + timeWords(rank.endUs);
    if (before < nothingUs) return "ready as the last ones are";
    return "ready " + timeWords(before) + " before " + rankText(times.lastToEnd);
}

std::vector<std::string> timeSentences(const CompileTimes& times, const Report& report, std::size_t most) {
    std::vector<std::string> out;
    if (times.ranks.empty()) return out;
    const std::size_t all = times.ranks.size();
    std::string some =
        "Some rank compiles for " + timeWords(times.someUs) + " of " + timeWords(times.wholeUs);
    if (all > 1)
        some += ": all ranks at once for " + timeWords(times.allUs) + ", some while others do not for " +
                timeWords(times.notAllUs) + "; " + timeWords(times.afterOthersUs) +
                " of it lies after another rank had ended the last of its compiles";
    out.push_back(some + '.');
    if (all < 2) return out;
    const auto begin = [&](int rank) { return times.of(rank).beginUs; };
    const auto end = [&](int rank) { return times.of(rank).endUs; };
    out.push_back("Of all compiles " +
                  lastWords(times.lastToBegin, begin(times.lastToBegin) - begin(times.firstToBegin),
                            times.firstToBegin, times.lastToEnd, end(times.lastToEnd) - end(times.firstToEnd),
                            times.firstToEnd) +
                  '.');
    const auto alone = std::ranges::max_element(times.ranks, {}, &RankTime::aloneUs);
    if (alone->aloneUs >= nothingUs)
        out.push_back("The longest alone is " + rankText(alone->rank) + ": for " + timeWords(alone->aloneUs) +
                      " no other rank compiles.");
    std::vector<IdTime> ids = times.ids;
    std::erase_if(ids, [](const IdTime& id) { return id.ranks < 2; });
    std::ranges::stable_sort(ids, std::greater(),
                             [](const IdTime& id) { return id.lastEndUs - id.firstEndUs; });
    for (std::size_t i = 0; i < std::min(ids.size(), most); ++i)
        out.push_back(idWords(ids[i], report.rows[ids[i].row]) + '.');
    if (most > 0 && ids.size() > most)
        out.push_back("And " + count(ids.size() - most, "compile id") + " more.");
    return out;
}

} // namespace dynascope::ranks
