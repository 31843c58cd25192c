// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/wire/ranks_document.h"

namespace dynascope::wire {

namespace {

template <typename T>
std::string written(const T& value) {
    Any out = encode(value);
    out[versionField] = rankFilesVersion;
    return textOf(out) + '\n';
}

} // namespace

std::string writeRanksRequest(const RanksRequest& request) {
    return written(request);
}

Result<RanksRequest> readRanksRequest(const std::string& text) {
    const Any document = parsed(text);
    const Result<int> version = versionOf(document, rankFilesVersion);
    if (!version) return tl::unexpected(version.error());
    return decode<RanksRequest>(document);
}

std::string writeRankResult(const RankResult& result) {
    return written(result);
}

Result<std::optional<RankResult>> readRankResult(const std::string& text) {
    const Any document = parsed(text);
    const Result<int> version = versionOf(document, rankFilesVersion);
    if (!version) return tl::unexpected(version.error());
    auto result = decode<RankResult>(document);
    return result ? std::optional(std::move(*result)) : std::nullopt;
}

} // namespace dynascope::wire
