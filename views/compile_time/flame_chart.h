// SPDX-License-Identifier: BSD-3-Clause
//
// Timing spans drawn as a flame chart, outermost on top: over time, or merged with the longest at the left.
// Only what is in view is drawn, and of spans narrower than a pixel one for each pixel.
#pragma once

#include "core/session/spans.h"
#include "views/base/time_axis_view.h"
#include "views/theme/theme.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

namespace dynascope::views {

struct Drawing;

using SpanTreePtr = std::shared_ptr<const session::SpanTree>;

/// What a tree says of itself that is not made of a session's timing events alone (Span::event may be SIZE_MAX then).
struct FlameWords {
    struct Lane {
        QString title; ///< stands left of the lane
        QString
            end; ///< stands right of it, where there is room; a dotted line leads there from its last span
    };
    std::vector<Lane> lanes;   ///< as SpanTree::lanes; where there are none, titles stand above lanes
    std::vector<int> compiles; ///< of each span: into Session::compiles, -1 for none
    std::vector<QString> tips; ///< of each span: what description() says
    std::vector<char> odd;     ///< of each span: whether it has the colour of what differs
};

/// The colour of a part of the compiler.
[[nodiscard]] QColor partColour(const Colours& colours, session::CompilerPart part);

/// GUI thread only. N goes to the next span that a search found.
class FlameChart : public TimeAxisView {
    Q_OBJECT
public:
    explicit FlameChart(Theme& theme, QWidget* parent = nullptr);

    /// Shows all of a tree, with nothing selected. `merged`: the axis is a sum of time.
    void setTree(session::SessionPtr session, SpanTreePtr tree, bool merged, FlameWords words = {});
    [[nodiscard]] const SpanTreePtr& tree() const { return m_tree; }
    [[nodiscard]] int compileOf(int span) const; ///< into Session::compiles; -1 for none
    /// -1 for none. `reveal` scrolls there, and zooms in where the span is too narrow to be seen.
    void select(int span, bool reveal = false);
    [[nodiscard]] int selected() const { return m_selected; }
    /// Selects the longest span of a name (an index into SpanTree::names) and outlines all of that name.
    void selectLongest(std::uint32_t name);
    /// Spans whose names hold the text keep their colour, the others fade; all keep it where it is empty.
    void setSearch(const QString& text);
    [[nodiscard]] std::size_t matchCount() const { return m_matches; }
    void stepMatch(int direction);
    /// What stands on a span's box: its name, of an outermost one with the compile where there are several.
    [[nodiscard]] QString boxName(int span) const;
    /// Marks on the ruler when a compile ran (an index into Session::compiles; -1: none).
    void setCompile(int compile);

    void zoomBy(double factor, double x) override;
    void zoomTo(int span);
    void zoomAll() override;
    void panBy(double pixels) override;
    [[nodiscard]] double leftUs() const { return m_left; } ///< at the left edge
    [[nodiscard]] double rightUs() const;

    [[nodiscard]] int spanAt(QPoint point) const;      ///< in the viewport; -1 for none
    [[nodiscard]] QRectF spanRect(int span) const;     ///< in the viewport, also where it is out of view
    [[nodiscard]] QString description(int span) const; ///< what the tooltip says
    [[nodiscard]] std::size_t drawnBoxes() const { return m_drawn; } ///< by the last paint: for benches
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void selectionChanged(int span);
    /// Clicked, in lanes of their own (FlameWords) clicked twice, or Enter was pressed: show where it belongs.
    void activated(int span);
    void recordRequested(int record);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    [[nodiscard]] int axisLeft() const override { return m_titleWidth; }
    [[nodiscard]] bool isOwnKey(int key) const override { return key == Qt::Key_N; }
    bool hover(QPoint point) override;
    void hoverNothing() override { setHover(-1); }
    void click(QPoint point) override;
    [[nodiscard]] QString toolTipAt(QPoint point) const override;
    void stepSelection(Qt::Key arrow) override;
    void zoomToSelection() override { zoomTo(m_selected); }
    void activateSelection() override;
    bool clearSelection() override;

private:
    /// The spans of a lane and a depth, in order of time.
    struct Row {
        int y = 0; ///< below the ruler, before scrolling
        std::vector<int> spans;
    };
    struct LaneTitle {
        int y = 0;
        QString text;
    };

    // flame_chart.cpp
    void layOut();
    void setView(double left, double perUs);
    void updateBars();
    [[nodiscard]] double wholeUs() const;
    [[nodiscard]] const session::Span& span(int index) const { return m_tree->spans[std::size_t(index)]; }
    [[nodiscard]] const Row& rowOf(const session::Span& span) const;
    [[nodiscard]] int rulerHeight() const;
    [[nodiscard]] int rowHeight() const;
    [[nodiscard]] int timeRight() const; ///< where the time axis ends in the viewport
    [[nodiscard]] int timeWidth() const { return std::max(1, timeRight() - m_titleWidth); }
    [[nodiscard]] double xOf(double us) const { return m_titleWidth + (us - m_left) * m_perUs; }
    [[nodiscard]] double usAt(double x) const { return m_left + (x - m_titleWidth) / m_perUs; }
    [[nodiscard]] bool hasOwnLanes() const { return !m_words.lanes.empty(); }
    [[nodiscard]] bool fades(const session::Span& span) const;
    [[nodiscard]] QColor colourOf(int span) const;
    // flame_paint.cpp
    /// All lanes at the width that is shown, also those that do not fit into the panel.
    [[nodiscard]] Drawing picture();
    void paint(QPainter& painter, int scroll, int height);
    void paintRow(QPainter& painter, const Row& row, int y);
    void paintBox(QPainter& painter, int index, const QRectF& box) const;
    void paintTitle(QPainter& painter, std::size_t lane, int y) const;
    void paintEnd(QPainter& painter, std::size_t lane, int y) const;
    void paintRuler(QPainter& painter) const;
    // flame_input.cpp
    void setHover(int span);
    [[nodiscard]] int neighbour(int direction) const;
    [[nodiscard]] int longestChild() const;
    [[nodiscard]] int inLane(int lane, double us) const; ///< the outermost span that is nearest to a time

    Theme& m_theme;
    session::SessionPtr m_session;
    SpanTreePtr m_tree;
    FlameWords m_words;
    int m_titleWidth = 0, m_endWidth = 0; ///< left and right of the time axis
    bool m_merged = false;
    bool m_severalCompiles = false; ///< the outermost spans are of
    std::vector<Row> m_rows;
    std::vector<std::size_t> m_firstRow; ///< by lane
    std::vector<LaneTitle> m_titles;
    int m_contentHeight = 0;
    double m_left = 0, m_perUs = 1;
    int m_width = 0; ///< that m_perUs was made for
    int m_selected = -1, m_hover = -1;
    std::vector<char> m_matching; ///< by name; empty while nothing is searched for
    std::size_t m_matches = 0;
    int m_outlined = -1; ///< a name
    double m_markedFrom = 0, m_markedTo = -1;
    bool m_updatingBars = false;
    std::size_t m_drawn = 0;
};

} // namespace dynascope::views
