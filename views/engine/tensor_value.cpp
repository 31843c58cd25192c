// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/tensor_value.h"

#include "views/models/labels.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

namespace dynascope::views {

namespace {

using nlohmann::json;

constexpr std::size_t mostCells = 4096;
constexpr std::size_t histogramBins = 24;
constexpr std::size_t mostCorner = 64;
constexpr std::size_t mostDimensions = 64; ///< PyTorch's own limit

std::vector<std::int64_t> integers(const json& list) {
    std::vector<std::int64_t> out;
    if (!list.is_array() || list.size() > mostDimensions) return out;
    for (const json& item : list)
        out.push_back(item.is_number_integer() ? item.get<std::int64_t>() : 0);
    return out;
}

void addNumbers(const json& data, std::vector<double>& out) {
    if (!data.is_array()) {
        if (!data.is_null()) out.push_back(jsonNumber(data));
        return;
    }
    for (const json& item : data) {
        if (out.size() >= mostCells) return;
        // A complex number is a pair: its real part is what a cell can show.
        out.push_back(jsonNumber(item.is_array() && !item.empty() ? item.front() : item));
    }
}

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

double field(const json& object, const char* key) {
    const auto at = object.find(key);
    return at == object.end() ? 0 : jsonNumber(*at);
}

std::int64_t countField(const json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_number_integer() ? at->get<std::int64_t>() : 0;
}

} // namespace

double jsonNumber(const json& item) {
    if (item.is_number()) return item.get<double>();
    if (item.is_boolean()) return item.get<bool>() ? 1 : 0;
    if (item.is_string()) {
        const auto& text = item.get_ref<const std::string&>();
        if (text == "inf" || text == "Infinity") return std::numeric_limits<double>::infinity();
        if (text == "-inf" || text == "-Infinity") return -std::numeric_limits<double>::infinity();
    }
    return std::numeric_limits<double>::quiet_NaN();
}

QString shapeText(const std::vector<std::int64_t>& shape) {
    QStringList parts;
    for (const std::int64_t size : shape)
        parts << QString::number(size);
    return u'[' + parts.join(QStringLiteral(", ")) + u']';
}

QString cellText(double value) {
    if (std::isnan(value)) return QStringLiteral("nan");
    if (std::isinf(value)) return value > 0 ? QStringLiteral("inf") : QStringLiteral("-inf");
    return QString::number(value, 'g', 4);
}

QString TensorValue::typeText() const {
    return toQString(ir::shortDtype(dtype)) + shapeText(shape);
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

std::optional<TensorValue> readTensorValue(const json& value) {
    if (!value.is_object() || !value.contains("shape")) return std::nullopt;
    TensorValue out;
    out.shape = integers(value["shape"]);
    out.stride = integers(value.value("stride", json::array()));
    for (const char* key : {"storage_offset", "offset"})
        if (const auto at = value.find(key); at != value.end() && at->is_number_integer())
            out.offset = at->get<std::int64_t>();
    if (const auto at = value.find("dtype"); at != value.end() && at->is_string())
        out.dtype = at->get<std::string>();
    out.count = 1;
    for (const std::int64_t size : out.shape) {
        if (size < 0 || __builtin_mul_overflow(out.count, size, &out.count)) return std::nullopt;
    }
    if (const auto at = value.find("data"); at != value.end()) addNumbers(*at, out.data);
    if (const auto at = value.find("corner"); at != value.end() && at->is_array() && out.data.empty()) {
        for (const json& row : *at) {
            if (out.corner.size() >= mostCorner) break;
            addNumbers(row, out.corner.emplace_back());
        }
        std::size_t known = 0;
        for (const std::vector<double>& row : out.corner)
            known += row.size();
        // Small tensors are all corner.
        if (std::int64_t(known) == out.count)
            for (const std::vector<double>& row : out.corner)
                out.data.insert(out.data.end(), row.begin(), row.end());
    }
    if (std::int64_t(out.data.size()) > out.count) out.data.resize(std::size_t(out.count));
    if (const auto at = value.find("storage"); at != value.end() && !at->is_null())
        out.storage = at->is_string() ? at->get<std::string>() : at->dump();

    const bool whole = std::int64_t(out.data.size()) == out.count;
    if (const auto at = value.find("summary"); at != value.end() && at->is_object()) {
        out.statistics = TensorValue::Statistics{
            field(*at, "min"),      field(*at, "max"),      field(*at, "mean"),     field(*at, "std"),
            countField(*at, "nan"), countField(*at, "inf"), countField(*at, "zero")};
        if (const auto h = at->find("histogram"); h != at->end() && h->is_object()) {
            TensorValue::Histogram read{field(*h, "lo"), field(*h, "hi"), {}};
            for (const json& n : h->value("counts", json::array()))
                read.counts.push_back(n.is_number_integer() ? n.get<std::int64_t>() : 0);
            if (!read.counts.empty()) out.histogram = std::move(read);
        }
    } else if (whole && out.count > 0) {
        out.statistics = statisticsOf(out.data);
        out.histogram = histogramOf(out.data, *out.statistics);
    }
    return out;
}

} // namespace dynascope::views
