// SPDX-License-Identifier: BSD-3-Clause
//
// Links of nodes that have no partner. Removed and added nodes of one source line (or of no known line) form
// connected pieces; a removed piece and an added piece belong together when the same pairs stand at their
// borders, else by order. Within two pieces, operations of one family are anchors, and what stands between
// two anchors links to what stands between their images. Added nodes that are left (backward nodes of a line
// whose forward nodes all have partners) link to the node of their line that their family and their inputs
// point to.
#include "core/diff/match.h"
#include "core/diff/sequence.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace dynascope::diff::detail {

namespace {

using ir::NodeIndex;
using ir::npos;

constexpr std::size_t maxAllToAll = 16; // links between two segments without anchors
constexpr std::size_t maxBorder = 64;   // neighbours of a piece that are looked at

struct Region {
    std::vector<NodeIndex> nodes;  // in graph order
    std::vector<NodeIndex> border; // neighbours with a partner, as nodes of B
};

/// Nodes of one source line; key 0 is "not known".
using Lines = std::map<std::uint64_t, std::vector<NodeIndex>>;

class Linker {
public:
    Linker(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
           const std::vector<Form>& formsB, const std::vector<bool>& gradientB, const Alignment& alignment,
           std::vector<Link>& links)
        : m_a(a)
        , m_b(b)
        , m_formsA(formsA)
        , m_formsB(formsB)
        , m_gradientB(gradientB)
        , m_alignment(alignment)
        , m_links(links)
        , m_originOfB(b.size()) {}

    void run() {
        std::vector<bool> hasImage(m_a.size(), false);
        for (const Link& l : m_links) {
            m_originOfB[l.b].push_back(l.a);
            hasImage[l.a] = true;
        }
        Lines removed = linesOf(m_a, m_alignment.partnerOfA, false);
        for (auto& [line, nodes] : removed)
            std::erase_if(nodes, [&hasImage](NodeIndex a) { return hasImage[a]; });
        Lines added = linesOf(m_b, m_alignment.partnerOfB, false);
        // What depends on an input that A does not have (a tangent) is not an image of A's nodes; data flow
        // links it later.
        std::vector<bool> foreign = dependOnNewInputs();
        for (NodeIndex b = 0; b < m_gradientB.size(); ++b)
            foreign[b] = foreign[b] || m_gradientB[b];
        for (auto& [line, nodes] : added)
            std::erase_if(nodes, [&](NodeIndex b) { return foreign[b] || !m_originOfB[b].empty(); });
        const Lines all = linesOf(m_a, m_alignment.partnerOfA, true);
        for (const auto& [line, nodesA] : removed) {
            const auto it = added.find(line);
            if (nodesA.empty() || it == added.end() || it->second.empty()) continue;
            // Where nodes of the line have partners, data flow has to say which added nodes are not theirs.
            const auto whole = all.find(line);
            const bool allRemoved = line != 0 && whole->second.size() == nodesA.size();
            linkPieces(pieces(m_a, nodesA, m_alignment.partnerOfA, true),
                       pieces(m_b, it->second, m_alignment.partnerOfB, false), line != 0, allRemoved);
        }
        linkLeftovers(all);
        linkBypassed();
    }

private:
    [[nodiscard]] std::vector<bool> dependOnNewInputs() const {
        std::vector<bool> foreign(m_b.size(), false);
        for (NodeIndex b = 0; b < m_b.size(); ++b) {
            foreign[b] = m_b.node(b).op == ir::Op::Placeholder && m_alignment.partnerOfB[b] == npos;
            for (const NodeIndex input : m_b.inputs(b))
                foreign[b] = foreign[b] || foreign[input];
        }
        return foreign;
    }

    static std::uint64_t lineOf(const ir::Node& node) {
        const ir::SourceLocation* at = node.location();
        return at == nullptr ? 0 : mix(hashText(at->file), at->line) | 1;
    }

    static Lines linesOf(const ir::Graph& graph, const std::vector<NodeIndex>& partner, bool all) {
        Lines lines;
        for (NodeIndex i = 0; i < graph.size(); ++i) {
            const ir::Op op = graph.node(i).op;
            if (op == ir::Op::Placeholder || op == ir::Op::Output) continue;
            if (all || partner[i] == npos) lines[lineOf(graph.node(i))].push_back(i);
        }
        return lines;
    }

