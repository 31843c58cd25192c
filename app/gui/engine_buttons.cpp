// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/engine_buttons.h"

#include <QHBoxLayout>
#include <QToolButton>

namespace dynascope::app {

using namespace views;

EngineButtons::EngineButtons(Workspace& workspace, Theme& theme, const ActionRegistry& actions,
                             QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_theme(theme)
    , m_actions(actions)
    , m_run(new QToolButton(this))
    , m_verify(new QToolButton(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(m_theme.scaled(4));
    for (QToolButton* button : {m_run, m_verify}) {
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    m_run->setObjectName(QStringLiteral("runButton"));
    m_verify->setObjectName(QStringLiteral("verifyButton"));
    m_verify->setDefaultAction(m_actions.find(QStringLiteral("engine.verify")));
    connect(&m_workspace, &Workspace::placeChanged, this, &EngineButtons::refresh);
    connect(&m_theme, &Theme::changed, this, &EngineButtons::refresh);
    refresh();
}

void EngineButtons::refresh() {
    const Page page = m_workspace.place().page;
    setVisible(page == Page::Stages || page == Page::Functionalize);
    const bool stepping = page == Page::Functionalize;
    m_run->setDefaultAction(m_actions.find(stepping ? QStringLiteral("step.nextWrite")
                                                    : QStringLiteral("engine.run.functionalize")));

    const QString style = QStringLiteral("QToolButton { border: 1px solid %1; padding: 3px 9px; }"
                                         "QToolButton:focus { border-color: %2; }")
                              .arg(m_theme.colours().line2.name(), m_theme.colours().accent.name());
    m_run->setStyleSheet(style);
    m_verify->setStyleSheet(style);
}

} // namespace dynascope::app
