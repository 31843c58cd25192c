// SPDX-License-Identifier: BSD-3-Clause
//
// What this engine has to work with: the method "environment" (protocol.h).
#pragma once

#include "core/engine/wire/methods.h"

namespace dynascope::engine {

/// Opens the CUDA plugin where there is one, and with it LibTorch's CUDA library. Never fails for what is
/// missing: that is what it tells.
[[nodiscard]] wire::EnvironmentReply environment();

/// Its member `confinement`, which `initialize` answers too.
[[nodiscard]] wire::Confinement confinementFacts();

} // namespace dynascope::engine
