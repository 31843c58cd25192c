// SPDX-License-Identifier: BSD-3-Clause
//
// A tensor as the engine describes it: geometry, statistics, a histogram and a corner of the data.
#pragma once

#include "core/engine/wire/execute.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::computed {

struct TensorValue {
    std::vector<std::int64_t> shape, stride;
    std::int64_t offset = 0; ///< in elements of its storage
    std::string dtype;       ///< "float32"
    std::int64_t count = 0;  ///< elements
    /// The first elements in logical order; all of them where data.size() == count. NaN and infinities are
    /// themselves.
    std::vector<double> data;
    /// The first rows and columns of the last two dimensions, where that is all that is known.
    std::vector<std::vector<double>> corner;
    std::string storage; ///< tensors of one run with the same name share memory; empty where not told

    struct Statistics {
        double min = 0, max = 0, mean = 0, deviation = 0;
        std::int64_t nan = 0, infinite = 0, zero = 0;
    };
    std::optional<Statistics> statistics;
    struct Histogram {
        double first = 0, last = 0;
        std::vector<std::int64_t> counts;
    };
    std::optional<Histogram> histogram;

    /// "f32[4, 5]"
    [[nodiscard]] std::string typeText() const;
    /// Storage cells of its elements in logical order, as far as `data` reaches.
    [[nodiscard]] std::vector<std::int64_t> cells() const;
};

/// Values by FX node.
using NodeValues = std::map<std::string, TensorValue>;

/// Of a node, or of an output or an input after the call; nothing where its size is none. Statistics and
/// histogram that the engine did not send are worked out where all elements are there.
[[nodiscard]] std::optional<TensorValue> tensorValue(const wire::TensorFacts& facts);
[[nodiscard]] std::optional<TensorValue> tensorValue(const wire::RunValue& value);

/// "-4", "0.5", "1.2e-05", "nan".
[[nodiscard]] std::string cellText(double value);
/// With as many digits as stand in `most` characters ("-1.2e-5"), rounded and never cut: longer than that
/// where not even one digit fits.
[[nodiscard]] std::string cellText(double value, std::size_t most);
/// How many characters a cell needs at least: all of a whole number, two digits of another.
[[nodiscard]] std::size_t leastCellRoom(double value);
[[nodiscard]] std::string shapeText(const std::vector<std::int64_t>& shape); ///< "[4, 5]"

} // namespace dynascope::computed
