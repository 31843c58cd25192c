// SPDX-License-Identifier: BSD-3-Clause
#include "views/ranks/ranks_facts.h"

#include "views/ranks/ranks_rows.h"
#include "views/workspace/labels.h"

#include <QCoreApplication>
#include <algorithm>

namespace dynascope::views {

namespace {

using ranks::Call;
using ranks::CompileRow;
using ranks::Lane;
using ranks::RanksVerdict;
using ranks::Reason;

constexpr std::size_t mostLanes = 8, mostOthers = 20;

QString textOf(const char* text) {
    return QCoreApplication::translate("RanksFacts", text);
}

QString toneName(RanksVerdict verdict) {
    return verdict == RanksVerdict::WillHang     ? QStringLiteral("removed")
           : verdict == RanksVerdict::MayBeWrong ? QStringLiteral("changed")
           : verdict == RanksVerdict::Alike      ? QStringLiteral("added")
                                                 : QString();
}

bool hasCode(const session::Session& session, std::size_t compile) {
    return compile < session.compiles.size() &&
           std::ranges::any_of(session.compiles[compile].stages, [](const session::StagePtr& stage) {
               return stage->content == session::Stage::Content::Code;
           });
}

Section whereSection(const capture::RanksReading& reading, const Reason& reason) {
    Section out{textOf("Where"), {}, {}, {}};
    if (!reason.ranks.empty()) out.facts.push_back(fact(textOf("Ranks"), {text(words(reason.ranks))}));
    if (!reason.compile.empty())
        out.facts.push_back(
            fact(textOf("Compile"),
                 {reason.at == ranks::none
                      ? mono(toQString(reason.compile))
                      : monoLink(toQString(reason.compile), QStringLiteral("compile:%1").arg(reason.at))}));
    if (!reason.node.empty())
        out.facts.push_back(
            fact(textOf("Node"), {reason.stage ? monoLink(toQString(reason.node), QStringLiteral("ranknode"))
                                               : mono(toQString(reason.node))}));
    const ir::SourceLocation place{reason.file, reason.line, {}, {}};
    if (!reason.file.empty()) out.facts.push_back(fact(textOf("Line"), {placeLink(place)}));
    if (hasCode(*reading.session, reason.at))
        out.facts.push_back(
            fact(textOf("Code"), {link(textOf("Output code of this rank"), QStringLiteral("rankcode"))}));
    return out;
}

void addCall(const capture::RanksReading& reading, const CompileRow& row, int lane, int number,
             Section& out) {
    const Lane& of = row.lanes[std::size_t(lane)];
    out.facts.push_back(paragraph({strong(words(of.ranks))}));
    if (std::size_t(number) >= of.calls.size()) {
        out.facts.push_back(fact(
            textOf("Calls"), {quiet(textOf("nothing here: %1 in all")
                                        .arg(countText(of.calls.size(), textOf("call"), textOf("calls"))))}));
        return;
    }
    const ranks::Collective& what = of.calls[std::size_t(number)].what;
    const QString at = QStringLiteral("%1:%2").arg(lane).arg(number);
    out.facts.push_back(fact(textOf("Calls"), {mono(toQString(what.call()))}));
    out.facts.push_back(
        fact(textOf("Node"), {monoLink(toQString(what.node), QStringLiteral("rankcall:") + at)}));
    out.facts.push_back(fact(textOf("Tensors"), {mono(toQString(ranks::shapesText(what)))}));
    if (!what.group.empty()) out.facts.push_back(fact(textOf("Group"), {mono(toQString(what.group))}));
    if (!what.at.file.empty()) {
        Tokens tokens{placeLink(what.at)};
        if (what.near) tokens.insert(tokens.begin(), quiet(textOf("near ")));
        out.facts.push_back(fact(textOf("Line"), tokens));
    }
    if (!what.wait.empty())
        out.facts.push_back(
            fact(textOf("Waits"),
                 {mono(toQString(what.wait)),
                  quiet(u' ' + textOf("with %1 between")
                                   .arg(countText(what.nodesUntilWait, textOf("node"), textOf("nodes"))))}));
    if (hasCode(*reading.session, row.compiles[reading.indexOf(of.ranks)]))
        out.facts.push_back(
            fact(textOf("Code"), {link(textOf("Output code"), QStringLiteral("rankcode:") + at)}));
}

Section callsSection(const capture::RanksReading& reading, const CompileRow& row, const RanksChoice& choice) {
    Section out{textOf("What each group of ranks does"), {}, {}, {}};
    if (choice.lane >= 0 && std::size_t(choice.lane) < row.lanes.size()) {
        out.title = textOf("The selected call");
        addCall(reading, row, choice.lane, choice.call, out);
        return out;
    }
    for (std::size_t i = 0; i < row.lanes.size() && i < mostLanes; ++i)
        if (row.lanes[i].mismatch != ranks::none)
            addCall(reading, row, int(i), int(row.lanes[i].mismatch), out);
    return out;
}

/// Two compiles to lay side by side: what most have, and the first that differs.
Section sidesSection(const capture::RanksReading& reading, const CompileRow& row) {
    Section out{textOf("Side by side"), {}, {}, {}};
    std::map<int, std::vector<std::size_t>> by; // letter to places among the ranks
    for (std::size_t i = 0; i < row.letters.size(); ++i)
        if (row.letters[i] >= 0) by[row.letters[i]].push_back(i);
    std::size_t shown = 0;
    for (const auto& [letter, places] : by) {
        if (++shown > mostLanes) break;
        std::vector<int> group;
        for (const std::size_t place : places)
            group.push_back(reading.report.ranks[place]);
        Tokens tokens{text(words(group))};
        const std::size_t first = row.compiles[by.begin()->second.front()],
                          own = row.compiles[places.front()];
        if (first != own)
            tokens = {link(words(group), QStringLiteral("pair:%1:%2").arg(first).arg(own)),
                      quiet(u' ' + textOf("against %1").arg(letterText(by.begin()->first)))};
        out.facts.push_back(fact(letterText(letter), tokens, textOf("These ranks compiled the same graphs")));
    }
    return out;
}

Section othersSection(const ranks::Report& report, std::size_t chosen) {
    Section out{textOf("The other reasons"), {}, {}, {}};
    for (std::size_t i = 0; i < report.reasons.size(); ++i) {
        if (i == chosen) continue;
        if (out.facts.size() == mostOthers) {
            out.facts.push_back(paragraph({quiet(textOf("and %1 more").arg(report.reasons.size() - i))}));
            break;
        }
        const Reason& reason = report.reasons[i];
        const QString name =
            (reason.compile.empty() ? words(reason.ranks)
                                    : toQString(reason.compile) + u' ' + words(reason.ranks));
        out.facts.push_back(
            fact(toQString(reason.verdict), {link(name, QStringLiteral("reason:%1").arg(i))}));
    }
    return out;
}

} // namespace

Facts ranksFacts(const capture::RanksReading& reading, const RanksChoice& choice) {
    const ranks::Report& report = reading.report;
    const CompileRow* row = choice.row < report.rows.size() ? &report.rows[choice.row] : nullptr;
    const Reason* reason = choice.reason < report.reasons.size() ? &report.reasons[choice.reason] : nullptr;
    Facts out;
    const RanksVerdict verdict = reason ? reason->verdict : row ? row->verdict : report.verdict;
    out.chip = toQString(verdict);
    out.chipTone = toneName(verdict);
    out.title = row      ? toQString(row->id) + u' ' + toQString(row->function)
                : reason ? words(reason->ranks)
                         : textOf("%1 ranks").arg(report.ranks.size());
    if (row && !row->at.file.empty()) out.subtitle = {placeLink(row->at)};
    Section why{reason ? textOf("What does not fit") : textOf("Verdict"), {}, {}, {}};
    why.facts.push_back(paragraph({text(reason ? toQString(reason->text)
                                        : row  ? textOf("All ranks that have this compile did the same.")
                                               : toQString(ranks::summaryOf(report)))}));
    out.sections.push_back(std::move(why));
    if (reason) out.sections.push_back(whereSection(reading, *reason));
    if (row)
        if (Section calls = callsSection(reading, *row, choice); !calls.facts.empty())
            out.sections.push_back(std::move(calls));
    if (reason && reason->at < reading.session->compiles.size() && report.ranks.size() > reason->ranks.size())
        if (Section guards = recompileSection(*reading.session, reading.session->compiles[reason->at]);
            !guards.facts.empty())
            out.sections.push_back(std::move(guards));
    if (row) out.sections.push_back(sidesSection(reading, *row));
    if (Section others = othersSection(report, choice.reason); !others.facts.empty())
        out.sections.push_back(std::move(others));
    return out;
}

} // namespace dynascope::views
