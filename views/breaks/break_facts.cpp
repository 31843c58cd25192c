// SPDX-License-Identifier: BSD-3-Clause
#include "views/breaks/break_facts.h"

#include "core/base/csv.h"
#include "core/base/python_text.h"
#include "core/base/text.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <QRegularExpression>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr std::size_t mostFrames = 24, mostGroups = 5;

const session::GraphBreak* firstBreak(const Workspace::Capture& capture, const session::BreakGroup& group) {
    for (const session::BreakOccurrence& o : group.occurrences)
        if (o.compile < capture.session->compiles.size() &&
            o.index < capture.session->compiles[o.compile].breaks.size())
            return &capture.session->compiles[o.compile].breaks[o.index];
    return nullptr;
}

Section costSection(const Workspace::Capture& capture, const session::BreakGroup& group) {
    Section out;
    out.facts.push_back(
        fact(tr("Cost"),
             {strong(secondsText(group.secondsAfter)),
              text(tr(" of %1 compile time").arg(secondsText(capture.breaks.compileSeconds)))},
             tr("Compile time of the frames that exist only because of these breaks: an upper bound, since a "
                "later break would have cut the graph as well.")));
    Tokens frames;
    for (std::size_t i = 0; i < std::min(group.framesAfter.size(), mostFrames); ++i) {
        const std::size_t compile = group.framesAfter[i];
        if (compile >= capture.session->compiles.size()) continue;
        if (!frames.empty()) frames.push_back(mono(QStringLiteral(" ")));
        frames.push_back(
            monoLink(toQString(compileName(*capture.session, capture.session->compiles[compile])),
                     QStringLiteral("compile:%1").arg(compile)));
    }
    if (group.framesAfter.size() > mostFrames)
        frames.push_back(quiet(tr(" and %1 more").arg(group.framesAfter.size() - mostFrames)));
    if (frames.empty()) frames = {quiet(tr("none"))};
    out.facts.push_back(fact(tr("Frames after"), std::move(frames),
                             tr("Compiles that continue the frame after these breaks.")));
    out.facts.push_back(fact(tr("Handed over"), {text(bytesText(group.bytesHandedOver))},
                             tr("Bytes of the tensors that the resumed frames take in: they must exist in "
                                "memory between the graphs.")));
    return out;
}

/// The line as it is, and as it is without the call that broke the graph.
void addChange(Section& section, const session::BreakGroup& group) {
    const QString line = toQString(group.location.code);
    static const QRegularExpression call(QStringLiteral("([A-Za-z_][A-Za-z0-9_.]*)\\s*\\("));
    const QString after = withoutCall(line, call.match(toQString(group.reason)).captured(1));
    if (after.isEmpty()) return;
    const auto card = [](diff::Change change, const QString& code) {
        Fact out;
        out.kind = Fact::Kind::Card;
        out.change = change;
        out.tokens = {mono(code)};
        return out;
    };
    section.facts.push_back(card(diff::Change::Removed, line.trimmed()));
    section.facts.push_back(card(diff::Change::Added, after));
    section.facts.push_back(paragraph({link(tr("Copy change"), QStringLiteral("copy:") + after)}));
}

Section whatToDo(const session::BreakGroup& group) {
    Section out = waysOutSection(group.waysOut, true);
    if (group.waysOut.empty())
        out.facts.push_back(
            paragraph({text(tr("Nothing: the break was asked for in the live bar, and the program "
                               "itself does not have it."))}));
    if (!group.waysOut.empty() && group.waysOut.front().kind == "remove") {
        Section change;
        addChange(change, group);
        out.facts.insert(out.facts.begin() + 1, change.facts.begin(), change.facts.end());
    }
    if (!group.waysOut.empty())
        out.facts.push_back(paragraph(
            {link(tr("Changed the program? Record it again and compare..."), QStringLiteral("try:"))}));
    return out;
}

Section whatComesAfter(const session::BreakSummary& breaks) {
    Section out;
    out.title = tr("What comes after each");
    for (std::size_t g = 0; g < std::min(breaks.groups.size(), mostGroups); ++g) {
        const session::BreakGroup& group = breaks.groups[g];
        if (group.waysOut.empty() || group.waysOut.front().kind == "leave") continue;
        Tokens tokens{link(toQString(group.waysOut.front().title), QStringLiteral("break:%1").arg(g))};
        if (group.location.line > 0) tokens.push_back(mono(tr(" at :%1").arg(group.location.line)));
        tokens.push_back(quiet(tr("  %1 after it, %2")
                                   .arg(secondsText(group.secondsAfter),
                                        countText(group.occurrences.size(), tr("break"), tr("breaks")))));
        out.facts.push_back(paragraph(std::move(tokens)));
    }
    if (out.facts.empty()) return out; // none that the program could change
    out.facts.push_back(paragraph({quiet(tr(
        "Compile time of the frames that a break cut off. Without the break at most this is saved: most of "
        "what they hold is compiled then too, in an earlier graph."))}));
    return out;
}

} // namespace

Section waysOutSection(const std::vector<session::WayOut>& ways, bool tries) {
    Section out;
    out.title = tr("What to do");
    for (const session::WayOut& way : ways) {
        Fact card;
        card.kind = Fact::Kind::Card;
        card.change = out.facts.empty() ? diff::Change::Added : diff::Change::Same;
        card.tokens = {strong(toQString(way.title)), text(u'\n' + toQString(way.text))};
        if (!way.code.empty()) {
            card.tokens.push_back(mono(u'\n' + toQString(way.code)));
            card.tokens.push_back(
                link(QStringLiteral("\n") + tr("Copy"), QStringLiteral("copy:") + toQString(way.code)));
        }
        if (const std::string setting = session::settingToTry(way); tries && !setting.empty()) {
            card.tokens.push_back(text(QStringLiteral("    ")));
            card.tokens.push_back(
                link(tr("Record with it and compare..."), QStringLiteral("try:") + toQString(setting)));
        }
        out.facts.push_back(std::move(card));
    }
    return out;
}

