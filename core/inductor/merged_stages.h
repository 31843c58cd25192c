// SPDX-License-Identifier: BSD-3-Clause
//
// A compile with the graphs between passes among its own stages, so that nodes can be followed through all of them.
#pragma once

#include "core/inductor/compile_passes.h"

#include <cstddef>

namespace dynascope::inductor {

/// The session with another compile `index`: the stages of its passes stand before the last traced stage of their phase, which
/// they lead to; traced stages keep their order. An Error where no recording of passes has the compile.
[[nodiscard]] Result<session::SessionPtr> withPassStages(const session::Session& session, std::size_t index,
                                                         const TaskContext& task = {});

} // namespace dynascope::inductor
