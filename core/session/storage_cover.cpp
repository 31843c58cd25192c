// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/storage_cover.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string_view>

namespace dynascope::session {

namespace {

constexpr std::size_t mostPieces = 4096;
constexpr std::uint64_t largest = std::uint64_t(1) << 48;

std::optional<std::uint64_t> number(std::string_view text, const std::vector<SymbolInfo>& symbols) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size())
        return value < largest ? std::optional(value) : std::nullopt;
    for (const SymbolInfo& symbol : symbols)
        if (symbol.symbol == text && !symbol.value.empty() && symbol.value != text)
            return number(symbol.value, {});
    return std::nullopt;
}

void merge(ByteRanges& ranges) {
    std::sort(ranges.begin(), ranges.end());
    ByteRanges out;
    for (const auto& range : ranges) {
        if (!out.empty() && range.first <= out.back().second)
            out.back().second = std::max(out.back().second, range.second);
        else
            out.push_back(range);
    }
    ranges = std::move(out);
}

} // namespace

std::optional<Cover> coverOf(const TensorInput& input, const std::vector<SymbolInfo>& symbols) {
    const unsigned element = ir::dtypeBytes(input.meta.dtype);
    const auto offset = number(input.storageOffset, symbols);
    if (element == 0 || !offset) return std::nullopt;
    struct Dimension {
        std::uint64_t size, stride;
    };
    std::vector<Dimension> dimensions;
    std::uint64_t dense = 1;
    for (std::size_t i = input.meta.sizes.size(); i-- > 0;) {
        const auto size = number(input.meta.sizes[i], symbols);
        if (!size) return std::nullopt;
        std::uint64_t stride = dense;
        if (input.meta.strides && i < input.meta.strides->size()) {
            const auto given = number((*input.meta.strides)[i], symbols);
            if (!given) return std::nullopt;
            stride = *given;
        }
        if (*size == 0) return Cover{};
        if (dense > largest / *size || (stride > 0 && *size > largest / stride)) return std::nullopt;
        dense *= *size;
        if (*size > 1 && stride > 0) dimensions.push_back({*size, stride});
    }
    // From the densest dimension on, runs that touch grow into one; the rest repeats the pieces.
    std::sort(dimensions.begin(), dimensions.end(),
              [](const Dimension& a, const Dimension& b) { return a.stride < b.stride; });
    std::uint64_t last = 0;
    for (const Dimension& d : dimensions)
        last += (d.size - 1) * d.stride;
    Cover out;
    out.ranges = {{0, 1}};
    for (const Dimension& d : dimensions) {
        if (out.ranges.size() == 1 && d.stride <= out.ranges[0].second) {
            out.ranges[0].second = (d.size - 1) * d.stride + out.ranges[0].second;
            continue;
        }
        const std::uint64_t pieces = d.size > mostPieces ? d.size : out.ranges.size() * d.size;
        if (pieces > mostPieces) {
            out.ranges = {{0, last + 1}};
            out.exact = false;
            break;
        }
        ByteRanges next;
        next.reserve(pieces);
        for (std::uint64_t i = 0; i < d.size; ++i)
            for (const auto& [begin, end] : out.ranges)
                next.emplace_back(begin + i * d.stride, end + i * d.stride);
        merge(next);
        out.ranges = std::move(next);
    }
    for (auto& [begin, end] : out.ranges) {
        begin = (begin + *offset) * element;
        end = (end + *offset) * element;
    }
    return out;
}

ByteRanges intersect(const ByteRanges& a, const ByteRanges& b) {
    ByteRanges out;
    for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
        const std::uint64_t begin = std::max(a[i].first, b[j].first),
                            end = std::min(a[i].second, b[j].second);
        if (begin < end) out.emplace_back(begin, end);
        (a[i].second < b[j].second ? i : j)++;
    }
    return out;
}

std::vector<StorageView> storagesOf(const Compile& compile) {
    std::map<std::pair<int, int>, StorageView> byId;
    for (const StorageInfo& storage : compile.storages) {
        StorageView& view = byId[{storage.describer, storage.id}];
        view.describer = storage.describer;
        view.id = storage.id;
        view.bytes = storage.bytes;
    }
    for (std::size_t i = 0; i < compile.inputs.size(); ++i) {
        const TensorInput& input = compile.inputs[i];
        const auto at = byId.find({input.describer, input.storage});
        if (at == byId.end()) continue;
        StorageLane lane;
        lane.input = i;
        lane.cover = coverOf(input, compile.symbols);
        const unsigned element = ir::dtypeBytes(input.meta.dtype);
        at->second.cellBytes = at->second.lanes.empty() || at->second.cellBytes == element ? element : 0;
        at->second.lanes.push_back(std::move(lane));
    }
    const auto named = [&](const StorageLane& lane) { return !compile.inputs[lane.input].source.empty(); };
    std::vector<StorageView> out;
    for (auto& [id, view] : byId) {
        for (std::size_t a = 0; a < view.lanes.size(); ++a)
            for (std::size_t b = 0; b < view.lanes.size() && view.lanes.size() <= 64; ++b)
                // A base without a name in the program covers all of its views: that is no news.
                if (a != b && view.lanes[a].cover && view.lanes[b].cover && named(view.lanes[a]) &&
                    named(view.lanes[b])) {
                    const ByteRanges shared =
                        intersect(view.lanes[a].cover->ranges, view.lanes[b].cover->ranges);
                    view.lanes[a].overlap.insert(view.lanes[a].overlap.end(), shared.begin(), shared.end());
                }
        for (StorageLane& lane : view.lanes)
            merge(lane.overlap);
        if (!view.lanes.empty()) out.push_back(std::move(view));
    }
    std::stable_sort(out.begin(), out.end(), [](const StorageView& a, const StorageView& b) {
        return a.lanes.size() > b.lanes.size();
    });
    return out;
}

} // namespace dynascope::session
