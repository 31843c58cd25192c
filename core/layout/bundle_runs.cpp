// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/bundle_runs.h"

#include <algorithm>
#include <utility>

namespace dynascope::layout {

namespace {

constexpr std::size_t runLength = 100;

/// What a group shows as one: a node, a block, or a stack of alike blocks.
struct Unit {
    ir::NodeIndex first = ir::npos;
    ir::NodeIndex node = ir::npos;
    std::vector<GroupId> groups; ///< empty for a node
    bool isInput = false;
};

class Bundler {
public:
    Bundler(const ir::Graph& graph, GroupTree tree)
        : m_graph(graph)
        , m_tree(std::move(tree))
        , m_first(m_tree.groups.size(), ir::npos)
        , m_last(m_tree.groups.size(), 0) {}

    GroupTree run() {
        // Children have larger ids than their parents.
        const std::size_t before = m_tree.groups.size();
        for (std::size_t id = before; id-- > 0;) {
            const Group& group = m_tree.groups[id];
            for (const ir::NodeIndex n : group.nodes) {
                extend(id, n, n);
            }
            for (const GroupId child : group.children) {
                extend(id, m_first[child], m_last[child]);
            }
        }
        for (GroupId id = 0; id < before; ++id) {
            if (m_tree.groups[id].nodes.size() + m_tree.groups[id].children.size() <= mostInside) continue;
            std::vector<Unit> units = unitsOf(id);
            if (units.size() > mostInside) bundle(id, std::move(units));
        }
        return m_tree.groups.size() == before ? std::move(m_tree) : renumbered();
    }

private:
    void extend(std::size_t id, ir::NodeIndex first, ir::NodeIndex last) {
        m_first[id] = std::min(m_first[id], first);
        m_last[id] = std::max(m_last[id], last);
    }

    [[nodiscard]] std::vector<Unit> unitsOf(GroupId id) const {
        const Group& group = m_tree.groups[id];
        std::vector<Unit> units;
        for (const ir::NodeIndex n : group.nodes) {
            const ir::Op op = m_graph.node(n).op;
            units.push_back({n, n, {}, op == ir::Op::Placeholder});
        }
        GroupId stack = noGroup;
        for (const GroupId child : group.children) {
            const GroupId alike = m_tree.groups[child].alike;
            if (alike != noGroup && alike == stack)
                units.back().groups.push_back(child);
            else
                units.push_back({m_first[child], ir::npos, {child}, false});
            stack = alike;
        }
        std::stable_sort(units.begin(), units.end(),
                         [](const Unit& a, const Unit& b) { return a.first < b.first; });
        return units;
    }

    /// Runs of neighbours become groups, and these again until there are few.
    void bundle(GroupId id, std::vector<Unit> units) {
        while (units.size() > runLength) {
            std::vector<Unit> above;
            for (std::size_t at = 0; at < units.size();) {
                std::size_t end = at + 1;
                while (end < units.size() && end - at < runLength && units[end].isInput == units[at].isInput)
                    ++end;
                if (end - at == 1)
                    above.push_back(std::move(units[at]));
                else
                    above.push_back(runOf(id, units, at, end));
                at = end;
            }
            if (above.size() == units.size()) break; // inputs and calls in turn: no run is longer than one
            units = std::move(above);
        }
        place(id, units);
    }

    Unit runOf(GroupId parent, const std::vector<Unit>& units, std::size_t begin, std::size_t end) {
        const auto id = static_cast<GroupId>(m_tree.groups.size());
        m_tree.groups.emplace_back();
        m_first.push_back(ir::npos);
        m_last.push_back(0);
        m_tree.groups[id].kind = Group::Kind::Run;
        place(id, {units.begin() + static_cast<std::ptrdiff_t>(begin),
                   units.begin() + static_cast<std::ptrdiff_t>(end)});
        Group& group = m_tree.groups[id];
        for (const ir::NodeIndex n : group.nodes) {
            extend(id, n, n);
        }
        group.totalNodes = group.nodes.size();
        for (const GroupId child : group.children) {
            extend(id, m_first[child], m_last[child]);
            group.totalNodes += m_tree.groups[child].totalNodes;
        }
        const bool inputs = units[begin].isInput;
        group.name = (inputs ? "inputs " : "nodes ") + std::to_string(m_first[id] + 1) + '-' +
                     std::to_string(m_last[id] + 1);
        const std::string& above = m_tree.groups[parent].path;
        group.path = above.empty() ? group.name : above + '.' + group.name;
        group.detail = m_graph.node(m_first[id]).name + " \u2026 " + m_graph.node(m_last[id]).name;
        return {m_first[id], ir::npos, {id}, inputs};
    }

    /// Makes `units` all that the group holds.
    void place(GroupId id, const std::vector<Unit>& units) {
        Group& group = m_tree.groups[id];
        group.nodes.clear();
        group.children.clear();
        for (const Unit& unit : units) {
            if (unit.groups.empty()) {
                group.nodes.push_back(unit.node);
                m_tree.groupOfNode[unit.node] = id;
            }
            for (const GroupId child : unit.groups) {
                group.children.push_back(child);
                m_tree.groups[child].parent = id;
            }
        }
    }

    /// The same tree with children behind their parents again.
    GroupTree renumbered() {
        std::vector<GroupId> order{0}, idOf(m_tree.groups.size(), noGroup);
        for (std::size_t i = 0; i < order.size(); ++i) {
            idOf[order[i]] = static_cast<GroupId>(i);
            const std::vector<GroupId>& children = m_tree.groups[order[i]].children;
            order.insert(order.end(), children.begin(), children.end());
        }
        GroupTree out;
        out.groups.reserve(order.size());
        for (const GroupId old : order) {
            Group& group = out.groups.emplace_back(std::move(m_tree.groups[old]));
            if (group.parent != noGroup) group.parent = idOf[group.parent];
            if (group.alike != noGroup) group.alike = idOf[group.alike];
            for (GroupId& child : group.children) {
                child = idOf[child];
            }
        }
        out.groupOfNode = std::move(m_tree.groupOfNode);
        out.stateNames = std::move(m_tree.stateNames);
        out.loneModules = std::move(m_tree.loneModules);
        for (GroupId& id : out.groupOfNode) {
            id = idOf[id];
        }
        return out;
    }

    const ir::Graph& m_graph;
    GroupTree m_tree;
    std::vector<ir::NodeIndex> m_first, m_last; ///< nodes of each group, with all descendants
};

} // namespace

GroupTree bundleRuns(const ir::Graph& graph, GroupTree tree) {
    return Bundler(graph, std::move(tree)).run();
}

} // namespace dynascope::layout
