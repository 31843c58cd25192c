// SPDX-License-Identifier: BSD-3-Clause
//
// One graph on a canvas: pan, zoom, select, fold. Paints only what is visible; knows nothing of captures or
// of the other canvas (CompareView ties the two).
#pragma once

#include "views/canvas/minimap.h"
#include "views/canvas/scene_painter.h"

#include <QAbstractScrollArea>
#include <QElapsedTimer>
#include <QVariantAnimation>

class QMenu;

namespace dynascope::views::canvas {

/// GUI thread only.
class GraphCanvas : public QAbstractScrollArea {
    Q_OBJECT
public:
    static constexpr double smallestZoom = 0.05, largestZoom = 4;
    static constexpr double mapZoom =
        0.0005; ///< the smallest that shows all of a graph larger than smallestZoom can
    static constexpr std::size_t motionLimit = 400; ///< cards in view above which nothing slides

    /// What a new scene is to the old one.
    enum class Transition { None, Step, Fold };
    enum class Direction { Up, Down, Left, Right };

    GraphCanvas(const Theme& theme, const QString& accessibleName, QWidget* parent = nullptr);

    /// Shows a scene; null shows the message. With Fold, the item or frame named `anchor` stays where it is
    /// on screen.
    void setScene(ScenePtr scene, Transition transition, const QString& anchor = {});
    [[nodiscard]] const ScenePtr& scene() const { return m_scene; }
    /// Text in place of a graph: what is the case, and why or what to do.
    void setMessage(const QString& title, const QString& detail = {});
    [[nodiscard]] const QString& message() const { return m_messageTitle; }

    [[nodiscard]] double zoom() const { return m_view.zoom; }
    [[nodiscard]] QPointF offset() const { return m_view.offset; }
    /// Scene point at the middle of the top edge of the viewport, measured from the scene's own middle.
    [[nodiscard]] QPointF place() const;
    void setPlace(double zoom, QPointF place); ///< without emitting viewMoved()
    void zoomBy(double factor, QPointF viewPoint);
    void zoomTo(double zoom);                     ///< about the middle of the viewport
    void fit(const QRectF& area, double largest); ///< shows all of `area`
    void showFirst();                             ///< zoom and place for a graph just opened
    [[nodiscard]] QSizeF room() const;            ///< pixels for a graph, margins left out
    void reveal(const QRectF& area);              ///< scrolls as little as needed, in 160 ms
    /// Where the zoom is too small to read what is at `area`, makes it larger first.
    void makeLegible(const QRectF& area);
    /// Scrolls to an offset in 160 ms, with viewGlided() in place of viewMoved(): the other canvas is brought
    /// to its own place and must not follow.
    void glideTo(QPointF offset);
    void stopGliding() { m_scroll.stop(); }
    /// Where the view is, or will be when it stops gliding.
    [[nodiscard]] QRectF destination() const;
    /// The offset nearest to `from` that shows all of `area`, or its middle where it is too large.
    [[nodiscard]] QPointF offsetFor(const QRectF& area, QPointF from) const;
    /// The offset nearest to `from` at which something of the scene is in sight, `from` itself where something is.
    /// With `sideways` it moves across only, as far as there is something at that height.
    [[nodiscard]] QPointF offsetWithItems(QPointF from, bool sideways) const;
    /// As far as the edge of the canvas lets it.
    [[nodiscard]] QPointF clamped(QPointF offset) const;
    void setExtent(double height); ///< height to scroll over, where the other canvas is taller

    void setSelected(int item);
    [[nodiscard]] bool isPlaced() const { return m_placed; } ///< has a place of its own
    [[nodiscard]] int selected() const { return m_view.selected; }
    [[nodiscard]] int selectedFrame() const { return m_view.selectedFrame; }
    void setRelated(std::vector<int> items);
    [[nodiscard]] const std::vector<int>& related() const { return m_view.related; }
    void setChosen(std::vector<int> items); ///< besides the selected one; gone with the next scene
    [[nodiscard]] const std::vector<int>& chosen() const { return m_view.chosen; }
    void setNoted(std::map<int, QString> items); ///< as ViewState::noted; gone with the next scene
    [[nodiscard]] const std::map<int, QString>& noted() const { return m_view.noted; }
    void setHeat(std::shared_ptr<const Heat> heat); ///< null: cards are not tinted; gone with the next scene
    [[nodiscard]] const Heat* heat() const { return m_view.heat.get(); }
    void setBand(std::optional<std::pair<double, double>> band);
    void setEdgeLabels(bool on);
    [[nodiscard]] bool edgeLabels() const { return m_view.edgeLabels; }
    void setMeasure(BlockMeasure measure);
    [[nodiscard]] BlockMeasure measure() const { return m_view.measure; }
    void setMinimap(bool on);
    [[nodiscard]] bool hasMinimap() const { return m_minimapOn; }
    void setMotion(bool on) { m_motionOn = on; }
    [[nodiscard]] bool hasMotion() const { return m_motionOn; }

