// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/navigation_bar.h"

#include "app/gui/action_registry.h"
#include "app/gui/breadcrumb.h"
#include "app/gui/chrome.h"
#include "app/gui/engine_buttons.h"
#include "app/gui/op_transport.h"
#include "app/gui/stage_stepper.h"

#include <QHBoxLayout>

namespace dynascope::app {

using namespace views;

NavigationBar::NavigationBar(Workspace& workspace, Theme& theme, ActionRegistry& actions, Stepper& stepper,
                             QWidget* parent)
    : QToolBar(tr("Navigation"), parent) {
    setObjectName(QStringLiteral("toolBar"));
    setMovable(false);
    setFloatable(false);
    setContextMenuPolicy(Qt::PreventContextMenu);
    toggleViewAction()->setEnabled(false);
    setToolButtonStyle(Qt::ToolButtonIconOnly);
    addAction(actions.find(QStringLiteral("go.back")));
    addAction(actions.find(QStringLiteral("go.forward")));
    addSeparator();
    auto* crumbs = new Breadcrumb(workspace, theme, this);
    crumbs->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    addWidget(crumbs);
    // In a plain widget, since a toolbar sets the visibility of what it holds itself.
    auto* right = new QWidget(this);
    auto* row = new QHBoxLayout(right);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(theme.scaled(10));
    row->addWidget(new StageStepper(workspace, theme, actions, right));
    row->addWidget(new OpTransport(workspace, stepper, theme, actions, right));
    row->addWidget(new EngineButtons(workspace, theme, actions, right));
    auto* search = new SearchField(theme, right);
    connect(search, &QAbstractButton::clicked, this, &NavigationBar::searchAsked);
    row->addWidget(search);
    addWidget(right);
    const auto fit = [this, &theme] { setFixedHeight(theme.scaled(38)); };
    connect(&theme, &Theme::changed, this, fit);
    fit();
}

} // namespace dynascope::app
