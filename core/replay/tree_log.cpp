// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/tree_log.h"

#include "core/replay/tree_log_fields.h"

#include <algorithm>

namespace dynascope::wire {

DYNASCOPE_WIRE(replay::TreeLogPart)

} // namespace dynascope::wire

namespace dynascope::replay {

TreeLog::TreeLog(const TreeManager& manager)
    : TreeLog(std::vector<TreeFunction>(manager.functions().begin(), manager.functions().end())) {
    TreeLogWriter writer(manager);
    (void)append(writer.next());
}

Result<void> TreeLog::append(TreeLogPart part) {
    if (part.firstStep != m_steps.size() || part.firstNode != m_nodes.size() ||
        part.changes.size() != part.steps.size() ||
        (!part.measures.empty() && part.measures.size() != part.steps.size()) ||
        m_measures.size() != (part.measures.empty() ? 0 : m_steps.size()))
        return failure("a part of a tree's run is missing");
    const std::size_t steps = m_steps.size() + part.steps.size();
    std::unordered_map<NodeId, std::size_t> positions = m_positions;
    for (std::size_t i = 0; i < part.nodes.size(); ++i) {
        const TreeNode& node = part.nodes[i];
        if ((node.parent != noNode && !positions.contains(node.parent)) || node.step >= steps ||
            node.function >= m_functions.size() || !positions.emplace(node.id, m_nodes.size() + i).second)
            return failure("a node of a tree's run has no place in it");
    }
    for (const TreeStep& step : part.steps)
        if (step.event == TreeStep::Event::Call && step.function >= m_functions.size())
            return failure("a step of a tree's run calls no function");
    m_positions = std::move(positions);
    for (TreeNode& node : part.nodes) {
        if (node.parent != noNode && !node.isWarmup())
            m_nodes[m_positions.at(node.parent)].children.push_back(node.id);
        m_nodes.push_back(std::move(node));
    }
    std::move(part.steps.begin(), part.steps.end(), std::back_inserter(m_steps));
    std::move(part.changes.begin(), part.changes.end(), std::back_inserter(m_changes));
    std::move(part.measures.begin(), part.measures.end(), std::back_inserter(m_measures));
    m_overwritten.insert(part.overwritten.begin(), part.overwritten.end());
    return {};
}

const TreeNode* TreeLog::find(NodeId node) const {
    const auto found = m_positions.find(node);
    return found == m_positions.end() ? nullptr : &m_nodes[found->second];
}

std::vector<NodeId> TreeLog::path(NodeId node) const {
    std::vector<NodeId> out;
    for (const TreeNode* at = find(node); at; at = find(at->parent))
        out.push_back(at->id);
    std::reverse(out.begin(), out.end());
    return out;
}

TreeLogPart TreeLogWriter::next() {
    TreeLogPart out;
    out.firstStep = m_steps;
    out.firstNode = m_nodes;
    out.steps.assign(m_manager.steps().begin() + static_cast<std::ptrdiff_t>(m_steps),
                     m_manager.steps().end());
    const auto changes = m_manager.changes().subspan(m_steps);
    out.changes.assign(changes.begin(), changes.end());
    const auto nodes = m_manager.nodes().subspan(m_nodes);
    out.nodes.assign(nodes.begin(), nodes.end());
    for (TreeNode& node : out.nodes)
        node.children.clear();
    for (const auto& [output, what] : m_manager.overwrittenOutputs())
        if (m_overwritten.insert(output).second) out.overwritten.push_back(output);
    m_steps = m_manager.steps().size();
    m_nodes = m_manager.nodes().size();
    return out;
}

nlohmann::json toJson(const TreeLogPart& part) {
    return wire::encode(part);
}

Result<TreeLogPart> treeLogPartFromJson(const nlohmann::json& document) {
    return wire::decode<TreeLogPart>(document);
}

} // namespace dynascope::replay
