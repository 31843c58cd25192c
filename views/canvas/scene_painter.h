// SPDX-License-Identifier: BSD-3-Clause
//
// Draws a scene at any zoom, on a widget or into an SVG, in three levels of detail (DESIGN_LANGUAGE "Node
// card").
#pragma once

#include "views/canvas/heat.h"
#include "views/canvas/scene.h"
#include "views/theme/theme.h"

#include <QFont>
#include <QPainter>
#include <map>
#include <optional>
#include <unordered_map>

namespace dynascope::views::canvas {

enum class Detail { Card, Name, Bar };

inline constexpr double cardsFrom = 0.795, namesFrom = 0.345; ///< 80 % and 35 %, less rounding
inline constexpr double smallestText = 9.5;                   ///< pixels
inline constexpr double smallestBlock = 8;                    ///< pixels: a lower frame is drawn as one bar
[[nodiscard]] Detail detailFor(double zoom);

/// What the number and the bar of a block tell. While cards are tinted by time, bars tell the time.
enum class BlockMeasure { Nodes, Bytes };

/// What of a scene is shown, and how.
struct ViewState {
    double zoom = 1;
    QPointF offset; ///< scene point at the top left of the viewport
    QSizeF viewport;
    int selected = noItem;
    int selectedFrame = -1;
    std::vector<int> related;     ///< sorted
    std::vector<int> chosen;      ///< sorted: besides the selected one
    std::map<int, QString> noted; ///< items with a note, or, where it is empty, with a bookmark only
    int hovered = noItem;
    int hoveredFrame = -1;
    bool edgeLabels = false;
    BlockMeasure measure = BlockMeasure::Nodes;
    std::shared_ptr<const Heat> heat;              ///< of this scene; null where cards are not tinted
    std::optional<std::pair<double, double>> band; ///< heights tied to the other pane by the selection
    double progress = 1;                           ///< of a running motion, eased
    /// Where moving items start, relative to their place
    const std::unordered_map<int, QPointF>* startShift = nullptr;
    const std::vector<bool>* appearing = nullptr; ///< items that fade in

    [[nodiscard]] QPointF toView(QPointF p) const { return (p - offset) * zoom; }
    [[nodiscard]] QRectF toView(const QRectF& r) const { return {toView(r.topLeft()), r.size() * zoom}; }
    [[nodiscard]] QRectF visible() const { return {offset, viewport / zoom}; }
};

/// Where the title rows of all frames are, in view points. A title stays in sight while any of its block is,
/// below the titles of the blocks around it. Empty rectangles where none is drawn.
[[nodiscard]] std::vector<QRectF> titleRows(const Scene& scene, const ViewState& view);

struct PaintCounts {
    std::size_t items = 0, edges = 0;
    std::vector<QRectF> labels; ///< places of edges' labels, in view points
    std::vector<QRectF> names;  ///< places of blocks' names on a small picture, in view points
};

/// What stands at the right of a card; of inputs both count and bytes where `letters` have room for them.
[[nodiscard]] QString numberOnCard(const SceneItem& item, BlockMeasure measure, double letters);

/// Keeps fonts between paints; GUI thread only.
class ScenePainter {
public:
    explicit ScenePainter(const Theme& theme);
    void themeChanged() { m_fonts.clear(); }

    PaintCounts paint(QPainter& painter, const Scene& scene, const ViewState& view);

private:
    struct Text {
        QFont font;
        double advance = 0; ///< of one character of the code font
        double ascent = 0, descent = 0;
    };
    enum class Mark { None, Selected, Related };

    const Text& text(FontRole role, double zoom, double smallest);
    /// Draws one line centred at `middle`; returns the width used.
    double line(const QString& string, FontRole role, double left, double right, double middle,
                const QColor& colour, bool alignRight = false);
    [[nodiscard]] QString elided(const QString& string, const Text& text, double width) const;

    void paintBand();
    void paintFrame(const SceneFrame& frame, int index);
    void paintTitle(const SceneFrame& frame, int index, const QRectF& row);
    std::size_t paintEdges();
    void paintEdge(const SceneEdge& edge, bool lit, bool dimmed);
    void paintLooseEdge(const SceneEdge& edge);
    void arrowHead(QPointF tip, QPointF from, const QColor& colour);
    /// Puts none over `taken`, in view points; adds their places to it.
    void paintEdgeLabels(std::vector<QRectF>& taken);
    void paintItem(const SceneItem& item, int index);
    void paintCard(const SceneItem& item, const QRectF& rect);
    void paintName(const SceneItem& item, const QRectF& rect);
    void paintBar(const SceneItem& item, const QRectF& rect);
    void body(const SceneItem& item, const QRectF& rect, bool hovered, double radius);
    void stripe(const SceneItem& item, const QRectF& rect, double width, double radius);
    void sheets(const SceneItem& item, const QRectF& rect);
    void disc(const SceneItem& item, const QRectF& rect, double size);
    void pill(const QString& string, QPointF centre, const QColor& border, const QColor& colour);
    void inputChips(const SceneItem& item, const QRectF& rect);
    void focusFrame(const QRectF& rect);
    void shareBar(const SceneItem& item, const QRectF& rect, double height);
    std::vector<QRectF> paintMapLabels(const std::vector<bool>& hidden,
                                       const std::vector<std::uint32_t>& items);
    /// Whether a frame is drawn as one bar, without what is in it.
    [[nodiscard]] bool isBar(int frame, const std::vector<bool>& hidden) const;
    void noteSign(const SceneItem& item, const QRectF& rect, double size);
    [[nodiscard]] double heatAt(const SceneItem& item) const; ///< microseconds; negative: none
    [[nodiscard]] QRectF placeOf(int index) const;
    [[nodiscard]] QRectF cardRect(const SceneItem& item, const QRectF& rect) const;

    const Theme& m_theme;
    std::map<std::pair<int, int>, Text> m_fonts;
    // Of the paint that is running.
    QPainter* m_painter = nullptr;
    const Scene* m_scene = nullptr;
    const ViewState* m_view = nullptr;
    Detail m_detail = Detail::Card;
    Mark m_mark = Mark::None; ///< of the item that is being painted
    struct EdgeLabel {
        const SceneEdge* edge;
        QString text;
        QColor colour;
    };
    std::vector<EdgeLabel> m_labels; ///< of the edges painted so far
};

} // namespace dynascope::views::canvas
