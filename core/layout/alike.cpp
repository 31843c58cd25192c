// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/alike.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <unordered_map>

namespace dynascope::layout {

namespace {

bool isCallNode(const ir::Node& node) {
    return node.op != ir::Op::Placeholder && node.op != ir::Op::Output;
}

/// "layers.0" and "layers.7".
bool sameList(std::string_view a, std::string_view b) {
    const std::size_t dot = a.rfind('.');
    return dot != std::string_view::npos && dot == b.rfind('.') && a.substr(0, dot) == b.substr(0, dot);
}

bool isItem(const Group& group) {
    return (group.kind == Group::Kind::Module || group.kind == Group::Kind::Turn) &&
           group.name.find('.') != std::string::npos;
}

void mix(std::uint64_t& h, std::uint64_t value) {
    h ^= value + 0x9e3779b97f4a7c15ULL + (h << 6U) + (h >> 2U);
}

void mix(std::uint64_t& h, std::string_view text) {
    mix(h, std::hash<std::string_view>{}(text));
}

/// Of a block's operations, arguments and internal edges; `form` leaves out sizes, so constants too.
struct Hashes {
    std::uint64_t exact = 0, form = 0;
};

class Marker {
public:
    Marker(const ir::Graph& graph, GroupTree& tree)
        : m_graph(graph)
        , m_tree(tree)
        , m_first(tree.groups.size(), ir::npos)
        , m_hashes(tree.groups.size()) {}

    void run() {
        // Children stand behind their parents, so one pass from the back sees every subtree whole.
        std::vector<std::vector<ir::NodeIndex>> all(m_tree.groups.size());
        for (std::size_t id = m_tree.groups.size(); id-- > 0;) {
            Group& group = m_tree.groups[id];
            std::vector<ir::NodeIndex>& nodes = all[id];
            nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
            std::sort(nodes.begin(), nodes.end());
            for (const ir::NodeIndex n : nodes) {
                if (!isCallNode(m_graph.node(n))) continue;
                m_first[id] = n;
                break;
            }
            if (isItem(group)) {
                m_hashes[id] = hashesOf(nodes);
                group.shapeHash = m_hashes[id].exact;
            }
            if (group.parent == noGroup) continue;
            auto& above = all[group.parent];
            above.insert(above.end(), nodes.begin(), nodes.end());
        }
        for (Group& group : m_tree.groups) {
            markChildren(group);
        }
    }

private:
    void hashArgument(Hashes& h, const ir::Argument& a,
                      const std::unordered_map<std::string_view, std::size_t>& local) const {
        mix(h.exact, std::uint64_t(a.kind));
        mix(h.form, std::uint64_t(a.kind));
        if (a.isNode()) {
            const auto at = local.find(a.text);
            const std::uint64_t index = at == local.end() ? UINT64_MAX : at->second;
            mix(h.exact, index);
            mix(h.form, index);
        } else {
            mix(h.exact, a.text);
        }
        for (const ir::Argument& item : a.items) {
            hashArgument(h, item, local);
        }
    }

    [[nodiscard]] Hashes hashesOf(const std::vector<ir::NodeIndex>& nodes) const {
        std::unordered_map<std::string_view, std::size_t> local;
        Hashes h{nodes.size(), nodes.size()};
        for (const ir::NodeIndex i : nodes) {
            const ir::Node& node = m_graph.node(i);
            local.emplace(node.name, local.size());
            for (std::uint64_t* one : {&h.exact, &h.form}) {
                mix(*one, std::uint64_t(node.op));
                if (node.op == ir::Op::CallFunction || node.op == ir::Op::CallMethod) mix(*one, node.target);
            }
            for (const ir::Argument& a : node.args) {
                hashArgument(h, a, local);
            }
            for (const auto& [key, a] : node.kwargs) {
                mix(h.exact, key);
                mix(h.form, key);
                hashArgument(h, a, local);
            }
            if (node.meta) mix(h.exact, node.meta->annotation());
        }
        return h;
    }

