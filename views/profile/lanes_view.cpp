// SPDX-License-Identifier: BSD-3-Clause
#include "views/profile/lanes_view.h"

#include "views/theme/picture.h"
#include "views/workspace/labels.h"

#include <QFontMetricsF>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

constexpr double closestNs = 20; ///< that a view shows at least

} // namespace

LanesView::LanesView(Theme& theme, QWidget* parent)
    : TimeAxisView(parent)
    , m_theme(theme) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Profile over time"));
    offerPicture(*this, QStringLiteral("profile"));
    viewport()->setMouseTracking(true);
    connect(&theme, &Theme::changed, this, [this] {
        layOut();
        viewport()->update();
    });
}

QSize LanesView::sizeHint() const {
    return {900, m_theme.scaled(220)};
}

void LanesView::setLanes(ProfileLanesPtr lanes) {
    if (lanes == m_lanes) return;
    m_lanes = std::move(lanes);
    m_selected = m_hover = profile::none;
    m_lit.clear();
    layOut();
    verticalScrollBar()->setValue(0);
    setStep(profile::allSteps);
}

void LanesView::layOut() {
    m_rows.clear();
    m_titles.clear();
    m_contentHeight = m_breaksHeight = 0;
    if (m_lanes) {
        const int gap = m_theme.scaled(6);
        if (!m_lanes->breaks.empty()) m_breaksHeight = rowHeight() + gap;
        int y = m_breaksHeight + gap / 2;
        for (std::size_t lane = 0; lane < m_lanes->lanes.size(); ++lane) {
            m_titles.push_back(y);
            for (std::size_t row = 0; row < m_lanes->lanes[lane].rows.size(); ++row) {
                m_rows.push_back({y, lane, row});
                y += rowHeight();
            }
            y += gap;
        }
        m_contentHeight = y;
    }
    updateBar();
    viewport()->update();
}

void LanesView::updateBar() {
    const int page = std::max(viewport()->height() - rulerHeight(), 1);
    verticalScrollBar()->setRange(0, std::max(0, m_contentHeight - page));
    verticalScrollBar()->setPageStep(page);
    verticalScrollBar()->setSingleStep(rowHeight());
}

void LanesView::setStep(int step) {
    m_from = 0;
    m_to = 1;
    if (m_lanes) {
        const std::vector<profile::Step>& steps = profile().steps;
        m_to = double(std::max<std::int64_t>(profile().duration, 1));
        if (step >= 0 && std::size_t(step) < steps.size()) {
            m_from = double(steps[std::size_t(step)].start);
            m_to = m_from + double(std::max<std::int64_t>(steps[std::size_t(step)].duration, 1));
        }
    }
    zoomAll();
}

void LanesView::setView(double left, double perNs) {
    const double whole = m_lanes ? double(std::max<std::int64_t>(profile().duration, 1)) : 1;
    const double width = std::max(viewport()->width() - titleWidth(), 1);
    m_perNs = std::clamp(perNs, width / (whole * 1.05), width / closestNs);
    const double shown = width / m_perNs, room = shown * 0.02;
    m_left = std::clamp(left, std::min(-room, whole - shown), std::max(-room, whole + room - shown));
    m_width = viewport()->width();
    viewport()->update();
}

void LanesView::zoomAll() {
    const double room = (m_to - m_from) * 0.01;
    setView(m_from - room, std::max(viewport()->width() - titleWidth(), 1) / (m_to - m_from + 2 * room));
}

void LanesView::zoomBy(double factor, double x) {
    const double time = timeAt(std::max(x, double(titleWidth()))), was = m_perNs;
    setView(m_left, m_perNs * factor);
    if (m_perNs != was) setView(time - (std::max(x, double(titleWidth())) - titleWidth()) / m_perNs, m_perNs);
}

void LanesView::zoomTo(std::uint32_t event) {
    if (!m_lanes || event == profile::none) return;
    const double duration = std::max(double(at(event).duration), closestNs / 2);
    setView(double(at(event).start) - duration * 0.25,
            std::max(viewport()->width() - titleWidth(), 1) / (duration * 1.5));
}

void LanesView::zoomBetween(std::uint32_t before, std::uint32_t after) {
    if (!m_lanes || before == profile::none || after == profile::none) return;
    const double from = double(at(before).end()), to = double(at(after).start);
    const double span = std::max(to - from, closestNs / 2);
    select(after);
    setView(from - span * 0.5, std::max(viewport()->width() - titleWidth(), 1) / (span * 2));
}

void LanesView::panBy(double pixels) {
    setView(m_left + pixels / m_perNs, m_perNs);
}

void LanesView::resizeEvent(QResizeEvent* /*event*/) {
    updateBar();
    const int before = m_width - titleWidth(), now = viewport()->width() - titleWidth();
    if (m_width > 0 && before > 0 && now > 0)
        setView(m_left, m_perNs * now / before);
    else
        zoomAll();
}

void LanesView::scrollContentsBy(int /*dx*/, int /*dy*/) {
    viewport()->update();
}

void LanesView::light(const std::vector<std::uint32_t>& rows) {
    m_lit.clear();
    if (m_lanes && !rows.empty()) {
        m_lit.assign(m_lanes->joined->rows.size(), 0);
        for (const std::uint32_t row : rows)
            if (row < m_lit.size()) m_lit[row] = 1;
    }
    viewport()->update();
}

