// SPDX-License-Identifier: BSD-3-Clause
#include "core/layout/module_spread.h"

#include <algorithm>
#include <array>
#include <set>

namespace dynascope::layout {

namespace {

using ir::NodeIndex;

class Spreader {
public:
    Spreader(const HalvedGraph& halves, const PathTable& table, std::vector<std::optional<PathId>>& direct)
        : m_halves(halves)
        , m_graph(halves.graph)
        , m_table(table)
        , m_direct(direct) {
        for (const auto& path : direct)
            if (path && *path != rootPath) m_parents.insert(table.parent(*path));
    }

    void run() {
        for (NodeIndex i = 0; i < m_graph.size(); ++i)
            if (!m_direct[i] && isCall(i) && m_halves.isBackward(i)) fromForward(i);
        // Gradients of one value, before what leads to and from them.
        for (NodeIndex i = 0; i < m_graph.size(); ++i)
            if (m_direct[i] && m_halves.isBackward(i) && isProduct(i)) besideProduct(i);
        for (NodeIndex i = 0; i < m_graph.size(); ++i)
            if (!m_direct[i] && isLayout(i)) afterProduct(i);
        for (NodeIndex i = static_cast<NodeIndex>(m_graph.size()); i-- > 0;)
            if (!m_direct[i] && isLayout(i)) beforeProduct(i);
    }

private:
    [[nodiscard]] bool isCall(NodeIndex i) const {
        const ir::Op op = m_graph.node(i).op;
        return op == ir::Op::CallFunction || op == ir::Op::CallMethod;
    }
    [[nodiscard]] bool isAny(NodeIndex i, std::initializer_list<std::string_view> names) const {
        return isCall(i) && std::find(names.begin(), names.end(), opName(m_graph.node(i))) != names.end();
    }
    [[nodiscard]] bool isProduct(NodeIndex i) const {
        return isAny(i, {"mm", "addmm", "bmm", "baddbmm", "matmul", "linear"});
    }
    [[nodiscard]] bool isReshape(NodeIndex i) const {
        return isAny(i, {"view", "_unsafe_view", "reshape", "squeeze", "unsqueeze", "t"});
    }
    /// Moves data about and computes nothing.
    [[nodiscard]] bool isLayout(NodeIndex i) const {
        if (!isCall(i) || isAny(i, {"getitem", "detach", "alias", "detach_"})) return false;
        if (opName(m_graph.node(i)) == "clone")
            return !m_graph.node(i).kwargs.empty(); // not a dropout of p = 0
        return isAny(i, {"contiguous"}) || ir::opKind(m_graph.node(i)) == ir::OpKind::View;
    }
    [[nodiscard]] bool sameHalf(NodeIndex a, NodeIndex b) const {
        return m_halves.isBackward(a) == m_halves.isBackward(b);
    }
    /// Nothing says that two nodes come from different functions.
    [[nodiscard]] bool sameFunction(NodeIndex a, NodeIndex b) const {
        const ir::SourceLocation* x = m_graph.node(a).location();
        const ir::SourceLocation* y = m_graph.node(b).location();
        if (x == nullptr || y == nullptr) return true;
        const auto [low, high] = std::minmax(x->line, y->line);
        return x->file == y->file && x->function == y->function && high - low <= regionGap;
    }
    [[nodiscard]] bool isLeaf(PathId module) const { return !m_parents.contains(module); }

    /// The value behind reshapes and detaches.
    [[nodiscard]] NodeIndex behind(NodeIndex i) const {
        for (int steps = 0; steps < 8; ++steps) {
            if (!isAny(i, {"detach", "alias", "t", "getitem"}) || m_graph.inputs(i).size() != 1) break;
            i = m_graph.inputs(i).front();
        }
        return i;
    }

    /// A backward operation by its forward twin, or a weight gradient by the product that reads the same
    /// value.
    void fromForward(NodeIndex i) {
        if (m_halves.backward.empty()) return;
        const std::string_view name = opName(m_graph.node(i));
        constexpr std::string_view suffix = "_backward";
        const bool twin = name.ends_with(suffix);
        if (!twin && !isProduct(i)) return;
        std::optional<PathId> found;
        bool clash = false;
        const auto offer = [&](NodeIndex node) {
            if (!m_direct[node]) return;
            clash = clash || (found && *found != *m_direct[node]);
            found = m_direct[node];
        };
        for (const NodeIndex input : m_graph.inputs(i)) {
            const NodeIndex value = behind(input);
            if (m_halves.isBackward(value)) continue;
            if (twin && opName(m_graph.node(value)) == name.substr(0, name.size() - suffix.size())) {
                offer(value);
            } else if (isProduct(i)) {
                for (const NodeIndex user : m_graph.users(value))
                    if (!m_halves.isBackward(user) && isProduct(user)) offer(user);
            }
        }
        if (found && !clash) m_direct[i] = found;
    }

