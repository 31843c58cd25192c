// SPDX-License-Identifier: BSD-3-Clause
//
// The whole graph in a strip beside its canvas, with the part in view outlined: it never lies over a node, and
// a chain of ten thousand nodes has the whole height. What differs lies on top, at least two pixels high, what is
// selected is marked, names stand at even distances, and a tip says what lies under the pointer.
#pragma once

#include "views/canvas/scene.h"
#include "views/theme/theme.h"

#include <QPixmap>
#include <QWidget>

namespace dynascope::views::canvas {

/// Both axes are scaled by themselves, so that a long chain fills the strip. Click and drag move the canvas.
/// GUI thread only.
class Minimap : public QWidget {
    Q_OBJECT
public:
    static constexpr int stripWidth = 104; ///< pixels

    explicit Minimap(const Theme& theme, QWidget* parent = nullptr);
    void setScene(ScenePtr scene);      ///< may be null
    void setInView(const QRectF& area); ///< the scene area that the canvas shows
    void setSelected(const QRectF& at); ///< in the scene; null for nothing
    void invalidate();                  ///< colours changed
    /// The scene point under a point of the strip.
    [[nodiscard]] QPointF toScene(QPointF at) const;
    /// What lies there: names of the card or opened block, those of the opened blocks around it, and how far down the
    /// graph it is. Empty beside the picture.
    [[nodiscard]] QString whatIsAt(QPointF at) const;

signals:
    void pointed(QPointF scenePoint); ///< the canvas is to show it in its middle

protected:
    bool event(QEvent* event) override; ///< the tip
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;

private:
    [[nodiscard]] QRectF area() const; ///< of the picture, in the strip
    [[nodiscard]] QRectF toStrip(const QRectF& rect) const;
    void draw(double ratio);
    void drawItems(QPainter& painter) const;
    void drawNames(QPainter& painter) const;

    const Theme& m_theme;
    ScenePtr m_scene;
    QRectF m_inView, m_selected;
    QPixmap m_picture;
};

} // namespace dynascope::views::canvas
