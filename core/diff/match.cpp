// SPDX-License-Identifier: BSD-3-Clause
//
// The order of evidence:
//   1. Inputs, by what AOTAutograd says about them, by name, and by position and shape. Outputs pair up.
//   2. Nodes that both graphs share as objects.
//   3. Merkle hashes, from the inputs down and from the users up: both and the name, one and the name, both,
//      one. One hash alone does not count where the other hash points to a different node.
//   4. Propagation: users of a pair that do the same with it, then names, then hashes alone, then inputs of
//      pairs, then what stands between the same neighbours although the operation differs, then the source
//      line.
#include "core/diff/match.h"

#include "core/diff/sequence.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>

namespace dynascope::diff::detail {

namespace {

using ir::NodeIndex;
using ir::npos;

constexpr std::size_t maxNeighbours = 64; // users of one node that loose propagation looks at

struct Side {
    const ir::Graph& graph;
    const std::vector<Form>& forms;
    std::vector<NodeIndex> partner;
    std::vector<bool> barred; // nothing of the other graph can be its partner; empty for none
    std::vector<std::uint64_t> local, down, up, opHash;
    std::vector<NodeIndex> order; // inputs before users; nodes in a cycle last

    Side(const ir::Graph& g, const std::vector<Form>& f)
        : graph(g)
        , forms(f)
        , partner(g.size(), npos) {
        local.reserve(g.size());
        opHash.reserve(g.size());
        for (const Form& form : f) {
            local.push_back(form.hash());
            opHash.push_back(hashText(form.op));
        }
        sortByInputs();
    }

    [[nodiscard]] bool isFree(NodeIndex i) const {
        return partner[i] == npos && (barred.empty() || !barred[i]);
    }

    void sortByInputs() {
        std::vector<std::uint32_t> waiting(graph.size());
        for (NodeIndex i = 0; i < graph.size(); ++i) {
            waiting[i] = static_cast<std::uint32_t>(graph.inputs(i).size());
            if (waiting[i] == 0) order.push_back(i);
        }
        for (std::size_t k = 0; k < order.size(); ++k)
            for (const NodeIndex user : graph.users(order[k]))
                if (--waiting[user] == 0) order.push_back(user);
        if (order.size() == graph.size()) return;
        for (NodeIndex i = 0; i < graph.size(); ++i)
            if (waiting[i] > 0) order.push_back(i);
    }

    /// `seed` gives matched inputs one value on both sides.
    void hash(const std::vector<std::uint64_t>& seed) {
        down.assign(graph.size(), 0);
        up.assign(graph.size(), 0);
        for (const NodeIndex i : order) {
            std::uint64_t h = mix(local[i], seed[i]);
            for (const NodeIndex operand : forms[i].operands)
                h = mix(h, operand == npos ? 5 : down[operand]);
            down[i] = h;
        }
        for (auto it = order.rbegin(); it != order.rend(); ++it) {
            up[*it] = mix(local[*it], up[*it]);
            std::uint64_t place = 0;
            for (const NodeIndex operand : forms[*it].operands) {
                ++place;
                if (operand != npos) up[operand] += mix(up[*it], place);
            }
        }
    }
};

class Matcher {
public:
    Matcher(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
            const std::vector<Form>& formsB, const std::vector<bool>& gradientB)
        : m_a(a, formsA)
        , m_b(b, formsB)
        , m_evidence(a.size(), Evidence::Structure) {
        m_b.barred = gradientB;
    }

    Alignment run() {
        matchInputs();
        matchOutputs();
        matchShared();
        hashBoth();
        const auto name = [](const Side& s, NodeIndex i) { return hashText(s.graph.node(i).name); };
        const auto down = [](const Side& s, NodeIndex i) { return s.down[i]; };
        const auto up = [](const Side& s, NodeIndex i) { return s.up[i]; };
        matchBy([&](const Side& s, NodeIndex i) { return mix(mix(name(s, i), down(s, i)), up(s, i)); },
                Evidence::Structure);
        matchBy([&](const Side& s, NodeIndex i) { return mix(name(s, i), down(s, i)); }, Evidence::Structure);
        matchBy([&](const Side& s, NodeIndex i) { return mix(name(s, i), up(s, i)); }, Evidence::Structure);
        matchBy([&](const Side& s, NodeIndex i) { return mix(down(s, i), up(s, i)); }, Evidence::Structure);
        matchUndisputed(&Side::down, &Side::up);
        matchUndisputed(&Side::up, &Side::down);
        propagate(true);
        matchByName();
        propagate(true);
        matchBy(down, Evidence::Structure);
        matchBy(up, Evidence::Structure);
        propagate(false);
        matchBetweenNeighbours();
        matchByLine();
        return {std::move(m_a.partner), std::move(m_b.partner), std::move(m_evidence)};
    }

private:
    void pair(NodeIndex a, NodeIndex b, Evidence evidence) {
        m_a.partner[a] = b;
        m_b.partner[b] = a;
        m_evidence[a] = evidence;
    }