    /// The gradient that `i` multiplies with a weight goes into the gradients of weight and bias as well.
    void besideProduct(NodeIndex i) {
        for (const NodeIndex gradient : m_graph.inputs(i)) {
            if (!isCall(gradient) || m_direct[gradient] || !m_halves.isBackward(gradient)) continue;
            std::vector<NodeIndex> readers(m_graph.users(gradient).begin(), m_graph.users(gradient).end());
            // The weight's gradient multiplies the transposed one, or the other way round.
            if (isAny(gradient, {"t", "transpose", "permute"}) && m_graph.inputs(gradient).size() == 1) {
                const auto& more = m_graph.users(m_graph.inputs(gradient).front());
                readers.insert(readers.end(), more.begin(), more.end());
            }
            for (const NodeIndex reader : readers) {
                if (m_direct[reader] || !sameHalf(i, reader) || !sameFunction(i, reader)) continue;
                if (!isProduct(reader) && !isAny(reader, {"sum", "t"})) continue;
                m_direct[reader] = m_direct[i];
                if (!isAny(reader, {"t"})) continue;
                for (const NodeIndex user : m_graph.users(reader))
                    if (!m_direct[user] && isProduct(user)) m_direct[user] = m_direct[i];
            }
        }
    }

    /// What gives a product, or a bias's gradient, its shape back.
    void afterProduct(NodeIndex i) {
        if (!isReshape(i) || m_graph.inputs(i).size() != 1) return;
        const NodeIndex input = m_graph.inputs(i).front();
        if (!m_direct[input] || !sameHalf(i, input) || !sameFunction(i, input)) return;
        const bool ofGradient = m_halves.isBackward(i) && isAny(input, {"sum", "t", "view"});
        if (isProduct(input) || ofGradient) m_direct[i] = m_direct[input];
    }

    void beforeProduct(NodeIndex i) {
        std::optional<PathId> module;
        bool toProduct = false;
        for (const NodeIndex user : m_graph.users(i)) {
            if (m_graph.node(user).op == ir::Op::Output || !sameHalf(i, user)) continue;
            if (!m_direct[user] || (module && *module != *m_direct[user])) return;
            if (!sameFunction(i, user)) return;
            module = m_direct[user];
            toProduct = toProduct || isProduct(user);
            // What becomes an argument of something else than a product is not its preparation.
            if (!isProduct(user) && !isLayout(user) && !isAny(user, {"sum"})) return;
        }
        if (!module || *module == rootPath) return;
        const bool whole = !isLeaf(*module) || (toProduct && isReshape(i) && isShapedBack(i));
        m_direct[i] = whole ? *module : m_table.parent(*module);
    }

    /// Backward always flattens for a product; forward did if the product's result is reshaped too.
    [[nodiscard]] bool isShapedBack(NodeIndex i) const {
        if (m_halves.isBackward(i)) return true;
        for (const NodeIndex user : m_graph.users(i)) {
            if (!isProduct(user)) continue;
            for (const NodeIndex after : m_graph.users(user))
                if (sameHalf(i, after) && isReshape(after)) return true;
        }
        return false;
    }

    const HalvedGraph& m_halves;
    const ir::Graph& m_graph;
    const PathTable& m_table;
    std::vector<std::optional<PathId>>& m_direct;
    std::set<PathId> m_parents; // modules that have others inside
};

} // namespace

void spreadModules(const HalvedGraph& halves, const PathTable& table,
                   std::vector<std::optional<PathId>>& direct) {
    Spreader(halves, table, direct).run();
}

PathId moduleOfSum(const PathTable& table, PathId later, PathId earlier) {
    const PathId common = table.common(later, earlier);
    const int depth = table.depth(common);
    if (table.depth(later) <= depth) return common;
    const PathId item = table.ancestor(later, depth + 1);
    return table.component(item).find('.') != std::string::npos ? item : common;
}

std::string_view opName(const ir::Node& node) {
    std::string_view target = node.target;
    for (const std::string_view prefix : {"torch.ops.aten.", "aten."}) {
        if (!target.starts_with(prefix)) continue;
        target.remove_prefix(prefix.size());
        return target.substr(0, target.find('.'));
    }
    return target.substr(target.rfind('.') + 1);
}

} // namespace dynascope::layout
