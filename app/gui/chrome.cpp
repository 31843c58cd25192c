// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/chrome.h"

#include "views/palette/palette_model.h"
#include "views/theme/shown_text.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QPushButton>
#include <QToolButton>
#include <algorithm>
#include <utility>

namespace dynascope::app {

using namespace views;

SearchField::SearchField(Theme& theme, QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme) {
    setObjectName(QStringLiteral("searchField"));
    setText(tr("Search nodes, files, actions"));
    setToolTip(tr("Find nodes, source lines, frames and actions  (Ctrl+K)"));
    setFocusPolicy(Qt::TabFocus);
    setCursor(Qt::PointingHandCursor);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
    connect(&m_theme, &Theme::changed, this, [this] { updateGeometry(); });
}

QSize SearchField::sizeHint() const {
    return {m_theme.scaled(262), m_theme.scaled(27)};
}
QSize SearchField::minimumSizeHint() const {
    return {m_theme.scaled(110), m_theme.scaled(27)};
}

void SearchField::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(hasFocus() || underMouse() ? c.accent : c.line2);
    painter.setBrush(c.dark ? c.bg0 : c.bg1);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    QRect rest = rect().adjusted(m_theme.scaled(9), 0, -m_theme.scaled(7), 0);
    const int side = m_theme.scaled(15);
    m_theme.icon(QStringLiteral("search"), c.text2)
        .paint(&painter, QRect(rest.left(), rest.center().y() - side / 2, side, side));
    rest.setLeft(rest.left() + side + m_theme.scaled(7));
    rest.setRight(drawKeyCaps(painter, m_theme, QStringLiteral("Ctrl+K"), rest.right(), rest.center().y()));
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text2);
    painter.drawText(rest, Qt::AlignLeft | Qt::AlignVCenter,
                     elided(painter.fontMetrics(), text(), Qt::ElideRight, rest.width()));
}

DockTab::DockTab(Theme& theme, const QString& icon, const QString& text, QWidget* parent)
    : QAbstractButton(parent)
    , m_theme(theme)
    , m_icon(icon) {
    setText(text);
    setCheckable(true);
    setFocusPolicy(Qt::TabFocus);
    connect(&m_theme, &Theme::changed, this, [this] { updateGeometry(); });
}

void DockTab::setChip(const QString& chip, const QColor& tone) {
    m_chip = chip;
    m_tone = tone;
    setAccessibleDescription(chip);
    updateGeometry();
    update();
}

QSize DockTab::sizeHint() const {
    const QFontMetrics metrics(m_theme.font(FontRole::Text));
    int width = m_theme.scaled(12 + 16 + 6 + 12) + metrics.horizontalAdvance(text());
    if (!m_chip.isEmpty()) width += metrics.horizontalAdvance(m_chip) + m_theme.scaled(18);
    return {width, m_theme.scaled(27)};
}

void DockTab::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    if (isChecked()) {
        painter.fillRect(rect(), c.bg1);
        painter.fillRect(QRect(0, 0, width(), 2), c.accent);
    } else if (underMouse()) {
        painter.fillRect(rect(), c.bg3);
    }
    if (hasFocus()) {
        painter.setPen(c.accent);
        painter.drawRoundedRect(QRectF(rect()).adjusted(1.5, 2.5, -1.5, -2.5), 4, 4);
    }
    int x = m_theme.scaled(12);
    const int side = m_theme.scaled(15);
    m_theme.icon(m_icon, isChecked() ? c.accent : c.text2)
        .paint(&painter, QRect(x, (height() - side) / 2, side, side));
    x += side + m_theme.scaled(6);
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(isChecked() ? c.text : c.text2);
    painter.drawText(QRect(x, 0, width(), height()), Qt::AlignLeft | Qt::AlignVCenter, text());
    x += painter.fontMetrics().horizontalAdvance(text()) + m_theme.scaled(8);
    if (m_chip.isEmpty()) return;
    QFont font = m_theme.font(FontRole::CodeSmall);
    painter.setFont(font);
    const int chipWidth = painter.fontMetrics().horizontalAdvance(m_chip) + m_theme.scaled(10),
              chipHeight = m_theme.scaled(16);
    const QRectF box(x, (height() - chipHeight) / 2.0, chipWidth, chipHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(c.bg3);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(m_tone.isValid() ? m_tone : c.text2);
    painter.drawText(box, Qt::AlignCenter, m_chip);
}

