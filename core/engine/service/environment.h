// SPDX-License-Identifier: BSD-3-Clause
//
// What this engine has to work with: the method "environment" (protocol.h).
#pragma once

#include "core/engine/server/server.h"

namespace dynascope::engine {

/// Opens the CUDA plugin where there is one, and with it LibTorch's CUDA library. Never fails for what is
/// missing: that is what it tells.
[[nodiscard]] Reply environment();

/// Its member `confinement`, which `initialize` answers too.
[[nodiscard]] nlohmann::json confinementJson();

} // namespace dynascope::engine
