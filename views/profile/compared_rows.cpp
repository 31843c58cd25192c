// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/compared_rows.h"

#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

using Look = TableCell::Look;

TableCell timeCell(const std::optional<double>& time) {
    return time ? TableCell{.text = profileTime(*time), .sort = *time} : TableCell{.text = {}, .sort = -1};
}

TableCell changeCell(const profile::ComparedRow& row, double most) {
    const double change = row.change();
    const QString sign = change < 0 ? QStringLiteral("−") : QStringLiteral("+");
    TableCell out{.text = sign + profileTime(std::abs(change)), .sort = change};
    out.share = most > 0 ? std::abs(change) / most : -1;
    out.tone = !row.beyond ? Tone::None : change > 0 ? Tone::Bad : Tone::Good;
    return out;
}

TableCell verdictCell(const profile::ComparedRow& row) {
    if (!row.a) return {.text = tr("only in B"), .look = Look::Quiet};
    if (!row.b) return {.text = tr("only in A"), .look = Look::Quiet};
    if (!row.beyond) return {.text = tr("within the noise"), .look = Look::Quiet};
    return row.change() > 0 ? TableCell{.text = tr("slower"), .look = Look::Chip, .tone = Tone::Bad}
                            : TableCell{.text = tr("faster"), .look = Look::Chip, .tone = Tone::Good};
}

TableCell timesCell(const profile::ComparedRow& row) {
    if (!row.a || !row.b || *row.a <= 0) return {.text = {}, .sort = -1};
    return {.text = tr("%1 ×").arg(*row.b / *row.a, 0, 'f', 2), .sort = *row.b / *row.a};
}

} // namespace

ComparedProfilesPtr compareProfiles(const JoinedProfilePtr& a, const JoinedProfilePtr& b, profile::By by) {
    const std::scoped_lock lock(a->mutex, b->mutex);
    auto out = std::make_shared<ComparedProfiles>();
    out->a = a;
    out->b = b;
    out->rows = compared(*a->facts, *b->facts, by);
    for (const profile::ComparedRow& row : out->rows) {
        out->linksA.push_back(rowLink(*a, row.rowsA));
        out->linksB.push_back(rowLink(*b, row.rowsB));
    }
    // Of the GPU, where both have one: the CPU mostly launches what it runs.
    const int inA = mainGpu(*a->joined->profile), inB = mainGpu(*b->joined->profile);
    const bool ofGpus = inA != profile::everyDevice && inB != profile::everyDevice;
    if (ofGpus) out->device = a->joined->profile->devices[std::size_t(inA)];
    out->sharesA = sharesOf(*a->facts, profile::allSteps, ofGpus ? inA : profile::everyDevice);
    out->sharesB = sharesOf(*b->facts, profile::allSteps, ofGpus ? inB : profile::everyDevice);
    out->steps = comparedSteps(*a->joined->profile, *b->joined->profile);
    return out;
}

std::vector<TableColumn> comparedColumns() {
    return {
        {.title = tr("What"), .toolTip = tr("What the time was spent on"), .most = 320},
        {.title = tr("A"), .toolTip = tr("In a step, the median over all steps"), .most = 90, .right = true},
        {.title = tr("B"), .toolTip = tr("In a step, the median over all steps"), .most = 90, .right = true},
        {.title = tr("Change"), .toolTip = tr("B without A"), .most = 120, .right = true},
        {.title = tr("B of A"), .most = 80, .right = true},
        {.title = tr("Noise"),
         .toolTip = tr("Twice the larger of both profiles' median deviations between steps"),
         .most = 90,
         .right = true},
        {.title = tr("Verdict"),
         .toolTip = tr("Slower or faster where they differ by more than the noise, in three steps or more"),
         .most = 130},
        {.title = tr("Compile"), .most = 90},
        {.title = tr("Stage"), .most = 240}};
}

std::vector<TableRow> comparedTableRows(const ComparedProfiles& compared, const QString& filter,
                                        std::vector<int>& numbers) {
    double most = 0;
    for (const profile::ComparedRow& row : compared.rows)
        most = std::max(most, std::abs(row.change()));
    const bool devices = std::max(compared.a->joined->profile->devices.size(),
                                  compared.b->joined->profile->devices.size()) > 1;
    std::vector<TableRow> out;
    numbers.clear();
    for (std::size_t i = 0; i < compared.rows.size(); ++i) {
        const profile::ComparedRow& row = compared.rows[i];
        QString what = toQString(row.key);
        if (devices) what += QStringLiteral("  ") + toQString(row.device);
        const bool leads = compared.linksA[i].graph || compared.linksB[i].graph;
        TableRow cells{{.text = what, .look = leads ? Look::Mono : Look::Text, .toolTip = toQString(row.key)},
                       timeCell(row.a),
                       timeCell(row.b),
                       changeCell(row, most),
                       timesCell(row),
                       {.text = profileTime(row.noise), .look = Look::Quiet, .sort = row.noise},
                       verdictCell(row),
                       {.text = toQString(row.compile)},
                       {.text = toQString(row.stage), .look = Look::Quiet}};
        const bool holds = filter.isEmpty() || std::ranges::any_of(cells, [&](const TableCell& cell) {
                               return cell.text.contains(filter, Qt::CaseInsensitive);
                           });
        if (!holds) continue;
        out.push_back(std::move(cells));
        numbers.push_back(int(i));
    }
    return out;
}

QString comparedVerdict(const ComparedProfiles& compared) {
    if (!compared.steps) return {};
    const profile::ComparedSteps& steps = *compared.steps;
    const QString noise = profileTime(steps.noise), change = profileTime(std::abs(steps.change()));
    if (!steps.beyond) return tr("B's step differs by %1, not beyond the noise of %2").arg(change, noise);
    return steps.change() > 0 ? tr("B's step is %1 slower, beyond the noise of %2").arg(change, noise)
                              : tr("B's step is %1 faster, beyond the noise of %2").arg(change, noise);
}

QString whyNothingCompared(const ComparedProfiles& compared, profile::By by) {
    if (by == profile::By::Step)
        return tr("Steps of two runs are not the same steps. Choose another grouping.");
    if (!compared.steps)
        return tr("A profile without steps cannot be compared: record_function() makes some.");
    return tr("No row has this in it.");
}

} // namespace dynascope::views
