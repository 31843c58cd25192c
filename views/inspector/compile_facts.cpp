// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/text.h"
#include "core/dynamo/symbol_report.h"
#include "core/session/cache_counts.h"
#include "core/session/module_names.h"
#include "core/session/symbol_hints.h"
#include "views/inspector/facts.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

/// "TensorifyScalarRestartAnalysis" of "<class 'torch._dynamo.exc.TensorifyScalarRestartAnalysis'>", else the first line.
QString restartText(std::string_view reason) {
    std::string_view line = firstLine(reason);
    constexpr std::string_view begin = "<class '", end = "'>";
    if (line.starts_with(begin) && line.ends_with(end)) {
        line = line.substr(begin.size(), line.size() - begin.size() - end.size());
        line.remove_prefix(line.rfind('.') + 1);
    }
    return toQString(std::string(line));
}

using session::Compile;

constexpr std::size_t mostRows = 40;

QString statusTone(const Compile& compile) {
    switch (compile.status) {
    case session::Status::Compiled:
        return compile.isRecompile ? QStringLiteral("changed") : QStringLiteral("added");
    case session::Status::GraphBreak:
    case session::Status::Failed:
        return QStringLiteral("removed");
    case session::Status::Skipped:
    case session::Status::Incomplete:
    case session::Status::Exported:
        break;
    }
    return {};
}

Token recordLink(const QString& text, std::size_t record) {
    return record == SIZE_MAX ? quiet(text) : link(text, QStringLiteral("record:%1").arg(record));
}

Token panelLink(const QString& text, PanelId panel) {
    return link(text, QStringLiteral("panel:") + panelName(panel));
}

Section mainSection(const session::Session& session, const Compile& compile) {
    Section out;
    if (const ir::SourceLocation* at = compile.location())
        out.facts.push_back(
            fact(tr("Place"), {placeLink(*at)}, tr("First line of the frame that was compiled.")));
    if (session.ranks.size() > 1)
        out.facts.push_back(fact(tr("Rank"), {text(QString::number(compile.rank))}));
    if (const session::Run* run = session.runOf(compile))
        out.facts.push_back(
            fact(tr("Run"), {text(QString::number(run->number)), quiet(u' ' + toQString(runWords(*run)))},
                 tr("Compile ids count from 0/0 in every process, and again after "
                    "torch._dynamo.reset().")));
    const bool compiled = compile.id.frame >= 0; // a graph text says nothing of how it was made
    if (compiled)
        out.facts.push_back(fact(
            tr("Attempts"),
            {text(QString::number(compile.attempts)),
             quiet(compile.attempts > 1
                       ? QStringLiteral(" (%1)").arg(
                             countText(qulonglong(compile.attempts - 1), tr("restart"), tr("restarts")))
                       : QString())},
            tr("Dynamo restarts its analysis when it learns something that the graph so far did not allow "
               "for.")));
    for (const std::string& reason : compile.restartReasons)
        // PyTorch's whole explanation stands with the break; here the first line says which it was.
        out.facts.push_back(fact(tr("Restart"), {text(restartText(reason))}, tr("Why Dynamo began again.")));
    if (compile.compileSeconds > 0)
        out.facts.push_back(
            fact(tr("Compile time"), {panelLink(secondsText(compile.compileSeconds), PanelId::CompileTime)},
                 tr("entire_frame_compile_time_s: from the start of Dynamo to the end of the backend.")));
    if (compile.backwardSeconds > 0)
        out.facts.push_back(
            fact(tr("Backward"), {text(secondsText(compile.backwardSeconds))},
                 tr("Compile time of the backward graph, which is compiled when backward first runs.")));
    const auto graphs =
        std::count_if(compile.stages.begin(), compile.stages.end(), [](const session::StagePtr& s) {
            return s->content == session::Stage::Content::Graph;
        });
    const bool all = graphs > 0 && std::size_t(graphs) == compile.stages.size();
    out.facts.push_back(
        fact(tr("Stages"),
             {text(all ? countText(qulonglong(graphs), tr("graph"), tr("graphs"))
                       : countText(compile.stages.size(), tr("stage"), tr("stages"))),
              quiet(all                      ? QString()
                    : compile.stages.empty() ? QString()
                    : graphs == 1            ? tr(", 1 of them a graph")
                                             : tr(", %1 of them graphs").arg(graphs))},
             tr("Graphs and code that PyTorch printed on the way from bytecode to kernels.")));
    if (!compiled) return out;
    const std::size_t guards = compile.guards.checkCount();
    out.facts.push_back(fact(
        tr("Guards"),
        {guards ? panelLink(numberText(qulonglong(guards)), PanelId::Guards) : quiet(tr("not recorded"))},
        tr("Checks that must hold for the compiled code to be used again. One that fails causes a "
           "recompile.")));
    const auto sources = std::count_if(compile.inputs.begin(), compile.inputs.end(),
                                       [](const session::TensorInput& t) { return !t.source.empty(); });
    out.facts.push_back(fact(
        tr("Inputs"),
        {sources ? panelLink(countText(qulonglong(sources), tr("tensor"), tr("tensors")), PanelId::Inputs)
                 : quiet(tr("none recorded"))}));
    out.facts.push_back(fact(
        tr("Bytecode"),
        {compile.bytecode.empty() ? quiet(tr("not recorded"))
                                  : panelLink(tr("original and modified"), PanelId::Bytecode)},
        tr("Python bytecode of the frame before and after Dynamo rewrote it to call the compiled graph.")));
    return out;
}

