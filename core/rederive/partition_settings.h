// SPDX-License-Identifier: BSD-3-Clause
//
// What torch._functorch.config told the partitioner when a compile was captured. Any thread.
#pragma once

#include "core/passes/partition/joint.h"
#include "core/session/session.h"

namespace dynascope::engine {

/// By the artifact "torch._functorch.config" of that attempt; PyTorch's defaults where it, or a setting in it, is not there.
/// It leaves out how a memory budget is solved, and by what runtimes: those are the defaults.
[[nodiscard]] passes::partition::Config partitionSettings(const session::Session& session,
                                                          const session::Compile& compile, int attempt);

} // namespace dynascope::engine
