// SPDX-License-Identifier: BSD-3-Clause
//
// Devices of captured graphs beside those of derived ones. The engine has the CPU alone, so that a device of
// a capture is a role there. Internal to rederive.
#pragma once

#include "core/ir/graph.h"

#include <set>
#include <string>

namespace dynascope::engine {

/// What a graph's values and arguments name, "cuda:0"; "meta", which holds no numbers, is left out.
[[nodiscard]] std::set<std::string> devicesOf(const ir::Graph& graph);

/// A derived graph with the devices of the captured one, and how sure these are.
struct WithDevices {
    ir::GraphPtr graph;
    std::set<std::string> captured;
    /// Several devices are one in the derived graph: which of them a value is on was not derived.
    bool areMerged = false;
};
/// Where the captured graph is on one device, the derived one's CPU is that. Where it is on several, nodes
/// that are the same in order but for devices are on those of the captured ones. `derived` is on the CPU and
/// "meta".
[[nodiscard]] WithDevices withDevicesOf(const ir::Graph& captured, const ir::GraphPtr& derived);

} // namespace dynascope::engine
