// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/memory_panel.h"

#include "views/base/page_parts.h"
#include "views/inspector/fact_view.h"
#include "views/replay/memory_legend.h"
#include "views/replay/memory_picture.h"
#include "views/theme/splitter.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDateTime>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

using replay::MemoryUse;

struct ReplayMemoryPanel::Private {
    explicit Private(ReplayRuns& from)
        : runs(from) {}

    ReplayRuns& runs;
    FigureRow* figures = nullptr;
    QComboBox *graphs = nullptr, *axis = nullptr, *others = nullptr;
    QCheckBox* inputs = nullptr;
    ReplayMemoryLegend* legend = nullptr;
    MemoryChart* chart = nullptr;
    Splitter* split = nullptr;
    QStackedWidget* lists = nullptr;
    QLabel *title = nullptr, *note = nullptr;
    RowTable *alive = nullptr, *changes = nullptr;
    FactView* detail = nullptr;

    ReplayedRunPtr run;
    ReplayedRunPtr followed; ///< what was live as of the last refresh
    ReplayMemoryPtr memory, other;
    ReplayMemoryPtr charted;                            ///< what the chart shows
    std::shared_ptr<const session::MemoryTimeline> own; ///< without the caller's memory
    std::vector<replay::MemoryChange> changed;
    std::vector<std::size_t> aliveNow;
    struct Other {
        ReplayedRunPtr run;
        std::size_t graph = 0;
    };
    std::vector<Other> choices; ///< of `others`, from its second entry on
};

