// SPDX-License-Identifier: BSD-3-Clause
//
// The page about record and replay: a run of CUDA-graph trees where the capture is one, an allocator's
// snapshot where it holds one; else what its graphs would be, and replays of them with their memory and
// times.
#pragma once

#include "views/replay/replay_runs.h"
#include "views/theme/theme.h"
#include "views/workspace/page_spec.h"

#include <QWidget>

class QAbstractButton;
class QComboBox;
class QLabel;
class QSpinBox;
class QStackedWidget;
class QTabBar;
class QToolButton;

namespace dynascope::views {

class CoveragePanel;
class CudaPanel;
class MemoryPage;
class ReplayMemoryPanel;
class ReplayTimingPanel;
class LiveTrees;
class TreePanel;

/// GUI thread only.
class ReplayPage : public QWidget, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Replay;
    enum Tab { CoverageTab, MemoryTab, TimingTab, CudaTab, TreesTab };

    ReplayPage(Workspace& workspace, ReplayRuns& runs, Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] TreePanel* tree() const { return m_tree; }
    [[nodiscard]] TreePanel* trees() const { return m_trees; } ///< runs of the capture's graphs
    [[nodiscard]] TreePanel* shownTree() const;                ///< the one that is shown; null for none
    [[nodiscard]] LiveTrees& liveTrees() const { return *m_live; }
    [[nodiscard]] QTabBar* tabs() const { return m_tabs; }
    void showTab(Tab tab);
    /// Records and replays what the page says.
    void run();
    void applyDefaultSizes(int windowWidth) override;

private:
    void choose();
    void showState();
    [[nodiscard]] int currentStage() const; ///< with a graph: B, else A; -1 for none

    Workspace& m_workspace;
    ReplayRuns& m_runs;
    CoveragePanel* m_coverage;
    LiveTrees* m_live;
    TreePanel *m_tree, *m_trees;
    MemoryPage* m_snapshot;
    ReplayMemoryPanel* m_memory;
    ReplayTimingPanel* m_timing;
    CudaPanel* m_cuda;
    QWidget* m_bar = nullptr;
    QTabBar* m_tabs;
    QComboBox* m_what;
    QSpinBox* m_iterations;
    QToolButton *m_record, *m_cancel;
    QLabel* m_state;
    QStackedWidget* m_pages;
};

[[nodiscard]] PageSpec replayPageSpec();

} // namespace dynascope::views
