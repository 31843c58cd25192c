// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/fold.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::layout {

namespace {

/// Children of a group as they are drawn: nodes, groups, and runs of closed alike groups.
struct Child {
    ir::NodeIndex at = ir::npos; ///< first node inside, for the order
    GroupId group = noGroup;
    ir::NodeIndex node = ir::npos;
};

/// First call below each group, so that siblings can be put in graph order; inputs come before all.
std::vector<ir::NodeIndex> firstNodes(const ir::Graph& graph, const GroupTree& tree) {
    std::vector<ir::NodeIndex> first(tree.groups.size(), ir::npos);
    for (std::size_t id = tree.groups.size(); id-- > 0;) {
        const Group& group = tree.groups[id];
        for (const ir::NodeIndex n : group.nodes) {
            if (graph.node(n).op != ir::Op::Placeholder) first[id] = std::min(first[id], n);
        }
        for (const GroupId child : group.children) {
            if (tree.groups[child].kind != Group::Kind::Inputs) first[id] = std::min(first[id], first[child]);
        }
        if (group.kind == Group::Kind::Inputs || first[id] == ir::npos) first[id] = 0;
    }
    return first;
}

class Folder {
public:
    Folder(const ir::Graph& graph, const GroupTree& tree, const std::set<GroupId>& open)
        : m_graph(graph)
        , m_tree(tree)
        , m_open(open)
        , m_first(firstNodes(graph, tree)) {}

    FoldedGraph run() {
        m_out.itemOfNode.assign(m_graph.size(), ir::npos);
        if (!m_tree.groups.empty()) addContents(0, -1);
        addEdges();
        return std::move(m_out);
    }

private:
    void addContents(GroupId id, int cluster) {
        const Group& group = m_tree.groups[id];
        std::vector<Child> children;
        for (const ir::NodeIndex n : group.nodes) {
            children.push_back({n, noGroup, n});
        }
        for (const GroupId g : group.children) {
            children.push_back({m_first[g], g, ir::npos});
        }
        std::stable_sort(children.begin(), children.end(),
                         [](const Child& a, const Child& b) { return a.at < b.at; });

        for (std::size_t i = 0; i < children.size();) {
            const Child& child = children[i];
            if (child.group == noGroup) {
                const auto item = std::uint32_t(m_out.items.size());
                m_out.items.push_back({VisibleItem::Kind::Node, child.node, noGroup, 1, cluster});
                m_out.itemOfNode[child.node] = item;
                ++i;
            } else if (m_open.contains(child.group)) {
                const int inner = int(m_out.open.size());
                m_out.open.push_back(child.group);
                m_out.openParent.push_back(cluster);
                addContents(child.group, inner);
                ++i;
            } else {
                i = addClosed(children, i, cluster);
            }
        }
    }

    /// One closed group, or a stack of as many closed neighbours as are alike. Returns the index after them.
    std::size_t addClosed(const std::vector<Child>& children, std::size_t begin, int cluster) {
        const GroupId alike = m_tree.groups[children[begin].group].alike;
        std::vector<GroupId> members{children[begin].group};
        std::size_t end = begin + 1;
        // Nodes that stand between members in the list (parameters of a later member) do not part a stack.
        std::vector<std::size_t> between;
        for (std::size_t i = end; alike != noGroup && i < children.size(); ++i) {
            const Child& next = children[i];
            if (next.group == noGroup) {
                if (m_graph.node(next.node).op != ir::Op::Placeholder) break;
                between.push_back(i);
                continue;
            }
            if (m_tree.groups[next.group].alike != alike || m_open.contains(next.group)) break;
            members.push_back(next.group);
            end = i + 1;
        }
        for (const std::size_t i : between) {
            if (i >= end) break;
            m_out.itemOfNode[children[i].node] = std::uint32_t(m_out.items.size());
            m_out.items.push_back({VisibleItem::Kind::Node, children[i].node, noGroup, 1, cluster});
        }
        const auto item = std::uint32_t(m_out.items.size());
        const auto kind = members.size() > 1 ? VisibleItem::Kind::Stack : VisibleItem::Kind::Closed;
        m_out.items.push_back({kind, ir::npos, members.front(), members.size(), cluster});
        for (const GroupId g : members) {
            claim(g, item);
        }
        return end;
    }

