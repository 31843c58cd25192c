// SPDX-License-Identifier: BSD-3-Clause
//
// The whole graph in a corner of its canvas, with the part in view outlined.
#pragma once

#include "views/canvas/scene.h"
#include "views/theme/theme.h"

#include <QPainter>
#include <QPixmap>

namespace dynascope::views::canvas {

/// Keeps the picture between paints; GUI thread only.
class Minimap {
public:
    explicit Minimap(const Theme& theme);
    void invalidate() { m_picture = {}; }
    void paint(QPainter& painter, const Scene& scene, const QSizeF& viewport, const QRectF& visible);
    /// Where the panel lies, in view points.
    [[nodiscard]] QRectF panel(const Scene& scene, const QSizeF& viewport) const;
    /// The scene point under a view point of the panel.
    [[nodiscard]] QPointF toScene(const Scene& scene, const QSizeF& viewport, QPointF viewPoint) const;

private:
    [[nodiscard]] QRectF area(const Scene& scene, const QSizeF& viewport) const;
    void draw(const Scene& scene, QSizeF size, double ratio);

    const Theme& m_theme;
    const Scene* m_drawn = nullptr; ///< compared only
    QPixmap m_picture;
};

} // namespace dynascope::views::canvas
