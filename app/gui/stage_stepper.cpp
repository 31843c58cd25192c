// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/stage_stepper.h"

#include "views/workspace/labels.h"

#include <QHBoxLayout>
#include <QMenu>
#include <QToolButton>

namespace dynascope::app {

using namespace views;

StageStepper::StageStepper(Workspace& workspace, Theme& theme, const ActionRegistry& actions, QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_where(new QToolButton(this)) {
    setObjectName(QStringLiteral("stageStepper"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    const auto button = [&](const QString& id) {
        auto* b = new QToolButton(this);
        b->setDefaultAction(actions.find(id));
        b->setToolButtonStyle(Qt::ToolButtonIconOnly);
        b->setFocusPolicy(Qt::TabFocus);
        row->addWidget(b);
    };
    button(QStringLiteral("go.firstStage"));
    button(QStringLiteral("go.previousStage"));
    row->addWidget(m_where);
    button(QStringLiteral("go.nextStage"));
    button(QStringLiteral("go.lastStage"));
    m_where->setPopupMode(QToolButton::InstantPopup);
    m_where->setToolTip(tr("Stages A and B; choose the stage to show as B"));
    m_where->setMenu(new QMenu(m_where));
    connect(m_where->menu(), &QMenu::aboutToShow, this, &StageStepper::fillMenu);
    connect(&m_workspace, &Workspace::placeChanged, this, &StageStepper::refresh);
    connect(&m_workspace, &Workspace::computedChanged, this, &StageStepper::refresh);
    connect(&m_theme, &Theme::changed, this, &StageStepper::refresh);
    refresh();
}

QString StageStepper::text() const {
    return m_where->text();
}

void StageStepper::refresh() {
    const Colours& c = m_theme.colours();
    m_where->setFont(m_theme.font(FontRole::NodeName));
    m_where->setStyleSheet(QStringLiteral("QToolButton { border: 1px solid %1; padding: 3px 10px; }"
                                          "QToolButton:focus { border-color: %2; }")
                               .arg(c.line2.name(), c.accent.name()));
    const session::Compile* compile = m_workspace.compile();
    const Place& place = m_workspace.place();
    setVisible(place.page == Page::Stages && compile && !compile->stages.empty());
    if (compile)
        m_where->setText(tr("A %1 → B %2 of %3")
                             .arg(m_workspace.stageNumber(place.stageA))
                             .arg(m_workspace.stageNumber(place.stageB))
                             .arg(m_workspace.stageNumber(m_workspace.stageCount() - 1)));
}

void StageStepper::fillMenu() {
    m_where->menu()->clear();
    const session::Compile* compile = m_workspace.compile();
    if (!compile) return;
    for (int i = 0; i < m_workspace.stageCount(); ++i) {
        const session::StagePtr stage = m_workspace.stageAt(i);
        if (!stage) continue;
        QAction* action = m_where->menu()->addAction(
            QStringLiteral("%1  %2").arg(m_workspace.stageNumber(i)).arg(toQString(stage->label())));
        action->setCheckable(true);
        action->setChecked(i == m_workspace.place().stageB);
        connect(action, &QAction::triggered, this,
                [this, i] { m_workspace.selectStages(m_workspace.place().stageA, i); });
    }
}

} // namespace dynascope::app
