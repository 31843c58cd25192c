// SPDX-License-Identifier: BSD-3-Clause
//
// torch._functorch.config when a compile was captured, and what it told the partitioner. Any thread.
#pragma once

#include "core/passes/partition/joint.h"
#include "core/session/session.h"

#include <nlohmann/json.hpp>

namespace dynascope::engine {

/// The artifact "torch._functorch.config" of that attempt, the last one that is an object; null where there is none.
[[nodiscard]] nlohmann::json functorchSettings(const session::Session& session,
                                               const session::Compile& compile, int attempt);

/// By the artifact "torch._functorch.config" of that attempt; PyTorch's defaults where it, or a setting in it, is not there.
/// It leaves out how a memory budget is solved, and by what runtimes: those are the defaults.
[[nodiscard]] passes::partition::Config partitionSettings(const session::Session& session,
                                                          const session::Compile& compile, int attempt);

} // namespace dynascope::engine
