// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/tensor_value.h"

#include "core/ir/meta.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace dynascope::computed {

namespace {

constexpr std::size_t mostCells = 4096;
constexpr std::size_t histogramBins = 24;
constexpr std::size_t mostCorner = 64;

TensorValue::Statistics statisticsOf(const std::vector<double>& data) {
    TensorValue::Statistics s;
    double sum = 0, squares = 0;
    std::int64_t finite = 0;
    for (const double x : data) {
        if (std::isnan(x)) {
            ++s.nan;
            continue;
        }
        if (std::isinf(x)) {
            ++s.infinite;
            continue;
        }
        if (x == 0) ++s.zero;
        s.min = finite == 0 ? x : std::min(s.min, x);
        s.max = finite == 0 ? x : std::max(s.max, x);
        sum += x;
        squares += x * x;
        ++finite;
    }
    if (finite > 0) {
        s.mean = sum / double(finite);
        s.deviation = std::sqrt(std::max(0.0, squares / double(finite) - s.mean * s.mean));
    }
    return s;
}

std::optional<TensorValue::Histogram> histogramOf(const std::vector<double>& data,
                                                  const TensorValue::Statistics& s) {
    if (data.empty() || !std::isfinite(s.max - s.min)) return std::nullopt;
    TensorValue::Histogram h{s.min, s.max, std::vector<std::int64_t>(histogramBins)};
    const double width = s.max - s.min;
    for (const double x : data) {
        if (!std::isfinite(x)) continue;
        const double at = width > 0 ? (x - s.min) / width * double(histogramBins) : 0;
        ++h.counts[std::min(histogramBins - 1, std::size_t(at))];
    }
    return h;
}

/// Elements by shape; nothing where that is out of range.
std::optional<std::int64_t> countOf(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape)
        if (size < 0 || __builtin_mul_overflow(count, size, &count)) return std::nullopt;
    return count;
}

/// Where all elements are there.
void addStatistics(TensorValue& value) {
    if (value.count == 0 || std::int64_t(value.data.size()) != value.count) return;
    value.statistics = statisticsOf(value.data);
    value.histogram = histogramOf(value.data, *value.statistics);
}

double numberOf(const std::optional<double>& number) {
    return number.value_or(std::numeric_limits<double>::quiet_NaN());
}

TensorValue::Statistics statisticsOf(const wire::ValueSummary& said) {
    return {numberOf(said.min), numberOf(said.max), numberOf(said.mean), numberOf(said.deviation), said.nan,
            said.infinite,      said.zero};
}

} // namespace

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string out;
    for (const std::int64_t size : shape)
        out += (out.empty() ? "" : ", ") + std::to_string(size);
    return '[' + out + ']';
}

namespace {

std::string rounded(double value, int digits, std::chars_format format) {
    std::array<char, 32> text{}; // to_chars knows no locale
    const int precision = format == std::chars_format::scientific ? digits - 1 : digits;
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value, format, precision);
    return {text.data(), end.ptr};
}

/// "1.2e-5" of "1.2e-05", "1e4" of "1e+04".
std::string shortExponent(std::string text) {
    const std::size_t e = text.find('e');
    if (e == std::string::npos) return text;
    std::size_t at = e + 1;
    if (at < text.size() && text[at] == '+') text.erase(at, 1);
    if (at < text.size() && text[at] == '-') ++at;
    while (at + 1 < text.size() && text[at] == '0')
        text.erase(at, 1);
    return text;
}

} // namespace

std::string cellText(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    return rounded(value, 4, std::chars_format::general);
}

std::string cellText(double value, std::size_t most) {
    std::string text = cellText(value);
    if (text.size() <= most || !std::isfinite(value)) return text;
    for (int digits = 4; digits > 0; --digits)
        for (const auto format : {std::chars_format::general, std::chars_format::scientific}) {
            std::string shorter = shortExponent(rounded(value, digits, format));
            if (shorter.size() < text.size()) text = std::move(shorter);
            if (text.size() <= most) return text;
        }
    return text;
}

std::size_t leastCellRoom(double value) {
    const std::string all = cellText(value);
    if (all.find_first_of(".e") == std::string::npos) return all.size();
    const auto two = [&](std::chars_format format) {
        return shortExponent(rounded(value, 2, format)).size();
    };
    return std::min({all.size(), two(std::chars_format::general), two(std::chars_format::scientific)});
}

std::string TensorValue::typeText() const {
    return ir::shortDtype(dtype) + shapeText(shape);
}

std::vector<std::int64_t> TensorValue::cells() const {
    std::vector<std::int64_t> out;
    if (stride.size() != shape.size()) return out;
    std::vector<std::int64_t> index(shape.size());
    out.reserve(data.size());
    while (out.size() < data.size()) {
        std::int64_t cell = offset;
        for (std::size_t d = 0; d < shape.size(); ++d)
            cell += index[d] * stride[d];
        out.push_back(cell);
        std::size_t d = shape.size();
        while (d > 0 && ++index[d - 1] >= shape[d - 1])
            index[--d] = 0;
        if (d == 0) break;
    }
    return out;
}

std::optional<TensorValue> tensorValue(const wire::TensorFacts& facts) {
    const auto count = countOf(facts.shape);
    if (!count) return std::nullopt;
    TensorValue out;
    out.shape = facts.shape;
    out.stride = facts.stride;
    out.offset = facts.offset;
    out.dtype = facts.dtype;
    out.count = *count;
    out.storage = std::to_string(facts.storage);
    std::int64_t known = 0;
    for (const wire::Elements& row : facts.corner) {
        if (out.corner.size() >= mostCorner) break;
        out.corner.push_back(row.numbers(mostCells));
        known += std::int64_t(out.corner.back().size());
    }
    // Small tensors are all corner.
    if (known == out.count)
        for (const std::vector<double>& row : out.corner)
            out.data.insert(out.data.end(), row.begin(), row.end());
    const wire::ValueSummary& said = facts.summary;
    const bool isSaid = said.min || said.nan > 0 || said.infinite > 0; // earlier engines told less
    if (isSaid) {
        out.statistics = statisticsOf(said);
        if (said.histogram && !said.histogram->counts.empty())
            out.histogram =
                TensorValue::Histogram{said.histogram->first, said.histogram->last, said.histogram->counts};
    } else {
        addStatistics(out);
    }
    return out;
}

std::optional<TensorValue> tensorValue(const wire::RunValue& value) {
    if (!value.tensor) return std::nullopt;
    const auto count = countOf(value.tensor->shape);
    if (!count) return std::nullopt;
    TensorValue out;
    out.shape = value.tensor->shape;
    out.stride = value.tensor->stride;
    out.offset = value.tensor->offset;
    out.dtype = value.tensor->dtype;
    out.count = *count;
    if (value.tensor->data) out.data = value.tensor->data->numbers(mostCells);
    if (std::int64_t(out.data.size()) > out.count) out.data.resize(std::size_t(out.count));
    addStatistics(out);
    return out;
}

} // namespace dynascope::computed
