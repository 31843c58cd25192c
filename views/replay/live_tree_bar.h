// SPDX-License-Identifier: BSD-3-Clause
//
// What a run under CUDA-graph trees is to be like, and the buttons that start, pause, step and cancel it.
#pragma once

#include "views/replay/live_trees.h"
#include "views/theme/theme.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QSpinBox;
class QToolButton;

namespace dynascope::views {

/// GUI thread only.
class LiveTreeBar : public QWidget {
    Q_OBJECT
public:
    LiveTreeBar(LiveTrees& trees, Theme& theme, QWidget* parent = nullptr);

    /// Starts, paused before the first event where `paused`.
    void start(bool paused = false);
    void pauseOrGo();
    /// Starts where nothing is under way.
    void stepCall();
    void runToMark();

private:
    void showState();
    void restyle();

    LiveTrees& m_trees;
    Theme& m_theme;
    QToolButton *m_start, *m_pause, *m_call, *m_mark, *m_cancel;
    QComboBox* m_backend;
    QSpinBox *m_iterations, *m_moves, *m_hold;
    QLabel* m_state;
};

} // namespace dynascope::views
