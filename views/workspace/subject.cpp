// SPDX-License-Identifier: BSD-3-Clause
//
// What of the workspace is asked about across the stages, and the ways to ask.
#include "views/workspace/trace.h"
#include "views/workspace/workspace.h"

namespace dynascope::views {

Subject Workspace::subject() const {
    if (!m_place.subject.isEmpty() || m_place.node.isEmpty()) return m_place.subject;
    return Subject::ofNode(m_place.node.side == Side::A ? m_place.stageA : m_place.stageB, m_place.node.node);
}

void Workspace::selectLine(const std::string& file, std::uint32_t line, NodeSelection with,
                           bool everyCompile) {
    Place place = m_place;
    place.subject = Subject::ofLine(file, line, everyCompile);
    place.node = with;
    visit(place);
}

Place Workspace::placeIn(int compile) const {
    if (compile < 0 || compile == m_place.compile) return m_place;
    Place place;
    place.capture = m_place.capture;
    place.compile = compile;
    place.page = Page::Stages;
    return place;
}

void Workspace::selectCode(int stage, std::uint32_t line, int compile) {
    Place place = placeIn(compile);
    place.subject = Subject::ofCode(stage, line);
    place.node = {};
    visit(place);
}

void Workspace::showNode(int stage, ir::NodeIndex node, int compile) {
    Place place = placeIn(compile);
    place.page = Page::Stages;
    place.subject = {};
    if (stage == place.stageA && stage != place.stageB) {
        place.node = {Side::A, node};
    } else if (stage == place.stageB || stage > place.stageA) {
        place.stageB = stage;
        place.node = {Side::B, node};
    } else {
        place.stageA = stage;
        place.node = {Side::A, node};
    }
    visit(place);
}

bool Workspace::traceLine() {
    const Subject now = subject();
    if (now.kind == Subject::Kind::Line) {
        selectLine(now.file, now.line, m_place.node, true);
        return true;
    }
    const ir::Node* node = selectedNode();
    const ir::SourceLocation* at = node ? node->location() : nullptr;
    if (!at || at->line == 0) return false;
    selectLine(at->file, at->line, m_place.node, true);
    return true;
}

std::vector<ir::NodeIndex> Workspace::relatedOn(Side side) const {
    const NodeSelection& node = m_place.node;
    // A node that is on screen: the diff of A and B says what it is on the other side.
    if (!node.isEmpty() && m_place.subject.isEmpty())
        return side == node.side ? std::vector<ir::NodeIndex>() : related();
    std::vector<ir::NodeIndex> out = m_trace->nodesOf(side == Side::A ? m_place.stageA : m_place.stageB);
    if (node.side == side) std::erase(out, node.node);
    return out;
}

} // namespace dynascope::views
