// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/profile_report.h"

#include "app/cli/profile_idle.h"
#include "app/cli/table.h"
#include "core/base/csv.h"
#include "core/base/words.h"
#include "core/profile/figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>
#include <set>

namespace dynascope::cli {

namespace {

using nlohmann::json;
using profile::By;
using profile::GroupedRow;
using profile::Joined;
using profile::Profile;

double us(double nanoseconds) {
    return nanoseconds / 1000;
}

json text(const std::string& words) {
    return words.empty() ? json() : json(words);
}

std::size_t streams(const Profile& profile) {
    return static_cast<std::size_t>(std::ranges::count_if(profile.tracks, &profile::Track::isStream));
}

/// Tracks on which something takes time of a processor.
std::size_t threads(const Profile& profile) {
    return static_cast<std::size_t>(std::ranges::count_if(profile.tracks, [&](const profile::Track& track) {
        return !track.isStream &&
               std::any_of(profile.events.begin() + track.first, profile.events.begin() + track.last,
                           [](const profile::Event& event) { return profile::takesTime(event.kind); });
    }));
}

json tallyJson(const profile::Tally& tally) {
    return {{"joined", tally.joined}, {"all", tally.all}};
}

json rowJson(const Profile& profile, const GroupedRow& row, const std::optional<profile::Peaks>& peaks) {
    const std::optional<double> saved = peaks ? saveable(row, *peaks) : std::nullopt;
    return {{"key", row.key},
            {"device", profile.devices[row.device]},
            {"part", partName(row.part)},
            {"compile", text(row.compile)},
            {"stage", text(row.stage)},
            {"node", text(row.node)},
            {"kernel", text(row.kernel)},
            {"file", text(row.file)},
            {"line", row.line == 0 ? json() : json(row.line)},
            {"module", text(row.module)},
            {"count", row.count},
            {"self_us", us(row.self)},
            {"median_us", row.median ? json(us(*row.median)) : json()},
            {"flop", row.work.flops ? json(*row.work.flops) : json()},
            {"flop_type", text(row.work.type)},
            {"bytes", row.work.bytes ? json(*row.work.bytes) : json()},
            {"saveable_us", saved ? json(us(*saved)) : json()},
            {"evidence", text(row.evidence)}};
}

std::string decimals(double value) {
    std::array<char, 32> buffer{};
    const int length = std::snprintf(buffer.data(), buffer.size(), "%.3f", value);
    return std::string(buffer.data(), static_cast<std::size_t>(std::max(length, 0)));
}

std::string tallyWords(const profile::Tally& tally, std::string_view noun) {
    if (tally.all == 0) return {};
    return ", " + std::to_string(tally.joined) + " of " + count(tally.all, noun);
}

std::string header(const Joined& joined) {
    const Profile& profile = *joined.profile;
    std::string out = count(profile.events.size(), "event") + " on " + count(threads(profile), "thread");
    if (const std::size_t n = streams(profile); n > 0) out += " and " + count(n, "stream");
    if (profile.rank >= 0) out += ", rank " + std::to_string(profile.rank);
    out += '\n';
    if (!profile.steps.empty())
        out += count(profile.steps.size(), "step") + ", median " + micros(medianStepUs(profile)) + " us\n";
    else
        out += "no steps: no ProfilerStep# and no record_function around them\n";
    for (std::size_t i = 0; i < profile.devices.size(); ++i) {
        out += profile.devices[i] + " busy " + micros(us(profile.busy[i])) + " us";
        if (!profile.models[i].empty()) out += ", " + profile.models[i];
        if (profile.busy[i] > 0)
            out += ", " + profile::shareText(joined.joinedOn[i] / profile.busy[i]) + " of it joined";
        out += '\n';
    }
    out += profile::shareText(joined.share()) + " of all joined to the compiles of the capture" +
           tallyWords(joined.regions, "compiled region") + tallyWords(joined.graphs, "graph call") +
           tallyWords(joined.kernels, "kernel") + tallyWords(joined.operators, "operator") + '\n';
    return out;
}

/// The most that could be saved first where peaks are given; what is not known behind all others.
std::vector<GroupedRow> chosen(profile::Facts& facts, const RowChoice& choice) {
    std::vector<GroupedRow> rows = grouped(facts, choice.by);
    if (!choice.device.empty())
        std::erase_if(rows, [&](const GroupedRow& row) {
            return facts.joined()->profile->devices[row.device] != choice.device;
        });
    if (choice.peaks)
        std::ranges::stable_sort(rows, [&](const GroupedRow& a, const GroupedRow& b) {
            return saveable(a, *choice.peaks).value_or(-1) > saveable(b, *choice.peaks).value_or(-1);
        });
    return rows;
}

/// "12.3 GFLOP/s", of what computes none that PyTorch counts "4.1 GB/s".
std::string achieved(const GroupedRow& row) {
    if (row.self <= 0) return {};
    if (row.work.flops && *row.work.flops > 0)
        return profile::rateText(1e9 * *row.work.flops / row.self, "FLOP/s");
    if (row.work.bytes && *row.work.bytes > 0)
        return profile::rateText(1e9 * *row.work.bytes / row.self, "B/s");
    return {};
}

/// Of opening, of reading and of joining.
std::vector<std::string> warningsOf(const Joined& joined, const RowChoice& choice) {
    std::vector<std::string> out = choice.warnings;
    out.insert(out.end(), joined.profile->warnings.begin(), joined.profile->warnings.end());
    out.insert(out.end(), joined.warnings.begin(), joined.warnings.end());
    return out;
}

std::string savedText(const GroupedRow& row, const profile::Peaks& peaks) {
    const std::optional<double> saved = saveable(row, peaks);
    return saved ? micros(us(*saved)) + " us" : std::string();
}

} // namespace

double medianStepUs(const Profile& profile) {
    std::vector<double> durations;
    for (const profile::Step& step : profile.steps)
        durations.push_back(static_cast<double>(step.duration));
    return us(profile::medianOf(std::move(durations)));
}

json profileJson(profile::Facts& facts, const RowChoice& choice) {
    const std::optional<profile::Peaks>& peaks = choice.peaks;
    const Joined& joined = *facts.joined();
    const Profile& profile = *joined.profile;
    json steps = json::array(), busy = json::object(), rows = json::array();
    for (const profile::Step& step : profile.steps)
        steps.push_back({{"name", profile.names.text(step.name)},
                         {"duration_us", us(static_cast<double>(step.duration))}});
    for (std::size_t i = 0; i < profile.devices.size(); ++i)
        busy[profile.devices[i]] = us(profile.busy[i]);
    for (const GroupedRow& row : chosen(facts, choice))
        rows.push_back(rowJson(profile, row, peaks));
    return {{"path", profile.path},
            {"rank", profile.rank < 0 ? json() : json(profile.rank)},
            {"events", profile.events.size()},
            {"threads", threads(profile)},
            {"streams", streams(profile)},
            {"steps", steps},
            {"busy_us", busy},
            {"joined_share", joined.share()},
            {"joined",
             {{"regions", tallyJson(joined.regions)},
              {"graph_calls", tallyJson(joined.graphs)},
              {"kernels", tallyJson(joined.kernels)},
              {"operators", tallyJson(joined.operators)}}},
            {"by", profile::byNames[static_cast<std::size_t>(choice.by)]},
            {"rows", rows},
            {"peaks", peaks ? json{{"flop_per_s", peaks->flopsPerSecond},
                                   {"bytes_per_s", peaks->bytesPerSecond},
                                   {"flop_per_s_by_type", peaks->flopsByType}}
                            : json()},
            {"unjoined_us", us(joined.busy - joined.joined)},
            {"idle", idleJson(facts)},
            {"warnings", warningsOf(joined, choice)}};
}

std::string profileCsv(profile::Facts& facts, const RowChoice& choice) {
    const Profile& profile = *facts.joined()->profile;
    std::string out =
        "key,device,part,compile,stage,node,kernel,file,line,module,count,self_us,median_us,evidence,"
        "flop,flop_type,bytes,saveable_us\n";
    const auto number = [](const std::optional<double>& value) {
        return value ? decimals(*value) : std::string();
    };
    for (const GroupedRow& row : chosen(facts, choice)) {
        const std::optional<double> saved = choice.peaks ? saveable(row, *choice.peaks) : std::nullopt;
        const std::vector<std::string> fields = {row.key,
                                                 profile.devices[row.device],
                                                 std::string(partName(row.part)),
                                                 row.compile,
                                                 row.stage,
                                                 row.node,
                                                 row.kernel,
                                                 row.file,
                                                 row.line == 0 ? std::string() : std::to_string(row.line),
                                                 row.module,
                                                 std::to_string(row.count),
                                                 decimals(us(row.self)),
                                                 row.median ? decimals(us(*row.median)) : std::string(),
                                                 row.evidence,
                                                 number(row.work.flops),
                                                 row.work.type,
                                                 number(row.work.bytes),
                                                 number(saved ? std::optional(us(*saved)) : saved)};
        for (std::size_t i = 0; i < fields.size(); ++i)
            out += (i == 0 ? "" : ",") + csvCell(fields[i]);
        out += '\n';
    }
    return out;
}

std::string profileText(profile::Facts& facts, const RowChoice& choice, std::size_t top) {
    const Joined& joined = *facts.joined();
    const std::optional<profile::Peaks>& peaks = choice.peaks;
    const std::vector<GroupedRow> rows = chosen(facts, choice);
    double busy = joined.busy;
    if (!choice.device.empty())
        busy = std::accumulate(rows.begin(), rows.end(), 0.0,
                               [](double sum, const GroupedRow& row) { return sum + row.self; });
    const std::size_t shown = top == 0 ? rows.size() : std::min(top, rows.size());
    using enum Table::Align;
    Table table({Right, Right, Right, Right, Right, Left, Left, Left});
    table.add({"self us", "share", "in a step", "count", peaks ? "could save" : "achieved",
               std::string(profile::byNames[static_cast<std::size_t>(choice.by)]), "compile",
               "how it is known"});
    double rest = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const GroupedRow& row = rows[i];
        if (i >= shown) {
            rest += row.self;
            continue;
        }
        std::string key = elide(row.key, 72);
        if (joined.profile->devices.size() > 1 && choice.device.empty())
            key += " on " + joined.profile->devices[row.device];
        table.add({micros(us(row.self)), profile::shareText(busy > 0 ? row.self / busy : 0),
                   row.median ? micros(us(*row.median)) : "", std::to_string(row.count),
                   peaks ? savedText(row, *peaks) : achieved(row), key, row.compile, row.evidence});
    }
    std::string out = header(joined) + '\n' + table.toString("  ");
    if (shown < rows.size())
        out += "  and " + count(rows.size() - shown, "further row") + " with " + micros(us(rest)) +
               " us; --top 0 prints all\n";
    constexpr std::size_t mostGaps = 10;
    if (const std::string idle = idleText(facts, top == 0 ? 0 : std::min(top, mostGaps)); !idle.empty())
        out += '\n' + idle;
    for (const std::string& warning : warningsOf(joined, choice))
        out += "warning: " + warning + '\n';
    return out;
}