    static bool isTerminal(const Side& side, NodeIndex i) {
        const ir::Op op = side.graph.node(i).op;
        return op == ir::Op::Placeholder || op == ir::Op::Output;
    }

    static std::vector<NodeIndex> ofOp(const Side& side, ir::Op op) {
        std::vector<NodeIndex> result;
        for (NodeIndex i = 0; i < side.graph.size(); ++i)
            if (side.graph.node(i).op == op && side.isFree(i)) result.push_back(i);
        return result;
    }

    static std::string plainName(const std::string& name) {
        std::string plain;
        for (const char c : name)
            if (c != '_') plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        return plain;
    }

    static bool sameShape(const ir::Node& a, const ir::Node& b) {
        return !a.meta || !b.meta || a.meta->shortForm() == b.meta->shortForm();
    }

    /// i of "PlainAOTInput(idx=i)".
    static std::optional<std::size_t> inputNumber(const ir::Node& node) {
        constexpr std::string_view mark = "PlainAOTInput(idx=";
        const std::size_t at = node.comment.find(mark);
        if (at != 0) return std::nullopt;
        std::size_t value = 0;
        for (std::size_t i = mark.size();
             i < node.comment.size() && node.comment[i] >= '0' && node.comment[i] <= '9'; ++i) {
            if (value > 1'000'000) return std::nullopt;
            value = value * 10 + static_cast<std::size_t>(node.comment[i] - '0');
        }
        return value;
    }

    void matchInputs() {
        const auto isInput = [](const Side& s, NodeIndex i) {
            return s.graph.node(i).op == ir::Op::Placeholder;
        };
        matchIf(
            isInput,
            [](const Side& s, NodeIndex i) { return std::hash<const void*>{}(s.graph.nodes()[i].get()); },
            Evidence::SharedNode);
        matchIf([&](const Side& s, NodeIndex i) { return isInput(s, i) && !s.graph.node(i).comment.empty(); },
                [](const Side& s, NodeIndex i) { return hashText(s.graph.node(i).comment); }, Evidence::Name);
        matchNumberedInputs(m_a, m_b, false);
        matchNumberedInputs(m_b, m_a, true);
        matchIf(
            isInput, [](const Side& s, NodeIndex i) { return hashText(plainName(s.graph.node(i).name)); },
            Evidence::Name);
        matchInputsByPosition();
    }

    /// Inputs that AOTAutograd numbered, against the placeholders of a graph that it has not touched.
    void matchNumberedInputs(Side& plain, Side& numbered, bool swapped) {
        std::vector<NodeIndex> inputs;
        for (NodeIndex i = 0; i < plain.graph.size(); ++i) {
            if (plain.graph.node(i).op != ir::Op::Placeholder) continue;
            if (inputNumber(plain.graph.node(i))) return;
            inputs.push_back(i);
        }
        for (NodeIndex i = 0; i < numbered.graph.size(); ++i) {
            const ir::Node& node = numbered.graph.node(i);
            if (node.op != ir::Op::Placeholder || !numbered.isFree(i)) continue;
            const auto number = inputNumber(node);
            if (!number || *number >= inputs.size() || !plain.isFree(inputs[*number])) continue;
            if (!sameShape(plain.graph.node(inputs[*number]), node)) continue;
            const NodeIndex other = inputs[*number];
            swapped ? pair(i, other, Evidence::Name) : pair(other, i, Evidence::Name);
        }
    }

