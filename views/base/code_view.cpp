// SPDX-License-Identifier: BSD-3-Clause
//
// CodeView: content, geometry, folds and scrolling. Painting and input are in files of their own.
#include "views/base/code_view.h"

#include "views/base/code_view_strip.h"
#include "views/base/find_bar.h"
#include "views/theme/theme.h"

#include <QEvent>
#include <QFontMetricsF>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace dynascope::views {

namespace {
constexpr int foldContext = 3;  // rows kept open on each side of a difference
constexpr int foldAtLeast = 12; // a shorter run is cheaper to read than to open
constexpr int stripWidth = 8;
} // namespace

CodeView::CodeView(Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_theme(theme) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setCursor(Qt::IBeamCursor);
    setMinimumHeight(40);
    m_strip = new Strip(*this);
    m_findBar = new FindBar(theme, this);
    connect(m_findBar, &FindBar::textChanged, this, &CodeView::find);
    connect(m_findBar, &FindBar::stepped, this, &CodeView::findNext);
    connect(m_findBar, &FindBar::closed, this, [this] {
        m_matches.clear();
        m_match = -1;
        m_findText.clear();
        setFocus();
        viewport()->update();
        m_strip->update();
    });
    connect(&m_theme, &Theme::changed, this, [this] {
        metricsChanged();
        viewport()->update();
        m_strip->update();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, m_strip, qOverload<>(&QWidget::update));
    metricsChanged();
}

CodeView::~CodeView() = default;

QSize CodeView::sizeHint() const {
    return {int(m_charWidth * 40), m_rowHeight * 8};
}

void CodeView::setDocument(CodeDocumentPtr document, const Options& options) {
    std::vector<CodeRow> rows(document ? document->lines.size() : 0);
    for (std::size_t i = 0; i < rows.size(); ++i)
        rows[i].line[0] = int(i);
    setRows(std::move(document), nullptr, std::move(rows), options);
}

void CodeView::setRows(CodeDocumentPtr a, CodeDocumentPtr b, std::vector<CodeRow> rows,
                       const Options& options) {
    const bool samePlace = m_a == a && bool(m_b) == bool(b);
    const int scroll = samePlace ? verticalScrollBar()->value() : 0;
    m_a = std::move(a);
    m_b = std::move(b);
    m_rows = std::move(rows);
    m_options = options;
    for (int pane = 0; pane < 2; ++pane) {
        const CodeDocumentPtr& d = document(pane);
        auto& map = m_rowOfLine[std::size_t(pane)];
        map.assign(d ? d->lines.size() : 0, -1);
        for (std::size_t row = 0; row < m_rows.size(); ++row)
            if (const int line = m_rows[row].line[std::size_t(pane)]; line >= 0 && line < int(map.size()))
                map[std::size_t(line)] = int(row);
        if (!samePlace) {
            m_selectedLines[std::size_t(pane)].clear();
            m_relatedLines[std::size_t(pane)].clear();
        }
    }
    m_anchor = m_caret = {};
    m_hoverRow = -1;
    m_matches.clear();
    m_match = -1;
    m_folds.clear();
    setFolded(m_options.fold);
    metricsChanged();
    verticalScrollBar()->setValue(scroll);
    if (!samePlace) horizontalScrollBar()->setValue(0);
    if (m_findBar->isVisible() && !m_findText.isEmpty()) find(m_findText);
}

void CodeView::clear() {
    setRows(nullptr, nullptr, {}, {});
    m_marks = {};
}

void CodeView::setHighlight(int pane, std::set<int> selected, std::set<int> related) {
    m_selectedLines[std::size_t(pane)] = std::move(selected);
    m_relatedLines[std::size_t(pane)] = std::move(related);
    viewport()->update();
    m_strip->update();
}

void CodeView::setMarks(int pane, QHash<int, GutterMark> marks) {
    m_marks[std::size_t(pane)] = std::move(marks);
    metricsChanged();
    viewport()->update();
}

bool CodeView::isDifference(int row) const {
    switch (m_rows[std::size_t(row)].change) {
    case diff::Change::Same:
    case diff::Change::Respelled:
        return false;
    default:
        return true;
    }
}

void CodeView::setFolded(bool folded) {
    m_folds.clear();
    const int size = int(m_rows.size());
    const auto same = [this](int row) { return m_rows[std::size_t(row)].change == diff::Change::Same; };
    if (folded && !std::all_of(m_rows.begin(), m_rows.end(),
                               [](const CodeRow& r) { return r.change == diff::Change::Same; })) {
        for (int row = 0; row < size;) {
            if (!same(row)) {
                ++row;
                continue;
            }
            int end = row;
            while (end < size && same(end))
                ++end;
            const int first = row == 0 ? row : row + foldContext;
            const int last = end == size ? end : end - foldContext;
            if (last - first >= foldAtLeast) m_folds.emplace_back(first, last);
            row = end;
        }
    }
    rebuildShown();
}

void CodeView::rebuildShown() {
    m_shown.clear();
    m_shown.reserve(m_rows.size());
    auto fold = m_folds.begin();
    for (int row = 0; row < int(m_rows.size());) {
        if (fold != m_folds.end() && row == fold->first) {
            m_shown.push_back(-1 - row);
            row = fold->second;
            ++fold;
        } else {
            m_shown.push_back(row++);
        }
    }
    updateScrollBars();
    viewport()->update();
    m_strip->update();
}

void CodeView::unfold(int row) {
    const auto at = std::find_if(m_folds.begin(), m_folds.end(),
                                 [row](const auto& f) { return row >= f.first && row < f.second; });
    if (at == m_folds.end()) return;
    m_folds.erase(at);
    rebuildShown();
}

int CodeView::shownIndex(int row) const {
    const auto rowOf = [](int shown) { return shown < 0 ? -1 - shown : shown; };
    const auto at = std::upper_bound(m_shown.begin(), m_shown.end(), row,
                                     [&](int value, int shown) { return value < rowOf(shown); });
    return std::max(0, int(at - m_shown.begin()) - 1);
}

void CodeView::metricsChanged() {
    const QFont font = m_theme.font(FontRole::Code);
    const QFontMetricsF metrics(font);
    m_charWidth = metrics.horizontalAdvance(QLatin1Char('0'));
    m_rowHeight = std::max(int(std::ceil(metrics.height())) + 1, m_theme.scaled(18));
    m_ascent = int((m_rowHeight - metrics.height()) / 2 + metrics.ascent());
    int largest = 1;
    for (const CodeDocumentPtr& d : {m_a, m_b})
        if (d)
            for (const CodeLine& line : d->lines)
                largest = std::max(largest, line.number);
    m_digits = std::max(2, int(std::log10(largest)) + 1);
    m_markWidth = m_markTextWidth = m_countWidth = 0;
    const QFontMetrics small(m_theme.font(FontRole::CodeSmall));
    for (const auto& marks : m_marks)
        for (const GutterMark& mark : marks) {
            // The bar begins behind the longest text.
            m_markTextWidth = std::max({m_markTextWidth, m_theme.scaled(36),
                                        small.horizontalAdvance(mark.text) + m_theme.scaled(6)});
            if (!mark.text.isEmpty() || mark.share >= 0) m_markWidth = m_markTextWidth + m_theme.scaled(36);
            if (!mark.count.isEmpty()) m_countWidth = m_theme.scaled(46);
        }
    updateScrollBars();
}

CodeView::Geometry CodeView::geometryOf(int pane) const {
    const int total = viewport()->width();
    Geometry g;
    g.width = m_b ? total / 2 : total;
    if (m_b && pane == 1) {
        g.left = g.width + 1;
        g.width = total - g.left;
    }
    const int pad = m_theme.scaled(8);
    const int marks = m_marks[std::size_t(pane)].isEmpty() ? 0 : m_markWidth + m_countWidth;
    g.numberRight = g.left + marks + pad + int(m_digits * m_charWidth);
    g.signLeft = g.numberRight + pad;
    const bool icons = m_markWidth > 0;
    g.textLeft = g.signLeft + (m_options.signs || icons ? m_theme.scaled(18) : 0);
    return g;
}

void CodeView::updateScrollBars() {
    const int page = std::max(1, viewport()->height() / m_rowHeight);
    verticalScrollBar()->setRange(0, std::max(0, int(m_shown.size()) - page));
    verticalScrollBar()->setPageStep(page);
    const Geometry g = geometryOf(0);
    int longest = 0;
    for (const CodeDocumentPtr& d : {m_a, m_b})
        if (d) longest = std::max(longest, d->longest);
    const int room = std::max(1, g.width - (g.textLeft - g.left));
    horizontalScrollBar()->setRange(0, std::max(0, int((longest + 2) * m_charWidth) - room));
    horizontalScrollBar()->setPageStep(room);
    horizontalScrollBar()->setSingleStep(int(m_charWidth * 4));
    viewport()->update();
}

double CodeView::xOf(const CodeLine& line, int column) const {
    return line.cellOf(std::clamp(column, 0, int(line.text.size()))) * m_charWidth;
}

int CodeView::columnAt(const CodeLine& line, double x) const {
    return line.columnAt(std::uint32_t(std::max(0.0, x / m_charWidth + 0.5)));
}

const CodeLine* CodeView::lineAt(int pane, int row) const {
    if (row < 0 || row >= int(m_rows.size())) return nullptr;
    const int line = m_rows[std::size_t(row)].line[std::size_t(pane)];
    const CodeDocumentPtr& d = document(pane);
    return d && line >= 0 && line < int(d->lines.size()) ? &d->lines[std::size_t(line)] : nullptr;
}

QRect CodeView::lineRect(int pane, int line) const {
    const auto& map = m_rowOfLine[std::size_t(pane)];
    if (line < 0 || line >= int(map.size()) || map[std::size_t(line)] < 0) return {};
    const int row = map[std::size_t(line)];
    const int index = shownIndex(row) - verticalScrollBar()->value();
    if (index < 0 || index * m_rowHeight >= viewport()->height() || m_shown[std::size_t(shownIndex(row))] < 0)
        return {};
    const Geometry g = geometryOf(pane);
    return {g.textLeft, index * m_rowHeight, g.left + g.width - g.textLeft, m_rowHeight};
}

void CodeView::reveal(int pane, int line) {
    const auto& map = m_rowOfLine[std::size_t(pane)];
    if (line < 0 || line >= int(map.size()) || map[std::size_t(line)] < 0) return;
    const int row = map[std::size_t(line)];
    unfold(row);
    ensureRow(row, false);
}

void CodeView::ensureRow(int row, bool centre) {
    const int index = shownIndex(row);
    const int top = verticalScrollBar()->value();
    const int page = std::max(1, viewport()->height() / m_rowHeight);
    if (!centre && index >= top + 1 && index < top + page - 1) return;
    verticalScrollBar()->setValue(index - page / 3);
}

bool CodeView::nextDifference(int direction) {
    const int size = int(m_rows.size());
    if (size == 0) return false;
    const int top = verticalScrollBar()->value();
    int row = m_caret.row;
    if (row < 0 && direction < 0) row = size;
    if (row < 0 && top > 0 && top < int(m_shown.size())) {
        const int shown = m_shown[std::size_t(top)];
        row = shown < 0 ? -1 - shown : shown;
    }
    if (direction > 0) {
        if (row >= 0)
            while (row < size && isDifference(row))
                ++row;
        row = std::max(row, 0);
        while (row < size && !isDifference(row))
            ++row;
        if (row >= size) return false;
    } else {
        const auto differs = [&](int i) { return isDifference(i); };
        row = std::min(row, size) - 1;
        // From the middle of a run, its own start comes first.
        while (row >= 0 && !differs(row))
            --row;
        while (row > 0 && differs(row - 1))
            --row;
        if (row < 0) return false;
    }
    const bool onB = m_b && m_rows[std::size_t(row)].line[0] < 0;
    m_anchor = m_caret = {onB ? 1 : 0, row, 0};
    unfold(row);
    ensureRow(row, true);
    viewport()->update();
    return true;
}

void CodeView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    setViewportMargins(0, 0, m_strip->isEmpty() ? 0 : stripWidth, 0);
    const QRect v = viewport()->geometry();
    m_strip->setGeometry(v.right() + 1, v.top(), stripWidth, v.height());
    const int barWidth = std::min(width() - 8, m_theme.scaled(300));
    m_findBar->setGeometry(v.right() - barWidth - 4, v.top() + 4, barWidth, m_findBar->sizeHint().height());
    updateScrollBars();
}

void CodeView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) metricsChanged();
}

} // namespace dynascope::views
