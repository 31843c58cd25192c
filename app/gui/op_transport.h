// SPDX-License-Identifier: BSD-3-Clause
//
// "op 5 of 8 · phase 3 of 4" between the buttons that step through a functionalization.
#pragma once

#include "app/gui/action_registry.h"
#include "views/functionalize/stepper.h"
#include "views/theme/theme.h"

#include <QWidget>

class QLabel;

namespace dynascope::app {

/// Needs the registry's step.first, step.opBack, step.back, step.forward, step.opForward and step.last. Shown
/// on the Functionalize page only.
class OpTransport : public QWidget {
    Q_OBJECT
public:
    OpTransport(views::Workspace& workspace, views::Stepper& stepper, views::Theme& theme,
                const ActionRegistry& actions, QWidget* parent = nullptr);
    [[nodiscard]] QString text() const;

private:
    void refresh();

    views::Workspace& m_workspace;
    views::Stepper& m_stepper;
    views::Theme& m_theme;
    QLabel* m_where;
};

} // namespace dynascope::app
