// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/ranks_reading.h"

#include "core/capture/flight_reader.h"
#include "core/ranks/measured.h"

#include <algorithm>

namespace dynascope::capture {

namespace {

void addDumps(RanksReading& out, const std::string& flight, const TaskContext& task) {
    const auto read =
        flight.empty() ? readFlightBeside(out.session->inputs, task) : readFlightFolder(flight, task);
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
    Result<ranks::Report> report = ranks::examine(*session, task);
    if (!report) return nullptr;
    out->report = std::move(*report);
    out->compileTimes = ranks::compileTimes(*session, out->report);
    addDumps(*out, flight, task);
    out->caches = ranks::cachesByRank(*session, out->report);
    if (auto times = profile::rankTimes(session, task)) {
        out->times = std::move(*times);
        ranks::addMeasured(*session, out->times, out->report);
    }
    return task.cancelled() ? nullptr : out;
}

} // namespace dynascope::capture
