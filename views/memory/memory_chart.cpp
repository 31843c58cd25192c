// SPDX-License-Identifier: BSD-3-Clause
#include "views/memory/memory_chart.h"

#include "views/theme/picture.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {
constexpr double curveShare = 0.26; ///< of the height
constexpr double leastShown = 4;    ///< moments
constexpr double leastBytes = 512;
} // namespace

void MemoryChart::Axis::zoom(double factor, double at) {
    const double length = std::clamp((to - from) * factor, std::min(whole, least), whole);
    const double share = (at - from) / (to - from);
    from = std::clamp(at - share * length, start, start + whole - length);
    to = from + length;
}

void MemoryChart::Axis::move(double by) {
    const double length = to - from;
    from = std::clamp(from + by, start, start + whole - length);
    to = from + length;
}

MemoryChart::MemoryChart(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_theme(theme) {
    offerPicture(*this, QStringLiteral("memory"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAccessibleName(tr("Memory by address and event"));
    connect(&theme, &Theme::changed, this, [this] {
        m_layer = {};
        viewChanged();
    });
}

void MemoryChart::setContent(Content content) {
    const bool same = content.timeline && content.timeline == m_timeline;
    const bool sameAxis = same && content.positions == m_content.positions;
    m_content = std::move(content);
    m_timeline = m_content.timeline;
    m_layer = {};
    if (!same) {
        m_index = m_timeline ? session::LifeIndex(m_timeline->lives) : session::LifeIndex();
        m_live.reset();
        m_selected = SIZE_MAX;
        m_peak = m_timeline ? m_timeline->peak() : 0;
        m_moment = m_peak;
    }
    if (!sameAxis) return fit();
    viewChanged();
}

void MemoryChart::setMoment(std::size_t moment) {
    if (!m_timeline) return;
    moment = std::min(moment, m_timeline->moments() - 1);
    if (moment == m_moment) return;
    m_moment = moment;
    const double at = positionOf(double(moment) + 0.5);
    if (at < m_time.from || at > m_time.to) {
        m_time.move(at - (m_time.from + m_time.to) / 2);
        m_picture = {};
    }
    update();
    emit momentChanged(m_moment);
}

void MemoryChart::setLive(std::optional<std::size_t> moment) {
    if (std::exchange(m_live, moment) != moment) update();
}

void MemoryChart::select(std::size_t life) {
    if (!m_timeline || (life != SIZE_MAX && life >= m_timeline->lives.size())) life = SIZE_MAX;
    if (life == m_selected) return;
    m_selected = life;
    update();
    emit selectionChanged(m_selected);
}

double MemoryChart::beginOfTime() const {
    return m_content.positions.empty() ? 0 : m_content.positions.front();
}

void MemoryChart::fit() {
    const double moments = m_timeline ? double(m_timeline->moments()) : 1;
    const double begin = beginOfTime();
    const double end =
        m_content.positions.empty() ? moments : std::max(m_content.positions.back(), begin + 1e-3);
    const double bytes = m_timeline ? std::max(double(m_timeline->height), leastBytes) : 1;
    m_time = {begin, end, begin, end - begin, (end - begin) / moments * std::min(leastShown, moments)};
    m_place = {0, bytes, 0, bytes, std::min(bytes, leastBytes / 64)};
    viewChanged();
}

void MemoryChart::viewChanged() {
    m_picture = {};
    update();
}

QSize MemoryChart::minimumSizeHint() const {
    return {m_theme.scaled(320), m_theme.scaled(220)};
}

QRectF MemoryChart::blocksArea() const {
    const int left = m_theme.scaled(70), top = m_theme.scaled(26), bottom = m_theme.scaled(24);
    const double all = height() - top - bottom - m_theme.scaled(14);
    return {double(left), double(top), double(width() - left - m_theme.scaled(14)), all * (1 - curveShare)};
}

QRectF MemoryChart::curveArea() const {
    const QRectF blocks = blocksArea();
    const double top = blocks.bottom() + m_theme.scaled(14);
    return {blocks.left(), top, blocks.width(), height() - m_theme.scaled(24) - top};
}

double MemoryChart::positionOf(double moment) const {
    const std::vector<double>& at = m_content.positions;
    if (at.empty()) return moment;
    const double inside = std::clamp(moment, 0.0, double(at.size() - 1));
    const auto before = std::min(std::size_t(inside), at.size() - 1);
    const std::size_t after = std::min(before + 1, at.size() - 1);
    return at[before] + (at[after] - at[before]) * (inside - double(before));
}

double MemoryChart::xAt(double position) const {
    const QRectF area = blocksArea();
    return area.left() + (position - m_time.from) / (m_time.to - m_time.from) * area.width();
}

double MemoryChart::positionAt(double x) const {
    const QRectF area = blocksArea();
    return m_time.from + (x - area.left()) / std::max(area.width(), 1.0) * (m_time.to - m_time.from);
}

double MemoryChart::momentOf(double position) const {
    const std::vector<double>& at = m_content.positions;
    if (at.empty()) return position;
    const auto above = std::upper_bound(at.begin(), at.end(), position);
    if (above == at.begin()) return 0;
    const auto before = above - 1;
    const double width = above == at.end() ? 0 : *above - *before;
    return double(before - at.begin()) + (width > 0 ? (position - *before) / width : 0);
}

QRectF MemoryChart::rectOf(std::size_t life) const {
    const session::MemoryLife& held = m_timeline->lives[life];
    const QRectF area = blocksArea();
    const double scale = area.height() / (m_place.to - m_place.from);
    const double bottom = area.bottom() - (double(held.place) - m_place.from) * scale;
    const double tall = std::max(double(held.bytes) * scale, 1.0);
    const double left = xOf(double(held.begin)), right = xOf(double(held.end));
    return {left, bottom - tall, std::max(right - left, 1.0), tall};
}

std::size_t MemoryChart::lifeAt(QPointF point) const {
    if (!m_timeline || !blocksArea().contains(point)) return SIZE_MAX;
    std::size_t found = SIZE_MAX;
    forEachBetween(point.x(), point.x(), [&](std::size_t life) {
        if ((found == SIZE_MAX || life > found) && rectOf(life).adjusted(0, 0, 0, 1).contains(point))
            found = life;
    });
    return found;
}

void MemoryChart::resizeEvent(QResizeEvent*) {
    m_picture = {};
    m_layer = {};
}

bool MemoryChart::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::size_t life = lifeAt(help->pos());
        if (life == SIZE_MAX)
            QToolTip::hideText();
        else
            QToolTip::showText(help->globalPos(), m_content.tip(life), this);
        return true;
    }
    return QWidget::event(event);
}

void MemoryChart::wheelEvent(QWheelEvent* event) {
    const double turn = event->angleDelta().y() != 0 ? event->angleDelta().y() : event->angleDelta().x();
    if (!m_timeline || turn == 0) return event->ignore();
    const double factor = std::pow(0.8, turn / 120);
    const QRectF area = blocksArea();
    if (event->modifiers() & Qt::ShiftModifier) {
        // By whole pixels, so that what is drawn already moves along.
        const double pixels = std::round(turn / 120 * area.width() / 10);
        m_time.move(-pixels / std::max(area.width(), 1.0) * (m_time.to - m_time.from));
    } else if (event->modifiers() & Qt::ControlModifier) {
        const double share = (area.bottom() - event->position().y()) / std::max(area.height(), 1.0);
        m_place.zoom(factor, m_place.from + std::clamp(share, 0.0, 1.0) * (m_place.to - m_place.from));
    } else {
        m_time.zoom(factor, std::clamp(positionAt(event->position().x()), m_time.from, m_time.to));
    }
    viewChanged();
    event->accept();
}

void MemoryChart::mousePressEvent(QMouseEvent* event) {
    m_pressed = event->position();
    m_timePressed = m_time;
    m_placePressed = m_place;
    m_dragging = false;
}

void MemoryChart::mouseMoveEvent(QMouseEvent* event) {
    if (!(event->buttons() & Qt::LeftButton) || !m_timeline) return;
    const QPointF by = event->position() - m_pressed;
    if (!m_dragging && by.manhattanLength() < QApplication::startDragDistance()) return;
    m_dragging = true;
    const QRectF area = blocksArea();
    m_time = m_timePressed;
    m_time.move(-by.x() / std::max(area.width(), 1.0) * (m_time.to - m_time.from));
    m_place = m_placePressed;
    m_place.move(by.y() / std::max(area.height(), 1.0) * (m_place.to - m_place.from));
    viewChanged();
}

void MemoryChart::mouseReleaseEvent(QMouseEvent* event) {
    if (m_dragging || event->button() != Qt::LeftButton || !m_timeline) return;
    select(lifeAt(event->position()));
    const double moment = momentAt(event->position().x());
    if (event->position().x() >= blocksArea().left()) setMoment(std::size_t(std::max(moment, 0.0)));
}

void MemoryChart::keyPressEvent(QKeyEvent* event) {
    if (!m_timeline) return QWidget::keyPressEvent(event);
    const double middle = positionOf(double(m_moment) + 0.5);
    switch (event->key()) {
    case Qt::Key_Plus:
    case Qt::Key_Equal:
        m_time.zoom(0.5, std::clamp(middle, m_time.from, m_time.to));
        return viewChanged();
    case Qt::Key_Minus:
        m_time.zoom(2, std::clamp(middle, m_time.from, m_time.to));
        return viewChanged();
    case Qt::Key_0:
        return fit();
    case Qt::Key_Left:
        return setMoment(m_moment == 0 ? 0 : m_moment - 1);
    case Qt::Key_Right:
        return setMoment(m_moment + 1);
    case Qt::Key_Home:
        return setMoment(0);
    case Qt::Key_End:
        return setMoment(m_timeline->moments() - 1);
    case Qt::Key_P:
        return setMoment(m_peak);
    case Qt::Key_Escape:
        return select(SIZE_MAX);
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace dynascope::views
