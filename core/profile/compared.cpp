// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/compared.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace dynascope::profile {

namespace {

/// What a row took in each step, those without it included.
std::vector<double> stepTimes(const GroupedRow& row, std::size_t steps) {
    std::vector<double> out;
    for (const auto& [step, time] : row.bySteps)
        if (step >= 0) out.push_back(time);
    out.resize(std::max(out.size(), steps), 0.0);
    return out;
}

/// Median deviation from the median, scaled so that it is a standard deviation where steps are spread normally.
double spreadOf(const std::vector<double>& times) {
    return 1.4826 * medianDeviation(times);
}

std::vector<double> durations(const Profile& profile) {
    std::vector<double> out;
    for (const Step& step : profile.steps)
        out.push_back(static_cast<double>(step.duration));
    return out;
}

} // namespace

std::optional<ComparedSteps> comparedSteps(const Profile& a, const Profile& b) {
    if (a.steps.empty() || b.steps.empty()) return {};
    const std::vector<double> first = durations(a), second = durations(b);
    ComparedSteps out;
    out.a = medianOf(first);
    out.b = medianOf(second);
    out.noise = 2 * std::max(spreadOf(first), spreadOf(second));
    out.beyond = std::min(first.size(), second.size()) >= fewestSteps && std::abs(out.change()) > out.noise;
    return out;
}

std::vector<ComparedRow> compared(Facts& a, Facts& b, By by) {
    if (by == By::Step || a.joined()->profile->steps.empty() || b.joined()->profile->steps.empty()) return {};
    using Key = std::tuple<std::string, std::string, std::string, std::string>;
    std::map<Key, ComparedRow> rows;
    const auto add = [&](Facts& facts, bool isA) {
        const Profile& profile = *facts.joined()->profile;
        for (GroupedRow& group : grouped(facts, by)) {
            const std::string& device = profile.devices[group.device];
            ComparedRow& row = rows[{group.key, device, group.compile, group.stage}];
            row.key = group.key;
            row.device = device;
            row.compile = group.compile;
            row.stage = group.stage;
            (isA ? row.a : row.b) = group.median.value_or(0);
            (isA ? row.rowsA : row.rowsB) = std::move(group.rows);
            const std::vector<double> times = stepTimes(group, profile.steps.size());
            row.noise = std::max(row.noise, 2 * spreadOf(times));
        }
    };
    add(a, true);
    add(b, false);
    const bool enough =
        std::min(a.joined()->profile->steps.size(), b.joined()->profile->steps.size()) >= fewestSteps;
    std::vector<ComparedRow> out;
    for (auto& [key, row] : rows) {
        row.beyond = enough && row.a && row.b && std::abs(row.change()) > row.noise;
        out.push_back(std::move(row));
    }
    std::ranges::stable_sort(out, [](const ComparedRow& left, const ComparedRow& right) {
        return std::abs(left.change()) > std::abs(right.change());
    });
    return out;
}

} // namespace dynascope::profile
