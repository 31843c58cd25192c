// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/find_bar.h"

#include "views/theme/theme.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace dynascope::views {

FindBar::FindBar(Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_theme(theme)
    , m_field(new QLineEdit(this))
    , m_count(new QLabel(this))
    , m_previous(new QToolButton(this))
    , m_next(new QToolButton(this))
    , m_close(new QToolButton(this)) {
    m_field->setObjectName(QStringLiteral("find.field"));
    setProperty("box", "card");
    setAutoFillBackground(true);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 4, 4, 4);
    row->setSpacing(4);
    m_field->setPlaceholderText(tr("Find"));
    m_field->setAccessibleName(tr("Find in the code"));
    m_field->setMinimumWidth(110);
    m_count->setProperty("role", "hint");
    m_count->setTextFormat(Qt::PlainText);
    m_previous->setToolTip(tr("Previous match (Shift+F3)"));
    m_next->setToolTip(tr("Next match (F3)"));
    m_close->setToolTip(tr("Close (Esc)"));
    row->addWidget(m_field);
    row->addWidget(m_count);
    for (QToolButton* button : {m_previous, m_next, m_close})
        row->addWidget(button);
    m_field->installEventFilter(this);
    connect(m_field, &QLineEdit::textChanged, this, &FindBar::textChanged);
    connect(m_previous, &QToolButton::clicked, this, [this] { emit stepped(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { emit stepped(1); });
    connect(m_close, &QToolButton::clicked, this, [this] {
        hide();
        emit closed();
    });
    connect(&m_theme, &Theme::changed, this, &FindBar::restyle);
    restyle();
    hide();
}

void FindBar::open(const QString& text) {
    show();
    raise();
    if (!text.isEmpty()) m_field->setText(text);
    m_field->setFocus();
    m_field->selectAll();
}

void FindBar::setCount(int current, int count) {
    const bool missing = count == 0 && !m_field->text().isEmpty();
    m_count->setText(m_field->text().isEmpty() ? QString()
                     : missing                 ? tr("no match")
                                               : tr("%1 of %2").arg(current).arg(count));
    adjustSize();
}

bool FindBar::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const auto* key = static_cast<QKeyEvent*>(event);
    switch (key->key()) {
    case Qt::Key_Escape:
        hide();
        emit closed();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F3:
        emit stepped(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
        return true;
    default:
        return QFrame::eventFilter(watched, event);
    }
}

void FindBar::restyle() {
    m_previous->setIcon(m_theme.icon(QStringLiteral("up")));
    m_next->setIcon(m_theme.icon(QStringLiteral("down")));
    m_close->setIcon(m_theme.icon(QStringLiteral("cross")));
}

} // namespace dynascope::views
