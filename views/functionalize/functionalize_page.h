// SPDX-License-Identifier: BSD-3-Clause
//
// The layout "Functionalize": source ops at the left, the scorecard and the graph so far in the middle, what
// the step did at the right.
#pragma once

#include "views/functionalize/stepper.h"
#include "views/theme/theme.h"
#include "views/workspace/page_spec.h"

#include <QWidget>

class QLabel;
class QSplitter;
class QStackedLayout;
class QTabWidget;
class QToolButton;

namespace dynascope::views {

class CallingConventionPanel;
class GraphSoFar;
class MessagePage;
class ScorecardView;
class SourceOpsPanel;
class StepPanel;

/// GUI thread only.
class FunctionalizePage : public QWidget, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Functionalize;
    FunctionalizePage(Workspace& workspace, Passes& passes, Stepper& stepper, Theme& theme,
                      QWidget* parent = nullptr);

    [[nodiscard]] CallingConventionPanel& convention() { return *m_convention; }
    [[nodiscard]] QTabWidget& lowerTabs() { return *m_lower; }
    /// Why there is nothing to step through; empty while there is.
    [[nodiscard]] QString message() const;
    void applyDefaultSizes(int windowWidth) override;

signals:
    void canvasRequested(); ///< show source and result on the two canvases

private:
    [[nodiscard]] QWidget* makeCentre();
    void refresh();
    void restyle();
    void select(const QString& node, bool inResult);

    Workspace& m_workspace;
    Passes& m_passes;
    Stepper& m_stepper;
    Theme& m_theme;
    QStackedLayout* m_stack;
    MessagePage* m_message;
    std::weak_ptr<const session::Stage> m_failedStage; ///< that could not be functionalized last
    QString m_failure;                                 ///< why
    QSplitter* m_columns;
    QSplitter* m_rows;
    SourceOpsPanel* m_source;
    ScorecardView* m_scorecard;
    GraphSoFar* m_graph;
    StepPanel* m_step;
    CallingConventionPanel* m_convention = nullptr;
    QTabWidget* m_lower;
    QTabWidget* m_right;
    QLabel* m_state;
    std::vector<QWidget*> m_headers;
    std::vector<QLabel*> m_titles;
};

[[nodiscard]] PageSpec functionalizePageSpec();

} // namespace dynascope::views
