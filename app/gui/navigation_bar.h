// SPDX-License-Identifier: BSD-3-Clause
//
// The bar at the top: back and forward, the path, what steps through the page that is shown, and the search.
#pragma once

#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QToolBar>

namespace dynascope::views {
class Stepper;
}

namespace dynascope::app {

class ActionRegistry;

/// GUI thread only. Keeps references to what it is given.
class NavigationBar : public QToolBar {
    Q_OBJECT
public:
    NavigationBar(views::Workspace& workspace, views::Theme& theme, ActionRegistry& actions,
                  views::Stepper& stepper, QWidget* parent);

signals:
    void searchAsked();
};

} // namespace dynascope::app
