// SPDX-License-Identifier: BSD-3-Clause
//
// "A 1 → B 4 of 9" between the buttons that step through the stages.
#pragma once

#include "app/gui/action_registry.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QWidget>

class QToolButton;

namespace dynascope::app {

/// Needs the registry's go.firstStage, go.previousStage, go.nextStage and go.lastStage.
class StageStepper : public QWidget {
    Q_OBJECT
public:
    StageStepper(views::Workspace& workspace, views::Theme& theme, const ActionRegistry& actions,
                 QWidget* parent = nullptr);
    [[nodiscard]] QString text() const;

private:
    void refresh();
    void fillMenu();

    views::Workspace& m_workspace;
    views::Theme& m_theme;
    QToolButton* m_where;
};

} // namespace dynascope::app