Section causeSection(const session::GraphBreak& graphBreak) {
    Section out;
    out.title = tr("Cause");
    out.facts.push_back(paragraph({strong(toQString(graphBreak.title))}));
    if (!graphBreak.explanation.empty())
        out.facts.push_back(paragraph({text(toQString(graphBreak.explanation))}));
    for (const std::string& hint : graphBreak.hints)
        out.facts.push_back(paragraph({quiet(tr("PyTorch's hint: ")), text(toQString(hint))}));
    if (!graphBreak.context.empty())
        out.facts.push_back(paragraph({{toQString(graphBreak.context), Token::Look::MonoQuiet, {}, {}}}));
    for (Fact& frame : stackFacts(graphBreak.userStack))
        out.facts.push_back(std::move(frame));
    if (!graphBreak.instruction.empty())
        out.facts.push_back(fact(tr("Bytecode"), {mono(toQString(graphBreak.instruction))}));
    if (!graphBreak.url.empty())
        out.facts.push_back(
            fact(tr("Page"),
                 {link(toQString(graphBreak.url), QStringLiteral("copy:") + toQString(graphBreak.url))},
                 tr("Copies the address.")));
    return out;
}

QString withoutCall(const QString& line, const QString& callee) {
    if (callee.isEmpty()) return {};
    const std::string text = line.toStdString(), name = callee.toStdString();
    const std::string_view whole = text;
    const std::string_view code = whole.substr(0, python::commentStart(whole));
    std::vector<std::string_view> kept;
    bool found = false;
    for (std::size_t begin = 0; begin <= code.size();) {
        const std::size_t end =
            python::findOutside(code, begin, python::Quotes::Strings, [](char c) { return c == ';'; });
        // A comment belongs to the last statement.
        const std::string_view statement =
            trimmed(end == code.size() ? whole.substr(begin) : code.substr(begin, end - begin));
        begin = end + 1;
        if (!found && statement.starts_with(name) && trimmed(statement.substr(name.size())).starts_with('('))
            found = true;
        else if (!statement.empty())
            kept.push_back(statement);
    }
    if (!found) return {};
    return kept.empty() ? QStringLiteral("pass") : toQString(joined(kept, "; "));
}

Facts breakFacts(const Workspace::Capture& capture, std::size_t index) {
    Facts out;
    if (index >= capture.breaks.groups.size()) return out;
    const session::BreakGroup& group = capture.breaks.groups[index];
    const session::GraphBreak* graphBreak = firstBreak(capture, group);
    out.title = toQString(group.reason);
    out.icon = QStringLiteral("scissors");
    if (group.location.line > 0) {
        out.subtitle.push_back(placeLink(group.location));
        if (!group.location.function.empty())
            out.subtitle.push_back(quiet(tr(" in ") + toQString(group.location.function)));
        if (graphBreak && graphBreak->userStack.size() > 1) {
            // The program's own frame says who called; PyTorch's frames between say little.
            const ir::StackTrace& stack = graphBreak->userStack;
            const ir::SourceLocation& direct = stack[stack.size() - 2];
            const auto own = std::find_if(stack.rbegin() + 1, stack.rend(), [](const ir::SourceLocation& at) {
                return !session::isInstalled(at.file);
            });
            const ir::SourceLocation& caller = own == stack.rend() ? direct : *own;
            out.subtitle.push_back(quiet(tr(", called from ")));
            out.subtitle.push_back(placeLink(caller));
            if (!caller.function.empty())
                out.subtitle.push_back(quiet(tr(" in ") + toQString(caller.function)));
            if (&caller != &direct) {
                out.subtitle.push_back(quiet(tr(", by way of ")));
                out.subtitle.push_back(placeLink(direct));
            }
        }
    }
    out.sections.push_back(costSection(capture, group));
    out.sections.push_back(whatToDo(group));
    if (graphBreak) out.sections.push_back(causeSection(*graphBreak));
    if (Section after = whatComesAfter(capture.breaks); !after.facts.empty())
        out.sections.push_back(std::move(after));
    return out;
}

QString rawReason(const Workspace::Capture& capture, std::size_t index) {
    if (index >= capture.breaks.groups.size()) return {};
    const session::GraphBreak* graphBreak = firstBreak(capture, capture.breaks.groups[index]);
    if (!graphBreak || graphBreak->record >= capture.session->records.size()) return {};
    return toQString(capture.session->records[graphBreak->record].payload.text());
}

QString breaksAsCsv(const session::BreakSummary& breaks) {
    const auto cell = [](std::string_view text) { return toQString(csvCell(text)); };
    QString out = QStringLiteral("reason,file,line,breaks,seconds_after,bytes_handed_over,way_out\n");
    for (const session::BreakGroup& group : breaks.groups) {
        const std::string way = group.waysOut.empty() ? std::string() : group.waysOut.front().title;
        out += QStringList{cell(group.reason),
                           cell(group.location.file),
                           QString::number(group.location.line),
                           QString::number(group.occurrences.size()),
                           QString::number(group.secondsAfter, 'f', 3),
                           QString::number(group.bytesHandedOver),
                           cell(way)}
                   .join(u',') +
               u'\n';
    }
    return out;
}

} // namespace dynascope::views
