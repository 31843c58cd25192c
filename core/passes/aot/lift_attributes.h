// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/ir/graph.h"

#include <functional>
#include <string>

namespace dynascope::passes::aot {

/// Tensors that Dynamo's graph holds as attributes, such as an optimizer's states, are inputs of
/// AOTAutograd's graphs: parameters first, then buffers, each in the order in which the graph first reads
/// them, before its own inputs. `isParameter` is asked for an attribute's name. Attributes of other kinds
/// stay.
[[nodiscard]] ir::GraphPtr liftAttributes(const ir::GraphPtr& graph,
                                          const std::function<bool(const std::string&)>& isParameter);

} // namespace dynascope::passes::aot
