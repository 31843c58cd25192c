// SPDX-License-Identifier: BSD-3-Clause
#include "views/recompiles/recompile_texts.h"

#include "core/base/csv.h"
#include "core/session/compile_counts.h"
#include "views/base/where_texts_part.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <QRegularExpression>
#include <algorithm>

namespace dynascope::views {

namespace {

using dynamo::FailedGuard;
using dynamo::FrameCache;
using dynamo::Recompile;
using session::Compile;
using session::Session;
using Look = TableCell::Look;

constexpr std::size_t mostLinks = 24;

/// With its rank where the capture has several.
QString idOf(const Session& session, const Compile& compile) {
    return toQString(session::compileName(session, compile));
}

QString indexOf(const Session& session, const Compile& compile) {
    return QString::number(&compile - session.compiles.data());
}

/// "2 of at most 8", with what tells the limit.
Fact entriesFact(const Session& session, const FrameCache& cache) {
    const auto limit = dynamo::recompileLimit(session.compiles[cache.recompiles.back().compile]);
    Tokens tokens{strong(numberText(cache.entries))};
    if (limit) tokens.push_back(text(tr(" of at most %1").arg(*limit)));
    return fact(
        tr("Entries"), std::move(tokens),
        limit ? tr("What was compiled for this code object and can serve calls. At recompile_limit, which "
                   "the metrics of this compile tell, calls that no entry serves run eagerly.")
              : tr("What was compiled for this code object and can serve calls. At recompile_limit (8 "
                   "unless set; this capture does not tell it) calls that no entry serves run eagerly."));
}

Fact runFact(const Session& session, std::size_t compile, const profile::CompileRun& run) {
    Tokens tokens{mono(idOf(session, session.compiles[compile])),
                  strong(u' ' + countText(run.runs, tr("run"), tr("runs")))};
    if (run.all > 0)
        tokens.push_back(text(run.inAStep ? tr(", %1 in a step").arg(durationText(*run.inAStep / 1000))
                                          : tr(", %1 in all").arg(durationText(run.all / 1000))));
    return paragraph(std::move(tokens));
}

/// All entries of the code object, since the question is which of them serve calls.
Section runsSection(const Session& session, const FrameCache& cache,
                    const std::vector<profile::CompileRun>& runs) {
    Section out;
    out.title = tr("In the profile");
    if (runs.empty()) return out;
    out.facts.push_back(runFact(session, cache.first, runs[cache.first]));
    std::size_t left = 0;
    for (const Recompile& one : cache.recompiles) {
        if (one.refused) continue;
        if (out.facts.size() <= mostLinks)
            out.facts.push_back(runFact(session, one.compile, runs[one.compile]));
        else
            ++left;
    }
    if (left > 0) out.facts.push_back(paragraph({quiet(tr("and %1 more").arg(left))}));
    return out;
}

Section costSection(const Session& session, const FrameCache& cache, const Recompile& recompile) {
    Section out;
    out.title = tr("Cost");
    const Compile& made = session.compiles[recompile.compile];
    if (session::compileTime(made) > 0)
        out.facts.push_back(fact(tr("Compile time"), {strong(secondsText(session::compileTime(made)))},
                                 tr("Of this compile, forward and backward.")));
    const Compile& first = session.compiles[cache.first];
    if (session::compileTime(first) > 0)
        out.facts.push_back(fact(tr("The first time"), {text(secondsText(session::compileTime(first)))}));
    const auto again = std::size_t(std::count_if(cache.recompiles.begin(), cache.recompiles.end(),
                                                 [](const Recompile& one) { return !one.refused; }));
    if (cache.seconds > 0 && again > 1)
        out.facts.push_back(fact(tr("Again"),
                                 {text(secondsText(cache.seconds)),
                                  quiet(tr(" in %1").arg(countText(again, tr("compile"), tr("compiles"))))},
                                 tr("All compiles of this code object but the first.")));
    out.facts.push_back(entriesFact(session, cache));
    Tokens ids{monoLink(idOf(session, first), QStringLiteral("compile:%1").arg(cache.first))};
    for (std::size_t i = 0; i < std::min(cache.recompiles.size(), mostLinks); ++i) {
        const std::size_t index = cache.recompiles[i].compile;
        ids.push_back(mono(QStringLiteral(" ")));
        ids.push_back(
            monoLink(idOf(session, session.compiles[index]), QStringLiteral("compile:%1").arg(index)));
    }
    if (cache.recompiles.size() > mostLinks)
        ids.push_back(quiet(tr(" and %1 more").arg(cache.recompiles.size() - mostLinks)));
    out.facts.push_back(fact(tr("Compiles"), std::move(ids), tr("Of this code object, in order.")));
    return out;
}

Section whySection(const Session& session, const Recompile& recompile) {
    Section out;
    out.title = recompile.refused ? tr("Why no entry served the call") : tr("Why it was compiled again");
    const Compile& made = session.compiles[recompile.compile];
    if (recompile.failed.empty())
        out.facts.push_back(
            paragraph({text(tr("The capture does not say why: it has no reasons of recompiles."))}));
    // The entry used last is asked first; the others are in the table.
    if (!recompile.failed.empty()) {
        const FailedGuard& guard = recompile.failed.front();
        Fact card;
        card.kind = Fact::Kind::Card;
        card.change = diff::Change::Changed;
        card.tokens = {mono(toQString(guard.check))};
        out.facts.push_back(std::move(card));
        if (const Compile* entry = session.findBeside(made, guard.entry))
            out.facts.push_back(
                fact(tr("Entry"),
                     {monoLink(idOf(session, *entry), QStringLiteral("guards:") + indexOf(session, *entry))},
                     tr("Its guard failed first. Shows its guards.")));
        if (!guard.expected.empty())
            out.facts.push_back(fact(tr("Expected"), {mono(toQString(guard.expected))}));
        if (!guard.actual.empty())
            out.facts.push_back(fact(tr("The call had"), {mono(toQString(guard.actual))}));
        if (guard.addedAt.line != 0) {
            out.facts.push_back(fact(tr("Added at"), {placeLink(guard.addedAt)},
                                     tr("The line of the program that made Dynamo add the guard.")));
            if (!guard.addedAt.code.empty())
                out.facts.push_back(paragraph({mono(toQString(guard.addedAt.code))}));
        }
    }
    if (recompile.failed.size() > 1)
        out.facts.push_back(
            paragraph({quiet(tr("%1 were asked before; each has the guard that failed in the table below.")
                                 .arg(countText(recompile.failed.size(), tr("entry"), tr("entries"))))}));
    if (recompile.refused)
        out.facts.push_back(
            paragraph({strong(tr("Dynamo refused to compile it")),
                       text(tr(": the code object has as many entries as its limit allows. This call ran "
                               "eagerly, and so will each that no entry serves."))}));
    return out;
}

Section symbolicSection(const Session& session, const Compile& entry, const Compile& made) {
    Section out;
    out.title = tr("What became symbolic");
    for (const session::SymbolInfo* symbol : dynamo::madeSymbolic(entry, made)) {
        Tokens tokens{mono(toQString(symbol->symbol))};
        if (!symbol->value.empty())
            tokens.push_back(quiet(tr(", %1 in this call").arg(toQString(symbol->value))));
        if (!symbol->range.empty()) tokens.push_back(quiet(tr(", range %1").arg(toQString(symbol->range))));
        out.facts.push_back(
            fact(toQString(symbol->source), std::move(tokens),
                 tr("A constant of %1, a symbol of this entry: other values need no entry of their own "
                    "as long as its guards hold.")
                     .arg(idOf(session, entry))));
    }
    return out;
}

Section whatToDo(const Recompile& recompile) {
    Section out;
    out.title = tr("What to do");
    std::vector<std::string> seen;
    for (const FailedGuard& guard : recompile.failed) {
        if (guard.advice.empty() || std::find(seen.begin(), seen.end(), guard.advice) != seen.end()) continue;
        seen.push_back(guard.advice);
        Fact card;
        card.kind = Fact::Kind::Card;
        card.change = seen.size() == 1 ? diff::Change::Added : diff::Change::Same;
        const QString advice = toQString(guard.advice);
        card.tokens = {text(advice)};
        static const QRegularExpression call(QStringLiteral("torch\\._dynamo\\.mark_dynamic\\([^()]*\\)"));
        QStringList calls;
        for (const QRegularExpressionMatch& match : call.globalMatch(advice))
            calls << match.captured(0);
        if (const QString code = calls.join(QStringLiteral("; ")); !code.isEmpty())
            card.tokens.push_back(
                link(QStringLiteral("\n") + tr("Copy %1").arg(code), QStringLiteral("copy:") + code));
        out.facts.push_back(std::move(card));
    }
    if (recompile.refused)
        out.facts.push_back(paragraph(
            {text(tr("Where so many entries are meant: raise torch._dynamo.config.recompile_limit.")),
             link(QStringLiteral(" ") + tr("Copy"),
                  QStringLiteral("copy:torch._dynamo.config.recompile_limit = 16"))}));
    return out;
}

Section goOnSection(const Session& session, const Compile& entry, const Recompile& recompile) {
    Section out;
    out.title = tr("Go on");
    const Compile& made = session.compiles[recompile.compile];
    if (&entry != &made && !made.stages.empty() && !entry.stages.empty())
        out.facts.push_back(paragraph(
            {link(tr("Compare %1 with %2").arg(idOf(session, entry), idOf(session, made)),
                  QStringLiteral("pair:%1:%2").arg(indexOf(session, entry), indexOf(session, made)))}));
    if (!made.stages.empty())
        out.facts.push_back(paragraph({link(tr("Stages of %1").arg(idOf(session, made)),
                                            QStringLiteral("compile:") + indexOf(session, made))}));
    out.facts.push_back(paragraph({link(tr("Guards of %1").arg(idOf(session, entry)),
                                        QStringLiteral("guards:") + indexOf(session, entry))}));
    return out;
}

QString csvText(std::string_view text) {
    return toQString(csvCell(text));
}

} // namespace

std::vector<ListedRecompile> listRecompiles(const std::vector<FrameCache>& caches) {
    std::vector<ListedRecompile> out;
    for (std::size_t c = 0; c < caches.size(); ++c)
        for (std::size_t r = 0; r < caches[c].recompiles.size(); ++r)
            out.push_back({c, r});
    std::sort(out.begin(), out.end(), [&](const ListedRecompile& a, const ListedRecompile& b) {
        return caches[a.cache].recompiles[a.recompile].compile <
               caches[b.cache].recompiles[b.recompile].compile;
    });
    return out;
}

const Compile& askedFirst(const Session& session, const FrameCache& cache, const Recompile& recompile) {
    const Compile& made = session.compiles[recompile.compile];
    const Compile* entry =
        recompile.failed.empty() ? nullptr : session.findBeside(made, recompile.failed.front().entry);
    return entry ? *entry : session.compiles[cache.first];
}

ir::SourceLocation recompilePlace(const Session& session, const Recompile& recompile) {
    if (!recompile.failed.empty() && recompile.failed.front().addedAt.line != 0)
        return recompile.failed.front().addedAt;
    const ir::SourceLocation* at = session.compiles[recompile.compile].location();
    return at ? *at : ir::SourceLocation{};
}

std::vector<TableColumn> recompileColumns() {
    return {{tr("Compile"), tr("The compile id: frame, and which compile of it"), 90},
            {tr("Function"), tr("The code object that was compiled again"), 190},
            {tr("Time"), tr("Compile time, forward and backward"), 90, true},
            {tr("Ran"), tr("How often this entry ran while the profile was taken"), 70, true},
            {tr("Run time"),
             tr("In a step of the profile, the median: forward, backward, guards and wrappers of this entry"),
             90, true},
            {tr("Expected"), tr("What the entry that was asked first was compiled for"), 150},
            {tr("The call had"), tr("From the reason, or from what was compiled for the call"), 150},
            {tr("Guard that failed"), tr("Of the entry that was asked first: the one used last"), 900}};
}

TableRow recompileRow(const Session& session, const Recompile& recompile, double mostSeconds,
                      const profile::CompileRun* run) {
    const Compile& made = session.compiles[recompile.compile];
    const FailedGuard none;
    const FailedGuard& guard = recompile.failed.empty() ? none : recompile.failed.front();
    const double seconds = session::compileTime(made);
    TableCell id{idOf(session, made), recompile.refused ? Look::Chip : Look::Mono,
                 recompile.refused ? Tone::Bad : Tone::None,
                 recompile.refused ? tr("Refused: its cache was full, so the call ran eagerly") : QString(),
                 qulonglong(recompile.compile)};
    TableCell time{seconds > 0 ? secondsText(seconds) : tr("unknown"),
                   seconds > 0 ? Look::Text : Look::Quiet,
                   Tone::Warn,
                   {},
                   seconds,
                   mostSeconds > 0 ? seconds / mostSeconds : -1};
    const QString why = recompile.failed.empty() ? tr("the capture does not say") : toQString(guard.check);
    TableCell function{frameText(made)};
    function.cutMiddle = true; // resume functions differ in their ends
    TableCell ran, took;
    if (run && !recompile.refused) {
        ran = {numberText(run->runs), run->runs > 0 ? Look::Text : Look::Quiet, Tone::None,
               run->runs > 0 ? QString() : tr("It did not run while the profile was taken"),
               qulonglong(run->runs)};
        const double us = run->inAStep.value_or(run->all) / 1000;
        took = {durationText(us), us > 0 ? Look::Text : Look::Quiet, Tone::None, {}, us};
    }
    return {id,
            function,
            time,
            ran,
            took,
            {toQString(guard.expected), Look::Mono},
            {toQString(guard.actual), Look::Mono},
            {why, recompile.failed.empty() ? Look::Quiet : Look::Mono}};
}

std::vector<TableColumn> askedColumns() {
    return {{tr("Entry"), tr("The cache entry that was asked; Return shows its guards"), 80},
            {tr("Expected"), {}, 170},
            {tr("The call had"), {}, 170},
            {tr("Added at"), tr("The line of the program that made Dynamo add the guard"), 170},
            {tr("Guard that failed"), tr("The first check of the entry that did not hold"), 900}};
}

std::vector<TableRow> askedRows(const Session& session, const Recompile& recompile) {
    std::vector<TableRow> out;
    for (const FailedGuard& guard : recompile.failed) {
        const Compile* entry = session.findBeside(session.compiles[recompile.compile], guard.entry);
        out.push_back(
            {{entry ? idOf(session, *entry) : toQString(guard.entry), entry ? Look::Link : Look::Mono,
              Tone::None, entry ? tr("Shows the guards of this entry") : QString()},
             {toQString(guard.expected), Look::Mono},
             {toQString(guard.actual), Look::Mono},
             {guard.addedAt.line != 0 ? placeText(guard.addedAt) : QString(), Look::Link, Tone::None,
              toQString(guard.addedAt.code)},
             {toQString(guard.check), Look::Mono}});
    }
    return out;
}

std::vector<TableColumn> guardChangeColumns() {
    return {{tr("Source"), tr("What is checked, as Dynamo names it"), 220},
            {tr("Check"), tr("The kind of guard"), 170},
            {tr("Before"), {}, 420},
            {tr("Now"), {}, 900}};
}

std::vector<TableRow> guardChangeRows(const dynamo::GuardChanges& changes) {
    std::vector<TableRow> out;
    for (const dynamo::GuardChange& change : changes.changes) {
        const auto cell = [](const session::Guard* guard, const session::Guard* other) {
            if (!guard) return TableCell{tr("not checked"), Look::Quiet};
            const QString code = toQString(guard->code);
            return TableCell{other ? fromWhereItParts(code, toQString(other->code)) : code, Look::Mono,
                             Tone::None, code};
        };
        out.push_back({{toQString(change.source), Look::Mono},
                       {toQString(change.type), Look::MonoQuiet},
                       cell(change.before, change.after),
                       cell(change.after, change.before)});
    }
    return out;
}

Facts recompileFacts(const Session& session, const FrameCache& cache, const Recompile& recompile,
                     const std::vector<profile::CompileRun>& runs) {
    Facts out;
    const Compile& made = session.compiles[recompile.compile];
    const Compile& entry = askedFirst(session, cache, recompile);
    out.title = idOf(session, made) + u' ' + toQString(made.function);
    out.icon = recompile.refused ? QStringLiteral("error") : QStringLiteral("recompile");
    const bool failed = !recompile.refused && made.status == session::Status::Failed;
    out.chip = recompile.refused ? tr("refused") : failed ? tr("recompile, failed") : tr("recompile");
    out.chipTone = recompile.refused || failed ? QStringLiteral("removed") : QStringLiteral("changed");
    if (const ir::SourceLocation* at = made.location()) out.subtitle.push_back(placeLink(*at));
    for (Section& section :
         std::vector<Section>{whySection(session, recompile), whatToDo(recompile),
                              costSection(session, cache, recompile), runsSection(session, cache, runs),
                              symbolicSection(session, entry, made), goOnSection(session, entry, recompile)})
        if (!section.facts.empty()) out.sections.push_back(std::move(section));
    return out;
}

QString recompilesAsCsv(const Session& session, const std::vector<FrameCache>& caches,
                        const std::vector<profile::CompileRun>& runs) {
    QString out = QStringLiteral("compile_id,function,file,line,seconds,refused,entry,guard,expected,actual,"
                                 "advice,runs,run_us\n");
    for (const ListedRecompile& at : listRecompiles(caches)) {
        const Recompile& recompile = caches[at.cache].recompiles[at.recompile];
        const Compile& made = session.compiles[recompile.compile];
        const ir::SourceLocation place = made.location() ? *made.location() : ir::SourceLocation{};
        const FailedGuard none;
        const FailedGuard& guard = recompile.failed.empty() ? none : recompile.failed.front();
        const profile::CompileRun* run =
            runs.empty() || recompile.refused ? nullptr : &runs[recompile.compile];
        out += QStringList{csvText(session::compileName(session, made)),
                           csvText(made.function),
                           csvText(place.file),
                           QString::number(place.line),
                           QString::number(session::compileTime(made), 'f', 3),
                           recompile.refused ? QStringLiteral("true") : QStringLiteral("false"),
                           csvText(guard.entry),
                           csvText(guard.check),
                           csvText(guard.expected),
                           csvText(guard.actual),
                           csvText(guard.advice),
                           run ? QString::number(run->runs) : QString(),
                           run ? QString::number(run->inAStep.value_or(run->all) / 1000, 'f', 3) : QString()}
                   .join(u',') +
               u'\n';
    }
    return out;
}

} // namespace dynascope::views
