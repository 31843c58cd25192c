// SPDX-License-Identifier: BSD-3-Clause
#include "views/functionalize/step_strips.h"

#include "views/functionalize/op_story.h"
#include "views/theme/shown_text.h"
#include "views/values/value_text.h"
#include "views/workspace/labels.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace dynascope::views {

namespace {
constexpr int ownPoints = 12; ///< pixels between ops from which each is a point of its own
}

OpStrip::OpStrip(Stepper& stepper, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_stepper(stepper)
    , m_theme(theme) {
    setObjectName(QStringLiteral("opStrip"));
    setMouseTracking(true);
    setCursor(Qt::PointingHandCursor);
    connect(&m_stepper, &Stepper::moved, this, [this] { update(); });
}

QSize OpStrip::sizeHint() const {
    return {m_theme.scaled(400), m_theme.scaled(34)};
}

double OpStrip::xOf(int op) const {
    const int count = std::max(2, m_stepper.opCount()), margin = m_theme.scaled(16);
    // Few ops stay together: a track across a wide window would tear them apart.
    const double step = std::min((width() - 2.0 * margin) / (count - 1), double(m_theme.scaled(73)));
    return width() - margin - step * (count - 1 - op);
}

QPoint OpStrip::opPoint(int op) const {
    return {int(std::lround(xOf(op))), height() / 2};
}

int OpStrip::opAt(QPoint point) const {
    const int count = m_stepper.opCount();
    if (count == 0) return -1;
    const double step = count > 1 ? xOf(1) - xOf(0) : 1;
    const int op = int(std::lround((point.x() - xOf(0)) / step));
    return op >= 0 && op < count ? op : -1;
}

void OpStrip::paintEvent(QPaintEvent*) {
    const computed::FunctionalRecording* recording = m_stepper.recording();
    if (!recording) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    const int count = recording->opCount(), current = m_stepper.op();
    const double y = height() / 2.0 + 0.5;
    painter.setPen(QPen(c.line2, 1.5));
    painter.drawLine(QPointF(xOf(0), y), QPointF(xOf(count - 1), y));
    painter.setPen(QPen(c.accent, 2));
    painter.drawLine(QPointF(xOf(0), y), QPointF(xOf(current), y));
    const double step = count > 1 ? xOf(1) - xOf(0) : 100;
    const bool apart = step >= ownPoints;
    for (int op = 0; op < count; ++op) {
        if (op == current) continue;
        const bool writes = recording->writes(op);
        if (!apart && !writes) continue;
        QColor colour = c.op(ir::opKind(recording->source(op)));
        if (op > current) colour.setAlphaF(0.5F);
        const QPointF at(xOf(op), y);
        const double r = apart ? 5 : 2;
        painter.setPen(Qt::NoPen);
        if (op > current) {
            painter.setBrush(c.bg2);
            painter.drawEllipse(at, r, r);
        }
        painter.setBrush(colour);
        painter.drawEllipse(at, r, r);
        if (writes && apart) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(colour, 1));
            painter.drawEllipse(at, 8, 8);
        }
    }
    const QPointF at(xOf(current), y);
    painter.setPen(QPen(c.bg2, 2));
    painter.setBrush(c.accent);
    QFont font = m_theme.font(FontRole::Strong);
    font.setPixelSize(m_theme.scaled(10));
    const QString number = QString::number(current);
    const double half = std::max(8.0, QFontMetrics(font).horizontalAdvance(number) / 2.0 + 4);
    painter.drawRoundedRect(QRectF(at.x() - half, at.y() - 8, 2 * half, 16), 8, 8);
    painter.setFont(font);
    painter.setPen(c.bg1);
    painter.drawText(QRectF(at.x() - half, at.y() - 8, 2 * half, 16), Qt::AlignCenter, number);
}

void OpStrip::mousePressEvent(QMouseEvent* event) {
    if (const int op = opAt(event->position().toPoint()); op >= 0 && event->button() == Qt::LeftButton)
        m_stepper.goTo(op);
}

void OpStrip::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton)) return;
    if (const int op = opAt(event->position().toPoint()); op >= 0) m_stepper.goTo(op);
}

bool OpStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const int op = opAt(help->pos());
    if (op < 0 || !m_stepper.recording()) return true;
    const ir::Node& node = m_stepper.recording()->source(op);
    QToolTip::showText(
        help->globalPos(),
        plainToolTip(QStringLiteral("%1: %2").arg(
            tr("op %1").arg(op), toQString(node.name) + QStringLiteral(" = ") + callText(node))),
        this);
    return true;
}

