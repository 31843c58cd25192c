// SPDX-License-Identifier: BSD-3-Clause
//
// What every layout must keep, whatever its engine.
#pragma once

#include "core/layout/layout.h"

#include <QtGlobal>

#include <cmath>
#include <string>

namespace dynascope::layout::check {

inline bool inside(double value, double from, double to) {
    return value >= from - 0.5 && value <= to + 0.5;
}

/// Empty when all is well, else the first thing that is not.
inline std::string layout(const LayoutInput& in, const LayoutResult& out) {
    if (out.boxes.size() != in.boxes.size()) return "boxes are missing";
    if (out.edges.size() != in.edges.size()) return "edges are missing";
    if (out.clusters.size() != in.clusters.size()) return "clusters are missing";
    for (std::size_t i = 0; i < in.boxes.size(); ++i) {
        if (!std::isfinite(out.boxes[i].x) || !std::isfinite(out.boxes[i].y)) return "a box is nowhere";
        if (!inside(out.boxes[i].x, 0, out.width - in.boxes[i].width))
            return "box " + std::to_string(i) + " leaves the width";
        if (!inside(out.boxes[i].y, 0, out.height - in.boxes[i].height))
            return "box " + std::to_string(i) + " leaves the height";
    }
    for (std::size_t i = 0; i < in.boxes.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const Point& a = out.boxes[i];
            const Point& b = out.boxes[j];
            if (a.x + in.boxes[i].width > b.x + 0.5 && b.x + in.boxes[j].width > a.x + 0.5 &&
                a.y + in.boxes[i].height > b.y + 0.5 && b.y + in.boxes[j].height > a.y + 0.5)
                return "boxes " + std::to_string(j) + " and " + std::to_string(i) + " overlap";
        }
    }
    for (std::size_t e = 0; e < in.edges.size(); ++e) {
        const auto& points = out.edges[e].points;
        if (points.size() < 4 || points.size() % 3 != 1)
            return "edge " + std::to_string(e) + " is not a Bezier path";
        const Edge& edge = in.edges[e];
        const Point& a = out.boxes[edge.from];
        const Point& b = out.boxes[edge.to];
        if (std::abs(points.front().y - a.y - in.boxes[edge.from].height) > 1.5 ||
            !inside(points.front().x, a.x, a.x + in.boxes[edge.from].width))
            return "edge " + std::to_string(e) + " does not leave from the lower side of its box";
        if (std::abs(points.back().y - b.y) > 1.5 ||
            !inside(points.back().x, b.x, b.x + in.boxes[edge.to].width))
            return "edge " + std::to_string(e) + " does not enter by the upper side of its box";
    }
    const auto holds = [&](int cluster, const Point& p) {
        const Rect& r = out.clusters[static_cast<std::size_t>(cluster)];
        return inside(p.x, r.x, r.x + r.width) && inside(p.y, r.y, r.y + r.height);
    };
    for (std::size_t i = 0; i < in.boxes.size(); ++i) {
        const Point corner = out.boxes[i];
        const Point centre{corner.x + in.boxes[i].width / 2, corner.y + in.boxes[i].height / 2};
        std::vector<bool> around(in.clusters.size(), false);
        for (int c = in.boxes[i].cluster; c >= 0; c = in.clusters[static_cast<std::size_t>(c)].parent)
            around[static_cast<std::size_t>(c)] = true;
        for (std::size_t c = 0; c < in.clusters.size(); ++c)
            if (holds(static_cast<int>(c), centre) != around[c])
                return "box " + std::to_string(i) +
                       (around[c] ? " is outside frame " : " is inside foreign frame ") + std::to_string(c);
    }
    return {};
}

} // namespace dynascope::layout::check