void addBreaks(Facts& out, const Workspace::Capture& capture, std::size_t index) {
    const Compile& compile = capture.session->compiles[index];
    for (const session::GraphBreak* graphBreak : compile.finalBreaks()) {
        Section section;
        section.title = tr("Graph break");
        section.chip =
            graphBreak->location() ? QStringLiteral(":%1").arg(graphBreak->location()->line) : QString();
        section.chipTone = QStringLiteral("removed");
        section.facts.push_back(paragraph({strong(toQString(graphBreak->title))}));
        if (!graphBreak->explanation.empty())
            section.facts.push_back(paragraph({text(toQString(graphBreak->explanation))}));
        for (Fact& frame : stackFacts(graphBreak->userStack))
            section.facts.push_back(std::move(frame));
        for (std::size_t g = 0; g < capture.breaks.groups.size(); ++g) {
            const session::BreakGroup& group = capture.breaks.groups[g];
            const bool here = std::any_of(group.occurrences.begin(), group.occurrences.end(),
                                          [&](const session::BreakOccurrence& o) {
                                              return o.compile == index && o.index < compile.breaks.size() &&
                                                     &compile.breaks[o.index] == graphBreak;
                                          });
            if (!here) continue;
            if (!group.waysOut.empty()) {
                const session::WayOut& way = group.waysOut.front();
                section.facts.push_back(
                    fact(tr("Way out"), {strong(toQString(way.title)), text(u' ' + toQString(way.text))}));
            }
            section.facts.push_back(fact(
                tr("Cost"),
                {text(secondsText(group.secondsAfter)),
                 quiet(group.occurrences.size() == 1
                           ? tr(" of compile time after it")
                           : tr(" of compile time after all %1 breaks of this cause at this line")
                                 .arg(group.occurrences.size()))},
                tr("Compile time of the frames that a break cut off: an upper bound of what it costs.")));
            section.facts.push_back(
                paragraph({link(tr("Show in the graph breaks"), QStringLiteral("break:%1").arg(g))}));
        }
        out.sections.push_back(std::move(section));
    }
}

/// Where the log has a compile's error whole; SIZE_MAX where it does not.
std::size_t errorRecord(const session::Session& session, const Compile& compile) {
    for (std::size_t i = session.records.size(); i-- > 0;) {
        if (session.records.type(i) != "dynamo_error") continue;
        const session::Record record = session.records[i];
        if (record.compileId == compile.id && record.rank == compile.rank) return i;
    }
    return SIZE_MAX;
}

void addReasons(Facts& out, const session::Session& session, const Compile& compile) {
    if (!compile.failReason.empty() || !compile.failType.empty()) {
        Section section;
        section.title = tr("Failure");
        section.chip = toQString(compile.failType);
        section.chipTone = QStringLiteral("removed");
        section.facts.push_back(paragraph({text(toQString(compile.failReason.substr(0, 4000)))}));
        if (compile.failAt.line > 0) section.facts.push_back(fact(tr("At"), {placeLink(compile.failAt)}));
        if (const std::size_t record = errorRecord(session, compile); record != SIZE_MAX)
            section.facts.push_back(
                fact(tr("Record"), {recordLink(tr("the error with its traceback"), record)}));
        out.sections.push_back(std::move(section));
    }
    if (!compile.recompileReasons.empty()) {
        Section section = recompileSection(session, compile);
        section.facts.push_back(paragraph({panelLink(tr("Show the guards"), PanelId::Guards)}));
        out.sections.push_back(std::move(section));
    }
}

