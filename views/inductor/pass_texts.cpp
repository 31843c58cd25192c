// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/pass_texts.h"

#include "core/base/csv.h"
#include "views/inductor/pass_checks.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <algorithm>

namespace dynascope::views {

namespace {

using inductor::CompilePasses;
using inductor::NodeRef;
using inductor::NodeStep;
using inductor::PassRow;
using inductor::RecordedPass;
using Look = TableCell::Look;

constexpr std::size_t mostNamed = 12;
/// Of the time in passes: one that takes more is shown whatever it changed.
constexpr double longShare = 0.05;

QString passesText(std::size_t n) {
    return countText(n, tr("pass"), tr("passes"));
}

Tokens nodeTokens(const std::vector<NodeRef>& nodes) {
    Tokens out;
    for (std::size_t i = 0; i < std::min(nodes.size(), mostNamed); ++i)
        out.push_back(mono((i > 0 ? QStringLiteral(" ") : QString()) + toQString(nodes[i].name)));
    if (nodes.size() > mostNamed) out.push_back(quiet(tr(" and %1 more").arg(nodes.size() - mostNamed)));
    return out;
}

ir::SourceLocation placeOf(const inductor::Function& function) {
    return {function.file, function.line, function.name, {}};
}

void addFunction(Section& section, const QString& label, const inductor::Function& function,
                 const QString& tip) {
    if (function.name.empty() && function.file.empty()) return;
    Tokens tokens{mono(toQString(function.name))};
    if (!function.file.empty()) {
        tokens.push_back(quiet(QStringLiteral(" ")));
        tokens.push_back(placeLink(placeOf(function)));
    }
    section.facts.push_back(fact(label, std::move(tokens), tip));
}

std::size_t refusedOf(const RecordedPass& pass) {
    return static_cast<std::size_t>(
        std::ranges::count_if(pass.matches, [](const auto& match) { return !match.refused.empty(); }));
}

QString patternsText(const RecordedPass& pass) {
    if (pass.matches.empty()) return {};
    const QString applied = numberText(pass.matches.size() - refusedOf(pass));
    return refusedOf(pass) == 0 ? applied : tr("%1 of %2").arg(applied, numberText(pass.matches.size()));
}

Section whySection(const CompilePasses& passes, const PassRow& row) {
    Section out;
    out.title = tr("Why it ran");
    const RecordedPass& pass = *row.pass;
    if (!pass.skipped.empty()) {
        out.title = pass.kind == "skipped" ? tr("Why it did not run") : tr("Why it did nothing");
        out.facts.push_back(paragraph({text(toQString(pass.skipped))}));
        return out;
    }
    for (const auto& [name, value] : row.phase->options)
        out.facts.push_back(fact(toQString(name), {mono(toQString(value))}));
    out.open = false;
    if (const inductor::CompileInRecording* compile = passes.recording->compile(row.phase->compile))
        for (const auto& [module, settings] : compile->settings)
            for (const auto& [name, value] : settings)
                out.facts.push_back(fact(toQString(module + '.' + name), {mono(toQString(value))},
                                         tr("Not what PyTorch sets by itself.")));
    return out;
}

QString splitText() {
    return tr("The partitioner split the joint graph; forward and backward have copies of its nodes, and "
              "read what forward "
              "saves by name.");
}

Section changeSection(const PassRow& row) {
    Section out;
    out.title = tr("What it changed");
    if (!row.part.empty()) {
        out.facts.push_back(paragraph({text(
            tr("It has %1, the joint graph has %2.")
                .arg(countText(row.nodesAfter, tr("node"), tr("nodes")), numberText(row.nodesBefore)))}));
        return out;
    }
    const inductor::Change& change = *row.change;
    if (!change.created.empty())
        out.facts.push_back(fact(tr("Made"), nodeTokens(change.created), tr("Nodes that it added.")));
    if (!change.erased.empty())
        out.facts.push_back(fact(tr("Removed"), nodeTokens(change.erased), tr("Nodes that it erased.")));
    if (!change.updated.empty())
        out.facts.push_back(
            fact(tr("Changed"), {text(countText(change.updated.size(), tr("node"), tr("nodes")))},
                 tr("Nodes that read or compute something else, or whose value is printed otherwise.")));
    if (!change.renamed.empty())
        out.facts.push_back(
            fact(tr("Renamed"), {text(countText(change.renamed.size(), tr("node"), tr("nodes")))}));
    if (change.moved) out.facts.push_back(fact(tr("Order"), {text(tr("nodes that stayed changed places"))}));
    if (out.facts.empty())
        out.facts.push_back(paragraph({text(
            row.changed() ? tr("Values are printed otherwise; the nodes are the same.") : tr("Nothing."))}));
    return out;
}

} // namespace

QString phaseText(const inductor::PassPhase& phase) {
    if (phase.name == "other") return tr("outside these phases");
    if (phase.name == phase.graph) return toQString(phase.name);
    return toQString(phase.name) + QStringLiteral(" · ") + toQString(phase.graph);
}

std::vector<TableColumn> passColumns() {
    return {{tr("No."), tr("Counts passes of the process, in the order in which they began"), 40, true},
            {tr("Time"), tr("What the pass took, without what recording it took"), 76, true},
            {tr("Nodes"), tr("Of the graph before and after it"), 90},
            {tr("Changed"),
             tr("Nodes that the pass made (+), removed (−) and changed (~). The canvases pair nodes by what "
                "they compute, "
                "and so may show fewer"),
             100},
            {tr("Patterns"),
             tr("How many patterns were applied, of those that fitted: a check refused the others"), 70},
            {tr("Verified"),
             tr("Whether the graph after it gives what the graph before it gives, run in the engine"), 90},
            {tr("Pass"),
             tr("As PyTorch calls it; a pass that runs within another one stands below that, indented"),
             400}};
}

std::vector<TableColumn> matchColumns() {
    return {{tr("Pattern"), tr("As PyTorch registers it, or the function that it was traced from"), 260},
            {tr("At"), tr("The node at which the matcher began"), 160},
            {tr("Nodes"), tr("How many nodes fitted"), 60, true},
            {tr("Answer"), tr("What took their place, or what refused it"), 420}};
}

QString changeWords(const PassRow& row) {
    if (!row.part.empty()) return tr("split");
    QStringList parts;
    const auto add = [&parts](const QString& sign, std::size_t n) {
        if (n > 0) parts << sign + QString::number(n);
    };
    add(QStringLiteral("+"), row.change->created.size());
    add(QStringLiteral("−"), row.change->erased.size());
    add(QStringLiteral("~"), row.change->updated.size() + row.change->renamed.size());
    if (row.change->moved) parts << tr("moved");
    if (parts.isEmpty() && row.changed()) parts << tr("text only");
    return parts.join(u' ');
}

std::vector<ListedPass> listedPasses(const CompilePasses& passes, bool folds, const QString& filter) {
    double all = 0;
    for (const PassRow& row : passes.rows)
        if (row.pass != nullptr && row.depth == 0) all += row.pass->us;
    // Nothing that a reader would look for.
    const auto quiet = [all](const PassRow& row) {
        return row.pass != nullptr && !row.changed() && row.pass->matches.empty() &&
               row.pass->exception.empty() && row.pass->ended && row.pass->us <= all * longShare;
    };
    const auto skipped = [](const PassRow& row) { return row.pass->kind == "skipped"; };
    std::vector<ListedPass> out;
    for (std::size_t i = 0; i < passes.rows.size(); ++i) {
        const PassRow& row = passes.rows[i];
        if (!filter.isEmpty() && !toQString(row.name()).contains(filter, Qt::CaseInsensitive)) continue;
        // A function that ran by itself and changed nothing.
        if (folds && filter.isEmpty() && row.phase->name == "other" && quiet(row)) continue;
        if (out.empty() || out.back().phase != row.phase) out.push_back({row.phase, -1, 0});
        if (folds && filter.isEmpty() && out.back().row >= 0 && quiet(row)) {
            const PassRow& before = passes.rows[std::size_t(out.back().row)];
            // What runs within a pass goes with it.
            if (quiet(before) && row.depth >= before.depth && skipped(before) == skipped(row)) {
                ++out.back().count;
                continue;
            }
        }
        out.push_back({row.phase, int(i), 1});
    }
    return out;
}

TableRow passRow(const CompilePasses& passes, const ListedPass& listed, const engine::PassVerdict* verdict) {
    const auto time = [](double us) {
        return TableCell{us > 0 ? durationText(us) : QStringLiteral("0 µs"), Look::MonoQuiet};
    };
    if (listed.row < 0) {
        const double us = listed.phase->ownTime();
        return {{},
                us > 0 ? TableCell{durationText(us), Look::MonoQuiet} : TableCell{},
                {},
                {},
                {},
                {},
                {phaseText(*listed.phase), Look::Strong, Tone::None, tr("Passes over one graph")}};
    }
    const PassRow& row = passes.rows[std::size_t(listed.row)];
    const RecordedPass* pass = row.pass;
    const bool skipped = pass != nullptr && pass->kind == "skipped";
    const QString indent(qsizetype(row.depth) * 3, u' ');
    if (listed.count > 1) {
        double us = 0;
        for (std::size_t i = 0; i < listed.count; ++i)
            if (const PassRow& one = passes.rows[std::size_t(listed.row) + i];
                one.pass != nullptr && one.depth == row.depth)
                us += one.pass->us;
        const QString what = skipped ? tr("%1 did not run") : tr("%1 changed nothing");
        return {{},
                skipped ? TableCell{} : time(us),
                {},
                {},
                {},
                {},
                {indent + what.arg(passesText(listed.count)), Look::Quiet}};
    }
    const bool changed = row.changed();
    return {{pass ? QString::number(pass->index) : QString(), Look::MonoQuiet},
            pass && !skipped ? time(pass->us) : TableCell{},
            {changed ? QStringLiteral("%1 → %2").arg(row.nodesBefore).arg(row.nodesAfter) : QString(),
             Look::MonoQuiet},
            {skipped ? tr("did not run") : changeWords(row), changed ? Look::Mono : Look::Quiet},
            {pass ? patternsText(*pass) : QString(), Look::Text},
            verdictCell(verdict),
            {indent + toQString(row.name()), changed ? Look::Mono : Look::MonoQuiet, Tone::None,
             pass ? toQString(pass->name)
             : !row.part.empty()
                 ? splitText()
                 : tr("The graph was found changed before the next pass began: by no pass that is known")}};
}

std::vector<TableRow> matchRows(const CompilePasses& passes, const RecordedPass& pass) {
    std::vector<TableRow> out;
    for (const inductor::Match& match : pass.matches) {
        const inductor::Pattern* pattern = passes.recording->pattern(match.pattern);
        QString answer;
        if (!match.refused.empty()) {
            answer = match.refused == "check" ? tr("refused by its check")
                                              : tr("refused: it %1").arg(toQString(match.refused));
        } else {
            QStringList added;
            for (const NodeRef& node : match.added)
                added << toQString(node.name);
            answer = added.isEmpty() ? tr("applied") : tr("replaced by %1").arg(added.join(u' '));
        }
        out.push_back({{pattern ? toQString(pattern->name) : QString(), Look::Mono},
                       {toQString(match.anchor.name), Look::Mono},
                       {QString::number(match.nodes.size()), Look::MonoQuiet},
                       {answer, match.refused.empty() ? Look::Text : Look::Quiet,
                        match.refused.empty() ? Tone::Good : Tone::None}});
    }
    return out;
}

std::vector<FigureRow::Figure> passFigures(const CompilePasses& passes, const Colours& colours) {
    std::size_t ran = 0, changed = 0, between = 0, applied = 0, refused = 0;
    double us = 0;
    for (const PassRow& row : passes.rows) {
        if (row.pass == nullptr) {
            between += row.part.empty() ? 1 : 0;
            continue;
        }
        if (row.pass->kind == "skipped") continue;
        ++ran;
        changed += row.changed() ? 1 : 0;
        if (row.depth == 0) us += row.pass->us;
        const std::size_t no = refusedOf(*row.pass);
        applied += row.pass->matches.size() - no;
        refused += no;
    }
    std::vector<FigureRow::Figure> out{
        {numberText(ran), tr("passes ran"), {}, tr("Of all phases, those within others counted as well")},
        {numberText(changed), tr("changed a graph"), changed > 0 ? colours.changed : QColor()},
        {durationText(us),
         tr("in passes"),
         {},
         tr("Without what recording took, and without those within others")},
        {numberText(applied), tr("patterns applied")},
        {numberText(refused),
         tr("patterns refused"),
         {},
         tr("Their nodes fitted, and a check refused them")}};
    if (between > 0)
        out.push_back({numberText(between),
                       tr("changes by no pass"),
                       {},
                       tr("The graph was found changed between two passes")});
    return out;
}

Facts passFacts(const CompilePasses& passes, int index) {
    Facts out;
    const PassRow& row = passes.rows[std::size_t(index)];
    out.title = row.pass                ? toQString(row.pass->name)
                : row.part.empty()      ? tr("Between passes")
                : row.part == "forward" ? tr("The forward graph is split off")
                                        : tr("The backward graph is split off");
    out.subtitle = {quiet(phaseText(*row.phase))};
    if (row.changed()) {
        out.chip = changeWords(row);
        out.chipTone = QStringLiteral("changed");
    }
    Section what;
    what.title = tr("This pass");
    if (row.pass == nullptr && !row.part.empty()) {
        what.facts.push_back(paragraph({text(splitText())}));
    } else if (row.pass == nullptr) {
        what.facts.push_back(
            paragraph({text(tr("The graph was found changed when the next pass began. What changed it is no "
                               "pass that has an observer, and none that the recorder listens to."))}));
    } else {
        const RecordedPass& pass = *row.pass;
        addFunction(what, tr("Function"), pass.place, tr("What ran, and where it is defined."));
        if (!pass.subsystem.empty())
            what.facts.push_back(fact(tr("Subsystem"), {mono(toQString(pass.subsystem))},
                                      tr("By which the compiler's bisector turns passes off.")));
        if (pass.kind != "skipped")
            what.facts.push_back(
                fact(tr("Time"), {strong(durationText(pass.us))}, tr("Without what recording it took.")));
        if (pass.tries > 0)
            what.facts.push_back(fact(
                tr("Patterns"),
                {text(tr("%1 tried, %2 fitted, %3 applied")
                          .arg(numberText(pass.tries), numberText(pass.fits), numberText(pass.matched)))},
                tr("A pattern is tried at each node of a target that it may begin with.")));
        if (!pass.exception.empty())
            what.facts.push_back(fact(tr("Failed"), {text(toQString(pass.exception))}));
        if (!pass.ended) what.facts.push_back(paragraph({text(tr("The recording ends within this pass."))}));
        if (const RecordedPass* outer = passes.recording->pass(pass.parent)) {
            const auto at = std::ranges::find_if(
                passes.rows, [outer](const PassRow& other) { return other.pass == outer; });
            if (at != passes.rows.end())
                what.facts.push_back(
                    fact(tr("Within"), {monoLink(toQString(outer->name),
                                                 QStringLiteral("row:%1").arg(at - passes.rows.begin()))}));
        }
    }
    out.sections.push_back(std::move(what));
    out.sections.push_back(changeSection(row));
    if (row.pass != nullptr)
        if (Section why = whySection(passes, row); !why.facts.empty()) out.sections.push_back(std::move(why));
    return out;
}

Section nodeSection(const CompilePasses& passes, std::uint64_t id, const QString& name) {
    Section out;
    out.title = tr("Made and changed by");
    out.chip = name;
    const std::vector<NodeStep> steps = inductor::historyOf(passes, id);
    if (steps.empty() || steps.front().what != NodeStep::What::Made)
        out.facts.push_back(
            paragraph({quiet(tr("It was in the first graph that was recorded of this module."))}));
    for (const NodeStep& step : steps) {
        const PassRow& row = passes.rows[step.row];
        const QString word = step.what == NodeStep::What::Made      ? tr("Made")
                             : step.what == NodeStep::What::Removed ? tr("Removed")
                             : step.what == NodeStep::What::Renamed ? tr("Renamed")
                                                                    : tr("Changed");
        Tokens tokens{monoLink(toQString(row.name()), QStringLiteral("row:%1").arg(step.row)),
                      quiet(QStringLiteral(", ") + phaseText(*row.phase))};
        if (!step.from.empty()) {
            tokens.push_back(quiet(step.what == NodeStep::What::Made ? tr("; it took the uses of ")
                                                                     : tr("; its uses went to ")));
            for (Token& token : nodeTokens(step.from))
                tokens.push_back(std::move(token));
        }
        out.facts.push_back(fact(word, std::move(tokens)));
    }
    return out;
}

QString passTable(const CompilePasses& passes) {
    const auto field = [](std::string_view text) { return toQString(csvCell(text)); };
    QString out = QStringLiteral("number,phase,graph,pass,ms,nodes_before,nodes_after,change\n");
    for (const PassRow& row : passes.rows)
        out += QStringList{row.pass ? QString::number(row.pass->index) : QString(),
                           field(row.phase->name),
                           field(row.phase->graph),
                           field(row.name()),
                           row.pass ? QString::number(row.pass->us / 1000, 'f', 3) : QString(),
                           QString::number(row.nodesBefore),
                           QString::number(row.nodesAfter),
                           field(changeWords(row).toStdString())}
                   .join(u',') +
               u'\n';
    return out;
}

} // namespace dynascope::views
