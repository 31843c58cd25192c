// SPDX-License-Identifier: BSD-3-Clause
//
// The files by which ranks that another launcher starts are told what to replay, and say what they found. A file
// without a version is as one of version 1.
#pragma once

#include "core/engine/wire/ranks.h"

#include <optional>
#include <string>

namespace dynascope::wire {

/// Rises when an older reader would misread one of the two; dynascope_capture/ranks.py has it too.
inline constexpr int rankFilesVersion = 1;

[[nodiscard]] std::string writeRanksRequest(const RanksRequest& request);
/// An Error for one that a newer program wrote, and for one that is damaged.
[[nodiscard]] Result<RanksRequest> readRanksRequest(const std::string& text);

[[nodiscard]] std::string writeRankResult(const RankResult& result);
/// Nothing of one that is damaged: a rank that is ended while it writes leaves such. An Error for one that a newer
/// program wrote.
[[nodiscard]] Result<std::optional<RankResult>> readRankResult(const std::string& text);

} // namespace dynascope::wire