    [[nodiscard]] std::vector<Region> pieces(const ir::Graph& graph, const std::vector<NodeIndex>& nodes,
                                             const std::vector<NodeIndex>& partner, bool ofA) const {
        std::vector<std::uint32_t> root(nodes.size());
        std::iota(root.begin(), root.end(), 0U);
        const auto find = [&root](std::uint32_t i) {
            while (root[i] != i)
                i = root[i] = root[root[i]];
            return i;
        };
        const auto at = [&nodes](NodeIndex i) {
            const auto it = std::lower_bound(nodes.begin(), nodes.end(), i);
            return it != nodes.end() && *it == i ? static_cast<std::uint32_t>(it - nodes.begin())
                                                 : UINT32_MAX;
        };
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            for (const NodeIndex input : graph.inputs(nodes[i])) {
                const std::uint32_t other = at(input);
                if (other != UINT32_MAX) root[find(other)] = find(i);
            }
        }
        std::unordered_map<std::uint32_t, std::size_t> number;
        std::vector<Region> result;
        for (std::uint32_t i = 0; i < nodes.size(); ++i) {
            const auto [it, isNew] = number.try_emplace(find(i), result.size());
            if (isNew) result.emplace_back();
            Region& piece = result[it->second];
            piece.nodes.push_back(nodes[i]);
            const auto addBorder = [&](NodeIndex neighbour) {
                if (partner[neighbour] == npos || piece.border.size() >= maxBorder) return;
                piece.border.push_back(ofA ? partner[neighbour] : neighbour);
            };
            for (const NodeIndex input : graph.inputs(nodes[i]))
                addBorder(input);
            std::size_t looked = 0;
            for (const NodeIndex user : graph.users(nodes[i]))
                if (++looked <= maxBorder) addBorder(user);
        }
        return result;
    }

    void linkPieces(const std::vector<Region>& a, const std::vector<Region>& b, bool sameLine, bool byOrder) {
        std::unordered_map<NodeIndex, std::vector<std::uint32_t>> atBorder;
        for (std::uint32_t i = 0; i < a.size(); ++i)
            for (const NodeIndex n : a[i].border)
                atBorder[n].push_back(i);
        std::vector<std::uint32_t> votes(a.size(), 0);
        std::vector<std::uint32_t> linked(a.size(), 0); // pieces of B so far
        for (std::size_t j = 0; j < b.size(); ++j) {
            std::vector<std::uint32_t> voted;
            for (const NodeIndex n : b[j].border) {
                const auto it = atBorder.find(n);
                // A neighbour of many pieces (an input that every layer reads) tells nothing.
                if (it == atBorder.end() || it->second.size() > maxAllToAll) continue;
                for (const std::uint32_t i : it->second)
                    if (votes[i]++ == 0) voted.push_back(i);
            }
            std::uint32_t best = UINT32_MAX;
            for (const std::uint32_t i : voted) {
                if (best == UINT32_MAX ||
                    std::tuple(votes[best], linked[i], i) < std::tuple(votes[i], linked[best], best))
                    best = i;
            }
            for (const std::uint32_t i : voted)
                votes[i] = 0;
            if (best == UINT32_MAX && byOrder) best = static_cast<std::uint32_t>(j * a.size() / b.size());
            if (best == UINT32_MAX) continue;
            ++linked[best];
            linkSegments(a[best].nodes, b[j].nodes,
                         sameLine ? Evidence::StackTrace : Evidence::Neighbourhood);
        }
    }

    void link(NodeIndex a, NodeIndex b, Evidence evidence) {
        m_links.push_back({a, b, evidence});
        m_originOfB[b].push_back(a);
    }

    /// Both in graph order.
    void linkSegments(const std::vector<NodeIndex>& a, const std::vector<NodeIndex>& b, Evidence evidence) {
        if (a.size() == 1) {
            for (const NodeIndex j : b)
                link(a[0], j, evidence);
            return;
        }
        const auto families = [](const std::vector<NodeIndex>& nodes, const std::vector<Form>& forms) {
            std::vector<std::uint32_t> ids;
            ids.reserve(nodes.size());
            for (const NodeIndex i : nodes)
                ids.push_back(static_cast<std::uint32_t>(hashText(opFamily(forms[i].op))));
            return ids;
        };
        std::vector<Match> anchors = alignSequences(families(a, m_formsA), families(b, m_formsB));
        const auto endA = static_cast<std::uint32_t>(a.size());
        const auto endB = static_cast<std::uint32_t>(b.size());
        anchors.emplace_back(endA, endB);
        std::uint32_t nextA = 0;
        std::uint32_t nextB = 0;
        for (const auto& [i, j] : anchors) {
            // Without nodes of its own, a stretch of B prepares the anchor below it, or finishes the last
            // one.
            const std::uint32_t stretchA = i - nextA;
            if (stretchA == 0) {
                const std::uint32_t owner = i < endA ? i : endA - 1;
                for (std::uint32_t q = nextB; q < j; ++q)
                    link(a[owner], b[q], evidence);
            } else if (std::size_t{stretchA} * (j - nextB) <= maxAllToAll) {
                for (std::uint32_t p = nextA; p < i; ++p)
                    for (std::uint32_t q = nextB; q < j; ++q)
                        link(a[p], b[q], evidence);
            } else {
                for (std::uint32_t q = nextB; q < j; ++q)
                    link(a[nextA +
                           static_cast<std::uint32_t>(std::uint64_t{q - nextB} * stretchA / (j - nextB))],
                         b[q], evidence);
            }
            if (i < endA) link(a[i], b[j], evidence);
            nextA = i + 1;
            nextB = j + 1;
        }
    }

