// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/same_values.h"

#include "core/diff/canonical.h"

#include <algorithm>
#include <unordered_map>

namespace dynascope::passes {

namespace {

using diff::detail::Form;
using ir::NodeIndex;
using ir::npos;

constexpr std::size_t maxUsers = 64;

/// "mul" for "mul_": what a write through functionalization becomes. Python's own "__and__" stays.
std::string_view withoutWrite(std::string_view op) {
    if (op.ends_with('_') && !op.ends_with("__")) op.remove_suffix(1);
    return op;
}

struct Side {
    explicit Side(const ir::Graph& g)
        : graph(g)
        , forms(diff::detail::formsOf(g))
        , partner(g.size(), npos) {
        for (NodeIndex i = 0; i < g.size(); ++i) {
            const ir::Op op = g.node(i).op;
            const bool calls = op != ir::Op::Placeholder && op != ir::Op::Output && op != ir::Op::GetAttr;
            hashes.push_back(forms[i].hash());
            writesBefore.push_back(written);
            written += calls && (withoutWrite(forms[i].op) != forms[i].op || forms[i].op == "setitem");
            if (op == ir::Op::Placeholder) inputs.push_back(i);
            if (op == ir::Op::Output) output = i;
            // A tensor that the module keeps has a name that both graphs know it by.
            if ((calls && forms[i].operands.empty()) || op == ir::Op::GetAttr)
                sources[hashes.back()].push_back(i);
        }
    }

    const ir::Graph& graph;
    std::vector<Form> forms;
    std::vector<std::uint64_t> hashes;
    std::vector<NodeIndex> partner, inputs;
    /// Nodes that read none, by what they do
    std::unordered_map<std::uint64_t, std::vector<NodeIndex>> sources;
    NodeIndex output = npos;
    std::vector<std::size_t> writesBefore; ///< by node: how many write in place before it
    std::size_t written = 0;

    /// Whether a user may read something else of a node than it gave.
    [[nodiscard]] bool isWrittenBetween(NodeIndex node, NodeIndex user) const {
        return user <= node || writesBefore[user] != writesBefore[node + 1];
    }
};

class Finder {
public:
    Finder(const ir::Graph& a, const ir::Graph& b)
        : m_a(a)
        , m_b(b)
        , m_writes(m_a.written + m_b.written > 0) {}

    std::vector<std::pair<NodeIndex, NodeIndex>> run() {
        for (std::size_t i = 0; i < std::min(m_a.inputs.size(), m_b.inputs.size()); ++i)
            pair(m_a.inputs[i], m_b.inputs[i]);
        fromInputs();
        fromResults();
        std::vector<std::pair<NodeIndex, NodeIndex>> out;
        for (NodeIndex i = 0; i < m_b.graph.size(); ++i)
            if (m_b.partner[i] != npos) out.emplace_back(m_b.partner[i], i);
        return out;
    }

private:
    void pair(NodeIndex a, NodeIndex b) {
        m_a.partner[a] = b;
        m_b.partner[b] = a;
    }
    [[nodiscard]] bool areFree(NodeIndex a, NodeIndex b) const {
        return a != npos && b != npos && m_a.partner[a] == npos && m_b.partner[b] == npos;
    }

    void fromInputs() {
        for (NodeIndex b = 0; b < m_b.graph.size(); ++b) {
            const ir::Op op = m_b.graph.node(b).op;
            if (op == ir::Op::Placeholder || op == ir::Op::Output) continue;
            if (const NodeIndex a = partnerFor(b); a != npos && m_a.partner[a] == npos) pair(a, b);
        }
    }

    [[nodiscard]] NodeIndex partnerFor(NodeIndex b) const {
        const auto& operands = m_b.forms[b].operands;
        if (operands.empty()) {
            const auto found = m_a.sources.find(m_b.hashes[b]);
            const auto own = m_b.sources.find(m_b.hashes[b]);
            if (found == m_a.sources.end() || found->second.size() != own->second.size()) return npos;
            const auto at = std::lower_bound(own->second.begin(), own->second.end(), b);
            return found->second[static_cast<std::size_t>(at - own->second.begin())];
        }
        if (operands.front() == npos || m_b.partner[operands.front()] == npos) return npos;
        for (const bool exact : {true, false}) {
            NodeIndex free = npos;
            std::size_t looked = 0, fitting = 0;
            for (const NodeIndex a : m_a.graph.users(m_b.partner[operands.front()])) {
                if (++looked > maxUsers) break;
                if (!does(a, b, exact) || !readsTheSame(a, b)) continue;
                ++fitting;
                if (free == npos && m_a.partner[a] == npos) free = a;
            }
            if (free != npos && (!m_writes || (fitting == 1 && isOnlyOne(b)))) return free;
            if (fitting > 0) return npos;
        }
        return npos;
    }

    [[nodiscard]] bool does(NodeIndex a, NodeIndex b, bool exact) const {
        if (m_a.graph.node(a).op == ir::Op::Output) return false;
        if (exact) return m_a.hashes[a] == m_b.hashes[b] && m_a.forms[a].op == m_b.forms[b].op;
        // A write in place and its functional form.
        return m_a.forms[a].op != m_b.forms[b].op &&
               withoutWrite(m_a.forms[a].op) == withoutWrite(m_b.forms[b].op) &&
               m_a.forms[a].args().size() == m_b.forms[b].args().size();
    }

    [[nodiscard]] bool readsTheSame(NodeIndex a, NodeIndex b) const {
        const auto& x = m_a.forms[a].operands;
        const auto& y = m_b.forms[b].operands;
        return std::equal(x.begin(), x.end(), y.begin(), y.end(), [&](NodeIndex of, NodeIndex other) {
            return of != npos && other != npos && m_a.partner[of] == other;
        });
    }

    /// Whether no other node of b does the same with the same nodes.
    [[nodiscard]] bool isOnlyOne(NodeIndex b) const {
        std::size_t looked = 0;
        for (const NodeIndex user : m_b.graph.users(m_b.forms[b].operands.front())) {
            if (++looked > maxUsers) return false;
            if (user != b && m_b.hashes[user] == m_b.hashes[b] &&
                m_b.forms[user].operands == m_b.forms[b].operands)
                return false;
        }
        return true;
    }

    void fromResults() {
        if (m_a.output == npos || m_b.output == npos) return;
        descend(m_a.output, m_b.output);
        while (!m_open.empty()) {
            const auto [a, b] = m_open.back();
            m_open.pop_back();
            if (withoutWrite(m_a.forms[a].op) == withoutWrite(m_b.forms[b].op)) descend(a, b);
        }
    }

    void descend(NodeIndex a, NodeIndex b) {
        const auto& x = m_a.forms[a].operands;
        const auto& y = m_b.forms[b].operands;
        if (x.size() != y.size() || m_a.hashes[a] != m_b.hashes[b]) return;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (!areFree(x[i], y[i])) continue;
            // What is written after it was made is not what it was then.
            const bool written = m_a.isWrittenBetween(x[i], a) || m_b.isWrittenBetween(y[i], b);
            if (written && withoutWrite(m_a.forms[x[i]].op) != withoutWrite(m_b.forms[y[i]].op)) continue;
            pair(x[i], y[i]);
            m_open.emplace_back(x[i], y[i]);
        }
    }

    Side m_a, m_b;
    bool m_writes;
    std::vector<std::pair<NodeIndex, NodeIndex>> m_open;
};

} // namespace

std::vector<std::pair<NodeIndex, NodeIndex>> sameValues(const ir::Graph& a, const ir::Graph& b) {
    return Finder(a, b).run();
}

} // namespace dynascope::passes
