// SPDX-License-Identifier: BSD-3-Clause
//
// What `profile` prints.
#pragma once

#include "core/profile/compared.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::cli {

/// Median duration of the steps in microseconds; 0 where there are none.
[[nodiscard]] double medianStepUs(const profile::Profile& profile);

[[nodiscard]] nlohmann::json profileJson(profile::Facts& facts, profile::By by,
                                         const std::optional<profile::Peaks>& peaks = {});
/// With a first line that names the columns.
[[nodiscard]] std::string profileCsv(profile::Facts& facts, profile::By by);
/// The `top` rows that took the most time, and what the others add up to; all for 0. Where peaks are given, rows say how
/// much time they could save, the most first.
[[nodiscard]] std::string profileText(profile::Facts& facts, profile::By by, std::size_t top,
                                      const std::optional<profile::Peaks>& peaks = {});

/// Two profiles, whose steps are compared.
[[nodiscard]] nlohmann::json comparedJson(profile::Facts& a, profile::Facts& b, profile::By by);
[[nodiscard]] std::string comparedText(profile::Facts& a, profile::Facts& b, profile::By by, std::size_t top);

} // namespace dynascope::cli
