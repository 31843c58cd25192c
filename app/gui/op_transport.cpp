// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/op_transport.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace dynascope::app {

using namespace views;

OpTransport::OpTransport(Workspace& workspace, Stepper& stepper, Theme& theme, const ActionRegistry& actions,
                         QWidget* parent)
    : QWidget(parent)
    , m_workspace(workspace)
    , m_stepper(stepper)
    , m_theme(theme)
    , m_where(new QLabel(this)) {
    setObjectName(QStringLiteral("opTransport"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(2);
    const auto button = [&](const char* id, bool text = false) {
        auto* b = new QToolButton(this);
        b->setDefaultAction(actions.find(QLatin1String(id)));
        b->setToolButtonStyle(text ? Qt::ToolButtonTextBesideIcon : Qt::ToolButtonIconOnly);
        b->setFocusPolicy(Qt::TabFocus);
        b->setObjectName(QLatin1String(id));
        row->addWidget(b);
    };
    button("step.first");
    button("step.opBack");
    button("step.back");
    row->addWidget(m_where);
    button("step.forward");
    button("step.opForward");
    button("step.last");
    m_where->setTextFormat(Qt::PlainText);
    m_where->setAlignment(Qt::AlignCenter);
    connect(&m_workspace, &Workspace::placeChanged, this, &OpTransport::refresh);
    connect(&m_stepper, &Stepper::moved, this, &OpTransport::refresh);
    connect(&m_theme, &Theme::changed, this, &OpTransport::refresh);
    refresh();
}

QString OpTransport::text() const {
    return m_where->text();
}

void OpTransport::refresh() {
    const Colours& c = m_theme.colours();
    m_where->setFont(m_theme.font(FontRole::NodeName));
    m_where->setStyleSheet(
        QStringLiteral("border: 1px solid %1; border-radius: 4px; padding: 3px 10px; color: %2")
            .arg(c.line2.name(), c.text.name()));
    m_where->setText(m_stepper.whereText());
    // As wide as it gets, so that the buttons stay under the pointer.
    const QString widest =
        QStringLiteral("op %1 of %1 · phase 4 of 4").arg(std::max(0, m_stepper.opCount() - 1));
    m_where->setMinimumWidth(QFontMetrics(m_where->font()).horizontalAdvance(widest) + m_theme.scaled(24));
    setVisible(m_workspace.place().page == Page::Functionalize && m_stepper.recording());
}

} // namespace dynascope::app
