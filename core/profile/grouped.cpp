// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/grouped.h"

#include "core/base/words.h"
#include "core/ir/place_text.h"
#include "core/profile/rows_by_subject.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace dynascope::profile {

namespace {

std::string listed(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words)
        out += (out.empty() ? "" : ", ") + word;
    return out;
}

std::string placesOf(const RowFacts& facts) {
    std::vector<std::string> out;
    for (const ir::SourceLocation& at : facts.lines)
        out.push_back(ir::placeText(at));
    return listed(out);
}

/// Files of one name are different files.
std::string filesOf(const RowFacts& facts) {
    std::string out;
    for (const ir::SourceLocation& at : facts.lines)
        out += at.file + '\n';
    return out;
}

bool computes(const Row& row) {
    return row.part == Part::Kernel || row.part == Part::Node;
}

/// Output code of the forward and of the backward have one name; graphs say it in theirs.
bool isBackwardCode(const Joined& joined, const Row& row) {
    if (!row.backward || row.compile < 0 || row.stage < 0) return false;
    const session::Compile& compile = joined.session->compiles[static_cast<std::size_t>(row.compile)];
    return compile.stages[static_cast<std::size_t>(row.stage)]->content == session::Stage::Content::Code;
}

/// What a row is grouped under, in words.
std::string keyOf(const Joined& joined, const Row& row, const RowFacts& facts, By by) {
    const std::string words = partWords(row, facts);
    switch (by) {
    case By::Node:
        return computes(row) && !facts.nodeNames.empty() ? listed(facts.nodeNames) : words;
    case By::Kernel:
        return computes(row) || row.name == 0 ? words : words + ": " + joined.profile->names.text(row.name);
    case By::Line:
        return !computes(row) ? words : facts.lines.empty() ? "no source line is known" : placesOf(facts);
    case By::Module:
        return !computes(row) ? words : facts.module.empty() ? "no module is known" : facts.module;
    case By::Stage:
        return facts.stage.empty() ? words : facts.stage + (isBackwardCode(joined, row) ? " (backward)" : "");
    case By::Compile:
        return facts.compile.empty() ? words : facts.compile;
    case By::Break:
        if (row.brokenCompile >= 0) return "graph break at " + facts.breakPlace;
        return row.compile >= 0 ? "compiled code" : words;
    case By::Step:
    case By::Operator:
        break;
    }
    return {};
}

/// Whether groups of one name are kept apart by compile and stage: names of nodes and kernels are of a graph, and stages
/// of a compile.
bool isOfStage(const Row& row, By by) {
    return by == By::Node || (by == By::Kernel && row.compile >= 0) || (by == By::Stage && row.stage >= 0);
}

/// The one line that a row is of; of none, or of several, line 0.
ir::SourceLocation lineOf(const RowFacts& facts, By by) {
    if (by == By::Break) return facts.breakAt;
    return facts.lines.size() == 1 ? facts.lines.front() : ir::SourceLocation();
}

void keepCommon(std::string& common, const std::string& own, bool isFirst) {
    if (isFirst)
        common = own;
    else if (common != own)
        common.clear();
}

std::optional<double> medianBySteps(const std::vector<std::pair<int, double>>& bySteps, std::size_t steps) {
    if (steps == 0) return {};
    std::vector<double> values;
    for (const auto& [step, time] : bySteps)
        if (step >= 0) values.push_back(time);
    values.resize(std::max(values.size(), steps), 0.0);
    return medianOf(std::move(values));
}

std::vector<GroupedRow> bySteps(const Joined& joined) {
    std::map<std::pair<int, std::uint8_t>, double> times;
    for (const Row& row : joined.rows)
        for (const auto& [step, time] : row.bySteps)
            times[{step, row.device}] += time;
    std::vector<GroupedRow> out;
    std::map<std::uint32_t, std::size_t> turns;
    for (const Step& step : joined.profile->steps)
        ++turns[step.name];
    for (const auto& [at, time] : times) {
        GroupedRow row;
        row.device = at.second;
        row.self = time;
        row.count = 1;
        row.key = "outside all steps";
        if (at.first >= 0) {
            const Step& step = joined.profile->steps[static_cast<std::size_t>(at.first)];
            row.key = joined.profile->names.text(step.name);
            if (turns[step.name] > 1) row.key += ", turn " + std::to_string(at.first + 1);
        }
        out.push_back(std::move(row));
    }
    return out;
}

