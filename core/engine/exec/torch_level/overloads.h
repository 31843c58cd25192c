// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses among the overloads of an ATen operator as Python's bindings do: the signatures are tried in a
// fixed order, and the first that takes the arguments is called.
#pragma once

#include "core/engine/exec/torch_level/call.h"

#include <string>
#include <string_view>

namespace dynascope::engine::torch_level {

/// What an ATen operator name stands for.
enum class Availability { Known, Unknown, Refused };
[[nodiscard]] Availability availability(std::string_view name);

/// Calls aten::NAME. `out=` selects the out overload. Throws c10::Error where no overload takes the
/// arguments, and whatever the operator throws. Factories get an explicit CPU device and pin_memory=False, as
/// Python's bindings pass them on. Thread-safe.
[[nodiscard]] Value callOverload(std::string_view name, const Call& call);

/// The same for callers in C++.
[[nodiscard]] Value aten(std::string_view name, std::vector<Value> args,
                         std::vector<std::pair<std::string, Value>> kwargs = {});

} // namespace dynascope::engine::torch_level