    /// Only true neighbours make a stack: a node between two of them would have to be drawn through it.
    void markChildren(Group& parent) {
        struct Place {
            ir::NodeIndex first;
            GroupId group;
        };
        std::vector<Place> places;
        for (const ir::NodeIndex n : parent.nodes) {
            if (isCallNode(m_graph.node(n))) places.push_back({n, noGroup});
        }
        for (const GroupId child : parent.children) {
            places.push_back({m_first[child], child});
        }
        std::stable_sort(places.begin(), places.end(),
                         [](const Place& a, const Place& b) { return a.first < b.first; });
        parent.children.clear(); // in graph order, as their first calls stand
        std::vector<GroupId> items;
        const auto endItems = [&] {
            markRun(items);
            items.clear();
        };
        for (const Place& place : places) {
            if (place.group == noGroup) {
                endItems();
                continue;
            }
            parent.children.push_back(place.group);
            const Group& group = m_tree.groups[place.group];
            if (group.kind == Group::Kind::Inputs) continue; // has no place in the order
            if (!isItem(group) || (!items.empty() && !sameList(m_tree.groups[items.back()].name, group.name)))
                endItems();
            if (isItem(group)) items.push_back(place.group);
        }
        endItems();
    }

    /// All items of a list where most are alike, those that differ included; else each run of equal ones.
    void markRun(const std::vector<GroupId>& items) {
        if (items.size() < 2) return;
        std::map<std::uint64_t, std::size_t> exact, form;
        for (const GroupId id : items) {
            ++exact[m_hashes[id].exact];
            ++form[m_hashes[id].form];
        }
        const auto most = [](const std::map<std::uint64_t, std::size_t>& counts) {
            return *std::max_element(counts.begin(), counts.end(),
                                     [](const auto& a, const auto& b) { return a.second < b.second; });
        };
        const auto [hash, count] = most(exact);
        const auto [formHash, formCount] = most(form);
        const bool isomorphic = count >= 2 && count * 2 > items.size();
        if (isomorphic || (formCount >= 2 && formCount * 2 > items.size())) {
            for (const GroupId id : items) {
                Group& group = m_tree.groups[id];
                group.alike = items.front();
                const bool ofForm = !isomorphic && m_hashes[id].form == formHash;
                group.likeness = isomorphic && m_hashes[id].exact == hash ? Likeness::Isomorphic
                                 : ofForm                                 ? Likeness::SizesDiffer
                                                                          : Likeness::Differs;
            }
            return;
        }
        for (std::size_t i = 0; i < items.size();) {
            std::size_t end = i + 1;
            while (end < items.size() && m_hashes[items[end]].exact == m_hashes[items[i]].exact)
                ++end;
            for (std::size_t k = i; end - i > 1 && k < end; ++k) {
                m_tree.groups[items[k]].alike = items[i];
            }
            i = end;
        }
    }

    const ir::Graph& m_graph;
    GroupTree& m_tree;
    std::vector<ir::NodeIndex> m_first; ///< first call below each group
    std::vector<Hashes> m_hashes;
};

/// "7", of "layers.7".
std::string_view indexIn(std::string_view name) {
    return name.substr(name.rfind('.') + 1);
}

} // namespace

void markAlike(const ir::Graph& graph, GroupTree& tree) {
    Marker(graph, tree).run();
}

std::string stackText(const GroupTree& tree, GroupId first, std::size_t count) {
    constexpr std::size_t mostNamed = 3;
    const Group& group = tree.groups[first];
    std::vector<GroupId> members;
    if (group.parent != noGroup) {
        // Inputs have no place in the order and may stand between two members.
        const auto& siblings = tree.groups[group.parent].children;
        for (auto at = std::find(siblings.begin(), siblings.end(), first);
             at != siblings.end() && members.size() < count; ++at) {
            if (tree.groups[*at].alike == group.alike) members.push_back(*at);
        }
    }
    std::vector<std::string_view> others;
    std::size_t alike = 0, each = 0;
    bool sizes = false;
    for (const GroupId id : members) {
        const Group& member = tree.groups[id];
        if (member.likeness == Likeness::Differs) {
            others.push_back(indexIn(member.name));
            continue;
        }
        ++alike;
        each = member.totalNodes;
        sizes = sizes || member.likeness == Likeness::SizesDiffer;
    }
    if (alike == 0) return std::to_string(members.size()) + " items";
    // "0 differs" would be read as none, and what stands last is cut off in a card.
    std::string text = std::to_string(alike);
    if (others.size() > mostNamed) {
        text += " of " + std::to_string(members.size());
    } else if (!others.empty()) {
        text = "all but ";
        for (std::size_t i = 0; i < others.size(); ++i) {
            text += i == 0 ? "" : i + 1 == others.size() ? " and " : ", ";
            text += '['; // "all but 3" would be three of them
            text += others[i];
            text += ']';
        }
    }
    return text + (sizes ? " alike but for sizes, " : " alike, ") + std::to_string(each) +
           (each == 1 ? " node each" : " nodes each");
}

} // namespace dynascope::layout
