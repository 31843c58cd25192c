// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/message_page.h"

#include "views/theme/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace dynascope::views {

MessagePage::MessagePage(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_text(new QLabel(this))
    , m_link(new QPushButton(this)) {
    m_text->setTextFormat(Qt::PlainText);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignHCenter);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_link->setFlat(true);
    m_link->setCursor(Qt::PointingHandCursor);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 16);
    column->setSpacing(8);
    column->addStretch(2);
    column->addWidget(m_text);
    column->addWidget(m_link, 0, Qt::AlignHCenter);
    column->addStretch(3);
    connect(m_link, &QPushButton::clicked, this, [this] {
        if (m_action) m_action();
    });
    connect(&m_theme, &Theme::changed, this, &MessagePage::restyle);
    restyle();
}

void MessagePage::setMessage(const QString& text, const QString& linkText, std::function<void()> action) {
    m_text->setText(text);
    m_link->setText(linkText);
    m_link->setVisible(!linkText.isEmpty());
    m_action = std::move(action);
}

QString MessagePage::text() const {
    return m_text->text();
}

void MessagePage::restyle() {
    const Colours& c = m_theme.colours();
    m_text->setFont(m_theme.font(FontRole::Text));
    m_link->setFont(m_theme.font(FontRole::Text));
    m_text->setStyleSheet(QStringLiteral("color:%1").arg(c.text2.name()));
    m_link->setStyleSheet(
        QStringLiteral("QPushButton{color:%1;background:transparent;border:none;padding:2px}"
                       "QPushButton:hover,QPushButton:focus{text-decoration:underline}")
            .arg(c.accent.name()));
}

} // namespace dynascope::views
