// SPDX-License-Identifier: BSD-3-Clause
//
// The strip between the two canvases: which heights belong together, and what the selected node became.
#pragma once

#include "views/canvas/graph_canvas.h"
#include "views/canvas/partner_items.h"

#include <QWidget>

namespace dynascope::views::canvas {

/// The band of the selection: heights in scene units on each side, and what it says ("1 → 3").
struct SelectionBand {
    double topA = 0, bottomA = 0, topB = 0, bottomB = 0;
    QString label;
};

/// GUI thread only.
class Gutter : public QWidget {
    Q_OBJECT
public:
    static constexpr int stripWidth = 56;

    Gutter(const Theme& theme, const GraphCanvas& a, const GraphCanvas& b, QWidget* parent = nullptr);
    void setBands(std::vector<GutterBand> bands);
    void setSelection(std::optional<SelectionBand> band);
    [[nodiscard]] const std::optional<SelectionBand>& selection() const { return m_selection; }
    [[nodiscard]] const std::vector<GutterBand>& bands() const { return m_bands; }
    /// Draws into any painter; heights are (scene height - top) * zoom.
    void draw(QPainter& painter, const QRectF& area, double zoomA, double topA, double zoomB,
              double topB) const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    const Theme& m_theme;
    const GraphCanvas& m_a;
    const GraphCanvas& m_b;
    std::vector<GutterBand> m_bands;
    std::optional<SelectionBand> m_selection;
};

} // namespace dynascope::views::canvas
