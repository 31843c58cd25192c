// SPDX-License-Identifier: BSD-3-Clause
//
// Graph layout as a pure function: sizes and edges in, positions out. Two engines stand behind it: Graphviz
// dot, and a layered layout of ours that is always fast: the window draws it first, and dot's when that
// comes. Graphviz is not thread-safe and cannot be cancelled, so the window runs `dynascope-cli layout` as a
// child; see views/canvas.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::layout {

struct Point {
    double x = 0, y = 0;
    friend bool operator==(const Point&, const Point&) = default;
};
struct Rect {
    double x = 0, y = 0, width = 0, height = 0;
};

/// A box. Units are pixels at 100 % zoom. `cluster` is an index into LayoutInput::clusters or -1.
struct Box {
    double width = 208, height = 56;
    int cluster = -1;
};
struct Edge {
    std::uint32_t from = 0,
                  to = 0; ///< indices into LayoutInput::boxes; data flows from -> to, drawn downwards
    double weight = 1;    ///< heavier edges are kept shorter and straighter
};
/// A frame around boxes (an opened block); clusters nest by `parent`.
struct Cluster {
    int parent = -1;
    double titleHeight = 28, padding = 12;
};

struct LayoutInput {
    std::vector<Box> boxes;
    std::vector<Edge> edges;
    std::vector<Cluster> clusters;
    double rankGap = 34, boxGap = 17;
};

struct EdgePath {
    std::vector<Point> points; ///< cubic Bezier: start, then three points a piece; at least 4
};

struct LayoutResult {
    std::vector<Point> boxes; ///< top left corners, same order as the input; the whole starts at (0, 0)
    std::vector<EdgePath> edges;
    std::vector<Rect> clusters;
    double width = 0, height = 0;
    std::string engine; ///< "dot" or "layered"
    double milliseconds = 0;
};

/// Our layered layout: longest-path ranks, barycentre sweeps, then Brandes-Koepf placement;
/// O(sweeps x edges). Never fails; a cycle is broken at its back edge. An error only when cancelled or when
/// an index is out of range.
[[nodiscard]] Result<LayoutResult> layoutLayered(const LayoutInput& input, const TaskContext& task = {});

/// Graphviz dot with nslimit, nslimit1 = 1 and, above 200 boxes, straight edges. Process-wide lock; cannot be
/// cancelled.
[[nodiscard]] Result<LayoutResult> layoutDot(const LayoutInput& input);

/// The wire form between the window and its layout child: one JSON document each way.
[[nodiscard]] std::string toJson(const LayoutInput& input);
[[nodiscard]] std::string toJson(const LayoutResult& result);
[[nodiscard]] Result<LayoutInput> inputFromJson(std::string_view json);
[[nodiscard]] Result<LayoutResult> resultFromJson(std::string_view json);

} // namespace dynascope::layout
