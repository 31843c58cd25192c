// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/share_bars.h"

#include "core/profile/figures.h"
#include "views/profile/profile_lanes.h"
#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QFontMetrics>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

namespace dynascope::views {

namespace {
constexpr int padding = 12, names = 190, times = 110;
} // namespace

ShareBars::ShareBars(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setAccessibleName(tr("Where the time of both goes"));
    offerPicture(*this, QStringLiteral("profiles"));
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void ShareBars::setBars(std::array<Bar, 2> bars) {
    m_bars = std::move(bars);
    update();
}

int ShareBars::rowHeight() const {
    return QFontMetrics(m_theme.font(FontRole::Text)).height() + 4;
}

QSize ShareBars::sizeHint() const {
    return {600, 2 * rowHeight() + padding};
}

std::vector<ShareBars::Piece> ShareBars::pieces() const {
    std::vector<Piece> out;
    const double left = m_theme.scaled(names) + padding;
    const double room = width() - left - m_theme.scaled(times) - padding;
    for (std::size_t bar = 0; bar < m_bars.size(); ++bar) {
        const double all = m_bars[bar].shares.all();
        double at = left;
        for (std::size_t i = 0; i < profile::spentCount && all > 0; ++i) {
            const double share = m_bars[bar].shares.time[i] / all;
            if (share <= 0) continue;
            const double y = padding / 2.0 + double(bar) * rowHeight() + 1;
            out.push_back({{at, y, share * room, rowHeight() - 2.0}, bar, profile::Spent(i), share});
            at += share * room;
        }
    }
    return out;
}

QString ShareBars::wordsAt(QPoint at) const {
    for (const Piece& piece : pieces())
        if (piece.area.contains(at))
            return tr("%1: %2, %3, %4 of the time that processors were busy")
                .arg(m_bars[piece.bar].name, spentName(piece.spent),
                     profileTime(m_bars[piece.bar].shares.on(piece.spent)),
                     toQString(profile::shareText(piece.share)));
    return {};
}

bool ShareBars::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), plainToolTip(wordsAt(help->pos())), this);
        return true;
    }
    return QWidget::event(event);
}

void ShareBars::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const Colours& c = m_theme.colours();
    painter.fillRect(rect(), c.bg1);
    painter.setFont(m_theme.font(FontRole::Text));
    const QFontMetrics metrics = painter.fontMetrics();
    for (const Piece& piece : pieces()) {
        const QColor colour = spentColour(piece.spent, c);
        painter.fillRect(piece.area.adjusted(0, 0, -1, 0), colour);
        const QString percent = toQString(profile::shareText(piece.share));
        if (metrics.horizontalAdvance(percent) + 8 > piece.area.width()) continue;
        painter.setPen(c.dark ? c.bg0 : c.bg1); // as the lanes
        painter.drawText(piece.area, Qt::AlignCenter, percent);
    }
    for (std::size_t bar = 0; bar < m_bars.size(); ++bar) {
        const int y = padding / 2 + int(bar) * rowHeight();
        painter.setPen(c.text);
        painter.drawText(QRect(padding, y, m_theme.scaled(names) - 8, rowHeight()), Qt::AlignVCenter,
                         elided(metrics, m_bars[bar].name, Qt::ElideMiddle, m_theme.scaled(names) - 8));
        painter.setPen(c.text2);
        const double step = m_bars[bar].step;
        const QString time =
            step > 0 ? tr("%1 a step").arg(profileTime(step)) : profileTime(m_bars[bar].shares.all());
        painter.drawText(
            QRect(width() - m_theme.scaled(times) - padding, y, m_theme.scaled(times), rowHeight()),
            Qt::AlignVCenter | Qt::AlignRight, time);
    }
}

} // namespace dynascope::views
