// SPDX-License-Identifier: BSD-3-Clause
//
// Ways from a page that lists graphs to the stages page.
#pragma once

#include "views/workspace/workspace.h"

#include <string>

namespace dynascope::views {

/// Shows a captured or computed stage of a compile of the current capture as B beside what it was made from,
/// with the node of that name selected if there is one.
void goToStage(Workspace& workspace, std::size_t compile, const session::StagePtr& stage,
               const std::string& node = {});
/// The same, and the line in the source panel.
void goToLine(Workspace& workspace, std::size_t compile, const session::StagePtr& stage,
              const std::string& node, const ir::SourceLocation& line);

} // namespace dynascope::views
