// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/ranks_times.h"

#include "app/cli/table.h"
#include "core/base/words.h"

#include <nlohmann/json.hpp>

namespace dynascope::cli {

using nlohmann::json;

namespace {

json compileJson(const ranks::CompileTime& one, const ranks::Report& report) {
    json pieces = json::array();
    for (const ranks::CompilePiece& piece : one.pieces)
        pieces.push_back({{"begin_us", piece.beginUs},
                          {"end_us", piece.endUs},
                          {"backward", piece.backward},
                          {"open", piece.open}});
    return {{"compile", report.rows[one.row].id},
            {"begin_us", one.beginUs()},
            {"end_us", one.endUs()},
            {"us", one.us()},
            {"from", sourceName(one.source)},
            {"pieces", std::move(pieces)}};
}

json endJson(int rank, double us) {
    return {{"rank", rank}, {"us", us}};
}

void addLane(Table& table, const ranks::TimeLane& lane, const ranks::CompileTimes& times) {
    const ranks::RankTime& rank = times.ranks[lane.shown];
    table.add({ranks::rankWords(lane.ranks), "from " + ranks::timeWords(rank.beginUs),
               ranks::timeWords(rank.us) + " in " + count(rank.compiles.size(), "compile"),
               readyWords(times, rank)});
}

} // namespace

json timesJson(const ranks::CompileTimes& times, const ranks::Report& report) {
    json byRank = json::array(), ids = json::array();
    for (const ranks::RankTime& rank : times.ranks) {
        json compiles = json::array();
        for (const ranks::CompileTime& one : rank.compiles)
            compiles.push_back(compileJson(one, report));
        byRank.push_back({{"rank", rank.rank},
                          {"begin_us", rank.beginUs},
                          {"end_us", rank.endUs},
                          {"us", rank.us},
                          {"alone_us", rank.aloneUs},
                          {"compiles", std::move(compiles)}});
    }
    for (const ranks::IdTime& id : times.ids)
        ids.push_back({{"compile", report.rows[id.row].id},
                       {"ranks", id.ranks},
                       {"first_begin", endJson(id.firstToBegin, id.firstBeginUs)},
                       {"last_begin", endJson(id.lastToBegin, id.lastBeginUs)},
                       {"first_end", endJson(id.firstToEnd, id.firstEndUs)},
                       {"last_end", endJson(id.lastToEnd, id.lastEndUs)}});
    json out = {{"ranks", std::move(byRank)},
                {"compiles", std::move(ids)},
                {"clock", times.clock},
                {"lacks", times.lacks},
                {"us", times.wholeUs},
                {"some_us", times.someUs},
                {"all_us", times.allUs},
                {"not_all_us", times.notAllUs},
                {"after_others_us", times.afterOthersUs}};
    if (times.ranks.empty()) return out;
    out["zero_us"] = times.zeroUs;
    out["zero"] = ranks::utcText(times.zeroUs);
    out["first_to_begin"] = times.firstToBegin;
    out["last_to_begin"] = times.lastToBegin;
    out["first_to_end"] = times.firstToEnd;
    out["last_to_end"] = times.lastToEnd;
    return out;
}

std::string timesText(const ranks::CompileTimes& times, const ranks::Report& report) {
    constexpr std::size_t mostLanes = 16, mostIds = 5;
    std::string out;
    if (!times.ranks.empty()) {
        out += "\nCompile time of all ranks on one clock, 0 is " + ranks::utcText(times.zeroUs) + ":\n";
        const ranks::TimeLanes lanes = ranks::lanesOf(times, mostLanes);
        Table table({Table::Align::Left, Table::Align::Left, Table::Align::Left, Table::Align::Left});
        for (const ranks::TimeLane& lane : lanes.lanes)
            addLane(table, lane, times);
        out += table.toString("  ");
        if (lanes.apartUs > 0)
            out += "  Ranks whose compiles begin and end within " + ranks::timeWords(lanes.apartUs) +
                   " of each other are one row, with the times of one of them.\n";
        for (const std::string& sentence : ranks::timeSentences(times, report, mostIds))
            out += "  " + sentence + '\n';
        out += "  " + times.clock + '\n';
    } else if (!times.lacks.empty()) {
        out += "\nWhen ranks compiled is not known:\n";
    }
    for (const std::string& lack : times.lacks)
        out += "  " + lack + '\n';
    return out;
}

} // namespace dynascope::cli
