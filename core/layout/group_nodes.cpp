// SPDX-License-Identifier: BSD-3-Clause
//
// The group tree of a graph. Nodes are sorted into buckets by module path, level by level. A bucket whose
// nodes would be both above and below something else (a module that is called twice) would make a cycle once
// it is drawn as one block, so such buckets are cut into runs of neighbouring nodes; a run of a topological
// order never makes a cycle.
#include "core/layout/alike.h"
#include "core/layout/bundle_runs.h"
#include "core/layout/call_groups.h"
#include "core/layout/fold.h"
#include "core/layout/kernel_paths.h"
#include "core/layout/module_paths.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace dynascope::layout {

namespace {

/// Direct nodes of a group from which they are grouped by source line
constexpr std::size_t groupLinesAbove = 40;
constexpr std::size_t minModuleNodes = 2; ///< a module of one node is that node
constexpr std::size_t groupHintlessAbove = 60;
constexpr std::size_t maxOpsInDetail = 3;

/// "add" for torch.ops.aten.add.Tensor, "linear" for torch._C._nn.linear.
std::string opWord(std::string_view target) {
    constexpr std::string_view ops = "torch.ops.";
    if (target.starts_with(ops)) {
        const std::size_t space = target.find('.', ops.size());
        if (space != std::string_view::npos) target.remove_prefix(space + 1);
        return std::string(target.substr(0, target.find('.')));
    }
    const std::size_t dot = target.rfind('.');
    return std::string(dot == std::string_view::npos ? target : target.substr(dot + 1));
}

/// A part of one level: a single node, or a bucket that becomes a group.
struct Part {
    std::string component; ///< empty for a single node
    std::vector<ir::NodeIndex> nodes;
    PathId path = rootPath;
};

class TreeBuilder {
public:
    TreeBuilder(const ir::Graph& graph, ModulePaths paths)
        : m_graph(graph)
        , m_paths(std::move(paths))
        , m_partOf(graph.size(), noPart) {}

    GroupTree build(const std::vector<std::string>& hints) {
        m_tree.groupOfNode.assign(m_graph.size(), 0);
        m_tree.groups.emplace_back();
        std::vector<ir::NodeIndex> all(m_graph.size());
        for (ir::NodeIndex i = 0; i < all.size(); ++i) {
            all[i] = i;
        }
        if (m_paths.backward.empty()) {
            fillModule(0, all, 0);
        } else {
            fillJoint(all);
        }
        groupCalls(m_graph, m_tree, m_paths.any ? groupLinesAbove : groupHintlessAbove);
        groupInputs(m_graph, hints, m_tree);
        describe();
        markAlike(m_graph, m_tree);
        m_tree.stateNames = stateNames(m_graph, hints);
        return std::move(m_tree);
    }

private:
    GroupId addGroup(GroupId parent, Group::Kind kind, const std::string& name) {
        const auto id = GroupId(m_tree.groups.size());
        Group group;
        group.kind = kind;
        group.name = name;
        const std::string& above = m_tree.groups[parent].path;
        group.path = above.empty() ? name : above + '.' + name;
        group.parent = parent;
        m_tree.groups.push_back(std::move(group));
        m_tree.groups[parent].children.push_back(id);
        return id;
    }

    void addNode(GroupId group, ir::NodeIndex node) {
        m_tree.groups[group].nodes.push_back(node);
        m_tree.groupOfNode[node] = group;
    }

    /// Forward and backward pass through the same modules; as two halves neither makes a cycle.
    void fillJoint(const std::vector<ir::NodeIndex>& all) {
        std::vector<ir::NodeIndex> forward, backward;
        for (const ir::NodeIndex i : all) {
            const ir::Node& node = m_graph.node(i);
            if (node.op == ir::Op::Output ||
                (node.op == ir::Op::Placeholder && m_paths.ofNode[i] == rootPath))
                addNode(0, i);
            else
                (m_paths.backward[i] ? backward : forward).push_back(i);
        }
        fillModule(addGroup(0, Group::Kind::Module, "forward"), forward, 0);
        fillModule(addGroup(0, Group::Kind::Module, "backward"), backward, 0);
    }

