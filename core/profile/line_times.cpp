// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/line_times.h"

#include "core/profile/grouped.h"
#include "core/profile/launch_rows.h"

#include <algorithm>

namespace dynascope::profile {

namespace {

struct Sum {
    std::vector<double> computed, broken; ///< by step; of a profile without steps one
    bool inParts = false;
    std::map<std::string, std::vector<double>> pieces;
};

using Sums = std::map<std::pair<std::string, std::uint32_t>, Sum>;

/// Of a profile without steps all of it counts as one.
std::vector<double> timesInSteps(const Row& row, double part, std::size_t steps) {
    std::vector<double> out(std::max<std::size_t>(steps, 1), 0);
    if (steps == 0)
        out.front() = row.self * part;
    else
        addSteps(row, part, out);
    return out;
}

void add(std::vector<double>& to, const std::vector<double>& times) {
    to.resize(times.size());
    for (std::size_t i = 0; i < times.size(); ++i)
        to[i] += times[i];
}

const ir::SourceLocation* breakOf(const Joined& joined, const Row& row) {
    if (row.brokenCompile < 0) return nullptr;
    const auto breaks = joined.session->compiles[static_cast<std::size_t>(row.brokenCompile)].finalBreaks();
    return breaks.empty() ? nullptr : breaks.back()->location();
}

std::string pieceName(const Joined& joined, const Row& row, const RowFacts& facts) {
    if (row.brokenCompile >= 0) {
        if (row.part == Part::Guards) return "after the break: guards of " + facts.compile;
        return "after the break" + (row.name == 0 ? "" : ": " + joined.profile->names.text(row.name));
    }
    std::string out = facts.compile;
    if (row.backward) out += " backward";
    out += "  " + facts.kernel;
    if (row.part == Part::Node && facts.nodeNames.size() == 1) out += "  " + facts.nodeNames.front();
    return out;
}

void addComputed(const Joined& joined, const Row& row, const RowFacts& facts, Sums& sums) {
    const std::size_t steps = joined.profile->steps.size();
    const std::vector<double> times = timesInSteps(row, 1 / static_cast<double>(facts.lines.size()), steps);
    for (const ir::SourceLocation& at : facts.lines) {
        Sum& sum = sums[{at.file, at.line}];
        sum.inParts = sum.inParts || facts.lines.size() > 1;
        add(sum.computed, times);
        add(sum.pieces[pieceName(joined, row, facts)], times);
    }
}

void addBroken(const Joined& joined, const Row& row, const RowFacts& facts, const ir::SourceLocation& at,
               Sums& sums) {
    Sum& sum = sums[{at.file, at.line}];
    const std::vector<double> times = timesInSteps(row, 1, joined.profile->steps.size());
    add(sum.broken, times);
    add(sum.pieces[pieceName(joined, row, facts)], times);
}

LineTime timeOf(Sum sum) {
    LineTime out;
    out.inParts = sum.inParts;
    std::vector<double> all;
    for (const auto* part : {&sum.computed, &sum.broken})
        if (!part->empty()) add(all, *part);
    out.all = medianOf(std::move(all));
    out.computed = medianOf(std::move(sum.computed));
    out.broken = medianOf(std::move(sum.broken));
    for (auto& [what, times] : sum.pieces)
        out.pieces.push_back({what, medianOf(std::move(times))});
    std::ranges::stable_sort(out.pieces, std::ranges::greater(), &LineTime::Piece::time);
    return out;
}

} // namespace

LineTimes lineTimes(Facts& facts) {
    const Joined& joined = *facts.joined();
    LineTimes out;
    const LaunchRows launches(joined);
    Sums sums;
    for (std::size_t i = 0; i < joined.rows.size(); ++i) {
        const Row& row = joined.rows[i];
        if (const ir::SourceLocation* at = breakOf(joined, row))
            addBroken(joined, row, facts.of(i), *at, sums);
        if ((row.part != Part::Kernel && row.part != Part::Node) || launches.contains(row)) continue;
        out.computed += row.self;
        if (facts.of(i).lines.empty()) continue;
        out.known += row.self;
        if (row.brokenCompile < 0) addComputed(joined, row, facts.of(i), sums);
    }
    for (auto& [at, sum] : sums)
        out.files[at.first].emplace(at.second, timeOf(std::move(sum)));
    return out;
}

} // namespace dynascope::profile
