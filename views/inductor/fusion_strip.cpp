// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/fusion_strip.h"

#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"
#include "views/workspace/translate.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

constexpr int stripHeight = 66, stripLeft = 34, stripRight = 34, stripLine = 40;

QString nodeName(const inductor::Schedule& schedule, std::uint32_t id) {
    const inductor::SchedulerNode* node = schedule.node(id);
    return node ? toQString(node->name) : QStringLiteral("?");
}

} // namespace

FusionStrip::FusionStrip(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setAccessibleName(tr("Fusions made"));
    offerPicture(*this, QStringLiteral("fusions"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&theme, &Theme::changed, this, [this] {
        updateGeometry();
        update();
    });
}

void FusionStrip::setSchedule(const inductor::Schedule* schedule) {
    m_fusions.clear();
    m_rounds = schedule ? schedule->rounds : 0;
    if (schedule != nullptr)
        for (const inductor::Fusion& fusion : schedule->fusions)
            m_fusions.push_back(
                {QStringLiteral("%1 + %2").arg(nodeName(*schedule, fusion.a), nodeName(*schedule, fusion.b)),
                 fusion.score && *fusion.score >= 0 ? bytesText(qulonglong(*fusion.score)) : QString(),
                 fusion.round});
    setFusions(int(m_fusions.size()));
}

void FusionStrip::setFusions(int count) {
    m_count = std::clamp(count, 0, int(m_fusions.size()));
    setAccessibleDescription(tr("%1 of %2").arg(m_count).arg(m_fusions.size()));
    update();
}

double FusionStrip::step() const {
    const double wide = width() - m_theme.scaled(stripLeft + stripRight);
    return std::max(0.0, wide) / double(std::max<std::size_t>(1, m_fusions.size()));
}

QPointF FusionStrip::pointOf(int fusion) const {
    return {m_theme.scaled(stripLeft) + step() * fusion, double(m_theme.scaled(stripLine))};
}

int FusionStrip::at(double x) const {
    if (m_fusions.empty() || step() <= 0) return 0;
    return std::clamp(int(std::lround((x - m_theme.scaled(stripLeft)) / step())), 0, int(m_fusions.size()));
}

QSize FusionStrip::sizeHint() const {
    return {m_theme.scaled(480), m_theme.scaled(stripHeight)};
}

QSize FusionStrip::minimumSizeHint() const {
    return {m_theme.scaled(160), m_theme.scaled(stripHeight)};
}

bool FusionStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const int fusion = at(help->pos().x());
    if (fusion == 0 || m_fusions.empty()) {
        QToolTip::showText(help->globalPos(), tr("Before the first fusion"), this);
        return true;
    }
    const Fused& fused = m_fusions[std::size_t(fusion) - 1];
    QString text = tr("Fusion %1, round %2: %3").arg(fusion).arg(fused.round).arg(fused.name);
    if (!fused.score.isEmpty()) text += QStringLiteral("\n") + tr("%1 shared").arg(fused.score);
    QToolTip::showText(help->globalPos(), plainToolTip(text), this);
    return true;
}

void FusionStrip::mousePressEvent(QMouseEvent* event) {
    setFocus();
    if (event->button() == Qt::LeftButton) emit chosen(at(event->position().x()));
}

void FusionStrip::mouseMoveEvent(QMouseEvent* event) {
    if (event->buttons() & Qt::LeftButton && at(event->position().x()) != m_count)
        emit chosen(at(event->position().x()));
}

void FusionStrip::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_Left:
        return emit chosen(std::max(0, m_count - 1));
    case Qt::Key_Right:
        return emit chosen(std::min(int(m_fusions.size()), m_count + 1));
    case Qt::Key_Home:
        return emit chosen(0);
    case Qt::Key_End:
        return emit chosen(int(m_fusions.size()));
    default:
        QWidget::keyPressEvent(event);
    }
}