    void fillModule(GroupId id, const std::vector<ir::NodeIndex>& nodes, int depth) {
        const auto isDeeper = [&](ir::NodeIndex n) { return m_paths.table.depth(m_paths.ofNode[n]) > depth; };
        if (std::none_of(nodes.begin(), nodes.end(), isDeeper)) {
            for (const ir::NodeIndex node : nodes)
                addNode(id, node);
            return;
        }
        std::vector<Part> parts;
        std::unordered_map<PathId, std::size_t> bucketOf;
        for (const ir::NodeIndex node : nodes) {
            const PathId path = m_paths.ofNode[node];
            if (m_paths.table.depth(path) <= depth) {
                parts.push_back({{}, {node}});
                continue;
            }
            const PathId key = m_paths.table.ancestor(path, depth + 1);
            const auto [at, isNew] = bucketOf.try_emplace(key, parts.size());
            if (isNew) parts.push_back({m_paths.table.component(key), {}, key});
            parts[at->second].nodes.push_back(node);
        }
        parts = withoutCycles(std::move(parts), nodes);

        std::vector<ir::NodeIndex> single;
        std::map<std::string, int> seen;
        for (const Part& part : parts) {
            if (part.component.empty()) {
                single.push_back(part.nodes.front());
                continue;
            }
            const int nth = ++seen[part.component];
            const std::string name =
                nth == 1 ? part.component : part.component + " (" + std::to_string(nth) + ')';
            const auto kernel = m_paths.kernels.find(part.path);
            const bool isKernel = kernel != m_paths.kernels.end();
            const GroupId group = addGroup(id, isKernel ? Group::Kind::Kernel : Group::Kind::Module, name);
            if (isKernel) m_tree.groups[group].detail = kernel->second;
            fillModule(group, part.nodes, depth + 1);
        }
        for (const ir::NodeIndex node : single) {
            addNode(id, node);
            if (isCall(node)) nameLone(node, depth);
        }
    }

    /// Of a node of a module at `depth` that belongs to a deeper one, which has no block.
    void nameLone(ir::NodeIndex node, int depth) {
        std::string name;
        for (PathId path = m_paths.ofNode[node]; m_paths.table.depth(path) > depth;
             path = m_paths.table.parent(path))
            name = m_paths.table.component(path) + (name.empty() ? "" : '.' + name);
        if (name.empty()) return;
        m_tree.loneModules.resize(m_graph.size());
        m_tree.loneModules[node] = std::move(name);
    }

    [[nodiscard]] bool isCall(ir::NodeIndex i) const {
        const ir::Op op = m_graph.node(i).op;
        return op != ir::Op::Placeholder && op != ir::Op::Output;
    }

    /// Cuts the buckets that lie on a cycle of the quotient graph (Tarjan's components, iterative) into runs
    /// of neighbours, and dissolves buckets that are too small to be blocks.
    std::vector<Part> withoutCycles(std::vector<Part> parts, const std::vector<ir::NodeIndex>& nodes) {
        std::vector<std::uint32_t>& partOf = m_partOf;
        for (std::uint32_t p = 0; p < parts.size(); ++p) {
            for (const ir::NodeIndex n : parts[p].nodes) {
                partOf[n] = p;
            }
        }
        const std::vector<std::uint8_t> cyclic = onCycle(parts, nodes);
        std::vector<Part> out;
        std::unordered_map<std::uint32_t, std::size_t> placed; // whole buckets
        std::uint32_t last = UINT32_MAX;                       // bucket of the run that `run` indexes
        std::size_t run = 0;
        for (const ir::NodeIndex n : nodes) {
            const std::uint32_t p = partOf[n];
            if (parts[p].component.empty()) {
                out.push_back({{}, {n}});
                // A placeholder between two nodes of a bucket does not part them.
                if (isCall(n)) last = UINT32_MAX;
            } else if (cyclic[p] && isCall(n)) {
                if (last != p) {
                    run = out.size();
                    out.push_back({parts[p].component, {}, parts[p].path});
                }
                out[run].nodes.push_back(n);
                last = p;
            } else if (cyclic[p]) {
                out.push_back({{}, {n}});
            } else {
                const auto [at, isNew] = placed.try_emplace(p, out.size());
                if (isNew) out.push_back({parts[p].component, {}, parts[p].path});
                out[at->second].nodes.push_back(n);
                last = UINT32_MAX;
            }
        }
        for (const ir::NodeIndex n : nodes) {
            partOf[n] = noPart;
        }
        std::vector<Part> kept;
        for (Part& part : out) {
            const auto calls = std::size_t(std::count_if(part.nodes.begin(), part.nodes.end(),
                                                         [&](ir::NodeIndex n) { return isCall(n); }));
            if (part.component.empty() || calls >= minModuleNodes) {
                kept.push_back(std::move(part));
                continue;
            }
            for (const ir::NodeIndex n : part.nodes) {
                kept.push_back({{}, {n}});
            }
        }
        return kept;
    }