    void claim(GroupId id, std::uint32_t item) {
        std::vector<GroupId> open{id};
        while (!open.empty()) {
            const Group& group = m_tree.groups[open.back()];
            open.pop_back();
            for (const ir::NodeIndex n : group.nodes) {
                m_out.itemOfNode[n] = item;
            }
            open.insert(open.end(), group.children.begin(), group.children.end());
        }
    }

    void addEdges() {
        std::unordered_map<std::uint64_t, std::size_t> seen;
        for (ir::NodeIndex to = 0; to < m_graph.size(); ++to) {
            for (const ir::NodeIndex from : m_graph.inputs(to)) {
                const std::uint32_t a = m_out.itemOfNode[from], b = m_out.itemOfNode[to];
                if (a == b || a == ir::npos || b == ir::npos) continue;
                const auto [at, isNew] = seen.try_emplace(std::uint64_t(a) << 32U | b, m_out.edges.size());
                if (isNew)
                    m_out.edges.push_back({a, b, 1});
                else
                    ++m_out.edges[at->second].count;
            }
        }
    }

    const ir::Graph& m_graph;
    const GroupTree& m_tree;
    const std::set<GroupId>& m_open;
    std::vector<ir::NodeIndex> m_first;
    FoldedGraph m_out;
};

/// Items that opening a group adds: its nodes and children, a run of alike children counted once.
std::size_t itemsInside(const GroupTree& tree, GroupId id) {
    const Group& group = tree.groups[id];
    std::size_t items = group.nodes.size();
    GroupId run = noGroup;
    for (const GroupId child : group.children) {
        const GroupId alike = tree.groups[child].alike;
        if (alike == noGroup || alike != run) ++items;
        run = alike;
    }
    return items;
}

} // namespace

GroupTree keepNodes(GroupTree tree, const std::vector<ir::NodeIndex>& kept) {
    const auto isKept = [&](ir::NodeIndex node) { return std::ranges::binary_search(kept, node); };
    // Blocks stand behind those that hold them.
    for (std::size_t id = tree.groups.size(); id-- > 0;) {
        Group& group = tree.groups[id];
        std::erase_if(group.nodes, [&](ir::NodeIndex node) { return !isKept(node); });
        std::erase_if(group.children, [&](GroupId child) { return tree.groups[child].totalNodes == 0; });
        std::size_t total = group.nodes.size();
        for (const GroupId child : group.children)
            total += tree.groups[child].totalNodes;
        if (total != group.totalNodes) {
            group.alike = noGroup;
            group.shapeHash = 0;
        }
        group.totalNodes = total;
    }
    for (ir::NodeIndex node = 0; node < tree.groupOfNode.size(); ++node)
        if (!isKept(node)) tree.groupOfNode[node] = noGroup;
    return tree;
}

FoldedGraph fold(const ir::Graph& graph, const GroupTree& tree, const std::set<GroupId>& openGroups) {
    return Folder(graph, tree, openGroups).run();
}

std::set<GroupId> openWhere(const GroupTree& tree, std::size_t tries,
                            const std::function<bool(const std::set<GroupId>&)>& fits) {
    std::set<GroupId> open;
    if (tree.groups.empty()) return open;
    // The largest first: what is large and closed says nothing of the model.
    const auto smaller = [&tree](GroupId a, GroupId b) {
        return std::pair(tree.groups[a].totalNodes, b) < std::pair(tree.groups[b].totalNodes, a);
    };
    std::vector<GroupId> closed;
    const auto offer = [&](GroupId parent) {
        for (const GroupId child : tree.groups[parent].children) {
            const Group& group = tree.groups[child];
            // One layer of a stack would tell no more than the stack does, and a row of inputs or of one
            // target no more than its number.
            if (group.alike != noGroup || group.kind == Group::Kind::Inputs) continue;
            closed.push_back(child);
            std::push_heap(closed.begin(), closed.end(), smaller);
        }
    };
    offer(0);
    for (; !closed.empty() && tries > 0; --tries) {
        std::pop_heap(closed.begin(), closed.end(), smaller);
        const GroupId next = closed.back();
        closed.pop_back();
        open.insert(next);
        if (fits(open))
            offer(next);
        else
            open.erase(next);
    }
    return open;
}

std::set<GroupId> initialOpen(const GroupTree& tree, std::size_t budget) {
    return openWhere(tree, tree.groups.size(), [&](const std::set<GroupId>& open) {
        std::size_t items = tree.groups.empty() ? 0 : itemsInside(tree, 0);
        for (const GroupId id : open)
            items += itemsInside(tree, id) - 1;
        return items <= budget;
    });
}

} // namespace dynascope::layout