void addWork(Work& sum, const Row& row, const Work& once, bool isFirst) {
    const auto add = [&](std::optional<double>& to, const std::optional<double>& one) {
        if (isFirst) to = 0;
        to = to && one && computes(row) ? std::optional(*to + *one * static_cast<double>(row.count))
                                        : std::nullopt;
    };
    const bool isFirstProduct = isFirst || sum.flops == 0.0;
    add(sum.flops, once.flops);
    add(sum.bytes, once.bytes);
    if (once.flops.value_or(0) > 0) sum.type = isFirstProduct || sum.type == once.type ? once.type : "";
}

/// Of a row's time, what lies in a step.
double timeIn(double all, const std::vector<std::pair<int, double>>& bySteps, int step) {
    if (step == allSteps) return all;
    const auto at = std::ranges::lower_bound(bySteps, step, {}, &std::pair<int, double>::first);
    return at != bySteps.end() && at->first == step ? at->second : 0;
}

void sortByTime(std::vector<GroupedRow>& rows, int step) {
    if (step != allSteps) std::erase_if(rows, [](const GroupedRow& row) { return row.self == 0; });
    std::ranges::stable_sort(rows, [](const GroupedRow& a, const GroupedRow& b) { return a.self > b.self; });
}

std::vector<GroupedRow> byOperators(const Joined& joined, int step) {
    const Profile& profile = *joined.profile;
    std::map<std::pair<std::uint32_t, std::uint8_t>, std::size_t> index;
    std::vector<GroupedRow> out;
    std::vector<std::vector<std::pair<int, double>>> steps;
    for (const Event& event : profile.events) {
        if (!takesTime(event.kind)) continue;
        const auto [known, isNew] = index.try_emplace({event.name, event.device}, out.size());
        if (isNew) {
            out.emplace_back();
            out.back().key = profile.nameOf(event);
            out.back().device = event.device;
            steps.emplace_back();
        }
        GroupedRow& row = out[known->second];
        ++row.count;
        row.self += event.self;
        const int at = profile.stepOf(event);
        std::vector<std::pair<int, double>>& own = steps[known->second];
        if (own.empty() || own.back().first != at) own.emplace_back(at, 0.0);
        own.back().second += event.self;
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        RowsBySubject::mergeSteps(steps[i]);
        out[i].median = medianBySteps(steps[i], profile.steps.size());
        out[i].self = timeIn(out[i].self, steps[i], step);
        out[i].bySteps = std::move(steps[i]);
    }
    sortByTime(out, step);
    return out;
}

} // namespace

std::optional<By> byNamed(std::string_view name) {
    const auto* const found = std::ranges::find(byNames, name);
    if (found == byNames.end()) return {};
    return static_cast<By>(found - byNames.begin());
}

double Peaks::flopsOf(const std::string& type) const {
    const auto known = flopsByType.find(type);
    return known == flopsByType.end() ? flopsPerSecond : known->second;
}

const std::string& mainDevice(const Profile& profile) {
    return profile.devices[static_cast<std::size_t>(std::max(mainGpu(profile), 0))];
}

std::optional<double> saveable(const GroupedRow& row, const Peaks& peaks) {
    if (!row.work.flops || !row.work.bytes || *row.work.flops + *row.work.bytes <= 0) return {};
    const double least =
        std::max(*row.work.flops / peaks.flopsOf(row.work.type), *row.work.bytes / peaks.bytesPerSecond) *
        1e9;
    return std::max(0.0, row.self - least);
}

void addSteps(const Row& row, double part, std::vector<double>& bySteps) {
    for (const auto& [step, time] : row.bySteps)
        if (step >= 0 && static_cast<std::size_t>(step) < bySteps.size())
            bySteps[static_cast<std::size_t>(step)] += time * part;
}

