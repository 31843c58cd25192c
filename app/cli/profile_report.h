// SPDX-License-Identifier: BSD-3-Clause
//
// What `profile` prints.
#pragma once

#include "core/profile/compared.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::cli {

/// Median duration of the steps in microseconds; 0 where there are none.
[[nodiscard]] double medianStepUs(const profile::Profile& profile);

/// Which rows.
struct RowChoice {
    profile::By by = profile::By::Node;
    std::optional<profile::Peaks> peaks{}; ///< then rows say how much time they could save, the most first
    std::string device;                    ///< of this one alone ("cuda:0"); empty: of all
    std::vector<std::string> warnings{};   ///< of opening the path, told beside the profile's own
};

[[nodiscard]] nlohmann::json profileJson(profile::Facts& facts, const RowChoice& choice);
/// With a first line that names the columns.
[[nodiscard]] std::string profileCsv(profile::Facts& facts, const RowChoice& choice);
/// The `top` rows that took the most time, and what the others add up to; all for 0.
[[nodiscard]] std::string profileText(profile::Facts& facts, const RowChoice& choice, std::size_t top);

/// Two profiles, whose steps are compared.
[[nodiscard]] nlohmann::json comparedJson(profile::Facts& a, profile::Facts& b, profile::By by);
[[nodiscard]] std::string comparedText(profile::Facts& a, profile::Facts& b, profile::By by, std::size_t top);

} // namespace dynascope::cli