void addSymbols(Facts& out, const Compile& compile) {
    if (compile.symbols.empty()) return;
    Section section;
    section.title = tr("Symbols");
    section.chip = QString::number(compile.symbols.size());
    const std::vector<dynamo::SymbolNote> notes = dynamo::explainSymbols(compile);
    for (std::size_t i = 0; i < std::min(compile.symbols.size(), mostRows); ++i) {
        const session::SymbolInfo& symbol = compile.symbols[i];
        Tokens tokens{mono(toQString(symbol.value))};
        if (!symbol.range.empty())
            tokens.push_back(
                {QStringLiteral("  ") + toQString(symbol.range), Token::Look::MonoQuiet, {}, {}});
        if (!symbol.source.empty())
            tokens.push_back({QStringLiteral("  ") + toQString(session::withModuleNames(symbol.source)),
                              Token::Look::MonoQuiet,
                              {},
                              {}});
        Fact row = fact(
            toQString(symbol.symbol), std::move(tokens),
            tr("A size or another number that may differ between calls: its value in this call, the range "
               "it is known to be in, and where it was read%1. Its name: %2.")
                .arg(symbol.source.empty() ? QString()
                                           : QStringLiteral(" (%1)").arg(toQString(symbol.source)),
                     toQString(notes[i].sentence())));
        section.facts.push_back(std::move(row));
        if (const std::string became = session::specialisation(symbol); !became.empty())
            section.facts.push_back(fact({}, {text(toQString(became))},
                                         tr("PyTorch found that it can have one value only: the graph was "
                                            "compiled for it, and another "
                                            "value compiles again.")));
    }
    if (compile.symbols.size() > mostRows)
        section.facts.push_back(paragraph(
            {panelLink(tr("and %1 more").arg(compile.symbols.size() - mostRows), PanelId::Inputs)}));
    out.sections.push_back(std::move(section));
}

/// PyTorch's word for how a lookup ended (GuardedCache.find_guarded_entry), as a sentence.
QString cacheReason(const session::CacheEvent& event) {
    if (event.reason == "full_miss") return tr("No entry has this key (full_miss).");
    if (event.reason == "guard_miss")
        return tr("There are entries with this key, and guards on symbolic sizes of none of them held "
                  "(guard_miss).");
    if (event.reason == "hit" && event.outcome == session::CacheEvent::Outcome::Hit) return {};
    return toQString(event.reason);
}

void addCaches(Facts& out, const Compile& compile) {
    if (compile.caches.empty()) return;
    Section section;
    section.title = tr("Caches");
    section.chip = toQString(session::countCaches(compile.caches).words());
    for (const session::CacheEvent& event : compile.caches) {
        const bool hit = event.outcome == session::CacheEvent::Outcome::Hit;
        const QString outcome = hit                                                   ? tr("hit")
                                : event.outcome == session::CacheEvent::Outcome::Miss ? tr("miss")
                                                                                      : tr("bypass");
        section.facts.push_back(
            fact(toQString(event.cache),
                 {recordLink(outcome, event.record),
                  {event.key.empty() ? QString() : QStringLiteral("  ") + toQString(event.key),
                   Token::Look::MonoQuiet,
                   {},
                   {}}},
                 tr("Hit: compiled code was taken from disk. Miss: no entry has this key. Bypass: something "
                    "in the graph cannot be cached.")));
        if (const QString why = cacheReason(event); !why.isEmpty())
            section.facts.push_back(paragraph({quiet(why)}));
    }
    out.sections.push_back(std::move(section));
}

} // namespace

Facts compileFacts(const Workspace::Capture& capture, std::size_t index) {
    const Compile& compile = capture.session->compiles[index];
    Facts out;
    out.title = compile.id.frame < 0 ? toQString(capture.session->title) : toQString(compile.id.toString());
    out.subtitle = {quiet(compile.id.frame < 0 ? toQString(session::kindName(capture.session->kind))
                                               : frameText(compile))};
    out.chip = statusChip(compile);
    out.chipTone = statusTone(compile);
    out.sections.push_back(mainSection(*capture.session, compile));
    addReasons(out, *capture.session, compile);
    addBreaks(out, capture, index);
    addSymbols(out, compile);
    addCaches(out, compile);
    return out;
}

Facts captureFacts(const Workspace::Capture& capture) {
    const session::Session& session = *capture.session;
    Facts out;
    out.title = toQString(session.title);
    out.subtitle = {quiet(toQString(session::kindName(session.kind)))};
    Section main;
    if (!session.torchVersion.empty())
        main.facts.push_back(fact(tr("PyTorch"), {text(toQString(session.torchVersion))}));
    main.facts.push_back(fact(tr("File"), {mono(toQString(session.path))}));
    if (session.ranks.size() > 1)
        main.facts.push_back(fact(tr("Ranks"), {text(QString::number(session.ranks.size()))}));
    main.facts.push_back(
        fact(tr("Records"), {panelLink(numberText(session.records.size()), PanelId::Records)}));
    main.facts.push_back(
        fact(tr("Compiles"), {text(numberText(session.compiles.size())),
                              quiet(tr(", %1 of them recompiles").arg(capture.breaks.recompiles))}));
    main.facts.push_back(
        fact(tr("Graph breaks"),
             {capture.breaks.breaks ? link(numberText(capture.breaks.breaks), QStringLiteral("break:0"))
                                    : text(tr("none"))}));
    if (capture.breaks.compileSeconds > 0)
        main.facts.push_back(fact(tr("Compile time"), {panelLink(secondsText(capture.breaks.compileSeconds),
                                                                 PanelId::CompileTime)}));
    main.facts.push_back(
        fact(tr("Problems"),
             {session.warnings.empty() ? text(tr("none"))
                                       : panelLink(numberText(session.warnings.size()), PanelId::Problems)}));
    out.sections.push_back(std::move(main));
    return out;
}

} // namespace dynascope::views
