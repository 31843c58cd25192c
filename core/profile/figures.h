// SPDX-License-Identifier: BSD-3-Clause
//
// Shares and rates as text that never says zero, or all, of what is not. Any thread.
#pragma once

#include <string>
#include <string_view>

namespace dynascope::profile {

/// "88.3 %"; "under 0.1 %" and "over 99.9 %" where rounding would say none or all. `share` is of 1.
[[nodiscard]] std::string shareText(double share);

/// Three digits with a prefix of 1,000: "12.3 MFLOP/s", "1.20 GB/s". `unit` is "FLOP/s" or "B/s".
[[nodiscard]] std::string rateText(double perSecond, std::string_view unit);

} // namespace dynascope::profile