    void matchInputsByPosition() {
        const std::vector<NodeIndex> inputsA = ofOp(m_a, ir::Op::Placeholder);
        const std::vector<NodeIndex> inputsB = ofOp(m_b, ir::Op::Placeholder);
        const auto shapes = [](const Side& side, const std::vector<NodeIndex>& inputs) {
            std::vector<std::uint32_t> ids;
            for (const NodeIndex i : inputs) {
                const auto& meta = side.graph.node(i).meta;
                ids.push_back(static_cast<std::uint32_t>(hashText(meta ? meta->shortForm() : std::string())));
            }
            return ids;
        };
        for (const auto& [i, j] : alignSequences(shapes(m_a, inputsA), shapes(m_b, inputsB)))
            pair(inputsA[i], inputsB[j], Evidence::Structure);
        // A graph with metadata against one without: position is all there is.
        if (inputsA.size() != inputsB.size()) return;
        for (std::size_t i = 0; i < inputsA.size(); ++i)
            if (m_a.isFree(inputsA[i]) && m_b.isFree(inputsB[i]) &&
                sameShape(m_a.graph.node(inputsA[i]), m_b.graph.node(inputsB[i])))
                pair(inputsA[i], inputsB[i], Evidence::Structure);
    }

    void matchOutputs() {
        const auto a = ofOp(m_a, ir::Op::Output);
        const auto b = ofOp(m_b, ir::Op::Output);
        for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
            pair(a[i], b[i],
                 m_a.graph.nodes()[a[i]] == m_b.graph.nodes()[b[i]] ? Evidence::SharedNode
                                                                    : Evidence::Structure);
    }

    void matchShared() {
        matchBy([](const Side& s, NodeIndex i) { return std::hash<const void*>{}(s.graph.nodes()[i].get()); },
                Evidence::SharedNode);
    }

    void hashBoth() {
        std::vector<std::uint64_t> seedA(m_a.graph.size(), 0);
        std::vector<std::uint64_t> seedB(m_b.graph.size(), 0);
        for (NodeIndex i = 0; i < m_a.graph.size(); ++i) {
            if (m_a.graph.node(i).op != ir::Op::Placeholder) continue;
            seedA[i] = mix(11, i);
            if (m_a.partner[i] != npos) seedB[m_a.partner[i]] = seedA[i];
        }
        for (NodeIndex i = 0; i < m_b.graph.size(); ++i)
            if (m_b.graph.node(i).op == ir::Op::Placeholder && m_b.isFree(i)) seedB[i] = mix(13, i);
        m_a.hash(seedA);
        m_b.hash(seedB);
    }

    template <typename Key>
    void matchBy(const Key& key, Evidence evidence) {
        matchIf([](const Side& s, NodeIndex i) { return !isTerminal(s, i); }, key, evidence);
    }

    /// Pairs free nodes of equal key: in order where both sides have as many, else along a common
    /// subsequence.
    template <typename Wanted, typename Key>
    void matchIf(const Wanted& wanted, const Key& key, Evidence evidence) {
        struct Class {
            std::uint32_t countA = 0, countB = 0, next = 0;
        };
        std::unordered_map<std::uint64_t, std::uint32_t> numbers;
        std::vector<Class> classes;
        const auto number = [&](const Side& side) {
            std::vector<std::pair<NodeIndex, std::uint32_t>> found;
            for (NodeIndex i = 0; i < side.graph.size(); ++i) {
                if (!side.isFree(i) || !wanted(side, i)) continue;
                const auto [it, isNew] =
                    numbers.try_emplace(key(side, i), static_cast<std::uint32_t>(classes.size()));
                if (isNew) classes.emplace_back();
                found.emplace_back(i, it->second);
            }
            return found;
        };
        const auto a = number(m_a);
        if (a.empty()) return;
        const auto b = number(m_b);
        for (const auto& [i, c] : a)
            ++classes[c].countA;
        for (const auto& [i, c] : b)
            ++classes[c].countB;

        std::vector<std::vector<NodeIndex>> membersB(classes.size());
        for (const auto& [i, c] : b)
            if (classes[c].countA == classes[c].countB) membersB[c].push_back(i);
        std::vector<NodeIndex> oddA;
        std::vector<NodeIndex> oddB;
        std::vector<std::uint32_t> sequenceA;
        std::vector<std::uint32_t> sequenceB;
        for (const auto& [i, c] : a) {
            if (classes[c].countA == classes[c].countB) {
                pair(i, membersB[c][classes[c].next++], evidence);
            } else if (classes[c].countB > 0) {
                oddA.push_back(i);
                sequenceA.push_back(c);
            }
        }
        for (const auto& [i, c] : b) {
            if (classes[c].countA == classes[c].countB || classes[c].countA == 0) continue;
            oddB.push_back(i);
            sequenceB.push_back(c);
        }
        for (const auto& [i, j] : alignSequences(sequenceA, sequenceB))
            pair(oddA[i], oddB[j], evidence);
    }

