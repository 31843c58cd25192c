// SPDX-License-Identifier: BSD-3-Clause
//
// What the nodes of a torch-level graph became when no source line tells. Tracing runs the graph in order, so
// the forward nodes of the lowered graph are one run for each node of A, in A's order, some of them empty.
// Nodes that read a parameter which only one node of A reads, and pairs that structure has found, are
// certain; they cut both sequences into short stretches. Inside a stretch the runs are those of the highest
// score (dynamic programming): operations of one family, operations that lowering is known to make, and a
// result of the shape that the node of A has. Backward comes node by node as well: from the parameters and
// saved values that it reads.
#include "core/diff/lowering.h"

#include "core/diff/sequence.h"

#include <algorithm>

namespace dynascope::diff::detail {

namespace {

constexpr std::size_t fewestAnchors = 2;

class Forward {
public:
    explicit Forward(Lowering& lowering)
        : m_l(lowering) {}

    /// False where the two graphs are not one program lowered, or nothing is left to do.
    bool run() {
        findForeign();
        for (NodeIndex i = 0; i < m_l.a.size(); ++i)
            if (isCall(m_l.a.node(i)) && m_l.a.node(i).location() == nullptr) m_l.x.push_back(i);
        for (NodeIndex i = 0; i < m_l.b.size(); ++i)
            if (isCall(m_l.b.node(i)) && m_l.b.node(i).location() == nullptr && !m_l.isOfBackward(i))
                m_l.q.push_back(i);
        // Two stages of one level are aligned well enough.
        const auto paired = std::count_if(
            m_l.x.begin(), m_l.x.end(), [this](NodeIndex x) { return m_l.alignment.partnerOfA[x] != npos; });
        if (2 * static_cast<std::size_t>(paired) >= m_l.x.size()) return false;
        findOwners();
        if (!findAnchors()) return false;
        emitForward(shareOut(m_l, m_anchors));
        return true;
    }

private:
    void findForeign() {
        for (NodeIndex b = 0; b < m_l.b.size(); ++b) {
            m_l.foreign[b] = m_l.b.node(b).op == ir::Op::Placeholder && m_l.alignment.partnerOfB[b] == npos;
            for (const NodeIndex input : m_l.b.inputs(b))
                m_l.foreign[b] = m_l.foreign[b] || m_l.foreign[input];
            if (m_l.foreign[b] && isCall(m_l.b.node(b))) m_l.backwardFrom = std::min(m_l.backwardFrom, b);
        }
    }

    /// Parameters (inputs of one reader) and their views, with the node of A that reads them.
    void findOwners() {
        for (NodeIndex p = 0; p < m_l.a.size(); ++p) {
            const NodeIndex image = m_l.alignment.partnerOfA[p];
            if (m_l.a.node(p).op != ir::Op::Placeholder || image == npos || m_l.a.users(p).size() != 1)
                continue;
            const NodeIndex reader = m_l.a.users(p).front();
            if (isCall(m_l.a.node(reader)) && m_l.a.node(reader).location() == nullptr)
                m_l.owner[image] = reader;
        }
        for (NodeIndex b = 0; b < m_l.b.size(); ++b) {
            const auto& inputs = m_l.b.inputs(b);
            if (inputs.size() == 1 && isCall(m_l.b.node(b)) && isReshape(m_l.opB(b)))
                m_l.owner[b] = m_l.owner[inputs.front()];
        }
    }

    bool findAnchors() {
        std::vector<std::uint32_t> placeOfA(m_l.a.size(), noPlace);
        for (std::uint32_t i = 0; i < m_l.x.size(); ++i)
            placeOfA[m_l.x[i]] = i;
        std::vector<std::uint32_t> first(m_l.x.size(), noPlace);
        std::size_t byParameter = 0;
        for (std::uint32_t j = 0; j < m_l.q.size(); ++j) {
            const NodeIndex reader = m_l.readerOf(m_l.q[j]);
            if (reader != npos && first[placeOfA[reader]] == noPlace) {
                first[placeOfA[reader]] = j;
                ++byParameter;
            }
        }
        if (byParameter < fewestAnchors) return false;
        for (std::uint32_t j = 0; j < m_l.q.size(); ++j) {
            const NodeIndex partner = m_l.alignment.partnerOfB[m_l.q[j]];
            if (partner == npos || placeOfA[partner] == noPlace || first[placeOfA[partner]] != noPlace ||
                m_l.alignment.evidence[partner] > Evidence::Name)
                continue;
            first[placeOfA[partner]] = j;
        }
        std::vector<std::uint32_t> xs;
        std::vector<std::uint32_t> qs;
        for (std::uint32_t i = 0; i < m_l.x.size(); ++i) {
            if (first[i] == noPlace) continue;
            xs.push_back(i);
            qs.push_back(first[i]);
        }
        for (const std::uint32_t k : longestRising(qs))
            m_anchors.push_back({xs[k], qs[k]});
        // Where many anchors contradict the order, the two are not one program lowered.
        return 4 * m_anchors.size() >= 3 * xs.size();
    }