PhaseStrip::PhaseStrip(Stepper& stepper, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_stepper(stepper)
    , m_theme(theme) {
    setObjectName(QStringLiteral("phaseStrip"));
    connect(&m_stepper, &Stepper::moved, this, [this] { update(); });
}

QSize PhaseStrip::sizeHint() const {
    return {m_theme.scaled(500), m_theme.scaled(50)};
}

std::vector<QRect> PhaseStrip::rects() const {
    std::vector<QRect> out;
    const QFontMetrics strong(m_theme.font(FontRole::Strong)), mono(m_theme.font(FontRole::CodeSmall));
    std::vector<int> widths, least;
    const int gap = m_theme.scaled(12);
    const computed::FunctionalRecording* recording = m_stepper.recording();
    for (int i = 0; i < m_stepper.phaseCount(); ++i) {
        const computed::OpPhase& phase = recording->phases(m_stepper.op())[std::size_t(i)];
        const int word = strong.horizontalAdvance(Stepper::phaseName(phase.kind)) + m_theme.scaled(42);
        least.push_back(word);
        widths.push_back(word + mono.horizontalAdvance(m_stepper.phaseDetail(i)) + m_theme.scaled(10));
    }
    const int left = m_theme.scaled(182);
    const int room = width() - left - m_theme.scaled(16) - gap * (int(widths.size()) - 1);
    // Where they do not fit, the longest details are cut first: the words stay.
    int over = std::accumulate(widths.begin(), widths.end(), -room);
    while (over > 0) {
        const auto widest = std::max_element(widths.begin(), widths.end());
        const int word = least[std::size_t(widest - widths.begin())];
        if (*widest <= word) break;
        int second = word;
        for (auto w = widths.begin(); w != widths.end(); ++w)
            if (w != widest && *w < *widest) second = std::max(second, *w);
        const int cut = std::clamp(*widest - second, 1, over);
        *widest -= cut;
        over -= cut;
    }
    int x = left;
    for (const int w : widths) {
        out.emplace_back(x, (height() - m_theme.scaled(30)) / 2, w, m_theme.scaled(30));
        x += w + gap;
    }
    return out;
}

QRect PhaseStrip::phaseRect(int phase) const {
    const auto all = rects();
    return phase >= 0 && std::size_t(phase) < all.size() ? all[std::size_t(phase)] : QRect();
}

void PhaseStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    painter.fillRect(rect(), c.bg1);
    painter.setPen(c.line);
    painter.drawLine(0, height() - 1, width(), height() - 1);
    const computed::FunctionalRecording* recording = m_stepper.recording();
    if (!recording) return;
    const int left = m_theme.scaled(16), line = m_theme.scaled(18), top = (height() - 2 * line) / 2;
    const int nameRoom = m_theme.scaled(158);
    painter.setFont(m_theme.font(FontRole::NodeName));
    painter.setPen(c.text);
    painter.drawText(QRect(left, top, nameRoom, line), Qt::AlignLeft | Qt::AlignVCenter,
                     elided(painter.fontMetrics(), toQString(recording->statementText(m_stepper.op())),
                            Qt::ElideMiddle, nameRoom));
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text2);
    painter.drawText(QRect(left, top + line, nameRoom, line), Qt::AlignLeft | Qt::AlignVCenter,
                     m_stepper.whereText().replace(QStringLiteral(" · "), QStringLiteral(", ")));
    const auto all = rects();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QRectF box = QRectF(all[i]).adjusted(0.5, 0.5, -0.5, -0.5);
        const bool here = int(i) == m_stepper.phase(), done = int(i) < m_stepper.phase();
        if (i > 0) {
            painter.setPen(QPen(c.line2, 1.5));
            painter.drawLine(QPointF(all[i - 1].right() + 1, box.center().y()),
                             QPointF(box.left(), box.center().y()));
        }
        painter.setPen(QPen(here ? c.accent : c.line2, here ? 1.5 : 1));
        painter.setBrush(here ? c.accentBg : c.bg2);
        painter.drawRoundedRect(box, 4, 4);
        const QPointF disc(box.left() + m_theme.scaled(17), box.center().y());
        const double r = m_theme.scaled(8);
        painter.setPen(Qt::NoPen);
        painter.setBrush(here ? c.accent : c.bg3);
        painter.drawEllipse(disc, r, r);
        if (done) {
            painter.setPen(QPen(c.text2, 1.5, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            painter.drawPolyline(
                QPolygonF{disc + QPointF(-3, 0), disc + QPointF(-0.8, 2.4), disc + QPointF(3.2, -2.4)});
        } else {
            QFont number = m_theme.font(FontRole::Strong);
            number.setPixelSize(m_theme.scaled(10));
            painter.setFont(number);
            painter.setPen(here ? c.bg1 : c.text2);
            painter.drawText(QRectF(disc.x() - r, disc.y() - r, 2 * r, 2 * r), Qt::AlignCenter,
                             QString::number(i + 1));
        }
        const computed::OpPhase& phase = recording->phases(m_stepper.op())[i];
        painter.setFont(m_theme.font(FontRole::Strong));
        painter.setPen(done || here ? c.text : c.text2);
        int x = int(box.left()) + m_theme.scaled(31);
        const QString name = Stepper::phaseName(phase.kind);
        painter.drawText(QRectF(x, box.top(), box.width(), box.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         name);
        x += painter.fontMetrics().horizontalAdvance(name) + m_theme.scaled(8);
        painter.setFont(m_theme.font(FontRole::CodeSmall));
        painter.setPen(c.text2);
        const int room = int(box.right()) - m_theme.scaled(8) - x;
        painter.drawText(QRectF(x, box.top(), room, box.height()), Qt::AlignLeft | Qt::AlignVCenter,
                         elided(painter.fontMetrics(), m_stepper.phaseDetail(int(i)), Qt::ElideRight, room));
    }
}

void PhaseStrip::mousePressEvent(QMouseEvent* event) {
    const auto all = rects();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].contains(event->position().toPoint())) m_stepper.goTo(m_stepper.op(), int(i));
}

bool PhaseStrip::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const auto all = rects();
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i].contains(help->pos())) {
            const computed::OpPhase& phase = m_stepper.recording()->phases(m_stepper.op())[i];
            QToolTip::showText(help->globalPos(),
                               plainToolTip(Stepper::phaseHelp(phase.kind) + QStringLiteral("\n\n") +
                                            m_stepper.phaseDetail(int(i))),
                               this);
        }
    return true;
}

} // namespace dynascope::views
