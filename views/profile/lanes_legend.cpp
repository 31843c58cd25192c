// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/lanes_legend.h"

#include "views/profile/profile_lanes.h"

#include <QFontMetrics>
#include <QPainter>

namespace dynascope::views {

namespace {
constexpr int swatch = 9, afterSwatch = 5, between = 16;
} // namespace

LanesLegend::LanesLegend(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Preferred);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void LanesLegend::setSpent(std::vector<profile::Spent> spent) {
    m_spent = std::move(spent);
    updateGeometry();
    update();
}

QSize LanesLegend::sizeHint() const {
    const QFontMetrics metrics(m_theme.font(FontRole::Text));
    int width = 0;
    for (const profile::Spent spent : m_spent)
        width += metrics.horizontalAdvance(spentName(spent)) + swatch + afterSwatch + between;
    return {width, metrics.height() + 4};
}

void LanesLegend::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.setFont(m_theme.font(FontRole::Text));
    const QFontMetrics metrics = painter.fontMetrics();
    // From the right, so that where there is no room for all the last are whole.
    int right = width();
    for (auto spent = m_spent.rbegin(); spent != m_spent.rend(); ++spent) {
        const QString name = spentName(*spent);
        const int text = metrics.horizontalAdvance(name), left = right - text - afterSwatch - swatch;
        if (left < 0) return;
        painter.setPen(m_theme.colours().text2);
        painter.drawText(QRect(left + swatch + afterSwatch, 0, text + 1, height()), Qt::AlignVCenter, name);
        painter.fillRect(QRect(left, (height() - swatch) / 2, swatch, swatch),
                         spentColour(*spent, m_theme.colours()));
        right = left - between;
    }
}

} // namespace dynascope::views