    void linkLeftovers(const Lines& lines) {
        std::unordered_map<std::uint64_t, std::pair<std::size_t, std::size_t>>
            seen; // per line: leftovers so far and in all
        std::vector<NodeIndex> leftovers;
        for (NodeIndex b = 0; b < m_b.size(); ++b) {
            const ir::Op op = m_b.node(b).op;
            if (!m_originOfB[b].empty() || op == ir::Op::Placeholder || op == ir::Op::Output) continue;
            leftovers.push_back(b);
            ++seen[lineOf(m_b.node(b))].second;
        }
        for (const NodeIndex b : leftovers) {
            const std::uint64_t line = lineOf(m_b.node(b));
            auto& [before, total] = seen[line];
            const std::size_t rank = before++;
            if (line == 0) {
                const NodeIndex origin = familyOrigin(b);
                if (origin != npos) link(origin, b, Evidence::Neighbourhood);
                continue;
            }
            const auto it = lines.find(line);
            if (it == lines.end()) continue;
            const bool gradient = b < m_gradientB.size() && m_gradientB[b];
            const std::vector<NodeIndex> own =
                gradient ? withGradients(it->second) : std::vector<NodeIndex>();
            link(pick(own.empty() ? it->second : own, b, rank, total), b, Evidence::StackTrace);
        }
    }

    /// Those of a line that can have a gradient: an integer and a bool have none.
    [[nodiscard]] std::vector<NodeIndex> withGradients(const std::vector<NodeIndex>& nodes) const {
        std::vector<NodeIndex> out;
        for (const NodeIndex a : nodes) {
            const ir::Node& node = m_a.node(a);
            const std::string_view dtype =
                node.meta && node.meta->tensor ? node.meta->tensor->dtype : std::string_view();
            if (!dtype.starts_with('i') && !dtype.starts_with('u') && dtype != "b8") out.push_back(a);
        }
        return out;
    }

    /// A removed node whose user now reads, in its place, the image of what it read.
    void linkBypassed() {
        std::vector<bool> linked(m_a.size(), false);
        for (const Link& l : m_links)
            linked[l.a] = true;
        for (NodeIndex a = 0; a < m_a.size(); ++a) {
            if (linked[a] || m_alignment.partnerOfA[a] != npos || m_formsA[a].operands.empty()) continue;
            const NodeIndex input = m_formsA[a].operands.front();
            const NodeIndex image = input == npos ? npos : m_alignment.partnerOfA[input];
            if (image == npos) continue;
            std::size_t looked = 0;
            for (const NodeIndex user : m_a.users(a)) {
                const NodeIndex other = m_alignment.partnerOfA[user];
                if (++looked > maxBorder) break;
                if (other == npos || !readsInPlace(m_formsA[user], a, m_formsB[other], image)) continue;
                link(a, image, Evidence::Neighbourhood);
                break;
            }
        }
    }

    static bool readsInPlace(const Form& userA, NodeIndex a, const Form& userB, NodeIndex b) {
        for (std::size_t i = 0; i < std::min(userA.operands.size(), userB.operands.size()); ++i)
            if (userA.operands[i] == a && userB.operands[i] == b) return true;
        return false;
    }

    /// The origin of an input, if it is of the same family: native_layer_norm_backward reads what layer_norm
    /// saved.
    [[nodiscard]] NodeIndex familyOrigin(NodeIndex b) const {
        for (const NodeIndex input : m_b.inputs(b))
            for (const NodeIndex origin : m_originOfB[input])
                if (sameFamily(origin, b)) return origin;
        return npos;
    }

    [[nodiscard]] bool sameFamily(NodeIndex a, NodeIndex b) const {
        return opFamily(m_formsA[a].op) == opFamily(m_formsB[b].op);
    }

    /// The node of the line that b most likely comes from.
    [[nodiscard]] NodeIndex pick(const std::vector<NodeIndex>& candidates, NodeIndex b, std::size_t rank,
                                 std::size_t total) const {
        const auto isCandidate = [&](NodeIndex a) {
            return std::binary_search(candidates.begin(), candidates.end(), a);
        };
        NodeIndex byData = npos;
        for (const NodeIndex input : m_b.inputs(b)) {
            for (const NodeIndex origin : m_originOfB[input]) {
                if (!isCandidate(origin)) continue;
                if (sameFamily(origin, b)) return origin;
                if (byData == npos) byData = origin;
            }
        }
        if (byData != npos) return byData;
        return candidates[std::min(candidates.size() - 1, rank * candidates.size() / total)];
    }

    const ir::Graph& m_a;
    const ir::Graph& m_b;
    const std::vector<Form>& m_formsA;
    const std::vector<Form>& m_formsB;
    const std::vector<bool>& m_gradientB; ///< GraphDiff::gradientB
    const Alignment& m_alignment;
    std::vector<Link>& m_links;
    std::vector<std::vector<NodeIndex>> m_originOfB;
};

} // namespace

void linkOrigins(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                 const std::vector<Form>& formsB, const std::vector<bool>& gradientB,
                 const Alignment& alignment, std::vector<Link>& links) {
    Linker(a, b, formsA, formsB, gradientB, alignment, links).run();
}

} // namespace dynascope::diff::detail
