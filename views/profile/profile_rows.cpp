// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/profile_rows.h"

#include "core/profile/figures.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using profile::By;
using profile::GroupedRow;
using profile::Part;

/// What PyTorch's counter counts, else what it moves; sorted by the rate.
TableCell achieved(const GroupedRow& row, double allSelf) {
    if (allSelf <= 0) return {};
    const auto cell = [&](double work, const char* unit) {
        const double perSecond = 1e9 * work / allSelf;
        return TableCell{.text = toQString(profile::rateText(perSecond, unit)), .sort = perSecond};
    };
    if (row.work.flops.value_or(0) > 0) return cell(*row.work.flops, "FLOP/s");
    if (row.work.bytes.value_or(0) > 0) return cell(*row.work.bytes, "B/s");
    return {};
}

/// Of all steps.
double timeOf(const GroupedRow& row) {
    double out = 0;
    for (const auto& [step, time] : row.bySteps)
        out += time;
    return out;
}

TableCell number(const QString& text, double sort) {
    return {.text = text, .sort = sort};
}

TableCell saveableCell(const GroupedRow& row, const std::optional<profile::Peaks>& peaks) {
    if (!peaks) return number({}, -1);
    GroupedRow whole = row;
    whole.self = timeOf(row);
    const std::optional<double> saved = saveable(whole, *peaks);
    return saved ? number(profileTime(*saved), *saved) : number({}, -1);
}

/// A step without the row took none of it.
TableCell spread(const GroupedRow& row, std::size_t steps) {
    if (steps < 2 || !row.median || row.bySteps.empty()) return {};
    std::vector<double> times(steps, 0);
    for (const auto& [step, time] : row.bySteps)
        if (step >= 0 && std::size_t(step) < steps) times[std::size_t(step)] += time;
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    return number(tr("%1 to %2").arg(profileTime(*least), profileTime(*most)), *most - *least);
}

bool holds(const TableRow& row, const QString& filter) {
    return std::any_of(row.begin(), row.end(), [&](const TableCell& cell) {
        return cell.text.contains(filter, Qt::CaseInsensitive);
    });
}

/// "train.py:16", of a kernel of several lines with how many others: "train.py:16 +1".
QString lineText(const ProfileRow& row) {
    const auto text = [](const std::string& file, std::uint32_t line) {
        return fileName(file) + u':' + QString::number(line);
    };
    if (row.row.line > 0) return text(row.row.file, row.row.line);
    if (row.link.line.line == 0 || row.link.otherLines == 0) return {};
    return text(row.link.line.file, row.link.line.line) + QStringLiteral(" +%1").arg(row.link.otherLines);
}

} // namespace

ProfileLink rowLink(JoinedProfile& profile, const std::vector<std::uint32_t>& rows) {
    ProfileLink out;
    const profile::Joined& joined = *profile.joined;
    for (const std::uint32_t index : rows) {
        const profile::Row& row = joined.rows[index];
        if (row.compile < 0 && row.brokenCompile < 0) continue;
        const profile::RowFacts& facts = profile.facts->of(index);
        out.compile = row.brokenCompile >= 0 ? row.brokenCompile : row.compile;
        out.isBreak = row.brokenCompile >= 0;
        const session::Compile& compile = joined.session->compiles[std::size_t(out.compile)];
        if (out.isBreak) return out;
        if (facts.nodeStage >= 0 && !facts.nodeNames.empty()) {
            out.graph = compile.stages[std::size_t(facts.nodeStage)];
            out.node = facts.nodeNames.front();
        }
        if (row.stage >= 0) {
            const session::StagePtr& stage = compile.stages[std::size_t(row.stage)];
            (stage->content == session::Stage::Content::Code ? out.code : out.graph) = stage;
        }
        if (!facts.lines.empty()) {
            out.line = facts.lines.front();
            out.otherLines = int(facts.lines.size()) - 1;
        }
        return out;
    }
    return out;
}

QString profileTime(double nanoseconds) {
    const double us = nanoseconds / 1000;
    if (us < 100) return tr("%1 µs").arg(us, 0, 'f', us < 10 ? 2 : 1);
    return durationText(us);
}

