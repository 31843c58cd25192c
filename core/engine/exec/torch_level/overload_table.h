// SPDX-License-Identifier: BSD-3-Clause
//
// The overloads of ATen's operators, in the order in which Python's bindings try them.
#pragma once

#include "core/engine/sandbox/argument_checks.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/ivalue.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine::torch_level {

/// A parameter.
struct Formal {
    std::string name;
    c10::TypeKind kind = c10::TypeKind::AnyType;    ///< without Optional
    c10::TypeKind element = c10::TypeKind::AnyType; ///< of a list
    bool optional = false;
    bool keywordOnly = false;
    bool out = false;
    std::optional<int> length; ///< of a list of known length, to which a single number is spread
    std::optional<c10::IValue> fallback;
};

struct Overload {
    c10::OperatorHandle op;
    CallCheck check; ///< of its arguments, before each call
    std::vector<Formal> formals;
    std::string order; ///< what Python's bindings sort by
    bool isFactory = false;
    bool hasOut = false;
};

/// Those of aten::NAME; null where there is no such operator. Made once: the operators that LibTorch
/// registers do not change.
[[nodiscard]] const std::vector<Overload>* overloadsOf(std::string_view name);

/// Whether Python's bindings take numbers for the operator's tensors.
[[nodiscard]] bool takesNumbersAsTensors(std::string_view name);

} // namespace dynascope::engine::torch_level
