// SPDX-License-Identifier: BSD-3-Clause
//
// Two joined profiles beside each other: what became slower or faster, and whether by more than steps of one profile
// differ among themselves.
#pragma once

#include "core/profile/grouped.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::profile {

struct ComparedRow {
    std::string key, device, compile, stage; ///< as in GroupedRow; the same in both
    std::optional<double> a,
        b;               ///< nanoseconds in a step, the median; nothing where that profile has no such row
    double noise = 0;    ///< nanoseconds: twice the larger of both profiles' scaled median deviation
    bool beyond = false; ///< both have it in three steps or more, and they differ by more than `noise`

    std::vector<std::uint32_t> rowsA, rowsB; ///< into Joined::rows of each; empty for By::Operator

    [[nodiscard]] double change() const { return b.value_or(0) - a.value_or(0); }
};

/// How long a step takes by the clock, in both.
struct ComparedSteps {
    double a = 0, b = 0; ///< nanoseconds, the median
    double noise = 0;    ///< as of a row
    bool beyond = false;

    [[nodiscard]] double change() const { return b - a; }
};
/// Nothing where one of them has no steps.
[[nodiscard]] std::optional<ComparedSteps> comparedSteps(const Profile& a, const Profile& b);

/// By what changed most. Of profiles with steps; empty otherwise, and for By::Step.
[[nodiscard]] std::vector<ComparedRow> compared(Facts& a, Facts& b, By by);

} // namespace dynascope::profile
