// SPDX-License-Identifier: BSD-3-Clause
//
// What the page Profile shows of two profiles beside each other, made on a worker.
#pragma once

#include "core/profile/compared.h"
#include "views/profile/profile_rows.h"

#include <memory>
#include <optional>
#include <vector>

namespace dynascope::views {

struct ComparedProfiles {
    JoinedProfilePtr a, b;
    std::vector<profile::ComparedRow> rows;
    std::vector<ProfileLink> linksA, linksB; ///< by row; compile -1 where that profile has no such row
    profile::Shares sharesA, sharesB;        ///< of all steps
    std::string device;                      ///< of the shares, where it is a GPU's; empty: all devices
    std::optional<profile::ComparedSteps> steps;
};
using ComparedProfilesPtr = std::shared_ptr<const ComparedProfiles>;

/// Locks both, which are two.
[[nodiscard]] ComparedProfilesPtr compareProfiles(const JoinedProfilePtr& a, const JoinedProfilePtr& b,
                                                  profile::By by);

enum class ComparedColumn : int { What, A, B, Change, Times, Noise, Verdict, Compile, Stage };
[[nodiscard]] std::vector<TableColumn> comparedColumns();
/// The rows in which `filter` is, as tableRows().
[[nodiscard]] std::vector<TableRow> comparedTableRows(const ComparedProfiles& compared, const QString& filter,
                                                      std::vector<int>& numbers);
/// "B's step is 1.21 ms faster, beyond the noise of 90 µs".
[[nodiscard]] QString comparedVerdict(const ComparedProfiles& compared);
/// Why there is no row; empty where there are.
[[nodiscard]] QString whyNothingCompared(const ComparedProfiles& compared, profile::By by);

} // namespace dynascope::views
