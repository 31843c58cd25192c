// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/passes/partition/joint.h"

#include <nlohmann/json_fwd.hpp>

namespace dynascope::passes::partition {

/// torch._functorch.config as captures and oracle cases have it, an object; PyTorch's default for each setting that is not
/// there, or is none that PyTorch takes.
[[nodiscard]] Config configOf(const nlohmann::json& settings);

} // namespace dynascope::passes::partition
