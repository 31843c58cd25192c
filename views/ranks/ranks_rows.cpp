// SPDX-License-Identifier: BSD-3-Clause
#include "views/ranks/ranks_rows.h"

#include "core/base/text.h"
#include "core/session/compile_counts.h"
#include "views/workspace/labels.h"

#include <QCoreApplication>
#include <algorithm>

namespace dynascope::views {

namespace {

using Look = TableCell::Look;
using ranks::CompileRow;
using ranks::RanksVerdict;

QString tr(const char* text) {
    return QCoreApplication::translate("RanksRows", text);
}

QString placeOf(const std::string& file, std::uint32_t line) {
    return placeText(ir::SourceLocation{file, line, {}, {}});
}

TableCell verdictCell(RanksVerdict verdict) {
    static constexpr const char* tips[] = {
        "Nothing tells these ranks apart but what is a rank's own: its device, its number, addresses",
        "One rank compiles again, finds nothing in a cache that served others, or has other code",
        "Ranks compute something else: another graph, shape, dtype, constant or reduction",
        "Ranks of one process group do not make the same calls in the same order: they wait for ever"};
    TableCell out{toQString(verdict), Look::Chip, toneOf(verdict)};
    out.toolTip = tr(tips[std::size_t(verdict)]);
    out.sort = -int(verdict);
    return out;
}

TableCell functionCell(const CompileRow& row) {
    const QString place = placeText(row.at);
    return {toQString(row.function) + (place.isEmpty() ? QString() : u' ' + place)};
}

TableCell letterCell(const capture::RanksReading& reading, const CompileRow& row,
                     const std::vector<int>& group) {
    const std::size_t at = reading.indexOf(group);
    const int letter = row.letters[at];
    if (letter < 0) return {tr("not compiled"), Look::Quiet};
    TableCell out{letterText(letter), Look::Chip, letter > 0 ? toneOf(row.verdict) : Tone::None};
    const session::Compile& compile = reading.session->compiles[row.compiles[at]];
    const std::string own = compile.id.toString();
    if (own != row.id && !row.id.starts_with(own + ' ')) out.text += QStringLiteral(" · ") + toQString(own);
    out.toolTip = tr("%1 of %2 compiled %3 as all with the letter %4 did: %5, %6")
                      .arg(toQString(own), words(group), toQString(row.function), letterText(letter),
                           countText(compile.stages.size(), tr("stage"), tr("stages")),
                           secondsText(session::compileTime(compile)));
    return out;
}

QString whyOdd(const ranks::Report& report, const CompileRow& row) {
    if (row.reason != ranks::none) return toQString(report.reasons[row.reason].text);
    if (!row.partOf.empty())
        return tr("a part of %1 where it breaks: its collectives are compared with those of %1")
            .arg(toQString(row.partOf));
    if (std::ranges::any_of(row.letters, [](int letter) { return letter > 0; }))
        return tr("not all compiled the same; the tab Notes says why that is no fault");
    return tr("all ranks that have it compiled the same");
}

QString listed(const std::vector<int>& ranks) {
    return ranks.empty() ? QString() : words(ranks);
}

} // namespace

QString toQString(RanksVerdict verdict) {
    return toQString(ranks::verdictName(verdict));
}

Tone toneOf(RanksVerdict verdict) {
    static constexpr Tone tones[] = {Tone::Good, Tone::None, Tone::Warn, Tone::Bad};
    return tones[std::size_t(verdict)];
}

QString words(const std::vector<int>& ranks) {
    return toQString(ranks::rankWords(ranks));
}

QString letterText(int letter) {
    if (letter < 0) return QStringLiteral("-");
    return letter < 26 ? QString(QChar(u'a' + letter)) : QString::number(letter + 1);
}

std::vector<FigureRow::Figure> rankFigures(const capture::RanksReading& reading, const Colours& colours) {
    const ranks::Report& report = reading.report;
    const auto count = [&](RanksVerdict verdict) { return report.count[std::size_t(verdict)]; };
    const auto tone = [&](RanksVerdict verdict) {
        return count(verdict) > 0 ? toneColour(toneOf(verdict), colours) : QColor();
    };
    std::vector<FigureRow::Figure> out{
        {numberText(report.ranks.size()), tr("ranks")},
        {numberText(report.compiles.size()),
         report.compiles.size() == 1 ? tr("group of like ranks") : tr("groups of like ranks"),
         {},
         tr("Ranks whose compiles all have the same letters are one group")},
        {numberText(reading.session->compiles.size()),
         tr("compiles, %1").arg(countText(report.rows.size(), tr("id"), tr("ids")))},
        {numberText(count(RanksVerdict::WillHang)), tr("will hang"), tone(RanksVerdict::WillHang)},
        {numberText(count(RanksVerdict::MayBeWrong)), tr("may be wrong"), tone(RanksVerdict::MayBeWrong)},
        {numberText(count(RanksVerdict::Slower)), tr("slower")}};
    if (report.waiting)
        out.push_back({numberText(report.waiting->size()),
                       report.waiting->size() == 1 ? tr("rank in a call") : tr("ranks in a call"),
                       {},
                       tr("Ranks in a collective that had not ended, by the flight recorder")});
    return out;
}

QString evidenceText(const capture::RanksReading& reading) {
    QString out = tr("Found in the graphs, code and records of %1; nothing was run.")
                      .arg(countText(reading.report.ranks.size(), tr("rank"), tr("ranks")));
    if (!reading.times.ranks.empty())
        out +=
            u' ' + tr("Profiles of %1.").arg(countText(reading.times.ranks.size(), tr("rank"), tr("ranks")));
    if (reading.dumps > 0)
        out += u' ' + tr("Flight-recorder dumps of %1 from %2.")
                          .arg(countText(reading.dumps, tr("rank"), tr("ranks")), toQString(reading.flight));
    else
        out += u' ' +
               tr("Who waits for whom is not known: there is no flight-recorder dump beside the capture.");
    return out;
}

std::vector<TableColumn> rankReasonColumns() {
    return {{tr("Verdict"), tr("What hurts most comes first"), 110},
            {tr("Compile"), tr("The compile id on the ranks that are odd"), 80},
            {tr("Ranks"), tr("Those that are not as most are"), 170},
            {tr("Line"), tr("The program's line; a click shows it"), 170},
            {tr("What does not fit"), {}, 900}};
}

std::vector<TableRow> rankReasonRows(const capture::RanksReading& reading) {
    std::vector<TableRow> out;
    for (const ranks::Reason& reason : reading.report.reasons)
        out.push_back({verdictCell(reason.verdict),
                       {toQString(reason.compile), Look::Mono},
                       {listed(reason.ranks)},
                       {placeOf(reason.file, reason.line), Look::Link},
                       {toQString(reason.text)}});
    return out;
}

std::vector<TableColumn> matrixColumns(const capture::RanksReading& reading) {
    std::vector<TableColumn> out{{tr("Verdict"), tr("The worst of this compile"), 110},
                                 {tr("Compile"), {}, 110},
                                 {tr("Function"), {}, 190}};
    const ranks::RankGroups& groups = reading.report.compiles;
    for (std::size_t i = 0; i < groups.size() && i < mostGroups; ++i)
        out.push_back({words(groups[i]),
                       tr("%1, alike in all compiles. a is what most ranks have, in a tie the first one's")
                           .arg(countText(groups[i].size(), tr("rank"), tr("ranks"))),
                       150});
    out.push_back({tr("What is odd, and why"), {}, 900});
    return out;
}

std::vector<TableRow> matrixRows(const capture::RanksReading& reading) {
    std::vector<TableRow> out;
    const ranks::Report& report = reading.report;
    for (const CompileRow& row : report.rows) {
        TableRow cells{verdictCell(row.verdict),
                       {toQString(row.id), Look::Mono, Tone::None, {}, qulonglong(out.size())},
                       functionCell(row)};
        for (std::size_t i = 0; i < report.compiles.size() && i < mostGroups; ++i)
            cells.push_back(letterCell(reading, row, report.compiles[i]));
        cells.push_back({whyOdd(report, row), row.reason == ranks::none ? Look::Quiet : Look::Text});
        out.push_back(std::move(cells));
    }
    return out;
}

std::vector<TableColumn> waitingColumns() {
    return {{tr("Rank"), {}, 70, true},
            {tr("Is in"), tr("The first call that had not ended when the dump was written"), 220},
            {tr("Compile"), tr("That made the call; empty where it was not found to be of one"), 80},
            {tr("Output line"), tr("Of Inductor's code, from the dump's frames; a click shows it"), 110},
            {tr("Line"), tr("The program's; a click shows it"), 170},
            {tr("Never came"), tr("Ranks of its process group whose dumps end before this call"), 150},
            {tr("In a sentence"), {}, 900}};
}

std::vector<TableRow> waitingRows(const capture::RanksReading& reading) {
    std::vector<TableRow> out;
    if (!reading.report.waiting) return out;
    for (const ranks::Waiting& one : *reading.report.waiting) {
        const QString call =
            tr("%1, call %2 of group %3")
                .arg(toQString(one.collective), numberText(one.sequence), toQString(one.group));
        out.push_back({{QString::number(one.rank), Look::Text, Tone::None, {}, one.rank},
                       {call},
                       {toQString(one.compile), Look::Mono},
                       {one.outputLine == 0 ? QString() : QString::number(one.outputLine), Look::Link},
                       {placeOf(one.file, one.line), Look::Link},
                       {listed(one.missing), Look::Text, one.missing.empty() ? Tone::None : Tone::Bad},
                       {toQString(one.text)}});
    }
    return out;
}

std::vector<TableColumn> aloneColumns() {
    return {{tr("Compile"), {}, 80},
            {tr("Function"), {}, 190},
            {tr("Only"), tr("The ranks that compiled it; no other did"), 170},
            {tr("Time"), tr("On the first of these ranks"), 90, true},
            {tr("Guard that failed"), tr("Of the compiled code that was asked before"), 900}};
}

std::vector<AloneRow> aloneRows(const capture::RanksReading& reading) {
    std::vector<AloneRow> out;
    for (const CompileRow& row : reading.report.rows) {
        std::vector<int> having;
        std::size_t first = ranks::none;
        for (std::size_t i = 0; i < row.compiles.size(); ++i) {
            if (row.compiles[i] == ranks::none) continue;
            having.push_back(reading.report.ranks[i]);
            first = std::min(first, row.compiles[i]);
        }
        if (having.size() == row.compiles.size() || first == ranks::none) continue;
        const session::Compile& compile = reading.session->compiles[first];
        const double seconds = session::compileTime(compile);
        const QString guard =
            compile.recompileReasons.empty()
                ? (compile.isRecompile ? tr("the capture does not say which") : tr("none: its first compile"))
                : toQString(firstLine(compile.recompileReasons.front()));
        out.push_back({first,
                       {{toQString(row.id), Look::Mono},
                        functionCell(row),
                        {words(having)},
                        {secondsText(seconds), Look::Text, Tone::None, {}, seconds},
                        {guard, compile.recompileReasons.empty() ? Look::Quiet : Look::Mono}}});
    }
    return out;
}

std::vector<TableColumn> cacheColumns() {
    return {{tr("Compile"), {}, 80},
            {tr("Cache"), {}, 200},
            {tr("Hit"), tr("Compiled code was there"), 220},
            {tr("Miss"), tr("It was not, so that it was compiled"), 220},
            {tr("Bypass"), tr("The graph cannot be cached"), 220},
            {tr("Not said"), tr("Ranks with the compile, whose trace has no word of this cache"), 300}};
}

std::vector<TableRow> cacheRows(const capture::RanksReading& reading) {
    std::vector<TableRow> out;
    for (const ranks::CacheRow& row : reading.caches) {
        const auto of = [&](const char* outcome) {
            const auto at = row.ranks.find(outcome);
            return at == row.ranks.end() ? QString() : words(at->second);
        };
        const bool uneven = row.ranks.contains("hit") && row.ranks.size() > 1;
        out.push_back({{toQString(row.compile), Look::Mono},
                       {toQString(row.cache), Look::Mono},
                       {of("hit")},
                       {of("miss"), Look::Text, uneven ? Tone::Warn : Tone::None},
                       {of("bypass"), Look::Text, uneven ? Tone::Warn : Tone::None},
                       {listed(row.others), Look::Quiet}});
    }
    return out;
}

std::vector<TableColumn> measuredColumns() {
    return {
        {tr("Compile"), {}, 80},
        {tr("What"),
         tr("Kernels and nodes of a compile without its collectives, or a collective and the wait for it"),
         300},
        {tr("Shortest"), tr("In a step, the median over the steps of a rank"), 160},
        {tr("Longest"), tr("In a step, the median over the steps of a rank"), 160},
        {tr("Apart"), {}, 120, true},
        {tr("What it says"),
         tr("All ranks leave a collective at about the same time: which is in it the shortest came last, and "
            "the others waited"),
         900}};
}

std::vector<TableRow> measuredRows(const capture::RanksReading& reading) {
    std::vector<TableRow> out;
    double most = 0;
    for (const auto& one : reading.times.compiles)
        most = std::max(most, one.time.apart());
    for (const auto& one : reading.times.collectives)
        most = std::max(most, one.time.apart());
    const auto add = [&](const std::string& compile, TableCell what, const profile::ByRank& time,
                         const QString& says) {
        const auto end = [](const std::pair<int, double>& of) {
            return tr("rank %1, %2").arg(of.first).arg(durationText(of.second / 1000));
        };
        TableCell apart{durationText(time.apart() / 1000),
                        Look::Text,
                        time.isApart() ? Tone::Warn : Tone::None,
                        {},
                        time.apart()};
        apart.share = most > 0 ? time.apart() / most : 0;
        const QString verdict = time.ns.size() < 2 ? tr("of one rank alone")
                                : !time.noise      ? tr("fewer than three steps: nothing says what is noise")
                                : time.isApart()   ? says
                                                   : tr("within the noise between steps");
        out.push_back({{toQString(compile), Look::Mono},
                       std::move(what),
                       {end(time.least())},
                       {end(time.most())},
                       std::move(apart),
                       {verdict, time.isApart() ? Look::Text : Look::Quiet}});
    };
    for (const profile::MeasuredCompile& one : reading.times.compiles)
        add(one.compile, {tr("kernels and nodes, no collective")}, one.time,
            tr("rank %1 takes the longest").arg(one.time.most().first));
    for (const profile::MeasuredCollective& one : reading.times.collectives) {
        const QString place = placeOf(one.file, one.line);
        add(one.compile,
            {toQString(one.node) + (place.isEmpty() ? QString() : QStringLiteral("  ") + place), Look::Mono},
            one.time, tr("rank %1 came last; the others waited for it").arg(one.time.least().first));
    }
    for (const profile::MeasuredCommunication& one : reading.times.communication)
        out.push_back({{},
                       {tr("NCCL's kernels on %1, in all").arg(toQString(one.device))},
                       {},
                       {tr("rank %1, %2").arg(one.rank).arg(durationText(one.all / 1000))},
                       {},
                       {tr("%1 of it with no other kernel beside").arg(durationText(one.exposed / 1000))}});
    return out;
}

std::vector<TableColumn> estimateColumns() {
    return {
        {tr("Compile"), {}, 80},
        {tr("Ranks"), tr("With the same estimate"), 260},
        {tr("Estimated"),
         tr("What Inductor estimates before anything runs: inductor_runtime_and_tensor_meta, the "
            "sum over its operations, forward and backward"),
         130, true},
        {tr("More than the fastest"), tr("So long others wait for these ranks, if the estimate holds"), 900}};
}

std::vector<TableRow> estimateRows(const capture::RanksReading& reading) {
    std::vector<TableRow> out;
    for (const ranks::Runtime& one : reading.report.runtime) {
        std::map<double, std::vector<int>> by;
        for (const auto& [rank, ns] : one.ns)
            by[ns].push_back(rank);
        for (auto& [ns, list] : by) {
            std::ranges::sort(list);
            const double more = ns - by.begin()->first, most = by.rbegin()->first;
            TableCell bar{durationText(ns / 1000), Look::Text, Tone::Accent, {}, ns};
            bar.share = most > 0 ? ns / most : 0;
            out.push_back({{toQString(one.compile), Look::Mono},
                           {words(list)},
                           std::move(bar),
                           {more > 0 ? durationText(more / 1000) : QString(),
                            Look::Text,
                            more > 0 ? Tone::Warn : Tone::None,
                            {},
                            more}});
        }
    }
    return out;
}

std::vector<TableColumn> noteColumns() {
    return {{tr("What limits the verdict, or was settled by PyTorch itself"), {}, 2000}};
}

std::vector<TableRow> noteRows(const capture::RanksReading& reading) {
    std::vector<TableRow> out;
    for (const std::string& note : reading.report.notes)
        out.push_back({{toQString(note)}});
    for (const std::string& problem : reading.problems)
        out.push_back({{tr("Flight recorder, %1").arg(toQString(problem)), Look::Text, Tone::Warn}});
    if (reading.report.compiles.size() > mostGroups)
        out.push_back({{tr("The matrix has a column for %1 of %2 groups of ranks; the reasons are of all")
                            .arg(mostGroups)
                            .arg(reading.report.compiles.size())}});
    return out;
}

} // namespace dynascope::views
