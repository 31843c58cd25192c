// SPDX-License-Identifier: BSD-3-Clause
//
// Attributes and methods that Tensor has in Python besides those that ATen declares.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <optional>
#include <string_view>

namespace dynascope::engine::torch_level {

/// x.name, dots included ("device.type"). Throws c10::Error for attributes that are not known.
[[nodiscard]] Value attribute(const Value& x, std::string_view name);
/// Whether attribute() knows the name.
[[nodiscard]] bool isAttribute(std::string_view name);

/// x.name(...) for methods that ATen does not declare, or not so; nothing for others.
[[nodiscard]] std::optional<Function> tensorMethod(std::string_view name);

} // namespace dynascope::engine::torch_level
