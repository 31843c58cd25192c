// SPDX-License-Identifier: BSD-3-Clause
//
// Constants of graphs whose values no capture has. Internal to rederive.
#pragma once

#include "core/ir/graph.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dynascope::engine {

using Constants = std::map<std::string, const ir::TensorMeta*>; ///< by attribute; the graph's

/// Those that are tensors with a printed shape.
[[nodiscard]] Constants constantsOf(const ir::Graph& graph);

/// The same values for a constant wherever it is, as the engine's methods take them. Those that cannot be made are left
/// out: of a symbolic shape, or a dtype that is rare.
[[nodiscard]] nlohmann::json madeUp(const Constants& a, const Constants& b);

/// "_tensor_constant0, _tensor_constant1".
[[nodiscard]] std::string nameList(const Constants& constants);

} // namespace dynascope::engine