    /// By one hash, leaving out nodes whose other hash names somebody else.
    void matchUndisputed(std::vector<std::uint64_t> Side::*hash, std::vector<std::uint64_t> Side::*other) {
        std::unordered_map<std::uint64_t, std::uint8_t> sides;
        const auto mark = [&](const Side& side, std::uint8_t bit) {
            for (NodeIndex i = 0; i < side.graph.size(); ++i)
                if (side.isFree(i)) sides[(side.*other)[i]] |= bit;
        };
        mark(m_a, 1);
        mark(m_b, 2);
        matchIf([&](const Side& s, NodeIndex i) { return !isTerminal(s, i) && sides[(s.*other)[i]] != 3; },
                [&](const Side& s, NodeIndex i) { return (s.*hash)[i]; }, Evidence::Structure);
    }

    /// The same name and operation. Names mean little between a graph and its lowered form, where "add_1" is
    /// just a counter: unless most names are common to both graphs, the source line has to agree as well.
    void matchByName() {
        std::size_t common = 0;
        for (const ir::NodePtr& node : m_a.graph.nodes()) {
            const NodeIndex other = m_b.graph.find(node->name);
            if (other != npos && m_b.graph.node(other).target == node->target) ++common;
        }
        const bool trusted = 2 * common >= std::min(m_a.graph.size(), m_b.graph.size());
        matchIf(
            [trusted](const Side& s, NodeIndex i) {
                return !isTerminal(s, i) && (trusted || s.graph.node(i).location() != nullptr);
            },
            [trusted](const Side& s, NodeIndex i) {
                const std::uint64_t key = mix(hashText(s.graph.node(i).name), hashText(s.forms[i].op));
                const ir::SourceLocation* at = s.graph.node(i).location();
                return trusted ? key : mix(mix(key, hashText(at->file)), at->line);
            },
            Evidence::Name);
    }

    /// True if every operand of the two is a pair (or both undefined).
    [[nodiscard]] bool sameOperands(NodeIndex a, NodeIndex b) const {
        const auto& x = m_a.forms[a].operands;
        const auto& y = m_b.forms[b].operands;
        if (x.size() != y.size()) return false;
        for (std::size_t i = 0; i < x.size(); ++i)
            if ((x[i] == npos) != (y[i] == npos) || (x[i] != npos && m_a.partner[x[i]] != y[i])) return false;
        return true;
    }

    /// Spreads from every pair. Strict: users with the same arguments. Loose: users and inputs with the same
    /// operation.
    void propagate(bool strict) {
        std::vector<NodeIndex> work;
        for (const NodeIndex a : m_a.order)
            if (!m_a.isFree(a)) work.push_back(a);
        for (std::size_t k = 0; k < work.size(); ++k) {
            const NodeIndex a = work[k];
            const NodeIndex b = m_a.partner[a];
            propagateToUsers(a, b, strict, work);
            if (!strict) propagateToInputs(a, b, work);
        }
    }

    void propagateToUsers(NodeIndex a, NodeIndex b, bool strict, std::vector<NodeIndex>& work) {
        const auto usersA = m_a.graph.users(a);
        const auto usersB = m_b.graph.users(b);
        const auto keyOf = [strict](const Side& side, NodeIndex i) {
            return strict ? side.local[i] : side.opHash[i];
        };
        m_free.clear();
        std::size_t looked = 0;
        for (const NodeIndex v : usersB) {
            if (++looked > maxNeighbours) break;
            if (m_b.isFree(v) && !isTerminal(m_b, v)) m_free.emplace_back(keyOf(m_b, v), v);
        }
        if (m_free.empty()) return;
        looked = 0;
        for (const NodeIndex u : usersA) {
            if (++looked > maxNeighbours) break;
            if (!m_a.isFree(u) || isTerminal(m_a, u)) continue;
            const std::uint64_t key = keyOf(m_a, u);
            const auto fits = std::find_if(m_free.begin(), m_free.end(), [&](const auto& candidate) {
                const auto& [itsKey, v] = candidate;
                if (itsKey != key) return false;
                return strict ? sameOperands(u, v) : placeOf(m_a.forms[u], a) == placeOf(m_b.forms[v], b);
            });
            if (fits == m_free.end()) continue;
            pair(u, fits->second, strict ? Evidence::Structure : Evidence::Neighbourhood);
            m_free.erase(fits);
            work.push_back(u);
        }
    }

