// SPDX-License-Identifier: BSD-3-Clause
//
// Which bytes of its storage an input tensor covers, and where inputs overlap. Pure functions.
#pragma once

#include "core/session/session.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace dynascope::session {

/// Byte ranges [begin, end), sorted, apart from each other.
using ByteRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

struct Cover {
    ByteRanges ranges;
    bool exact = true; ///< false: too many pieces, the span from the first to the last byte
};

/// Nothing where a size, stride or the offset is symbolic and its value is not among the symbols, or the
/// dtype is unknown.
[[nodiscard]] std::optional<Cover> coverOf(const TensorInput& input, const std::vector<SymbolInfo>& symbols);
[[nodiscard]] ByteRanges intersect(const ByteRanges& a, const ByteRanges& b);

/// One input of a storage.
struct StorageLane {
    std::size_t input = 0; ///< index into Compile::inputs
    std::optional<Cover> cover;
    ByteRanges overlap; ///< bytes that another lane covers as well
};
struct StorageView {
    int describer = 0, id = 0;
    std::uint64_t bytes = 0;
    unsigned cellBytes = 0; ///< element size that all lanes share; 0 where they differ
    std::vector<StorageLane> lanes;
};
/// Storages with their inputs, shared ones first.
[[nodiscard]] std::vector<StorageView> storagesOf(const Compile& compile);

} // namespace dynascope::session