/// Rounds above what was fused in them, as far as their names fit.
void FusionStrip::paintRounds(QPainter& painter) const {
    const Colours& c = m_theme.colours();
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const QFontMetricsF metrics(painter.font());
    const double y = m_theme.scaled(9);
    for (std::size_t first = 0; first < m_fusions.size();) {
        std::size_t next = first;
        while (next < m_fusions.size() && m_fusions[next].round == m_fusions[first].round)
            ++next;
        const double left = pointOf(int(first) + 1).x() - step() / 2 + 2;
        const double right =
            pointOf(int(next)).x() + std::min(step() / 2, double(m_theme.scaled(stripRight))) - 2;
        painter.setPen(QPen(c.line2, 1));
        painter.drawLine(QPointF(left, y + 6), QPointF(left, y));
        painter.drawLine(QPointF(left, y), QPointF(right, y));
        painter.drawLine(QPointF(right, y), QPointF(right, y + 6));
        QString name = tr("round %1: %2")
                           .arg(m_fusions[first].round)
                           .arg(countText(next - first, tr("fusion"), tr("fusions")));
        if (metrics.horizontalAdvance(name) > right - left - 10)
            name = tr("round %1").arg(m_fusions[first].round);
        const double wide = metrics.horizontalAdvance(name) + 8;
        if (wide <= right - left - 4) {
            const QRectF box((left + right - wide) / 2, y - metrics.height() / 2, wide, metrics.height());
            painter.fillRect(box, c.bg1);
            painter.setPen(c.text2);
            painter.drawText(box, Qt::AlignCenter, name);
        }
        first = next;
    }
}

void FusionStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    painter.fillRect(rect(), c.bg1);
    if (m_fusions.empty()) {
        painter.setPen(c.text2);
        painter.setFont(m_theme.font(FontRole::Text));
        painter.drawText(rect(), Qt::AlignCenter, tr("Nothing was fused."));
        return;
    }
    paintRounds(painter);
    const int last = int(m_fusions.size());
    painter.setPen(QPen(c.line2, 2));
    painter.drawLine(pointOf(m_count), pointOf(last));
    painter.setPen(QPen(c.accent, 3));
    painter.drawLine(pointOf(0), pointOf(m_count));
    const double radius = std::clamp(step() / 3, 1.5, double(m_theme.scaled(5)));
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    const QFontMetricsF metrics(painter.font());
    const double room = m_theme.scaled(100);
    const auto label = [&](int fusion, const QString& text, double y, const QColor& colour) {
        const double wide = std::min(metrics.horizontalAdvance(text) + 2, double(width()));
        const double left = std::clamp(pointOf(fusion).x() - wide / 2, 0.0, std::max(0.0, width() - wide));
        painter.setPen(colour);
        painter.drawText(QRectF(left, y, wide, metrics.height()), Qt::AlignCenter, text);
    };
    for (int fusion = 0; fusion <= last; ++fusion) {
        const bool now = fusion == m_count;
        painter.setPen(QPen(fusion <= m_count ? c.accent : c.text3, 1.5));
        painter.setBrush(fusion <= m_count ? c.accent : c.bg1);
        painter.drawEllipse(pointOf(fusion), now ? radius + 2 : radius, now ? radius + 2 : radius);
        if (!now && step() < room) continue;
        const QString name = fusion == 0 ? tr("start") : m_fusions[std::size_t(fusion) - 1].name;
        const double x = pointOf(fusion).x(); // the last has less room
        const double most = now ? width() : std::min({step() - 6, 2 * x, 2 * (width() - x)});
        label(fusion, elided(metrics, name, Qt::ElideMiddle, most), m_theme.scaled(17),
              now ? c.text : c.text2);
        if (fusion > 0)
            label(fusion, m_fusions[std::size_t(fusion) - 1].score, m_theme.scaled(stripLine + 10),
                  now ? c.text : c.text3);
    }
    painter.setBrush(Qt::NoBrush);
}

} // namespace dynascope::views
