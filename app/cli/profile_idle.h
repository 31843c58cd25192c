// SPDX-License-Identifier: BSD-3-Clause
//
// What `profile` says of devices that had nothing to do.
#pragma once

#include "core/profile/facts.h"

#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::cli {

/// Null of a profile without a device.
[[nodiscard]] nlohmann::json idleJson(profile::Facts& facts);
/// Empty of a profile without a device. The `top` longest gaps; all for 0.
[[nodiscard]] std::string idleText(profile::Facts& facts, std::size_t top);

} // namespace dynascope::cli
