// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "app/gui/action_registry.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QWidget>

class QToolButton;

namespace dynascope::app {

/// The two buttons of the toolbar for the engine: run (to the next write while stepping) and Verify. Needs
/// the registry's engine.run.functionalize, step.nextWrite and engine.verify.
class EngineButtons : public QWidget {
    Q_OBJECT
public:
    EngineButtons(views::Workspace& workspace, views::Theme& theme, const ActionRegistry& actions,
                  QWidget* parent = nullptr);

private:
    void refresh();

    views::Workspace& m_workspace;
    views::Theme& m_theme;
    const ActionRegistry& m_actions;
    QToolButton* m_run;
    QToolButton* m_verify;
};

} // namespace dynascope::app
