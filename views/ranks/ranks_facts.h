// SPDX-License-Identifier: BSD-3-Clause
//
// The whole story of one reason, or of a compile without one: what each group of ranks does, which guard failed, and
// where to go. Links are those of followLink(), and
//     "rankcall:LANE:CALL", "rankcode:LANE:CALL"   the node of a call, and the output code around it
//     "ranknode", "rankcode"                       of the reason
//     "pair:COMPILE:COMPILE"                       two compiles side by side
//     "reason:N"                                   another reason
#pragma once

#include "core/capture/ranks_reading.h"
#include "views/inspector/facts.h"

namespace dynascope::views {

/// Into RanksReading::report: of a row and a reason, ranks::none for none; `lane` and `call` are the call that is
/// selected, -1 for the first that does not fit.
struct RanksChoice {
    std::size_t row = ranks::none, reason = ranks::none;
    int lane = -1, call = -1;
};

[[nodiscard]] Facts ranksFacts(const capture::RanksReading& reading, const RanksChoice& choice);

} // namespace dynascope::views
