// SPDX-License-Identifier: BSD-3-Clause
//
// Why a compile failed, in one line.
#pragma once

#include "core/session/session.h"

#include <string>

namespace dynascope::session {

/// The first line of what PyTorch says, and the one after it where that only announces it, as "backend='inductor'
/// raised:" does; empty where the capture has no reason. It is as long as these lines are.
[[nodiscard]] std::string failureInALine(const Compile& compile);

} // namespace dynascope::session