bool LanesView::isLit(std::uint32_t event) const {
    if (m_lit.empty()) return true;
    const std::uint32_t row = m_lanes->joined->rowOf[event];
    return row != profile::none && m_lit[row] != 0;
}

const LanesView::Row* LanesView::rowOf(std::uint32_t event) const {
    if (!m_lanes || event == profile::none) return nullptr;
    const auto before = [this](std::uint32_t a, std::int64_t start) { return at(a).start < start; };
    for (const Row& row : m_rows) {
        const std::vector<std::uint32_t>& list = events(row);
        auto found = std::lower_bound(list.begin(), list.end(), at(event).start, before);
        // Events without a length may begin together.
        for (; found != list.end() && at(*found).start == at(event).start; ++found)
            if (*found == event) return &row;
    }
    return nullptr;
}

QRectF LanesView::eventRect(std::uint32_t event) const {
    const Row* row = rowOf(event);
    if (!row) return {};
    return {xOf(double(at(event).start)), double(rulerHeight() + row->y - verticalScrollBar()->value()),
            double(at(event).duration) * m_perNs, double(rowHeight())};
}

std::uint32_t LanesView::eventAt(QPoint point) const {
    if (!m_lanes || point.x() < titleWidth() || point.y() < rulerHeight() + m_breaksHeight)
        return profile::none;
    const int y = point.y() - rulerHeight() + verticalScrollBar()->value();
    const auto below = std::ranges::upper_bound(m_rows, y, {}, &Row::y);
    if (below == m_rows.begin()) return profile::none;
    const Row& row = *std::prev(below);
    if (y >= row.y + rowHeight()) return profile::none;
    const double time = timeAt(point.x() + 0.5);
    const std::uint32_t hit = profile::eventAt(profile(), events(row), std::llround(time));
    if (hit != profile::none) return hit;
    // What is thinner than a pixel can be hit beside it.
    const double reach = 2 / m_perNs;
    const std::uint32_t near = profile::eventAt(profile(), events(row), std::llround(time + reach));
    if (near != profile::none) return near;
    const std::uint32_t past = profile::eventAt(profile(), events(row), std::llround(time - reach));
    return past;
}

std::vector<LanesView::Chip> LanesView::chips() const {
    std::vector<Chip> out;
    if (!m_lanes) return out;
    const QFontMetricsF metrics(m_theme.font(FontRole::CodeSmall));
    const double right = viewport()->width();
    double free = titleWidth();
    auto found = std::ranges::lower_bound(m_lanes->breaks, std::int64_t(std::floor(m_left)), {},
                                          &ProfileLanes::Break::time);
    while (found != m_lanes->breaks.end()) {
        const double x = xOf(double(found->time));
        if (x > right) break;
        const QString text = found->place.mid(found->place.lastIndexOf(u':'));
        const double width = metrics.horizontalAdvance(text) + m_theme.scaled(26);
        const double begin = std::max(x - width, double(titleWidth()));
        if (begin >= free) {
            out.push_back({QRectF(begin, rulerHeight() + 3, width, rowHeight() - 1),
                           int(found - m_lanes->breaks.begin())});
            free = begin + width + 3;
        }
        // One a pixel at most, however many there are.
        const auto next = std::int64_t(std::ceil(timeAt(std::max(std::floor(x) + 1, free))));
        found = std::lower_bound(found + 1, m_lanes->breaks.end(), next,
                                 [](const ProfileLanes::Break& one, std::int64_t t) { return one.time < t; });
    }
    return out;
}

int LanesView::breakAt(QPoint point) const {
    for (const Chip& chip : chips())
        if (chip.box.contains(point)) return chip.index;
    return -1;
}

void LanesView::select(std::uint32_t event, bool reveal) {
    m_selected = event;
    viewport()->update();
    if (!reveal || event == profile::none) return;
    QRectF box = eventRect(event);
    if (box.isNull()) return;
    if (box.width() < 3) {
        zoomTo(event);
        box = eventRect(event);
    }
    const double width = viewport()->width();
    if (box.right() < titleWidth() + 8 || box.left() > width - 8)
        panBy(box.left() - (titleWidth() + width) / 2);
    if (box.top() < rulerHeight() + m_breaksHeight || box.bottom() > viewport()->height())
        verticalScrollBar()->setValue(verticalScrollBar()->value() + int(box.top()) -
                                      (rulerHeight() + viewport()->height()) / 2);
}

QString LanesView::description(std::uint32_t event) const {
    const profile::Event& of = at(event);
    QStringList lines = {toQString(profile().nameOf(of))};
    QString times =
        tr("%1, from %2").arg(profileTime(double(of.duration)), profileTime(double(of.start) - m_from));
    if (of.self > 0 && of.self < double(of.duration)) times += tr(", its own %1").arg(profileTime(of.self));
    if (of.open) times += tr(", its end is missing");
    lines << times;
    if (const int step = profile().stepOf(of); step >= 0 && !profile().steps.empty())
        lines << tr("step %1 of %2").arg(step + 1).arg(profile().steps.size());
    const std::uint32_t row = m_lanes->joined->rowOf[event];
    if (row != profile::none) lines << m_lanes->words[row];
    return lines.join(u'\n');
}

} // namespace dynascope::views
