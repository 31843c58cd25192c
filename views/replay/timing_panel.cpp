// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/timing_panel.h"

#include "views/base/page_parts.h"
#include "views/inspector/fact_view.h"
#include "views/theme/splitter.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QSaveFile>
#include <QToolButton>
#include <QVBoxLayout>

namespace dynascope::views {

struct ReplayTimingPanel::Private {
    explicit Private(ReplayRuns& from)
        : runs(from) {}

    ReplayRuns& runs;
    FigureRow* figures = nullptr;
    Splitter* split = nullptr;
    RowTable *nodes = nullptr, *history = nullptr;
    QLabel* note = nullptr;
    FactView* detail = nullptr;
    ReplayedRunPtr run;
    std::vector<TimedNode> timed;
};

ReplayTimingPanel::ReplayTimingPanel(Workspace& workspace, ReplayRuns& runs, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>(runs)) {
    setObjectName(QStringLiteral("replayTiming"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(d->figures = new FigureRow);
    const auto button = [&](const QString& text, const QString& tip, Export form) {
        auto* made = new QToolButton;
        made->setText(text);
        made->setToolTip(tip);
        d->figures->row()->addWidget(made);
        connect(made, &QToolButton::clicked, this, [this, form] { exportRun(form); });
    };
    button(tr("Chrome trace..."), tr("Write a trace that Chrome and Perfetto open"), Export::ChromeTrace);
    button(tr("CSV..."), tr("Write the times of all nodes as a table"), Export::Csv);

    d->split = new Splitter(Qt::Horizontal);
    auto* lists = new Splitter(Qt::Vertical);
    d->nodes = new RowTable(tr("Time by node"), timingColumns(), theme);
    d->nodes->setObjectName(QStringLiteral("timing.nodes"));
    d->history = new RowTable(tr("Earlier runs"), historyColumns(), theme);
    d->history->setObjectName(QStringLiteral("timing.history"));
    d->history->setEmptyText(tr("No run of this graph is remembered."));
    const auto list = [&](const QString& title, RowTable* table) {
        const TitledBox box = titledBox(title, table);
        lists->addWidget(box.widget);
        addCopyRows(table);
        return box.note;
    };
    d->note = list(tr("Time by node"), d->nodes);
    list(tr("Runs of the same graphs"), d->history);
    lists->setSizes({520, 180});
    lists->setChildrenCollapsible(false);
    d->split->addWidget(lists);
    d->detail = new FactView(theme);
    d->detail->setObjectName(QStringLiteral("timing.detail"));
    d->detail->setAccessibleName(tr("Run"));
    d->split->addWidget(d->detail);
    d->split->setStretchFactor(0, 1);
    d->split->setCollapsible(0, false);
    column->addWidget(d->split, 1);
    setContent(page);
    setFocusProxy(d->nodes);

    connect(&runs, &ReplayRuns::finished, this, &Panel::invalidate);
    connect(&runs, &ReplayRuns::runningChanged, this, &Panel::invalidate);
    connect(d->nodes, &RowTable::rowActivated, this, [this](int row) { goToNode(row, false); });
    connect(d->nodes, &RowTable::linkActivated, this, [this](int row) { goToNode(row, true); });
    connect(d->detail, &FactView::followed, this, &ReplayTimingPanel::follow);
}

ReplayTimingPanel::~ReplayTimingPanel() = default;

void ReplayTimingPanel::applyDefaultSizes(int windowWidth) {
    const int side = windowWidth < 1400 ? theme().scaled(280) : theme().scaled(360);
    d->split->setSizes({windowWidth - side, side});
}

void ReplayTimingPanel::restyle() {
    if (d->run) d->figures->setFigures(timingFigures(*d->run, theme().colours()));
}

void ReplayTimingPanel::refresh() {
    if (showNothingOpen()) {
        d->run.reset();
        return;
    }
    const session::Session& session = *workspace().session();
    const ReplayedRunPtr run = d->runs.newest(session);
    if (run && run == d->run) return showContent();
    d->run = run;
    if (run) return showRun();
    d->nodes->setRows({});
    d->history->setRows({});
    if (d->runs.isRunning()) return showMessage(d->runs.progressText());
    if (const auto trouble = d->runs.trouble(session))
        return showMessage(trouble->what + u' ' + trouble->wayOut, tr("Try again"),
                           [this] { emit runRequested(); });
    showMessage(tr("Nothing was replayed yet. A replay runs a recorded graph many times and measures every "
                   "node, beside eager runs of the same."),
                tr("Record and replay"), [this] { emit runRequested(); });
}

void ReplayTimingPanel::showRun() {
    showContent();
    d->timed = timedNodes(*d->run);
    d->nodes->setRows(timingRows(*d->run, d->timed));
    d->nodes->setColumnHidden(int(TimingColumn::Graph), d->run->graphs.size() < 2);
    d->nodes->sortByColumn(int(TimingColumn::Median), Qt::DescendingOrder);
    d->history->setRows(historyRows(d->runs.history(*d->run)));
    d->figures->setFigures(timingFigures(*d->run, theme().colours()));
    d->detail->setFacts(timingFacts(*d->run));
    double sum = 0;
    for (const TimedNode& at : d->timed)
        sum += d->run->graphs[at.graph].run.nodes[at.time].us.median;
    d->note->setText(tr("%1, medians add up to %2")
                         .arg(countText(d->timed.size(), tr("node"), tr("nodes")), durationText(sum)));
}

void ReplayTimingPanel::goToNode(int row, bool line) {
    if (!d->run || row < 0 || row >= int(d->timed.size())) return;
    const ReplayedGraph& graph = d->run->graphs[d->timed[std::size_t(row)].graph];
    const replay::NodeTime& time = graph.run.nodes[d->timed[std::size_t(row)].time];
    const std::string& name = graph.recording.nodes[time.node].name;
    const ir::NodeIndex index = graph.graph->find(name);
    const ir::SourceLocation* at = index == ir::npos ? nullptr : graph.graph->node(index).location();
    if (line && at)
        goToLine(workspace(), graph.compile, graph.stage, name, *at);
    else
        goToStage(workspace(), graph.compile, graph.stage, name);
}

void ReplayTimingPanel::follow(const QString& target) {
    const std::size_t index = target.section(u':', 1).toULongLong();
    if (!d->run || !target.startsWith(QLatin1String("graph:")) || index >= d->run->graphs.size()) return;
    goToStage(workspace(), d->run->graphs[index].compile, d->run->graphs[index].stage);
}

QString ReplayTimingPanel::writeTo(const QString& file, Export form) const {
    if (!d->run) return tr("There is no run to write.");
    std::vector<replay::ReplayRecording> recordings;
    replay::ReplayRun run = d->run->run;
    run.graphs.clear();
    for (const ReplayedGraph& graph : d->run->graphs) {
        recordings.push_back(graph.recording);
        run.graphs.push_back(graph.run);
    }
    const std::string text =
        form == Export::Csv ? replay::toCsv(recordings, run) : replay::toChromeTrace(recordings, run);
    QSaveFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(text.data(), qint64(text.size())) < 0 || !out.commit())
        return tr("%1 cannot be written: %2").arg(file, out.errorString());
    return {};
}

void ReplayTimingPanel::exportRun(Export form) {
    if (!d->run) return;
    const bool csv = form == Export::Csv;
    const QString file =
        QFileDialog::getSaveFileName(this, csv ? tr("Write the times") : tr("Write a trace"),
                                     csv ? QStringLiteral("replay.csv") : QStringLiteral("replay.json"),
                                     csv ? tr("Tables (*.csv)") : tr("Traces (*.json)"));
    if (file.isEmpty()) return;
    const QString error = writeTo(file, form);
    emit told(error.isEmpty() ? tr("Written to %1").arg(file) : error);
}

} // namespace dynascope::views
