// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/orders_view.h"

#include "views/inductor/order_texts.h"
#include "views/theme/picture.h"
#include "views/theme/shown_text.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr int orderHead = 24, orderMargin = 8, orderLeft = 72;

} // namespace

OrdersView::OrdersView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    setAccessibleName(tr("Memory of an order"));
    offerPicture(*this, QStringLiteral("orders"));
    connect(&theme, &Theme::changed, this, qOverload<>(&QWidget::update));
}

void OrdersView::setOrder(const inductor::Schedule* schedule, int order) {
    m_schedule = schedule;
    m_order = order;
    m_most = 1;
    if (schedule != nullptr)
        for (const inductor::WeighedOrder& each : schedule->weighed.orders)
            m_most = std::max(m_most, each.peak);
    setAccessibleDescription(head());
    update();
}

const inductor::WeighedOrder* OrdersView::shown() const {
    return m_schedule != nullptr && m_order >= 0 && std::size_t(m_order) < m_schedule->weighed.orders.size()
               ? &m_schedule->weighed.orders[std::size_t(m_order)]
               : nullptr;
}

QSize OrdersView::sizeHint() const {
    return {m_theme.scaled(360), m_theme.scaled(120)};
}

QRectF OrdersView::area() const {
    return QRectF(rect()).adjusted(m_theme.scaled(orderLeft), m_theme.scaled(orderHead), -orderMargin,
                                   -orderMargin);
}

QRectF OrdersView::rectOf(std::size_t place) const {
    const inductor::WeighedOrder* order = shown();
    const double wide = area().width() / double(std::max<std::size_t>(1, order ? order->live.size() : 0));
    return {area().left() + wide * double(place), area().top(), wide, area().height()};
}

std::size_t OrdersView::placeAt(QPointF point) const {
    const inductor::WeighedOrder* order = shown();
    if (order == nullptr || order->live.empty() || !area().contains(point)) return SIZE_MAX;
    const double share = (point.x() - area().left()) / area().width();
    return std::min(order->live.size() - 1, std::size_t(share * double(order->live.size())));
}

bool OrdersView::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    auto* help = static_cast<QHelpEvent*>(event);
    const std::size_t place = placeAt(help->pos());
    if (place == SIZE_MAX) {
        QToolTip::hideText();
        return true;
    }
    const inductor::WeighedOrder& order = *shown();
    QToolTip::showText(
        help->globalPos(),
        plainToolTip(tr("%1, node %2 of %3\n%4 live by PyTorch's estimate")
                         .arg(toQString(inductor::KernelNames(*m_schedule).of(order.nodes[place])))
                         .arg(place + 1)
                         .arg(order.nodes.size())
                         .arg(bytesText(order.live[place]))),
        this);
    return true;
}

void OrdersView::mousePressEvent(QMouseEvent* event) {
    const std::size_t place = placeAt(event->position());
    if (place == SIZE_MAX) return;
    if (const inductor::SchedulerNode* node = m_schedule->node(shown()->nodes[place]))
        emit chosen(toQString(node->name));
}

QPainterPath OrdersView::curve(const inductor::WeighedOrder& order, bool closed) const {
    const QRectF in = area();
    const double wide = in.width() / double(std::max<std::size_t>(1, order.live.size()));
    QPainterPath path;
    if (closed) path.moveTo(in.bottomLeft());
    for (std::size_t place = 0; place < order.live.size(); ++place) {
        const double y = in.bottom() - in.height() * double(order.live[place]) / double(m_most);
        const QPointF from(in.left() + wide * double(place), y);
        if (place == 0 && !closed)
            path.moveTo(from);
        else
            path.lineTo(from);
        path.lineTo(from + QPointF(wide, 0));
    }
    if (closed) path.lineTo(in.bottomRight());
    return path;
}

QString OrdersView::head() const {
    const inductor::WeighedOrder* order = shown();
    if (order == nullptr || order->live.empty()) return {};
    return tr("%1: at most %2 at %3")
        .arg(orderName(m_schedule->weighed, std::size_t(m_order)), bytesText(order->peak),
             toQString(inductor::KernelNames(*m_schedule).of(order->nodes[inductor::peakOf(*order)])));
}

void OrdersView::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const Colours& c = m_theme.colours();
    painter.fillRect(rect(), c.bg1);
    const inductor::WeighedOrder* order = shown();
    if (order == nullptr || order->live.empty()) return;
    const QPainterPath path = curve(*order, true);
    painter.fillPath(path, c.accentBg);
    painter.setPen(QPen(c.accent, 1));
    painter.drawPath(path);
    const inductor::WeighedOrder* taken = m_schedule->weighed.takenOrder();
    if (taken != nullptr && taken != order) {
        painter.setPen(QPen(c.text2, 1, Qt::DashLine));
        painter.drawPath(curve(*taken, false));
    }
    QColor mark = c.changed;
    mark.setAlpha(60);
    painter.fillRect(rectOf(inductor::peakOf(*order)), mark);
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setPen(c.text2);
    painter.drawText(QRectF(0, area().top(), m_theme.scaled(orderLeft) - 6, m_theme.scaled(16)),
                     Qt::AlignRight | Qt::AlignVCenter, bytesText(m_most));
    painter.setFont(m_theme.font(FontRole::Text));
    QString text = head();
    if (taken != nullptr && taken != order) text += tr("; dashed: the order that was taken");
    const QRectF line(orderMargin, 0, width() - 2 * orderMargin, m_theme.scaled(orderHead));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     elided(QFontMetricsF(painter.font()), text, Qt::ElideRight, line.width()));
}

} // namespace dynascope::views
