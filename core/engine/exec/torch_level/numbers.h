// SPDX-License-Identifier: BSD-3-Clause
//
// Python's arithmetic on values without tensors: integers of 64 bits, floats, complex numbers, sequences.
#pragma once

#include "core/engine/exec/torch_level/value.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace dynascope::engine::torch_level {

enum class Binary : std::uint8_t {
    Add,
    Sub,
    Mul,
    TrueDiv,
    FloorDiv,
    Mod,
    Pow,
    MatMul,
    And,
    Or,
    Xor,
    LShift,
    RShift,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
};

/// Throws c10::Error where Python would raise, and where an integer leaves 64 bits. Neither is a tensor.
[[nodiscard]] Value plainBinary(Binary op, const Value& left, const Value& right);
[[nodiscard]] Value negated(const Value& number);
[[nodiscard]] Value absolute(const Value& number);
/// bool(value); of a tensor with one element its value.
[[nodiscard]] bool truth(const Value& value);
[[nodiscard]] bool equal(const Value& left, const Value& right);

/// A function of Python's math module, or nothing.
[[nodiscard]] std::optional<Value> mathFunction(std::string_view name, const std::vector<Value>& args);
[[nodiscard]] bool isMathFunction(std::string_view name);

} // namespace dynascope::engine::torch_level
