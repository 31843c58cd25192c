// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/seeded_values.h"

#include <ATen/ops/diagonal.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/view.h>
#include <ATen/ops/zeros.h>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

namespace dynascope::engine {

namespace {

using at::Tensor;
using nlohmann::json;

/// A linear congruential sequence, in steps that short floats hold exactly.
class Sequence {
public:
    explicit Sequence(std::uint64_t seed)
        : m_state(seed * 0x9E3779B97F4A7C15ULL + 1) {}

    /// In [0, 1).
    double next() {
        m_state = m_state * 6364136223846793005ULL + 1442695040888963407ULL;
        return static_cast<double>(m_state >> 54) / 1024.0;
    }
    /// In [0, count).
    std::int64_t below(std::int64_t count) {
        next();
        return static_cast<std::int64_t>((m_state >> 33) % static_cast<std::uint64_t>(count));
    }

private:
    std::uint64_t m_state;
};

template <typename T>
void fillSeeded(Tensor& flat, std::uint64_t seed, double low, double high) {
    Sequence numbers(seed);
    T* data = flat.mutable_data_ptr<T>();
    for (std::int64_t i = 0; i < flat.numel(); ++i) {
        const double unit = numbers.next();
        data[i] = static_cast<T>(std::is_integral_v<T> ? std::floor(low + unit * (high - low))
                                                       : low + unit * (high - low));
    }
}

double defaultHigh(at::ScalarType type) {
    if (type == at::kBool) return 2;
    return c10::isIntegralType(type, false) ? 4 : 1;
}

/// `total` ones are dealt out in every row, of bools to as many places.
Tensor rowsOf(std::int64_t row, std::int64_t total, std::int64_t count, std::uint64_t seed,
              at::ScalarType type) {
    const bool once = type == at::kBool;
    TORCH_CHECK(row > 0 && total >= 0 && (!once || total <= row), "rows of ", row, " cannot add up to ",
                total);
    const std::int64_t rows = count / row;
    TORCH_CHECK(rows == 0 || total <= maxSeededElements / rows, "rows that add up to ", total,
                " are too large");
    Tensor out = at::zeros({count}, at::kLong);
    auto* data = out.mutable_data_ptr<std::int64_t>();
    Sequence places(seed);
    std::vector<std::int64_t> left(once ? static_cast<std::size_t>(row) : 0);
    for (std::int64_t r = 0; r < rows; ++r, data += row) {
        for (std::size_t i = 0; i < left.size(); ++i)
            left[i] = static_cast<std::int64_t>(i);
        for (std::int64_t dealt = 0; dealt < total; ++dealt) {
            if (!once) {
                ++data[places.below(row)];
                continue;
            }
            const std::int64_t other = dealt + places.below(row - dealt);
            std::swap(left[static_cast<std::size_t>(dealt)], left[static_cast<std::size_t>(other)]);
            data[left[static_cast<std::size_t>(dealt)]] = 1;
        }
    }
    return out.to(type);
}

} // namespace

Tensor seededElements(const json& spec, at::ScalarType type, std::int64_t count) {
    const auto seed = spec.at("seed").get<std::uint64_t>();
    const bool integral = c10::isIntegralType(type, true);
    const double low = spec.value("low", integral ? 0.0 : -1.0), high = spec.value("high", defaultHigh(type));
    Tensor flat = at::empty({count}, integral ? at::kLong : at::kDouble);
    if (integral) {
        fillSeeded<std::int64_t>(flat, seed, low, high);
    } else {
        fillSeeded<double>(flat, seed, low, high);
    }
    return flat.to(type);
}

Tensor seededStorage(const json& spec, at::ScalarType type) {
    const auto count = spec.at("size").get<std::int64_t>();
    TORCH_CHECK(count >= 0 && count <= maxSeededElements, "a storage of ", count, " elements is too large");
    if (spec.contains("row"))
        return rowsOf(spec.at("row").get<std::int64_t>(), spec.at("total").get<std::int64_t>(), count,
                      spec.at("seed").get<std::uint64_t>(), type);
    Tensor out = seededElements(spec, type, count);
    const auto rows = spec.value("diagonal", std::int64_t{0});
    if (rows > 0 && rows <= count && count % (rows * rows) == 0)
        out.view({-1, rows, rows}).diagonal(0, -2, -1).add_(rows);
    return out;
}

} // namespace dynascope::engine