    static std::size_t placeOf(const Form& user, NodeIndex operand) {
        return static_cast<std::size_t>(std::find(user.operands.begin(), user.operands.end(), operand) -
                                        user.operands.begin());
    }

    void propagateToInputs(NodeIndex a, NodeIndex b, std::vector<NodeIndex>& work) {
        const auto& x = m_a.forms[a].operands;
        const auto& y = m_b.forms[b].operands;
        if (x.size() != y.size() || m_a.forms[a].op == "output") return;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i] == npos || y[i] == npos || !m_a.isFree(x[i]) || !m_b.isFree(y[i])) continue;
            if (isTerminal(m_a, x[i]) || isTerminal(m_b, y[i]) || m_a.forms[x[i]].op != m_b.forms[y[i]].op)
                continue;
            pair(x[i], y[i], Evidence::Neighbourhood);
            work.push_back(x[i]);
        }
    }

    /// Another operation with the same inputs and a user in common: its target changed.
    void matchBetweenNeighbours() {
        for (const NodeIndex a : m_a.order) {
            if (!m_a.isFree(a) || isTerminal(m_a, a) || m_a.forms[a].operands.empty()) continue;
            const NodeIndex first = m_a.forms[a].operands.front();
            if (first == npos || m_a.isFree(first)) continue;
            std::size_t looked = 0;
            for (const NodeIndex b : m_b.graph.users(m_a.partner[first])) {
                if (++looked > maxNeighbours) break;
                if (!m_b.isFree(b) || isTerminal(m_b, b) || !sameOperands(a, b) || !shareUser(a, b)) continue;
                pair(a, b, Evidence::Neighbourhood);
                break;
            }
        }
    }

    [[nodiscard]] bool shareUser(NodeIndex a, NodeIndex b) const {
        const auto users = m_b.graph.users(b);
        std::size_t looked = 0;
        for (const NodeIndex u : m_a.graph.users(a)) {
            if (++looked > maxNeighbours) break;
            const NodeIndex image = m_a.partner[u];
            if (image != npos && std::binary_search(users.begin(), users.end(), image) &&
                placeOf(m_a.forms[u], a) == placeOf(m_b.forms[image], b))
                return true;
        }
        return false;
    }

    /// The same operation on the same source line with the same shape, where each side has it equally often.
    void matchByLine() {
        std::unordered_map<std::uint64_t, std::pair<std::vector<NodeIndex>, std::vector<NodeIndex>>> lines;
        const auto collect = [&](const Side& side, bool ofA) {
            for (NodeIndex i = 0; i < side.graph.size(); ++i) {
                const ir::Node& node = side.graph.node(i);
                const ir::SourceLocation* at = node.location();
                if (!side.isFree(i) || isTerminal(side, i) || at == nullptr) continue;
                std::uint64_t key = mix(mix(hashText(at->file), at->line), hashText(side.forms[i].op));
                if (node.meta) key = mix(key, hashText(node.meta->shortForm()));
                auto& entry = lines[key];
                (ofA ? entry.first : entry.second).push_back(i);
            }
        };
        collect(m_a, true);
        collect(m_b, false);
        for (const auto& [key, nodes] : lines) {
            if (nodes.first.size() != nodes.second.size()) continue;
            for (std::size_t i = 0; i < nodes.first.size(); ++i)
                pair(nodes.first[i], nodes.second[i], Evidence::StackTrace);
        }
    }

    Side m_a, m_b;
    std::vector<Evidence> m_evidence;
    std::vector<std::pair<std::uint64_t, NodeIndex>>
        m_free; // free users of the node in hand, with their keys
};

} // namespace

Alignment alignGraphs(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                      const std::vector<Form>& formsB, const std::vector<bool>& gradientB) {
    return Matcher(a, b, formsA, formsB, gradientB).run();
}

} // namespace dynascope::diff::detail
