// SPDX-License-Identifier: BSD-3-Clause
//
// Arguments of an operator before they are made: what the fuzzer makes up, spoils, prints and then turns into
// tensors and numbers.
#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::fuzz {

/// How a tensor lies in its storage.
enum class Lie : std::uint8_t { Contiguous, Transposed, Stepped, Shifted, Expanded, ChannelsLast };
/// What stands in it, where it has no values of its own.
enum class Fill : std::uint8_t { Small, Nan, Huge, Negative, Zero, OutOfRange, Random };
enum class Kind : std::uint8_t { Strided, Undefined, Meta, Coo, Csr, Quantized, PerChannel, Nested };

struct TensorRecipe {
    c10::ScalarType dtype = c10::ScalarType::Float;
    std::vector<std::int64_t> sizes;
    std::vector<std::int64_t> values; ///< of integers; repeated or cut as the sizes want
    Lie lie = Lie::Contiguous;
    Fill fill = Fill::Small;
    Kind kind = Kind::Strided;
    int sameAs = -1;        ///< another argument's tensor instead, by its position
    std::uint64_t seed = 0; ///< of the made-up elements
};

struct Recipe {
    enum class Type : std::uint8_t { None, Bool, Int, Float, Complex, Text, Dtype, Tensor, List, Default };
    Type type = Type::None;
    std::int64_t integer = 0; ///< also Bool and Dtype, which need not be one
    double real = 0;
    std::string text;
    TensorRecipe tensor;
    std::vector<Recipe> items;

    [[nodiscard]] std::string toString() const;
};

/// One right call: recipes by argument name.
using KnownCall = std::map<std::string, Recipe>;
/// By operator name without namespace and overload.
using KnownCalls = std::map<std::string, std::vector<KnownCall>>;

/// Reads what calls.py writes; throws std::runtime_error with the line.
[[nodiscard]] KnownCalls readCalls(const std::string& path);

/// Makes the arguments; throws what LibTorch throws where there is no such tensor. `made` holds the earlier
/// arguments.
[[nodiscard]] c10::IValue make(const Recipe& recipe, const c10::Argument& formal,
                               const std::vector<c10::IValue>& made);

} // namespace dynascope::fuzz
