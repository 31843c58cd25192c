// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/replay_page.h"

#include "views/base/page_parts.h"
#include "views/memory/memory_page.h"
#include "views/replay/coverage_panel.h"
#include "views/replay/cuda_panel.h"
#include "views/replay/live_trees.h"
#include "views/replay/memory_panel.h"
#include "views/replay/timing_panel.h"
#include "views/replay/tree_panel.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSpinBox>
#include <QStackedWidget>
#include <QTabBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

namespace dynascope::views {

ReplayPage::ReplayPage(Workspace& workspace, ReplayRuns& runs, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_runs(runs)
    , m_coverage(new CoveragePanel(workspace, theme))
    , m_live(new LiveTrees(workspace, runs.engine(), this))
    , m_tree(new TreePanel(workspace, theme))
    , m_trees(new TreePanel(workspace, theme, m_live))
    , m_snapshot(new MemoryPage(workspace, theme))
    , m_memory(new ReplayMemoryPanel(workspace, runs, theme))
    , m_timing(new ReplayTimingPanel(workspace, runs, theme))
    , m_cuda(new CudaPanel(workspace, runs, theme))
    , m_tabs(new QTabBar)
    , m_what(new QComboBox)
    , m_iterations(new QSpinBox)
    , m_record(new QToolButton)
    , m_cancel(new QToolButton)
    , m_state(plainLabel({}, "hint"))
    , m_pages(new QStackedWidget) {
    m_what->setObjectName(QStringLiteral("replay.what"));
    m_record->setObjectName(QStringLiteral("replay.recordButton"));
    m_iterations->setObjectName(QStringLiteral("replay.iterations"));
    m_cancel->setObjectName(QStringLiteral("replay.cancelButton"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    m_bar = headerBar(row);
    row->setContentsMargins(0, 0, 12, 0);
    m_tabs->setDrawBase(false);
    m_tabs->setExpanding(false);
    m_tabs->setAccessibleName(tr("Views"));
    m_tabs->addTab(tr("Coverage"));
    m_tabs->setTabToolTip(CoverageTab, tr("Which graphs would be CUDA graphs, and why not"));
    m_tabs->addTab(tr("Memory"));
    m_tabs->setTabToolTip(MemoryTab, tr("Where every storage lies in the arena, and when"));
    m_tabs->addTab(tr("Time by node"));
    m_tabs->setTabToolTip(TimingTab, tr("What every node takes, against eager and earlier runs"));
    m_tabs->addTab(tr("CUDA graph"));
    m_tabs->setTabToolTip(CudaTab, tr("What the driver recorded, beside the FX nodes that made it"));
    m_tabs->addTab(tr("Trees"));
    m_tabs->setTabToolTip(TreesTab, tr("Runs of the graphs under CUDA-graph trees, call by call"));
    row->addWidget(m_tabs);
    row->addStretch(1);
    row->addWidget(m_state);
    m_cancel->setText(tr("Cancel"));
    m_cancel->setToolTip(tr("Stop the replay; what was there stays"));
    row->addWidget(m_cancel);
    m_what->setAccessibleName(tr("What to replay"));
    m_what->setToolTip(tr("All graphs: frames in recorded order, then their backwards, in the same memory"));
    m_what->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_what->addItem(tr("All graphs"));
    m_what->addItem({});
    row->addWidget(m_what);
    m_iterations->setRange(1, 1'000'000);
    m_iterations->setValue(100);
    m_iterations->setSuffix(tr(" times"));
    m_iterations->setAccessibleName(tr("Replays to measure"));
    m_iterations->setToolTip(tr("Replays to measure; more of them tell smaller differences from noise"));
    row->addWidget(m_iterations);
    m_record->setText(tr("Record and replay"));
    m_record->setIcon(theme.icon(QStringLiteral("play")));
    m_record->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    row->addWidget(m_record);
    column->addWidget(m_bar);
    for (QWidget* panel :
         {static_cast<QWidget*>(m_coverage), static_cast<QWidget*>(m_memory), static_cast<QWidget*>(m_timing),
          static_cast<QWidget*>(m_cuda), static_cast<QWidget*>(m_tree), static_cast<QWidget*>(m_trees),
          static_cast<QWidget*>(m_snapshot)})
        m_pages->addWidget(panel);
    column->addWidget(m_pages, 1);

    connect(&theme, &Theme::changed, this,
            [this, &theme] { m_record->setIcon(theme.icon(QStringLiteral("play"))); });
    connect(m_tabs, &QTabBar::currentChanged, this, &ReplayPage::choose);
    connect(m_record, &QToolButton::clicked, this, &ReplayPage::run);
    connect(m_cancel, &QToolButton::clicked, this, [this] { m_runs.cancel(); });
    connect(m_memory, &ReplayMemoryPanel::runRequested, this, &ReplayPage::run);
    connect(m_timing, &ReplayTimingPanel::runRequested, this, &ReplayPage::run);
    connect(m_timing, &ReplayTimingPanel::told, &m_runs, &ReplayRuns::failed);
    connect(&m_runs, &ReplayRuns::runningChanged, this, &ReplayPage::showState);
    connect(&m_runs.engine(), &Engine::stateChanged, this, &ReplayPage::showState);
    connect(&m_runs, &ReplayRuns::finished, this, [this] {
        choose();
        if (m_tabs->currentIndex() == CoverageTab) m_tabs->setCurrentIndex(TimingTab);
    });
    connect(&m_workspace, &Workspace::placeChanged, this, &ReplayPage::choose);
    connect(&m_workspace, &Workspace::captureClosed, this, &ReplayPage::choose);
    connect(&m_workspace, &Workspace::computedChanged, this, &ReplayPage::choose);
    choose();
}

int ReplayPage::currentStage() const {
    const Place& place = m_workspace.place();
    for (const int stage : {place.stageB, place.stageA})
        if (const session::StagePtr at = m_workspace.stageAt(stage);
            at && at->content == session::Stage::Content::Graph)
            return stage;
    return -1;
}

void ReplayPage::choose() {
    const session::Session* session = m_workspace.session();
    const bool tree = session && session->tree;
    const bool snapshot = session && session->memory && session->compiles.empty();
    QWidget* const byTab[] = {m_coverage, m_memory, m_timing, m_cuda, m_trees};
    QWidget* panel = tree       ? static_cast<QWidget*>(m_tree)
                     : snapshot ? m_snapshot
                                : byTab[std::max(m_tabs->currentIndex(), 0)];
    // The CPU makes none.
    const ReplayedRunPtr run = session ? m_runs.newest(*session) : nullptr;
    m_tabs->setTabVisible(
        CudaTab, run && std::any_of(run->graphs.begin(), run->graphs.end(),
                                    [](const auto& graph) { return graph.recording.cudaGraph.has_value(); }));
    m_bar->setVisible(!tree && !snapshot);
    m_pages->setCurrentWidget(panel);
    setFocusProxy(panel);
    const int stage = currentStage();
    m_what->setItemText(1, !session || stage < 0
                               ? tr("One graph")
                               : tr("Only %1 %2")
                                     .arg(toQString(session::compileName(*session, *m_workspace.compile())),
                                          toQString(m_workspace.stageAt(stage)->label())));
    if (stage < 0) m_what->setCurrentIndex(0);
    showState();
}

void ReplayPage::showState() {
    const bool absent = m_runs.engine().state() == Engine::State::Absent;
    const bool running = m_runs.isRunning();
    const session::Session* session = m_workspace.session();
    m_record->setEnabled(!absent && !running && session && !session->compiles.empty());
    m_record->setToolTip(absent ? m_runs.engine().trouble()
                                : tr("Record the graphs with the engine's CPU backend at planned addresses, "
                                     "and replay them beside eager runs"));
    // A run under trees has buttons of its own.
    const bool trees = m_tabs->currentIndex() == TreesTab;
    for (QWidget* widget : {static_cast<QWidget*>(m_record), static_cast<QWidget*>(m_what),
                            static_cast<QWidget*>(m_iterations)})
        widget->setVisible(!trees);
    m_cancel->setVisible(running);
    m_state->setText(running ? m_runs.progressText() : QString());
}

void ReplayPage::showTab(Tab tab) {
    m_tabs->setCurrentIndex(tab);
}

TreePanel* ReplayPage::shownTree() const {
    for (TreePanel* panel : {m_tree, m_trees})
        if (m_pages->currentWidget() == panel) return panel;
    return nullptr;
}

void ReplayPage::run() {
    if (m_runs.isRunning()) return;
    ReplayRuns::Options options;
    options.iterations = std::uint64_t(m_iterations->value());
    if (m_what->currentIndex() == 1)
        m_runs.runStage(currentStage(), options);
    else
        m_runs.runCapture(options);
}

void ReplayPage::applyDefaultSizes(int windowWidth) {
    m_tree->applyDefaultSizes(windowWidth);
    m_trees->applyDefaultSizes(windowWidth);
    m_memory->applyDefaultSizes(windowWidth);
    m_timing->applyDefaultSizes(windowWidth);
}

} // namespace dynascope::views