    /// Of the parts that m_partOf tells of `nodes`.
    [[nodiscard]] std::vector<std::uint8_t> onCycle(const std::vector<Part>& parts,
                                                    const std::vector<ir::NodeIndex>& nodes) const {
        std::vector<std::vector<std::uint32_t>> next(parts.size());
        for (const ir::NodeIndex node : nodes) {
            const std::uint32_t p = m_partOf[node];
            for (const ir::NodeIndex user : m_graph.users(node)) {
                const std::uint32_t q = m_partOf[user];
                // A path that leaves this level and comes back closes a cycle too; the level above has cut
                // those.
                if (q != noPart && q != p) next[p].push_back(q);
            }
        }
        for (auto& list : next) {
            std::sort(list.begin(), list.end());
            list.erase(std::unique(list.begin(), list.end()), list.end());
        }
        constexpr std::uint32_t unseen = UINT32_MAX;
        std::vector<std::uint32_t> order(parts.size(), unseen), low(parts.size(), 0), stack;
        std::vector<std::uint8_t> onStack(parts.size(), 0), cyclic(parts.size(), 0);
        struct Frame {
            std::uint32_t part;
            std::size_t edge;
        };
        std::uint32_t counter = 0;
        for (std::uint32_t root = 0; root < parts.size(); ++root) {
            if (order[root] != unseen) continue;
            std::vector<Frame> frames{{root, 0}};
            while (!frames.empty()) {
                const std::uint32_t p = frames.back().part;
                if (frames.back().edge == 0) {
                    order[p] = low[p] = counter++;
                    stack.push_back(p);
                    onStack[p] = 1;
                }
                if (frames.back().edge < next[p].size()) {
                    const std::uint32_t q = next[p][frames.back().edge++];
                    if (order[q] == unseen)
                        frames.push_back({q, 0});
                    else if (onStack[q])
                        low[p] = std::min(low[p], order[q]);
                    continue;
                }
                frames.pop_back();
                if (!frames.empty()) low[frames.back().part] = std::min(low[frames.back().part], low[p]);
                if (low[p] != order[p]) continue;
                const bool several = stack.back() != p;
                while (true) {
                    const std::uint32_t q = stack.back();
                    stack.pop_back();
                    onStack[q] = 0;
                    cyclic[q] = several;
                    if (q == p) break;
                }
            }
        }
        return cyclic;
    }

    void describe();
    [[nodiscard]] std::string opsOf(const std::vector<ir::NodeIndex>& nodes) const;

    static constexpr std::uint32_t noPart = UINT32_MAX;

    const ir::Graph& m_graph;
    ModulePaths m_paths;
    std::vector<std::uint32_t> m_partOf; ///< of the level at hand; noPart for nodes of others
    GroupTree m_tree;
};

/// "mul, add, view, …": the first operations, each once.
std::string TreeBuilder::opsOf(const std::vector<ir::NodeIndex>& nodes) const {
    std::string out;
    std::vector<std::string> ops;
    for (const ir::NodeIndex n : nodes) {
        if (!isCall(n)) continue;
        std::string op = opWord(m_graph.node(n).target);
        if (std::find(ops.begin(), ops.end(), op) != ops.end()) continue;
        if (ops.size() == maxOpsInDetail) return out + ", \u2026";
        out += (ops.empty() ? "" : ", ") + op;
        ops.push_back(std::move(op));
    }
    return out;
}

/// Counts and details, which need every group's nodes.
void TreeBuilder::describe() {
    // Children have larger ids than their parents, so one pass from the back sees every subtree whole.
    std::vector<std::vector<ir::NodeIndex>> all(m_tree.groups.size());
    for (std::size_t id = m_tree.groups.size(); id-- > 0;) {
        Group& group = m_tree.groups[id];
        std::vector<ir::NodeIndex>& nodes = all[id];
        nodes.insert(nodes.end(), group.nodes.begin(), group.nodes.end());
        std::sort(nodes.begin(), nodes.end());
        group.totalNodes = nodes.size();
        const bool isKernel = group.kind == Group::Kind::Kernel;
        if (id != 0 && (group.detail.empty() || isKernel)) {
            const std::string known = std::exchange(group.detail, opsOf(nodes));
            if (!known.empty()) group.detail += "; " + known;
        }
        if (group.parent != noGroup) {
            auto& above = all[group.parent];
            above.insert(above.end(), nodes.begin(), nodes.end());
        }
    }
}

} // namespace

int GroupTree::depth(GroupId id) const {
    int depth = 0;
    for (; id < groups.size() && groups[id].parent != noGroup; id = groups[id].parent) {
        ++depth;
    }
    return depth;
}

namespace {

const std::string& nameAt(const std::vector<std::string>& names, ir::NodeIndex node) {
    static const std::string none;
    return node < names.size() ? names[node] : none;
}

} // namespace

const std::string& GroupTree::stateName(ir::NodeIndex node) const {
    return nameAt(stateNames, node);
}

const std::string& GroupTree::inputName(ir::NodeIndex node) const {
    return nameAt(inputNames, node);
}

const std::string& GroupTree::loneModule(ir::NodeIndex node) const {
    return nameAt(loneModules, node);
}

std::vector<std::string> stateNames(const ir::Graph& graph, const std::vector<std::string>& hints) {
    std::vector<std::string> names;
    std::size_t placeholder = 0;
    for (ir::NodeIndex i = 0; i < graph.size() && placeholder < hints.size(); ++i) {
        if (graph.node(i).op != ir::Op::Placeholder) continue;
        const std::string& hint = hints[placeholder++];
        if (hint.empty()) continue;
        names.resize(graph.size());
        names[i] = hint;
    }
    return names;
}

GroupTree groupNodes(const ir::Graph& graph, const std::vector<std::string>& hints,
                     const std::vector<KernelBlock>& kernels) {
    ModulePaths paths = inferModules(graph, hints);
    placeKernels(graph, kernels, paths);
    return bundleRuns(graph, TreeBuilder(graph, std::move(paths)).build(hints));
}

} // namespace dynascope::layout
