// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/timing_rows.h"

#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <QDateTime>
#include <algorithm>

namespace dynascope::views {

namespace {

using replay::NodeMode;
using replay::RunChange;
using Look = TableCell::Look;

/// Times of ops are fractions of a microsecond: two digits tell them apart.
QString microsText(double us) {
    if (us >= 1000) return durationText(us);
    return QStringLiteral("%1 µs").arg(us, 0, 'f', us < 100 ? 2 : 1);
}

QString ratioText(double of, double to) {
    return to > 0 ? QString::number(of / to, 'f', 3) : tr("not measured");
}

QString modeMeaning(NodeMode mode) {
    switch (mode) {
    case NodeMode::Input:
        return tr("An input or a constant: nothing to do");
    case NodeMode::Prebuilt:
        return tr("Made when the graph was recorded: a replay does nothing");
    case NodeMode::Planned:
        return tr("Called with arguments that were bound beforehand; its memory is planned");
    case NodeMode::Called:
        return tr("Arguments are bound again at each replay; its memory is planned");
    case NodeMode::Eager:
        return tr("Runs as in eager, with memory of the moment");
    }
    return {};
}

Tone modeTone(NodeMode mode) {
    return mode == NodeMode::Planned ? Tone::Good : mode == NodeMode::Eager ? Tone::Warn : Tone::None;
}

Tone changeTone(RunChange::Pace pace) {
    return pace == RunChange::Pace::Slower   ? Tone::Bad
           : pace == RunChange::Pace::Faster ? Tone::Good
                                             : Tone::None;
}

QString changeWord(RunChange::Pace pace) {
    return pace == RunChange::Pace::Slower   ? tr("slower")
           : pace == RunChange::Pace::Faster ? tr("faster")
                                             : tr("as before");
}

QString dateText(std::int64_t seconds) {
    return QDateTime::fromSecsSinceEpoch(seconds).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

} // namespace

std::vector<TableColumn> timingColumns() {
    return {{tr("Graph"), {}, 130},
            {tr("Node"), tr("Return shows it in its graph"), 230},
            {tr("Target"), {}, 280},
            {tr("Mode"), tr("What a replay does at the node"), 90},
            {tr("Median"), tr("Half of the measured replays were faster"), 110, true},
            {tr("Min"), tr("The fastest: what the node takes undisturbed"), 90, true},
            {tr("p99"), tr("One in a hundred was slower: what the rest of the machine adds"), 90, true},
            {tr("Line"), {}, 160}};
}

std::vector<TimedNode> timedNodes(const ReplayedRun& run) {
    std::vector<TimedNode> out;
    for (std::size_t graph = 0; graph < run.graphs.size(); ++graph)
        for (std::size_t time = 0; time < run.graphs[graph].run.nodes.size(); ++time)
            out.push_back({graph, time});
    return out;
}

std::vector<TableRow> timingRows(const ReplayedRun& run, const std::vector<TimedNode>& nodes) {
    double most = 0;
    for (const TimedNode& at : nodes)
        most = std::max(most, run.graphs[at.graph].run.nodes[at.time].us.median);
    std::vector<TableRow> out;
    out.reserve(nodes.size());
    for (const TimedNode& at : nodes) {
        const ReplayedGraph& graph = run.graphs[at.graph];
        const replay::NodeTime& time = graph.run.nodes[at.time];
        const replay::RecordedNode& recorded = graph.recording.nodes[time.node];
        const ir::NodeIndex index = graph.graph->find(recorded.name);
        const ir::SourceLocation* line = index == ir::npos ? nullptr : graph.graph->node(index).location();
        QString why = modeMeaning(recorded.mode);
        if (!recorded.why.empty()) why += QStringLiteral(". ") + toQString(recorded.why);
        const auto cell = [](double us) {
            TableCell made{microsText(us), Look::Mono};
            made.sort = us;
            return made;
        };
        TableRow row{
            {graph.name, Look::Text},
            {toQString(recorded.name), Look::Mono},
            {toQString(recorded.target), Look::MonoQuiet},
            {toQString(replay::nodeModeName(recorded.mode)), Look::Chip, modeTone(recorded.mode), why},
            cell(time.us.median),
            cell(time.us.min),
            cell(time.us.p99),
            {line ? placeText(*line) : QString(), Look::Link}};
        row[std::size_t(TimingColumn::Graph)].sort = qulonglong(at.graph);
        row[std::size_t(TimingColumn::Median)].share = most > 0 ? time.us.median / most : 0;
        out.push_back(std::move(row));
    }
    return out;
}

std::vector<FigureRow::Figure> replayChecks(const ReplayedRun& run, const Colours& colours) {
    const replay::ReplayRun& done = run.run;
    std::size_t divergences = 0;
    for (const ReplayedGraph& graph : run.graphs)
        divergences += graph.run.divergences.size();
    std::vector<FigureRow::Figure> out{
        {numberText(done.allocatorCalls), tr("allocator calls"),
         done.allocatorCalls > 0 ? colours.changed : QColor(),
         tr("In all replays: of nodes that did otherwise than recorded, and of kernels' worker threads")},
        {numberText(divergences), tr("divergences"), divergences > 0 ? colours.changed : QColor(),
         tr("Nodes that did not do what they did when they were recorded; they run eagerly since")}};
    if (done.verified > 0)
        out.push_back({tr("%1 of %2").arg(done.verified - done.different).arg(done.verified),
                       tr("bit-identical to eager"), done.different > 0 ? colours.removed : colours.added,
                       done.different > 0 ? toQString(done.difference)
                                          : tr("Replays that were compared with an eager run")});
    if (done.undecided > 0)
        out.push_back(
            {numberText(done.undecided), tr("not decided"), colours.changed, toQString(done.undecidedWhy)});
    return out;
}

std::vector<FigureRow::Figure> timingFigures(const ReplayedRun& run, const Colours& colours) {
    const replay::ReplayRun& done = run.run;
    std::vector<FigureRow::Figure> out{
        {microsText(done.replay.us.median), tr("replay, median of %1").arg(numberText(done.iterations)),
         colours.added,
         tr("Min %1, p99 %2; noise %3")
             .arg(microsText(done.replay.us.min), microsText(done.replay.us.p99),
                  microsText(done.replay.noiseUs))},
        {microsText(done.eager.us.median),
         tr("eager, node by node"),
         {},
         tr("The same graphs, run between batches of replays")},
        {ratioText(done.replay.us.median, done.eager.us.median), tr("replay over eager"), {}, {}}};
    for (FigureRow::Figure& figure : replayChecks(run, colours))
        out.push_back(std::move(figure));
    if (!run.changes.empty())
        out.push_back({changeWord(run.changes.front().pace), tr("against the run before"),
                       run.changes.front().pace == RunChange::Pace::Slower   ? colours.removed
                       : run.changes.front().pace == RunChange::Pace::Faster ? colours.added
                                                                             : QColor(),
                       changeText(run.changes.front())});
    return out;
}

QString changeText(const RunChange& change) {
    return tr("%1: %2, %3 before; beyond noise from %4 on")
        .arg(changeWord(change.pace), microsText(change.nowUs), microsText(change.beforeUs),
             microsText(std::max(3 * change.noiseUs, 0.03 * change.beforeUs)));
}

Facts timingFacts(const ReplayedRun& run) {
    Facts out;
    out.title = run.title;
    out.subtitle = {quiet(tr("%1, %2, engine %3, LibTorch %4")
                              .arg(countText(run.run.iterations, tr("replay"), tr("replays")),
                                   countText(run.kept.threads, tr("thread"), tr("threads")),
                                   toQString(run.kept.engine), toQString(run.kept.torch)))};
    Section changes;
    changes.title = tr("Against the run of %1").arg(dateText(run.changedSince));
    for (const RunChange& change : run.changes) {
        Token word = strong(changeWord(change.pace));
        changes.facts.push_back(
            fact(toQString(change.what),
                 {word, text(tr(", %1 after %2").arg(microsText(change.nowUs), microsText(change.beforeUs)))},
                 changeText(change)));
        if (change.pace == RunChange::Pace::Slower) {
            changes.chip = tr("slower");
            changes.chipTone = QStringLiteral("removed");
        }
    }
    if (!changes.facts.empty()) out.sections.push_back(std::move(changes));
    Section graphs;
    graphs.title = tr("Graphs");
    for (std::size_t i = 0; i < run.graphs.size(); ++i) {
        const ReplayedGraph& graph = run.graphs[i];
        graphs.facts.push_back(
            fact(graph.name,
                 {text(tr("%1, eager %2 (%3)")
                           .arg(microsText(graph.run.replay.us.median), microsText(graph.run.eager.us.median),
                                ratioText(graph.run.replay.us.median, graph.run.eager.us.median)))}));
        QStringList modes;
        for (const NodeMode mode : {NodeMode::Prebuilt, NodeMode::Planned, NodeMode::Called, NodeMode::Eager})
            if (const std::size_t nodes = graph.recording.count(mode); nodes > 0)
                modes << QStringLiteral("%1 %2").arg(nodes).arg(toQString(replay::nodeModeName(mode)));
        graphs.facts.push_back(paragraph(
            {link(tr("Show"), QStringLiteral("graph:%1").arg(i)), quiet(u' ' + modes.join(tr(", ")))}));
    }
    out.sections.push_back(std::move(graphs));
    Section diverged;
    diverged.title = tr("Diverged");
    diverged.chipTone = QStringLiteral("changed");
    for (const ReplayedGraph& graph : run.graphs)
        for (const replay::Divergence& row : graph.run.divergences)
            diverged.facts.push_back(fact(toQString(graph.recording.nodes[row.node].name),
                                          {text(tr("in replay %1: %2; it runs eagerly since")
                                                    .arg(numberText(row.iteration), toQString(row.why)))}));
    diverged.chip = QString::number(diverged.facts.size());
    if (!diverged.facts.empty()) out.sections.push_back(std::move(diverged));
    Section left;
    left.title = tr("Left out");
    for (const QString& line : run.left)
        left.facts.push_back(paragraph({text(line)}));
    left.chip = QString::number(left.facts.size());
    if (!left.facts.empty()) out.sections.push_back(std::move(left));
    return out;
}

std::vector<TableColumn> historyColumns() {
    return {
        {tr("Run"), tr("When it ended"), 160},
        {tr("Verdict"),
         tr("Against the run before it: a difference counts beyond three times the noise of both and 3 %"),
         110},
        {tr("Median"), tr("Of all graphs together"), 100, true},
        {tr("Noise"), tr("How far medians of batches spread: two runs of the same differ by as much"), 100,
         true},
        {tr("Eager"), {}, 100, true},
        {tr("LibTorch"), {}, 120}};
}

std::vector<TableRow> historyRows(const std::vector<KnownRun>& oldestFirst) {
    std::vector<TableRow> out;
    for (std::size_t i = oldestFirst.size(); i-- > 0;) {
        const replay::KeptRun& kept = oldestFirst[i].kept;
        TableCell verdict{tr("first"), Look::Quiet};
        if (i > 0)
            if (const auto changes = replay::compareRuns(oldestFirst[i - 1].kept, kept); !changes.empty())
                verdict = {changeWord(changes.front().pace), Look::Chip, changeTone(changes.front().pace),
                           changeText(changes.front())};
        const auto cell = [](double us) {
            TableCell made{microsText(us), Look::Mono};
            made.sort = us;
            return made;
        };
        out.push_back({{dateText(kept.seconds), Look::Text},
                       std::move(verdict),
                       cell(kept.run.replay.us.median),
                       cell(kept.run.replay.noiseUs),
                       cell(kept.run.eager.us.median),
                       {toQString(kept.torch), Look::MonoQuiet}});
    }
    return out;
}

} // namespace dynascope::views