double medianOf(std::vector<double> values) {
    if (values.empty()) return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double medianDeviation(const std::vector<double>& values) {
    const double middle = medianOf(values);
    std::vector<double> away;
    for (const double value : values)
        away.push_back(std::abs(value - middle));
    return medianOf(std::move(away));
}

double Shares::all() const {
    return std::accumulate(time.begin(), time.end(), 0.0);
}

int mainGpu(const Profile& profile) {
    int out = everyDevice;
    for (std::size_t i = 0; i < profile.devices.size(); ++i)
        if (profile.devices[i] != "cpu" &&
            (out == everyDevice || profile.busy[i] > profile.busy[static_cast<std::size_t>(out)]))
            out = static_cast<int>(i);
    return out;
}

Spent spentOf(Facts& facts, std::size_t row) {
    const Spent spent = spentOn(facts.joined()->rows[row]);
    return spent == Spent::Computed && !facts.of(row).collective.empty() ? Spent::Collective : spent;
}

Shares sharesOf(Facts& facts, int step, int device) {
    const Joined& joined = *facts.joined();
    Shares out;
    for (std::size_t i = 0; i < joined.rows.size(); ++i) {
        const Row& row = joined.rows[i];
        if (device != everyDevice && row.device != device) continue;
        const double time = timeIn(row.self, row.bySteps, step);
        out.time[static_cast<std::size_t>(spentOf(facts, i))] += time;
    }
    return out;
}

std::vector<GroupedRow> grouped(Facts& facts, By by, int step) {
    const Joined& joined = *facts.joined();
    if (by == By::Step) return bySteps(joined);
    if (by == By::Operator) return byOperators(joined, step);
    std::map<std::tuple<std::string, std::string, std::uint8_t, int, int>, std::size_t> index;
    std::vector<GroupedRow> out;
    std::vector<std::vector<std::pair<int, double>>> steps;
    std::vector<double> longest;
    for (std::uint32_t i = 0; i < joined.rows.size(); ++i) {
        const Row& row = joined.rows[i];
        const RowFacts& of = facts.of(i);
        const bool apart = isOfStage(row, by);
        const std::tuple key(keyOf(joined, row, of, by), by == By::Line ? filesOf(of) : std::string(),
                             row.device, apart ? row.compile : -1, apart ? row.stage : -1);
        const auto [known, isNew] = index.try_emplace(key, out.size());
        if (isNew) {
            out.emplace_back();
            steps.emplace_back();
            longest.push_back(-1);
        }
        GroupedRow& group = out[known->second];
        group.key = std::get<0>(key);
        group.device = row.device;
        group.rows.push_back(i);
        group.count += row.count;
        group.self += row.self;
        group.joined = group.joined || row.compile >= 0 || row.brokenCompile >= 0;
        addWork(group.work, row, of.work, isNew);
        const ir::SourceLocation at = lineOf(of, by);
        keepCommon(group.compile, of.compile, isNew);
        keepCommon(group.stage, of.stage, isNew);
        keepCommon(group.node, listed(of.nodeNames), isNew);
        keepCommon(group.kernel, of.kernel, isNew);
        keepCommon(group.module, of.module, isNew);
        keepCommon(group.file, at.file, isNew);
        group.line = isNew || group.line == at.line ? at.line : 0;
        if (row.self > longest[known->second]) {
            longest[known->second] = row.self;
            group.part = row.part;
            group.evidence = of.evidence;
        }
        std::vector<std::pair<int, double>>& own = steps[known->second];
        own.insert(own.end(), row.bySteps.begin(), row.bySteps.end());
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        RowsBySubject::mergeSteps(steps[i]);
        out[i].median = medianBySteps(steps[i], joined.profile->steps.size());
        out[i].self = timeIn(out[i].self, steps[i], step);
        out[i].bySteps = std::move(steps[i]);
        if (out[i].line == 0) out[i].file.clear();
    }
    sortByTime(out, step);
    return out;
}

} // namespace dynascope::profile
