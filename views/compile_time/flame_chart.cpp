// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/flame_chart.h"

#include "views/workspace/labels.h"

#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {

constexpr double narrowestUs = 1;   // of a whole view: closer in, clocks mean nothing
constexpr int barSteps = 100'000;   // of the horizontal scroll bar: a zoomed chart is wider than an int
constexpr double fewestPixels = 40; // of a span that somebody looks for
constexpr int widestTitle = 190;    // of a lane, at the left
constexpr int leastTimeWidth = 240; // that words at the right of lanes leave to time

} // namespace

FlameChart::FlameChart(Theme& theme, QWidget* parent)
    : TimeAxisView(parent)
    , m_theme(theme)
    , m_tree(std::make_shared<const session::SpanTree>()) {
    setObjectName(QStringLiteral("flameChart"));
    setAccessibleName(tr("Flame chart of compile time"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    viewport()->setMouseTracking(true);
    connect(&m_theme, &Theme::changed, this, &FlameChart::layOut);
}

QSize FlameChart::sizeHint() const {
    return {640, rulerHeight() + 10 * rowHeight()};
}

int FlameChart::rulerHeight() const {
    return m_theme.scaled(22);
}

int FlameChart::rowHeight() const {
    return m_theme.scaled(18);
}

void FlameChart::setTree(session::SessionPtr session, SpanTreePtr tree, bool merged, FlameWords words) {
    m_session = std::move(session);
    m_tree = std::move(tree);
    m_words = std::move(words);
    m_merged = merged;
    m_severalCompiles = false;
    int before = -1;
    for (std::size_t i = 0; m_tree && !hasOwnLanes() && i < m_tree->spans.size(); ++i) {
        const session::Span& s = m_tree->spans[i];
        const int compile = s.depth == 0 ? compileOf(int(i)) : -1;
        if (compile < 0) continue;
        m_severalCompiles = m_severalCompiles || (before >= 0 && compile != before);
        before = compile;
    }
    m_hover = -1;
    m_outlined = -1;
    m_matching.clear();
    m_matches = 0;
    m_markedTo = m_markedFrom - 1;
    const bool hadSelection = std::exchange(m_selected, -1) >= 0;
    layOut();
    zoomAll();
    verticalScrollBar()->setValue(0);
    if (hadSelection) emit selectionChanged(-1);
}

int FlameChart::compileOf(int index) const {
    if (std::size_t(index) < m_words.compiles.size()) return m_words.compiles[std::size_t(index)];
    const std::size_t event = span(index).event;
    return event < m_session->timings.size() ? m_session->timings[event].compile : -1;
}

void FlameChart::layOut() {
    m_rows.clear();
    m_titles.clear();
    m_firstRow.clear();
    m_titleWidth = m_endWidth = 0;
    const QFontMetrics metrics(m_theme.font(FontRole::Text));
    for (const FlameWords::Lane& lane : m_words.lanes) {
        m_titleWidth = std::max(m_titleWidth, metrics.horizontalAdvance(lane.title) + m_theme.scaled(20));
        m_endWidth = std::max(m_endWidth, metrics.horizontalAdvance(lane.end) + m_theme.scaled(20));
    }
    m_titleWidth = std::min(m_titleWidth, m_theme.scaled(widestTitle));
    int y = hasOwnLanes() ? m_theme.scaled(3) : 0;
    for (const session::SpanLane& lane : m_tree->lanes) {
        if (m_tree->lanes.size() > 1 && !hasOwnLanes()) {
            QString text = tr("rank %1").arg(lane.rank);
            if (lane.tid != 0) text += tr(", thread %1").arg(lane.tid);
            if (lane.overlaps) text += tr(", at the same time");
            m_titles.push_back({y, text});
            y += rowHeight();
        }
        m_firstRow.push_back(m_rows.size());
        for (int level = 0; level < lane.levels; ++level) {
            m_rows.push_back({y, {}});
            y += rowHeight();
        }
        if (hasOwnLanes()) y += m_theme.scaled(4);
    }
    for (std::size_t i = 0; i < m_tree->spans.size(); ++i) {
        const session::Span& s = m_tree->spans[i];
        m_rows[m_firstRow[std::size_t(s.lane)] + std::size_t(s.depth)].spans.push_back(int(i));
    }
    m_contentHeight = y;
    updateBars();
    viewport()->update();
}

const FlameChart::Row& FlameChart::rowOf(const session::Span& s) const {
    return m_rows[m_firstRow[std::size_t(s.lane)] + std::size_t(s.depth)];
}

double FlameChart::wholeUs() const {
    return std::max(narrowestUs, m_tree->endUs - m_tree->startUs);
}

int FlameChart::timeRight() const {
    const int width = viewport()->width();
    return width - (width - m_titleWidth - m_endWidth < m_theme.scaled(leastTimeWidth) ? 0 : m_endWidth);
}

double FlameChart::rightUs() const {
    return usAt(timeRight());
}

void FlameChart::setView(double left, double perUs) {
    m_width = timeWidth();
    const double width = m_width;
    m_perUs = std::clamp(perUs, width / wholeUs(), width / narrowestUs);
    m_left = std::clamp(left, m_tree->startUs,
                        std::max(m_tree->startUs, m_tree->startUs + wholeUs() - width / m_perUs));
    updateBars();
    viewport()->update();
}

void FlameChart::updateBars() {
    m_updatingBars = true;
    const int room = std::max(1, viewport()->height() - rulerHeight());
    verticalScrollBar()->setRange(0, std::max(0, m_contentHeight - room));
    verticalScrollBar()->setPageStep(room);
    verticalScrollBar()->setSingleStep(rowHeight());
    const double shown = timeWidth() / m_perUs / wholeUs();
    const int range = shown >= 0.999999 ? 0 : std::max(1, int(barSteps * (1 - shown)));
    horizontalScrollBar()->setRange(0, range);
    horizontalScrollBar()->setPageStep(std::max(1, int(barSteps * std::min(1.0, shown))));
    horizontalScrollBar()->setSingleStep(std::max(1, horizontalScrollBar()->pageStep() / 10));
    horizontalScrollBar()->setValue(int(std::lround((m_left - m_tree->startUs) / wholeUs() * barSteps)));
    m_updatingBars = false;
}

void FlameChart::scrollContentsBy(int dx, int /*dy*/) {
    if (!m_updatingBars && dx != 0)
        setView(m_tree->startUs + horizontalScrollBar()->value() * wholeUs() / barSteps, m_perUs);
    viewport()->update();
}

void FlameChart::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    // What was all stays all. The event's old size is unknown where the widget was hidden.
    const bool all = m_width <= 0 || m_width / m_perUs >= wholeUs() * 0.999;
    all ? setView(m_tree->startUs, 0) : setView(m_left, m_perUs);
}

void FlameChart::zoomBy(double factor, double x) {
    x = std::max(x, double(m_titleWidth));
    const double us = usAt(x), width = timeWidth();
    const double perUs = std::clamp(m_perUs * factor, width / wholeUs(), width / narrowestUs);
    setView(us - (x - m_titleWidth) / perUs, perUs);
}

void FlameChart::zoomAll() {
    setView(m_tree->startUs, 0);
}

void FlameChart::zoomTo(int index) {
    if (index < 0 || index >= int(m_tree->spans.size())) return zoomAll();
    const session::Span& s = span(index);
    const double margin = s.totalUs() * 0.02 + 0.5;
    setView(s.startUs - margin, timeWidth() / (s.totalUs() + 2 * margin));
}

void FlameChart::panBy(double pixels) {
    setView(m_left + pixels / m_perUs, m_perUs);
}

void FlameChart::select(int index, bool reveal) {
    if (index >= int(m_tree->spans.size())) index = -1;
    const bool changed = index != m_selected;
    m_selected = index;
    if (m_outlined >= 0 && (index < 0 || int(span(index).name) != m_outlined)) m_outlined = -1;
    if (index >= 0 && reveal) {
        const session::Span& s = span(index);
        const double width = timeWidth();
        double perUs = m_perUs;
        if (s.totalUs() * perUs < fewestPixels && s.totalUs() > 0) perUs = fewestPixels * 4 / s.totalUs();
        const bool inView = perUs == m_perUs && s.endUs > m_left && s.startUs < rightUs();
        if (!inView) setView((s.startUs + s.endUs) / 2 - width / perUs / 2, perUs);
        const int y = rowOf(s).y, room = viewport()->height() - rulerHeight();
        if (y < verticalScrollBar()->value()) verticalScrollBar()->setValue(y);
        if (y + rowHeight() > verticalScrollBar()->value() + room)
            verticalScrollBar()->setValue(y + rowHeight() - room);
    }
    viewport()->update();
    setAccessibleDescription(index < 0 ? QString() : description(index));
    if (changed) emit selectionChanged(index);
}

void FlameChart::selectLongest(std::uint32_t name) {
    int best = -1;
    for (std::size_t i = 0; i < m_tree->spans.size(); ++i)
        if (span(int(i)).name == name && (best < 0 || span(int(i)).totalUs() > span(best).totalUs()))
            best = int(i);
    if (best < 0) return;
    select(best, true);
    m_outlined = int(name);
}

void FlameChart::setSearch(const QString& text) {
    m_matching.clear();
    m_matches = 0;
    if (!text.isEmpty()) {
        m_matching.reserve(m_tree->names.size());
        for (const std::string& name : m_tree->names)
            m_matching.push_back(toQString(name).contains(text, Qt::CaseInsensitive) ? 1 : 0);
        for (const session::Span& s : m_tree->spans)
            m_matches += m_matching[s.name] ? s.count : 0;
    }
    viewport()->update();
}

bool FlameChart::fades(const session::Span& s) const {
    return !m_matching.empty() && !m_matching[s.name];
}

void FlameChart::stepMatch(int direction) {
    if (m_matches == 0) return;
    const int count = int(m_tree->spans.size());
    int at = m_selected >= 0 ? m_selected : direction > 0 ? count - 1 : 0;
    do
        at = (at + direction + count) % count;
    while (fades(span(at)));
    select(at, true);
}

QString FlameChart::boxName(int index) const {
    const session::Span& s = span(index);
    QString name = toQString(m_tree->nameOf(s));
    const int compile = compileOf(index);
    if (m_merged || !m_severalCompiles || s.depth > 0 || compile < 0) return name;
    return toQString(m_session->compiles[std::size_t(compile)].id.toString()) + u' ' + name;
}

void FlameChart::setCompile(int compile) {
    m_markedFrom = 0;
    m_markedTo = -1;
    for (std::size_t i = 0; i < m_tree->spans.size(); ++i) {
        const session::Span& s = m_tree->spans[i];
        if (m_merged || compile < 0 || compileOf(int(i)) != compile) continue;
        m_markedFrom = m_markedTo < m_markedFrom ? s.startUs : std::min(m_markedFrom, s.startUs);
        m_markedTo = std::max(m_markedTo, s.endUs);
    }
    viewport()->update();
}

QRectF FlameChart::spanRect(int index) const {
    if (index < 0 || index >= int(m_tree->spans.size())) return {};
    const session::Span& s = span(index);
    return {xOf(s.startUs), double(rulerHeight() + rowOf(s).y - verticalScrollBar()->value()),
            std::max(1.0, s.totalUs() * m_perUs), double(rowHeight())};
}

int FlameChart::spanAt(QPoint point) const {
    if (point.y() < rulerHeight() || point.x() < m_titleWidth || point.x() > timeRight()) return -1;
    const int y = point.y() - rulerHeight() + verticalScrollBar()->value();
    const auto row = std::find_if(m_rows.begin(), m_rows.end(),
                                  [&](const Row& r) { return y >= r.y && y < r.y + rowHeight(); });
    if (row == m_rows.end()) return -1;
    const double us = usAt(point.x()), slack = 1.5 / m_perUs;
    const auto at =
        std::partition_point(row->spans.begin(), row->spans.end(), [&](int i) { return span(i).endUs < us; });
    if (at != row->spans.end() && span(*at).startUs <= us) return *at;
    // A span of a pixel or less is hard to hit.
    if (at != row->spans.end() && span(*at).startUs <= us + slack) return *at;
    if (at != row->spans.begin() && span(*std::prev(at)).endUs >= us - slack) return *std::prev(at);
    return -1;
}

QString FlameChart::description(int index) const {
    if (index < 0 || index >= int(m_tree->spans.size())) return {};
    if (std::size_t(index) < m_words.tips.size()) return m_words.tips[std::size_t(index)];
    const session::Span& s = span(index);
    QStringList lines{toQString(m_tree->nameOf(s))};
    lines << tr("%1 in all, %2 of its own").arg(durationText(s.totalUs()), durationText(s.selfUs));
    const auto share = [](double part, double whole) {
        return QString::number(whole > 0 ? part / whole * 100 : 0, 'f', 1) + QStringLiteral(" %");
    };
    if (s.parent >= 0)
        lines << tr("%1 of %2")
                     .arg(share(s.totalUs(), span(s.parent).totalUs()),
                          toQString(m_tree->nameOf(span(s.parent))));
    if (s.count > 1)
        lines << tr("%1, the longest %2")
                     .arg(countText(s.count, tr("event"), tr("events")),
                          durationText(m_session->timings[s.event].durationUs));
    if (const int of = compileOf(index); of >= 0 && std::size_t(of) < m_session->compiles.size()) {
        const session::Compile& compile = m_session->compiles[std::size_t(of)];
        QString where = toQString(compile.id.toString()) + u' ' + frameText(compile);
        if (m_session->ranks.size() > 1) where += tr(", rank %1").arg(compile.rank);
        lines << where;
    }
    lines << toQString(session::compilerPartName(s.part));
    if (s.open) lines << tr("The log ends before this event does.");
    return lines.join(u'\n');
}

} // namespace dynascope::views