DockTitle::DockTitle(Theme& theme, const QString& text, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme)
    , m_text(text)
    , m_menu(new QToolButton(this))
    , m_close(new QToolButton(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(0, 0, 6, 0);
    row->setSpacing(2);
    row->addStretch(1);
    row->addWidget(m_menu);
    row->addWidget(m_close);
    for (QToolButton* button : {m_menu, m_close}) {
        button->setFocusPolicy(Qt::TabFocus);
        button->hide();
    }
    m_menu->setPopupMode(QToolButton::InstantPopup);
    m_menu->setToolTip(tr("More"));
    m_close->setToolTip(tr("Close"));
    connect(&m_theme, &Theme::changed, this, &DockTitle::restyle);
    restyle();
}

void DockTitle::restyle() {
    m_menu->setIcon(m_theme.icon(QStringLiteral("more")));
    m_close->setIcon(m_theme.icon(QStringLiteral("cross")));
    updateGeometry();
    update();
}

void DockTitle::setMenu(QMenu* menu) {
    m_menu->setMenu(menu);
    m_menu->show();
}

void DockTitle::addCloseButton(std::function<void()> close) {
    m_close->show();
    connect(m_close, &QToolButton::clicked, this, [close = std::move(close)] { close(); });
}

QSize DockTitle::sizeHint() const {
    return {100, m_theme.scaled(28)};
}

void DockTitle::paintEvent(QPaintEvent*) {
    const Colours& c = m_theme.colours();
    QPainter painter(this);
    painter.fillRect(rect(), c.bg2);
    painter.fillRect(QRect(0, height() - 1, width(), 1), c.line);
    painter.setFont(m_theme.font(FontRole::Strong));
    painter.setPen(c.text);
    painter.drawText(rect().adjusted(m_theme.scaled(10), 0, -m_theme.scaled(40), -1),
                     Qt::AlignLeft | Qt::AlignVCenter, m_text);
}

MessageBar::MessageBar(Theme& theme, QWidget* parent)
    : QFrame(parent)
    , m_theme(theme)
    , m_icon(new QLabel(this))
    , m_label(new QLabel(this))
    , m_offer(new QPushButton(this))
    , m_close(new QToolButton(this)) {
    m_offer->setObjectName(QStringLiteral("messageBar.offer"));
    setObjectName(QStringLiteral("messageBar"));
    m_offer->hide();
    connect(m_offer, &QPushButton::clicked, this, [this] {
        hide();
        if (const auto action = std::exchange(m_action, {})) action();
    });
    m_label->setTextFormat(Qt::PlainText);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_label->setWordWrap(true);
    m_close->setToolTip(tr("Close"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 4, 6, 4);
    row->setSpacing(8);
    row->addWidget(m_icon);
    row->addWidget(m_label, 1);
    row->addWidget(m_offer);
    row->addWidget(m_close);
    connect(m_close, &QToolButton::clicked, this, &QWidget::hide);
    connect(&m_theme, &Theme::changed, this, &MessageBar::restyle);
    restyle();
    hide();
}

void MessageBar::restyle() {
    const Colours& c = m_theme.colours();
    const DiffColours amber = c.diff(diff::Change::Changed);
    const QColor fill = m_notice ? c.bg2 : amber.fill, line = m_notice ? c.line : amber.line;
    setStyleSheet(QStringLiteral("#messageBar { background: %1; border: 0; border-bottom: 1px solid %2; }")
                      .arg(fill.name(), line.name()));
    m_icon->setPixmap(m_theme
                          .icon(m_notice ? QStringLiteral("info") : QStringLiteral("warning"),
                                m_notice ? c.text2 : amber.line)
                          .pixmap(QSize(16, 16), devicePixelRatioF()));
    m_close->setIcon(m_theme.icon(QStringLiteral("cross")));
}

void MessageBar::show(const QString& text, bool notice, const QString& cause) {
    m_notice = notice;
    m_cause = cause;
    m_action = {};
    m_offer->hide();
    restyle();
    m_label->setText(text);
    QFrame::show();
}

void MessageBar::showMessage(const QString& text, const QString& cause) {
    show(text, false, cause);
}

void MessageBar::showNotice(const QString& text) {
    show(text, true, {});
}

void MessageBar::showOffer(const QString& text, const QString& button, std::function<void()> action,
                           const QString& cause) {
    show(text, true, cause);
    addOffer(button, std::move(action));
}

void MessageBar::addOffer(const QString& button, std::function<void()> action) {
    m_action = std::move(action);
    m_offer->setText(button);
    m_offer->show();
}

void MessageBar::clear(const QString& cause) {
    if (m_cause != cause || cause.isEmpty()) return;
    m_cause.clear();
    hide();
}

QString MessageBar::text() const {
    return m_label->text();
}

ProgressLine::ProgressLine(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setFixedHeight(2);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void ProgressLine::setFraction(double fraction) {
    m_fraction = fraction;
    update();
}

void ProgressLine::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.colours().accentBg);
    const double share = m_fraction < 0 ? 0.2 : std::clamp(m_fraction, 0.0, 1.0);
    painter.fillRect(QRect(0, 0, int(width() * share), height()), m_theme.colours().accent);
}

} // namespace dynascope::app
