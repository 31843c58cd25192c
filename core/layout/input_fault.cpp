// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/input_fault.h"

namespace dynascope::layout::detail {

namespace {

constexpr int maxClusterDepth = 200;

bool isSize(double value, double limit) {
    return value >= 0 && value < limit;
}

} // namespace

std::optional<Error> inputFault(const LayoutInput& input) {
    const auto count = static_cast<int>(input.clusters.size());
    const auto fault = [](const char* message) { return Error{message}; };
    for (const Edge& e : input.edges)
        if (e.from >= input.boxes.size() || e.to >= input.boxes.size())
            return fault("an edge names a box that does not exist");
    for (const Box& b : input.boxes) {
        if (b.cluster < -1 || b.cluster >= count) return fault("a box names a cluster that does not exist");
        if (!isSize(b.width, 1e7) || !isSize(b.height, 1e7)) return fault("a box has no valid size");
    }
    for (const Cluster& c : input.clusters) {
        if (!isSize(c.padding, 1e6) || !isSize(c.titleHeight, 1e6))
            return fault("a cluster has no valid size");
        int depth = 1;
        for (int p = c.parent; p != -1; p = input.clusters[static_cast<std::size_t>(p)].parent) {
            if (p < 0 || p >= count) return fault("a cluster names a parent that does not exist");
            if (++depth > maxClusterDepth) return fault("clusters are nested too deeply or in a circle");
        }
    }
    return std::nullopt;
}

} // namespace dynascope::layout::detail
