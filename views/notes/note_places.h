// SPDX-License-Identifier: BSD-3-Clause
//
// Places that a note can be about, by address: a node, a stage, a frame, a graph break.
#pragma once

#include "views/workspace/break_place.h"

#include <QString>
#include <vector>

namespace dynascope::views {

/// "add_3 in forward_graph#1", "forward_graph", the frame where no stage is named, the reason of a graph
/// break.
[[nodiscard]] QString addressText(const session::Session& session, const ir::Address& address);
/// The same with its kind before it: "Node add_3 in forward_graph#1", "Frame 0/0 f cap.py:42".
[[nodiscard]] QString addressTitle(const session::Session& session, const ir::Address& address);
/// "0/0 f cap.py:42", or the bare compile id where the capture has no such compile.
[[nodiscard]] QString compileText(const session::Session& session, const ir::Address& address);

/// Of a stage of the current compile, captured or computed.
[[nodiscard]] ir::Address addressOf(const session::Compile& compile, const session::Stage& stage,
                                    const std::string& node = {});
[[nodiscard]] ir::Address addressOf(const session::Compile& compile);

/// What can be written about at the current place, narrowest first: the selected node, its stage (else B's,
/// then A's), the frame; on the page of graph breaks, the break and its frame; on the page Inductor the pass and its
/// frame. Empty while nothing is open.
[[nodiscard]] std::vector<ir::Address> addressesHere(const Workspace& workspace);

/// The index of the stage in the current compile, or -1.
[[nodiscard]] int stageIndex(const Workspace& workspace, const ir::Address& address);
/// Shows it; false where the capture has no such stage, node or break.
bool goToAddress(Workspace& workspace, int capture, const ir::Address& address);

} // namespace dynascope::views
