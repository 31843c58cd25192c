// SPDX-License-Identifier: BSD-3-Clause
//
// One level of the layered layout: the boxes, closed frames and lanes directly inside one cluster. See
// layered.cpp.
#pragma once

#include "core/base/task.h"
#include "core/layout/layout.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dynascope::layout::detail {

struct LevelItem {
    /// Entry and Exit are lanes where an edge crosses the level's upper or lower border; they have no size.
    enum class Kind : std::uint8_t { Box, Entry, Exit } kind = Kind::Box;
    double width = 0, height = 0;
    /// Incoming edges are spread over the upper side; frames have their own lanes instead
    bool spreadPorts = false;
};

/// All edges that leave one item at one place: they share a trunk, which branches where they part.
struct LevelNet {
    struct Head {
        std::uint32_t item = 0;
        double offset = 0; ///< of the port from the item's centre, in x
        double weight = 1;
    };
    std::uint32_t tail = 0;
    double offset = 0;
    std::vector<Head> heads;
};

struct LevelInput {
    std::vector<LevelItem> items;
    std::vector<LevelNet> nets;
    double rankGap = 34, boxGap = 17;
};

struct LevelResult {
    std::vector<Point> items; ///< top left corners; a lane's point is where it crosses the border
    /// Per net and head: from the tail's lower side to the head's upper side. Empty where the edge has no
    /// lane of its own.
    std::vector<std::vector<std::vector<Point>>> routes;
    double width = 0, height = 0;
};

/// Nothing when cancelled.
[[nodiscard]] std::optional<LevelResult> layoutLevel(const LevelInput& input, const TaskContext& task);

// The steps, each in a file of its own.

/// Ranks of all items, rising along every edge that is not in `backEdge`.
struct Ranking {
    std::vector<std::uint32_t> rank;
    std::vector<std::vector<bool>> backEdge; ///< per net and head
    std::vector<bool> wrapped; ///< a source that stands higher than it must, because its row was full
    std::uint32_t count = 0;
};
[[nodiscard]] Ranking rankItems(const LevelInput& input);

inline constexpr std::uint32_t none = UINT32_MAX;

/// A proper layered graph: every segment joins neighbouring ranks. Vertices 0 .. items-1 are the items, the
/// rest dummies.
struct Layers {
    struct Vertex {
        double width = 0;
        std::uint32_t rank = 0;
        std::uint32_t position = 0; ///< within its rank
        bool lane = false;          ///< a dummy, Entry or Exit
    };
    struct Segment {
        std::uint32_t upper = 0, lower = 0;
        double upperOffset = 0, lowerOffset = 0;
        double weight = 1;
        bool loose = false; ///< bends freely, so that the box above keeps its place in its row
    };
    std::vector<Vertex> vertices;
    std::vector<Segment> segments;
    std::vector<std::vector<std::uint32_t>> ranks; ///< vertices from left to right
    std::vector<std::uint32_t> upStart, up, downStart,
        down; ///< segment numbers of each vertex, compressed rows

    [[nodiscard]] std::uint32_t upDegree(std::uint32_t v) const { return upStart[v + 1] - upStart[v]; }
    [[nodiscard]] std::uint32_t downDegree(std::uint32_t v) const { return downStart[v + 1] - downStart[v]; }
    void index(); ///< fills the compressed rows from `segments`
};

/// Orders every rank so that few segments cross. False when cancelled.
[[nodiscard]] bool orderLayers(Layers& layers, const TaskContext& task);

/// Least distance of the centres of two neighbours in a rank.
[[nodiscard]] double vertexGap(const Layers& layers, double boxGap, std::uint32_t left, std::uint32_t right);

/// Centre x of every vertex, rows kept as narrow as the edges allow; see level_relax.cpp.
[[nodiscard]] std::vector<double> relaxLayers(const Layers& layers, double boxGap);

/// Centre x of every vertex: the best of several placements.
[[nodiscard]] std::vector<double> placeLayers(const Layers& layers, double boxGap);

} // namespace dynascope::layout::detail
