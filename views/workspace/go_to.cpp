// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/go_to.h"

#include "core/session/stage_order.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

void goToStage(Workspace& workspace, std::size_t compile, const session::StagePtr& stage,
               const std::string& node) {
    const session::Session* session = workspace.session();
    if (!session || compile >= session->compiles.size() || !stage) return;
    const session::Compile& owner = session->compiles[compile];
    const auto at = std::find(owner.stages.begin(), owner.stages.end(), stage);
    int index = int(at - owner.stages.begin()), from = -1;
    if (at == owner.stages.end()) {
        const auto& computed = workspace.computedOf(owner);
        const auto made = std::find_if(computed.begin(), computed.end(), [&](const auto& known) {
            return known.stage == stage && !known.removed;
        });
        if (made == computed.end()) return;
        index += int(made - computed.begin());
        from = made->from;
    }
    const Result<ir::GraphPtr> graph = node.empty() ? Result<ir::GraphPtr>(nullptr) : stage->graph();
    const ir::NodeIndex found = graph && *graph ? (*graph)->find(node) : ir::npos;
    Place place = workspace.place();
    place.page = Page::Stages;
    place.compile = int(compile);
    place.stageB = index;
    place.stageA = from >= 0 ? from : std::max(0, predecessor(owner, index));
    place.node = found == ir::npos ? NodeSelection{} : NodeSelection{Side::B, found};
    place.subject = {};
    workspace.go(place);
    if (!place.node.isEmpty()) workspace.seekNode(); // a block that is closed would hide it
}

void goToLine(Workspace& workspace, std::size_t compile, const session::StagePtr& stage,
              const std::string& node, const ir::SourceLocation& line) {
    goToStage(workspace, compile, stage, node);
    if (line.file.empty()) return;
    emit workspace.panelRequested(PanelId::Source);
    emit workspace.sourceRequested(toQString(line.file), int(line.line));
}

} // namespace dynascope::views
