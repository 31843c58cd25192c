// SPDX-License-Identifier: BSD-3-Clause
//
// What each card of a scene took in a run, and the colour for it.
#pragma once

#include "views/canvas/scene.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <optional>

class QPainter;

namespace dynascope::views::canvas {

/// Of one scene. A block has the sum of its nodes.
struct Heat {
    std::vector<double> us;         ///< by item; negative for what was not measured
    double most = 0;                ///< of a single item
    bool measured = false;          ///< the graph was replayed, or is in a profile
    std::optional<double> joined{}; ///< as in NodeTimes
    bool inParts = false;
    QString passedOnFrom{};
};

/// `times` may be null: nothing was measured. Where the scene has another graph's nodes as well, these stay
/// unmeasured.
[[nodiscard]] Heat heatOf(const Scene& scene, const NodeTimes* times);
/// Of a share of the most, 0 to 1. Differences of the small ones show: the scale is that of square roots.
[[nodiscard]] QColor heatColour(const Colours& colours, double share);
/// The scale with its ends, or that there is nothing to show, in the lower left corner of a canvas.
void paintHeatLegend(QPainter& painter, const Heat& heat, const Theme& theme, const QSizeF& viewport);

} // namespace dynascope::views::canvas