    /// Of the last paint, for tests and figures.
    [[nodiscard]] PaintCounts painted() const { return m_painted; }
    [[nodiscard]] bool isMoving() const;
    [[nodiscard]] QRectF viewRectOf(int item) const;
    [[nodiscard]] int neighbour(Direction direction) const; ///< item reached by an arrow key, or noItem
    [[nodiscard]] QString middleKey() const; ///< of the item nearest to the middle of the view; may be empty
    [[nodiscard]] QRectF selectedRect() const; ///< scene place of the selected item or frame; null if none
    /// Paints the whole scene, or `area` of it, at 100 %.
    void render(QPainter& painter, const QRectF& area);

signals:
    void viewMoved();
    void viewPlaced(); ///< by showFirst()
    void viewGlided();
    void itemClicked(int item); ///< noItem for the background
    void itemPicked(int item);  ///< after itemClicked() where it was the mouse
    void itemToggled(int item); ///< Ctrl and a click, or Ctrl+Space: chosen too, or no more
    void rangeAsked(int item);  ///< Shift and a click: all between it and what is chosen
    /// An item's menu opens; who is connected fills it, instead of what concerns other panes and panels.
    void menuAboutToShow(QMenu* menu, int item);
    /// The menu of an item, for what can be done with several.
    void choiceMenuAboutToShow(QMenu* menu, int item);
    void emptyMenuRequested(const QPoint& globalPos); ///< a menu where no item is
    void foldRequested(dynascope::layout::GroupId group, bool open);
    void showInOtherPane(int item);
    void sourceRequested(int item);
    void relativesRequested(int item, bool inputs);
    void provenanceRequested();         ///< of the selected node
    void writeRequested(int direction); ///< next (+1) or previous (-1) write of the selected node's storage
    void keyTyped(int key);             ///< a one-letter key of the table that belongs to both canvases

protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool focusNextPrevChild(bool next) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    [[nodiscard]] QPointF toScene(QPointF p) const { return p / m_view.zoom + m_view.offset; }
    [[nodiscard]] QSizeF extent() const;
    void placeMinimap();
    void moveTo(QPointF offset, double zoom, bool tell);
    void scrollTo(QPointF offset, bool tell);
    void syncScrollBars();
    void hover(QPointF viewPoint);
    [[nodiscard]] int titleAt(QPointF viewPoint) const; ///< frame whose title row is there, or -1
    void paintMessage(QPainter& painter);
    void showToolTip(QPoint global, QPointF viewPoint);
    void copy(bool whole);
    void toggleFold();
    [[nodiscard]] QPointF middleOfTop() const;
    void startMotion(const ScenePtr& old, QPointF oldOffset);
    void announce();
    [[nodiscard]] std::optional<QRectF> rectOfKey(const Scene& scene, const QString& key) const;

    const Theme& m_theme;
    ScenePainter m_painter;
    Minimap* m_minimap = nullptr; ///< beside the viewport
    ScenePtr m_scene;
    ViewState m_view;
    PaintCounts m_painted;
    QString m_messageTitle, m_messageDetail;
    double m_extentHeight = 0;
    bool m_minimapOn = false;
    bool m_motionOn = true;
    bool m_syncing = false;
    bool m_scrollTells = true; ///< what m_scroll does is the user's own movement
    QPointF m_kept;            ///< what was at the middle of the top edge when the view was last moved
    bool m_placed = false;     ///< the user or a caller chose a place; else the first resize does

    std::unordered_map<int, QPointF> m_startShift;
    std::vector<bool> m_appearing;
    QVariantAnimation m_slide, m_scroll;

    std::optional<QPointF> m_pressed; ///< view point of a press that may become a drag
    QPointF m_pressedOffset;
    bool m_dragging = false;
    bool m_spaceHeld = false, m_spaceDragged = false;
};

} // namespace dynascope::views::canvas