ReplayMemoryPanel::ReplayMemoryPanel(Workspace& workspace, ReplayRuns& runs, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>(runs)) {
    setObjectName(QStringLiteral("replayMemory"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(d->figures = new FigureRow);

    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    const auto combo = [&](const QString& name, const QString& tip) {
        auto* box = new QComboBox;
        box->setAccessibleName(name);
        box->setToolTip(tip);
        box->setSizeAdjustPolicy(QComboBox::AdjustToContents);
        row->addWidget(box);
        return box;
    };
    d->graphs = combo(tr("Graph"), tr("The recorded graph whose memory is shown"));
    d->graphs->setObjectName(QStringLiteral("replayMemory.graphs"));
    d->axis = combo(tr("Time axis"), tr("Across: nodes in their order, or the median times of the run"));
    d->axis->setObjectName(QStringLiteral("replayMemory.axis"));
    d->axis->addItem(tr("by node"));
    d->axis->addItem(tr("by measured time"));
    row->addWidget(d->inputs = new QCheckBox(tr("Inputs")));
    d->inputs->setObjectName(QStringLiteral("replayMemory.inputs"));
    d->inputs->setToolTip(tr("Also show inputs and parameters, above the arena: they are the caller's"));
    row->addWidget(plainLabel(tr("Held against"), "hint"));
    d->others = combo(tr("Held against"), tr("Another recording: what moved, grew or lives longer"));
    d->others->setObjectName(QStringLiteral("replayMemory.others"));
    d->others->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    d->others->setMinimumContentsLength(26);
    row->addStretch(1);
    row->addWidget(d->legend = new ReplayMemoryLegend(theme), 10);

    d->split = new Splitter(Qt::Horizontal);
    d->chart = new MemoryChart(theme);
    d->split->addWidget(d->chart);
    d->split->addWidget(makeSide());
    d->split->setStretchFactor(0, 1);
    d->split->setCollapsible(0, false);
    column->addWidget(d->split, 1);
    setContent(page);
    setFocusProxy(d->chart);

    connect(&runs, &ReplayRuns::finished, this, &Panel::invalidate);
    connect(&runs, &ReplayRuns::runningChanged, this, &Panel::invalidate);
    connect(&runs, &ReplayRuns::liveChanged, this, [this] {
        if (d->runs.live() != d->followed) invalidate();
        showLive();
    });
    connect(d->graphs, &QComboBox::activated, this, &ReplayMemoryPanel::showGraph);
    connect(d->axis, &QComboBox::activated, this, [this] { showChart(); });
    connect(d->inputs, &QCheckBox::toggled, this, [this] { showChart(); });
    connect(d->others, &QComboBox::activated, this, &ReplayMemoryPanel::compareWith);
    connect(d->chart, &MemoryChart::momentChanged, this, &ReplayMemoryPanel::showMoment);
    connect(d->chart, &MemoryChart::selectionChanged, this, [this](std::size_t life) {
        const auto at = std::find(d->aliveNow.begin(), d->aliveNow.end(), life);
        d->alive->select(at == d->aliveNow.end() ? -1 : int(at - d->aliveNow.begin()));
        showDetail();
    });
    connect(d->alive, &RowTable::rowSelected, this,
            [this](int index) { d->chart->select(d->aliveNow[std::size_t(index)]); });
    connect(d->alive, &RowTable::rowActivated, this,
            [this](int index) { goToLife(d->aliveNow[std::size_t(index)], false); });
    connect(d->alive, &RowTable::linkActivated, this,
            [this](int index) { goToLife(d->aliveNow[std::size_t(index)], true); });
    connect(d->changes, &RowTable::rowSelected, this,
            [this](int index) { d->chart->select(d->changed[std::size_t(index)].now); });
    connect(d->detail, &FactView::followed, this, &ReplayMemoryPanel::follow);
}

ReplayMemoryPanel::~ReplayMemoryPanel() = default;

QWidget* ReplayMemoryPanel::makeSide() {
    auto* halves = new Splitter(Qt::Vertical);
    d->alive = new RowTable(tr("Alive"), aliveColumns(), theme());
    d->alive->setObjectName(QStringLiteral("replayMemory.alive"));
    d->changes = new RowTable(tr("What is different"), changeColumns(), theme());
    d->changes->setObjectName(QStringLiteral("replayMemory.changes"));
    d->alive->setEmptyText(tr("Nothing is alive here."));
    d->changes->setEmptyText(tr("Nothing is different."));
    for (RowTable* table : {d->alive, d->changes})
        addCopyRows(table);
    d->lists = new QStackedWidget;
    d->lists->addWidget(d->alive);
    d->lists->addWidget(d->changes);
    const TitledBox box = titledBox({}, d->lists);
    d->title = box.title;
    d->note = box.note;
    halves->addWidget(box.widget);
    d->detail = new FactView(theme());
    d->detail->setObjectName(QStringLiteral("replayMemory.detail"));
    d->detail->setAccessibleName(tr("Storage"));
    halves->addWidget(d->detail);
    halves->setSizes({360, 260});
    return halves;
}

const ReplayMemory* ReplayMemoryPanel::memory() const {
    return d->memory.get();
}

void ReplayMemoryPanel::applyDefaultSizes(int windowWidth) {
    const int side = windowWidth < 1400 ? theme().scaled(470) : theme().scaled(490);
    d->split->setSizes({windowWidth - side, side});
}

void ReplayMemoryPanel::restyle() {
    if (d->memory) showFigures();
}

void ReplayMemoryPanel::forget() {
    for (const char* tag : {"replay.memory", "replay.other"})
        workspace().tasks().cancel(QLatin1String(tag));
    setLoading(false);
    d->chart->setContent({});
    d->memory.reset();
    d->charted.reset();
    d->other.reset();
    d->own.reset();
    d->run.reset();
    d->changed.clear();
    d->aliveNow.clear();
    d->choices.clear();
    d->alive->setRows({});
    d->changes->setRows({});
    d->detail->setFacts({});
}

void ReplayMemoryPanel::refresh() {
    if (showNothingOpen()) return forget();
    const session::Session& session = *workspace().session();
    const ReplayedRunPtr live = d->runs.live();
    const ReplayedRunPtr run = live && live->session.get() == &session ? live : d->runs.newest(session);
    if (!run) {
        forget();
        if (d->runs.isRunning()) return showMessage(d->runs.progressText());
        if (const auto trouble = d->runs.trouble(session))
            return showMessage(trouble->what + u' ' + trouble->wayOut, tr("Try again"),
                               [this] { emit runRequested(); });
        showMessage(tr("Nothing was recorded yet. A recording says what every node allocates, and a plan "
                       "gives each storage a place in one arena."),
                    tr("Record and replay"), [this] { emit runRequested(); });
        return;
    }
    if (run == d->run) {
        if (d->memory) showContent();
        return;
    }
    // What was replayed live goes on to be looked at where it was.
    const bool same = d->run && d->run->root == run->root && d->run->graphs.size() == run->graphs.size();
    const int graph = same ? d->graphs->currentIndex() : -1;
    forget();
    d->run = run;
    d->followed = live;
    fillGraphs();
    showGraph(graph >= 0 ? graph : d->graphs->currentIndex());
}

void ReplayMemoryPanel::fillGraphs() {
    d->graphs->clear();
    int largest = 0;
    for (const ReplayedGraph& graph : d->run->graphs) {
        d->graphs->addItem(graph.name);
        if (graph.recording.arenaBytes > d->run->graphs[std::size_t(largest)].recording.arenaBytes)
            largest = d->graphs->count() - 1;
    }
    d->graphs->setCurrentIndex(largest);
}

void ReplayMemoryPanel::showGraph(int index) {
    if (!d->run || index < 0 || index >= int(d->run->graphs.size())) return;
    d->graphs->setCurrentIndex(index);
    d->other.reset();
    setLoading(true);
    workspace().tasks().run<ReplayMemoryPtr>(
        QStringLiteral("replay.memory"), this,
        [run = d->run, graph = std::size_t(index)](const TaskContext&) {
            const ReplayedGraph& of = run->graphs[graph];
            return std::make_shared<const ReplayMemory>(
                ReplayMemory{run, graph, replay::recordingMemory(of.recording, *of.graph, of.role)});
        },
        [this](ReplayMemoryPtr memory) { showMemory(std::move(memory)); });
}

void ReplayMemoryPanel::showMemory(ReplayMemoryPtr memory) {
    setLoading(false);
    showContent();
    d->memory = std::move(memory);
    d->own = withoutCallers(d->memory->memory);
    std::vector<MemoryUse> uses;
    for (std::size_t use = 0; use < replay::memoryUses; ++use)
        if (std::any_of(d->memory->memory.held.begin(), d->memory->memory.held.end(),
                        [&](const replay::HeldFor& held) { return held.use == MemoryUse(use); }))
            uses.push_back(MemoryUse(use));
    d->legend->setUses(std::move(uses));
    fillOthers();
    compareWith(0);
    showFigures();
    showMoment(d->chart->moment());
}

void ReplayMemoryPanel::fillOthers() {
    d->choices.clear();
    d->others->clear();
    d->others->addItem(tr("no other recording"));
    for (const Workspace::Capture& capture : workspace().captures())
        for (const ReplayedRunPtr& run : d->runs.runs(*capture.session))
            for (std::size_t i = 0; i < run->graphs.size(); ++i) {
                if (run == d->run && i == d->memory->graph) continue;
                d->choices.push_back({run, i});
                QString name = run->graphs[i].name;
                if (run != d->run) {
                    const auto at = QDateTime::fromSecsSinceEpoch(run->kept.seconds);
                    name += tr(", run of %1").arg(at.time().toString(QStringLiteral("HH:mm:ss")));
                }
                if (run->session != d->run->session)
                    name += tr(" of %1").arg(toQString(capture.session->title));
                d->others->addItem(name);
            }
    d->others->setEnabled(!d->choices.empty());
}

void ReplayMemoryPanel::compareWith(int index) {
    d->others->setCurrentIndex(index);
    d->changed.clear();
    if (index <= 0 || index > int(d->choices.size())) {
        d->other.reset();
        workspace().tasks().cancel(QStringLiteral("replay.other"));
        d->lists->setCurrentWidget(d->alive);
        showChart();
        showMoment(d->chart->moment());
        return;
    }
    struct Compared {
        ReplayMemoryPtr other;
        std::vector<replay::MemoryChange> changes;
    };
    workspace().tasks().run<Compared>(
        QStringLiteral("replay.other"), this,
        [choice = d->choices[std::size_t(index) - 1], now = d->memory](const TaskContext&) {
            const ReplayedGraph& of = choice.run->graphs[choice.graph];
            auto other = std::make_shared<const ReplayMemory>(ReplayMemory{
                choice.run, choice.graph, replay::recordingMemory(of.recording, *of.graph, of.role)});
            auto changes =
                replay::compareMemory(of.recording, other->memory, now->of().recording, now->memory);
            // What is different first.
            std::stable_sort(changes.begin(), changes.end(), [](const auto& a, const auto& b) {
                return (a.kind == replay::MemoryChange::Kind::Same) <
                       (b.kind == replay::MemoryChange::Kind::Same);
            });
            return Compared{std::move(other), std::move(changes)};
        },
        [this](Compared compared) {
            d->other = std::move(compared.other);
            d->changed = std::move(compared.changes);
            d->changes->setRows(changeRows(*d->other, *d->memory, d->changed));
            d->lists->setCurrentWidget(d->changes);
            std::size_t same = 0;
            for (const replay::MemoryChange& change : d->changed)
                same += change.kind == replay::MemoryChange::Kind::Same;
            d->title->setText(tr("Against %1").arg(d->other->of().name));
            d->note->setText(tr("%1 of %2 differ")
                                 .arg(d->changed.size() - same)
                                 .arg(countText(d->changed.size(), tr("storage"), tr("storages"))));
            showChart();
            showFigures();
        });
}

void ReplayMemoryPanel::showChart() {
    if (!d->memory) return;
    // With and without inputs are two timelines of the same lives.
    const std::size_t selected = d->chart->selected(), moment = d->chart->moment();
    const bool before = d->charted == d->memory;
    d->charted = d->memory;
    d->chart->setContent(memoryContent(d->memory, d->inputs->isChecked() ? nullptr : d->own, d->changed,
                                       d->axis->currentIndex() == 1));
    if (before) {
        d->chart->setMoment(moment);
        d->chart->select(selected);
    }
    showDetail();
}

void ReplayMemoryPanel::showFigures() {
    d->figures->setFigures(memoryFigures(*d->memory, d->other.get(), theme().colours()));
}

void ReplayMemoryPanel::showLive() {
    if (!d->memory || d->run != d->runs.live() || !isVisible()) {
        d->chart->setLive({});
        return;
    }
    const replay::LivePlace at = d->runs.livePlace();
    const std::vector<std::uint32_t>& nodes = d->memory->memory.nodeAt;
    const auto moment = std::lower_bound(nodes.begin(), nodes.end(), at.node);
    d->chart->setLive(at.graph != d->memory->graph ? std::nullopt
                      : moment == nodes.end()      ? std::optional(nodes.size() - 1)
                                                   : std::optional(std::size_t(moment - nodes.begin())));
    d->figures->setFigures(liveFigures(at, theme().colours()));
}

void ReplayMemoryPanel::showMoment(std::size_t moment) {
    if (!d->memory || d->other) return;
    d->aliveNow = aliveAt(*d->memory, moment);
    d->alive->setRows(aliveRows(*d->memory, d->aliveNow));
    const std::uint32_t node = d->memory->memory.nodeAt[moment];
    const auto& nodes = d->memory->of().recording.nodes;
    const QString name = node < nodes.size() ? toQString(nodes[node].name) : QString();
    d->title->setText(moment == d->memory->memory.timeline.peak() ? tr("Alive at the peak, %1").arg(name)
                                                                  : tr("Alive at %1").arg(name));
    d->note->setText(tr("%1, %2").arg(countText(d->aliveNow.size(), tr("storage"), tr("storages")),
                                      bytesText(d->memory->memory.timeline.allocated[moment])));
    const auto at = std::find(d->aliveNow.begin(), d->aliveNow.end(), d->chart->selected());
    d->alive->select(at == d->aliveNow.end() ? -1 : int(at - d->aliveNow.begin()));
    showDetail();
}

void ReplayMemoryPanel::showDetail() {
    const std::size_t life = d->chart->selected();
    if (d->memory && life != SIZE_MAX) return d->detail->setFacts(memoryFacts(*d->memory, life));
    Facts facts;
    facts.title = tr("Nothing selected");
    facts.sections.push_back(
        {{},
         {paragraph({quiet(tr("Select a block to see what it is for and who keeps it. Left and Right step "
                              "through the events, P goes to the peak, the wheel zooms, Shift moves."))})},
         {},
         {},
         true});
    d->detail->setFacts(facts);
}

void ReplayMemoryPanel::goToLife(std::size_t life, bool line) {
    follow((line ? QStringLiteral("line:") : QStringLiteral("node:")) + d->memory->nodeName(life));
}

void ReplayMemoryPanel::follow(const QString& target) {
    if (!d->memory) return;
    const ReplayedGraph& graph = d->memory->of();
    const std::string name = target.section(u':', 1).toStdString();
    const ir::NodeIndex index = graph.graph->find(name);
    if (!graph.stage || index == ir::npos) return;
    const ir::SourceLocation* at = graph.graph->node(index).location();
    if (target.startsWith(QLatin1String("line:")) && at)
        goToLine(workspace(), graph.compile, graph.stage, name, *at);
    else
        goToStage(workspace(), graph.compile, graph.stage, name);
}

} // namespace dynascope::views
