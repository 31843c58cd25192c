// SPDX-License-Identifier: BSD-3-Clause
//
// The graphs of a pair of stages, side by side, and their code below. Stages of two captures cannot both be
// of one place, so the canvas and the text diff look at a workspace of their own, whose only compile has
// these two.
#pragma once

#include "core/compare/compare.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QWidget>

class QTabWidget;

namespace dynascope::views {

class CompareView;
class TextDiffPanel;

/// GUI thread only.
class PairGraphs : public QWidget {
    Q_OBJECT
public:
    PairGraphs(Theme& theme, QWidget* parent = nullptr);
    ~PairGraphs() override;

    /// Shows a pair with its first difference selected. `a` and `b` are the compiles the stages are of; null
    /// where a side has none.
    void show(const compare::StageComparison& stage, const session::Session& ofA, const session::Compile* a,
              const session::Session& ofB, const session::Compile* b);
    void clear();
    [[nodiscard]] Workspace& pair() { return m_workspace; }
    [[nodiscard]] CompareView* canvas() const { return m_canvas; }
    [[nodiscard]] TextDiffPanel* text() const { return m_text; }
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }
    [[nodiscard]] bool isSettled() const;

private:
    void selectFirstDifference();

    TaskRunner m_tasks; ///< apart from the window's, since its tags would collide
    Workspace m_workspace;
    CompareView* m_canvas;
    TextDiffPanel* m_text;
    QTabWidget* m_tabs;
    std::string m_nodeA, m_nodeB; ///< to be selected once the graphs are read
};

} // namespace dynascope::views