std::vector<TableColumn> profileColumns() {
    return {
        {.title = tr("What"), .toolTip = tr("What the time was spent on"), .most = 440},
        {.title = tr("Self"),
         .toolTip = tr("Its own time, without what it calls"),
         .most = 90,
         .right = true},
        {.title = tr("Share"),
         .toolTip = tr("Of the time that processors were busy"),
         .most = 110,
         .right = true},
        {.title = tr("In a step"), .toolTip = tr("Median over all steps"), .most = 90, .right = true},
        {.title = tr("Least to most"),
         .toolTip = tr("In a step, over all steps; sorted by how far they are apart"),
         .most = 150,
         .right = true},
        {.title = tr("Count"), .toolTip = tr("How often, in all steps"), .most = 70, .right = true},
        {.title = tr("Achieved"),
         .toolTip = tr("FLOP/s of what PyTorch's counter counts, else bytes/s that it reads and writes, over "
                       "all steps"),
         .most = 110,
         .right = true},
        {.title = tr("Could save"),
         .toolTip =
             tr("Over all steps, at the peaks of the machine: of what its FLOPs and its bytes take there, "
                "the longer"),
         .most = 100,
         .right = true},
        {.title = tr("Compile"), .most = 90},
        {.title = tr("Kernel"), .toolTip = tr("Leads to the output code"), .most = 280},
        {.title = tr("Line"), .toolTip = tr("Leads to the source line"), .most = 160},
        {.title = tr("Module"), .most = 160},
        {.title = tr("How it is known"), .toolTip = tr("Each link from the event to the row"), .most = 400}};
}

std::vector<ProfileRow> profileRows(JoinedProfile& profile, By by, int step) {
    std::vector<ProfileRow> out;
    for (profile::GroupedRow& row : grouped(*profile.facts, by, step)) {
        ProfileLink link = rowLink(profile, row.rows);
        out.push_back({std::move(row), std::move(link)});
    }
    return out;
}

std::vector<ProfileLink> rowLinks(JoinedProfile& profile) {
    std::vector<ProfileLink> out;
    for (std::uint32_t i = 0; i < profile.joined->rows.size(); ++i)
        out.push_back(rowLink(profile, {i}));
    return out;
}

std::vector<TableRow> tableRows(const profile::Joined& joined, const std::vector<ProfileRow>& rows,
                                const QString& filter, std::vector<int>& numbers,
                                const std::optional<profile::Peaks>& peaks, int device) {
    double all = 0, most = 0;
    const auto isMeant = [device](const ProfileRow& row) {
        return device == profile::everyDevice || row.row.device == device;
    };
    for (const ProfileRow& row : rows) {
        if (!isMeant(row)) continue;
        all += row.row.self;
        most = std::max(most, row.row.self);
    }
    std::vector<TableRow> out;
    numbers.clear();
    using Look = TableCell::Look;
    const bool devices = joined.profile->devices.size() > 1 && device == profile::everyDevice;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!isMeant(rows[i])) continue;
        const GroupedRow& row = rows[i].row;
        const ProfileLink& link = rows[i].link;
        QString what = toQString(row.key);
        if (devices) what += QStringLiteral("  ") + toQString(joined.profile->devices[row.device]);
        const bool computes = row.part == Part::Kernel || row.part == Part::Node;
        const QString line = lineText(rows[i]);
        TableCell share =
            number(all > 0 ? toQString(profile::shareText(row.self / all)) : QString(), row.self);
        share.share = most > 0 ? row.self / most : -1;
        share.tone = computes ? Tone::Good : row.part == Part::AfterBreak ? Tone::Bad : Tone::Accent;
        TableRow cells = {{.text = what,
                           .look = computes ? Look::Mono : Look::Text,
                           .toolTip = toQString(row.key),
                           .cutMiddle = true},
                          number(profileTime(row.self), row.self),
                          share,
                          number(row.median ? profileTime(*row.median) : QString(), row.median.value_or(-1)),
                          spread(row, joined.profile->steps.size()),
                          number(numberText(row.count), double(row.count)),
                          achieved(row, timeOf(row)),
                          saveableCell(row, peaks),
                          {.text = toQString(row.compile)},
                          {.text = toQString(row.kernel), .look = link.code ? Look::Link : Look::MonoQuiet},
                          {.text = line, .look = Look::Link},
                          {.text = toQString(row.module), .look = Look::Quiet},
                          {.text = toQString(row.evidence), .look = Look::Quiet}};
        if (!filter.isEmpty() && !holds(cells, filter)) continue;
        out.push_back(std::move(cells));
        numbers.push_back(int(i));
    }
    return out;
}

std::vector<RooflinePoint> rooflinePoints(const std::vector<ProfileRow>& rows,
                                          const std::vector<int>& numbers, std::size_t& moveOnly) {
    double all = 0;
    for (const ProfileRow& row : rows)
        all += timeOf(row.row);
    std::vector<RooflinePoint> out;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const GroupedRow& row = rows[std::size_t(numbers[i])].row;
        const double time = timeOf(row), flops = row.work.flops.value_or(0),
                     bytes = row.work.bytes.value_or(0);
        if (time <= 0 || bytes <= 0) continue;
        if (flops <= 0) {
            ++moveOnly;
            continue;
        }
        out.push_back({int(i), toQString(row.key), flops / bytes, flops / time * 1e9,
                       all > 0 ? time / all : 0, row.work.type});
    }
    return out;
}

} // namespace dynascope::views
