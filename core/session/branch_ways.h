// SPDX-License-Identifier: BSD-3-Clause
//
// What can be done about a branch or a loop on tensor data.
#pragma once

#include "core/session/breaks.h"

namespace dynascope::session {

/// "if h.sum()>0" of "if h.sum()>0: h=h.relu()  # comment".
[[nodiscard]] std::string branchCondition(std::string_view code);
/// torch.cond and while_loop where the line shows nothing that they cannot have.
[[nodiscard]] WayOut branchWay(const GraphBreak& graphBreak);

} // namespace dynascope::session