    void emitForward(const std::vector<std::uint32_t>& run) {
        std::vector<std::vector<NodeIndex>> runs(m_l.x.size());
        for (std::uint32_t j = 0; j < m_l.q.size(); ++j)
            if (run[j] != noPlace) runs[run[j]].push_back(m_l.q[j]);
        std::vector<NodeIndex> image(m_l.a.size(), npos); // the node that holds the value
        for (std::uint32_t i = 0; i < m_l.x.size(); ++i) {
            const NodeIndex x = m_l.x[i];
            if (runs[i].empty()) {
                // An element of a tuple is the last value of its producer's run, if that has its shape.
                if (!m_l.isVirtual(x)) continue;
                const NodeIndex value = image[m_l.a.inputs(x).front()];
                if (value != npos && m_l.sameShape(x, value))
                    m_l.links.push_back({x, value, Evidence::Neighbourhood});
                continue;
            }
            pairTwin(x, runs[i]);
            for (const NodeIndex q : runs[i]) {
                const bool sure = m_l.readerOf(q) == x || opFamily(m_l.opA(x)) == opFamily(m_l.opB(q));
                m_l.link(x, q, sure ? Evidence::Structure : Evidence::Neighbourhood);
                if (!isFollower(m_l.opB(q))) image[x] = q;
            }
        }
    }

    /// The one node of a run that is the same operation with the same result is the node itself.
    void pairTwin(NodeIndex x, const std::vector<NodeIndex>& run) {
        if (m_l.alignment.partnerOfA[x] != npos) return;
        const auto isTwin = [&](NodeIndex q) {
            return m_l.opA(x) == m_l.opB(q) && m_l.alignment.partnerOfB[q] == npos && m_l.sameShape(x, q);
        };
        const auto twin = std::find_if(run.begin(), run.end(), isTwin);
        if (twin == run.end() || std::any_of(std::next(twin), run.end(), isTwin)) return;
        m_l.alignment.partnerOfA[x] = *twin;
        m_l.alignment.partnerOfB[*twin] = x;
        m_l.alignment.evidence[x] = Evidence::Structure;
    }

    Lowering& m_l;
    std::vector<Anchor> m_anchors;
};

} // namespace

bool isOneOf(std::string_view op, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), op) != names.end();
}
bool isCall(const ir::Node& node) {
    return node.op != ir::Op::Placeholder && node.op != ir::Op::Output && node.op != ir::Op::GetAttr;
}
bool isFollower(std::string_view op) {
    return isOneOf(op, {"getitem", "detach", "alias"});
}
bool isProduct(std::string_view op) {
    return isOneOf(op, {"mm", "addmm", "bmm", "baddbmm", "matmul", "linear"});
}
bool isReshape(std::string_view op) {
    return isOneOf(op, {"view", "_unsafe_view", "reshape", "t", "squeeze", "unsqueeze"});
}
bool isLayout(std::string_view op) {
    return isReshape(op) ||
           isOneOf(op, {"transpose", "permute", "clone", "contiguous", "expand", "select", "slice"});
}

NodeIndex Lowering::readerOf(NodeIndex node) const {
    NodeIndex reader = npos;
    for (const NodeIndex input : b.inputs(node)) {
        if (owner[input] == npos) continue;
        if (reader != npos && reader != owner[input]) return npos;
        reader = owner[input];
    }
    return reader;
}

bool Lowering::isVirtual(NodeIndex node) const {
    if (opA(node) != "getitem" || a.inputs(node).empty()) return false;
    const auto& meta = a.node(a.inputs(node).front()).meta;
    return !meta || !meta->tensor;
}

bool Lowering::sameShape(NodeIndex ofA, NodeIndex ofB) const {
    const auto& left = a.node(ofA).meta;
    const auto& right = b.node(ofB).meta;
    return left && right && left->tensor && right->tensor && left->tensor->sizes == right->tensor->sizes &&
           left->tensor->dtype == right->tensor->dtype;
}

void Lowering::link(NodeIndex ofA, NodeIndex ofB, Evidence evidence) {
    origin[ofB] = ofA;
    if (alignment.partnerOfB[ofB] != ofA) links.push_back({ofA, ofB, evidence});
}

void linkLowering(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                  const std::vector<Form>& formsB, Alignment& alignment, std::vector<Link>& links) {
    Lowering lowering{a,
                      b,
                      formsA,
                      formsB,
                      alignment,
                      links,
                      std::vector<NodeIndex>(b.size(), npos),
                      std::vector<bool>(b.size(), false),
                      npos,
                      std::vector<NodeIndex>(b.size(), npos),
                      {},
                      {}};
    if (Forward(lowering).run()) linkBackward(lowering);
}

} // namespace dynascope::diff::detail
