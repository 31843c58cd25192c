// SPDX-License-Identifier: BSD-3-Clause
#include "views/ranks/ranks_reading.h"

#include "core/capture/flight_reader.h"
#include "core/ranks/measured.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using ranks::CompileRow;
using ranks::Report;

std::vector<CacheRow> cachesOf(const session::Session& session, const Report& report) {
    std::vector<CacheRow> out;
    for (const CompileRow& row : report.rows) {
        std::map<std::string, std::map<int, std::string>> said; // by cache, then rank
        std::vector<int> present;
        for (std::size_t i = 0; i < row.compiles.size(); ++i) {
            if (row.compiles[i] == ranks::none) continue;
            present.push_back(report.ranks[i]);
            for (const session::CacheEvent& event : session.compiles[row.compiles[i]].caches)
                said[event.cache][report.ranks[i]] = session::outcomeName(event.outcome);
        }
        for (const auto& [cache, byRank] : said) {
            CacheRow& one = out.emplace_back();
            one.compile = row.id;
            one.cache = cache;
            for (const auto& [rank, outcome] : byRank)
                one.ranks[outcome].push_back(rank);
            std::ranges::copy_if(present, std::back_inserter(one.others),
                                 [&](int rank) { return !byRank.contains(rank); });
        }
    }
    return out;
}

void addDumps(RanksReading& out, const std::string& flight, const TaskContext& task) {
    const auto read = flight.empty() ? capture::readFlightBeside(out.session->inputs, task)
                                     : capture::readFlightFolder(flight, task);
    if (!read) {
        out.problems.push_back(read.error().toString());
        return;
    }
    for (const Error& error : read->unusable)
        out.problems.push_back("not read: " + error.toString());
    if (read->dumps.empty()) return;
    const std::string& file = read->dumps.front().file;
    out.flight = flight.empty() ? file.substr(0, file.find_last_of('/')) : flight;
    out.dumps = read->dumps.size();
    ranks::addFlight(*out.session, read->dumps, out.report);
}

} // namespace

std::size_t RanksReading::indexOf(const std::vector<int>& group) const {
    return std::size_t(std::ranges::lower_bound(report.ranks, group.front()) - report.ranks.begin());
}

RanksReadingPtr readRanks(const session::SessionPtr& session, const std::string& flight,
                          const TaskContext& task) {
    auto out = std::make_shared<RanksReading>();
    out->session = session;
    Result<Report> report = ranks::examine(*session, task);
    if (!report) return nullptr;
    out->report = std::move(*report);
    addDumps(*out, flight, task);
    out->caches = cachesOf(*session, out->report);
    if (auto times = profile::rankTimes(session, task)) {
        out->times = std::move(*times);
        ranks::addMeasured(*session, out->times, out->report);
    }
    return task.cancelled() ? nullptr : out;
}

} // namespace dynascope::views