json comparedJson(profile::Facts& a, profile::Facts& b, By by) {
    json rows = json::array();
    for (const profile::ComparedRow& row : compared(a, b, by))
        rows.push_back({{"key", row.key},
                        {"device", row.device},
                        {"compile", text(row.compile)},
                        {"stage", text(row.stage)},
                        {"a_us", row.a ? json(us(*row.a)) : json()},
                        {"b_us", row.b ? json(us(*row.b)) : json()},
                        {"change_us", us(row.change())},
                        {"noise_us", us(row.noise)},
                        {"beyond_noise", row.beyond}});
    const Profile &first = *a.joined()->profile, &second = *b.joined()->profile;
    const auto steps = comparedSteps(first, second);
    return {{"a", first.path},
            {"b", second.path},
            {"by", profile::byNames[static_cast<std::size_t>(by)]},
            {"step_us",
             {{"a", medianStepUs(first)},
              {"b", medianStepUs(second)},
              {"noise", steps ? json(us(steps->noise)) : json()},
              {"beyond_noise", steps && steps->beyond}}},
            {"rows", rows}};
}

std::string comparedText(profile::Facts& a, profile::Facts& b, By by, std::size_t top) {
    const Profile &first = *a.joined()->profile, &second = *b.joined()->profile;
    std::string out = "A " + first.path + ": " + count(first.steps.size(), "step") + ", median " +
                      micros(medianStepUs(first)) + " us\nB " + second.path + ": " +
                      count(second.steps.size(), "step") + ", median " + micros(medianStepUs(second)) +
                      " us\n";
    if (const auto steps = comparedSteps(first, second))
        out += !steps->beyond ? "the step is neither slower nor faster by more than the noise, " +
                                    micros(us(steps->noise)) + " us\n"
                              : "the step is " + std::string(steps->change() > 0 ? "slower" : "faster") +
                                    " by " + micros(us(std::abs(steps->change()))) + " us; the noise is " +
                                    micros(us(steps->noise)) + " us\n";
    out += '\n';
    using enum Table::Align;
    Table table({Right, Right, Right, Right, Left, Left, Left});
    table.add({"A us", "B us", "change", "noise", "",
               std::string(profile::byNames[static_cast<std::size_t>(by)]), "compile"});
    const std::vector<profile::ComparedRow> rows = compared(a, b, by);
    const std::size_t shown = top == 0 ? rows.size() : std::min(top, rows.size());
    for (std::size_t i = 0; i < shown; ++i) {
        const profile::ComparedRow& row = rows[i];
        const std::string word = !row.a             ? "only in B"
                                 : !row.b           ? "only in A"
                                 : !row.beyond      ? ""
                                 : row.change() > 0 ? "slower"
                                                    : "faster";
        const std::string sign = row.change() < 0 ? "-" : "+";
        table.add({row.a ? micros(us(*row.a)) : "", row.b ? micros(us(*row.b)) : "",
                   sign + micros(us(std::abs(row.change()))), micros(us(row.noise)), word, elide(row.key, 72),
                   row.compile});
    }
    out += table.toString("  ");
    if (shown < rows.size())
        out += "  and " + count(rows.size() - shown, "further row") + "; --top 0 prints all\n";
    return out;
}

} // namespace dynascope::cli
