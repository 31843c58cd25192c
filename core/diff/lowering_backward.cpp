// SPDX-License-Identifier: BSD-3-Clause
//
// Backward comes node by node: from the parameters and saved values that a node reads, then from its
// neighbours.
#include "core/diff/lowering.h"

namespace dynascope::diff::detail {

namespace {

class Backward {
public:
    explicit Backward(Lowering& lowering)
        : m_l(lowering) {}

    void run() {
        for (NodeIndex b = 0; b < m_l.b.size(); ++b)
            if (isBackward(b)) fromForward(b);
        for (NodeIndex b = 0; b < m_l.b.size(); ++b)
            if (isBackward(b) && m_l.origin[b] != npos && isProduct(m_l.opB(b))) besideProduct(b);
        for (NodeIndex b = 0; b < m_l.b.size(); ++b) {
            const auto& inputs = m_l.b.inputs(b);
            if (!isBackward(b) || m_l.origin[b] != npos || inputs.size() != 1) continue;
            const NodeIndex input = inputs.front();
            if (m_l.origin[input] == npos || !m_l.foreign[input]) continue;
            const bool parts = isFollower(m_l.opB(b));
            const bool shapes = isReshape(m_l.opB(b)) &&
                                (isProduct(m_l.opB(input)) || isOneOf(m_l.opB(input), {"sum", "t", "view"}));
            if (parts || shapes) claim(b, m_l.origin[input], Evidence::Neighbourhood);
        }
        for (NodeIndex b = static_cast<NodeIndex>(m_l.b.size()); b-- > 0;)
            if (isBackward(b) && m_l.origin[b] == npos && (isReshape(m_l.opB(b)) || m_l.opB(b) == "clone"))
                beforeUsers(b);
        fillRuns();
    }

private:
    [[nodiscard]] bool isBackward(NodeIndex b) const {
        return m_l.isOfBackward(b) && isCall(m_l.b.node(b)) && m_l.b.node(b).location() == nullptr;
    }

    void claim(NodeIndex b, NodeIndex origin, Evidence evidence) {
        if (m_l.origin[b] == npos && m_l.alignment.partnerOfB[b] == npos) m_l.link(origin, b, evidence);
    }

    /// The origin of the value behind detach and getitem nodes and views of weights.
    [[nodiscard]] NodeIndex savedOrigin(NodeIndex b) const {
        for (int i = 0; i < farBehind && m_l.origin[b] == npos; ++i) {
            if (!isCall(m_l.b.node(b)) || m_l.b.inputs(b).size() != 1 ||
                !(isFollower(m_l.opB(b)) || isReshape(m_l.opB(b))))
                break;
            b = m_l.b.inputs(b).front();
        }
        return m_l.foreign[b] ? npos : m_l.origin[b];
    }

    void fromForward(NodeIndex b) {
        if (const NodeIndex reader = m_l.readerOf(b); reader != npos) {
            claim(b, reader, Evidence::Structure);
            return;
        }
        if (isFollower(m_l.opB(b)) && m_l.b.inputs(b).size() == 1) {
            if (const NodeIndex origin = savedOrigin(b); origin != npos)
                claim(b, origin, Evidence::Neighbourhood);
            return;
        }
        const bool backward = m_l.opB(b).ends_with("_backward");
        if (!backward && !isProduct(m_l.opB(b))) return;
        NodeIndex only = npos;
        bool several = false;
        for (const NodeIndex input : m_l.b.inputs(b)) {
            const NodeIndex origin = savedOrigin(input);
            if (origin == npos) continue;
            if (backward && opFamily(m_l.opA(origin)) == opFamily(m_l.opB(b))) {
                claim(b, origin, Evidence::Structure);
                return;
            }
            several = several || (only != npos && only != origin);
            only = origin;
        }
        if (backward && only != npos && !several) claim(b, only, Evidence::Neighbourhood);
        if (isProduct(m_l.opB(b))) fromSavedProduct(b);
    }

    /// A weight's gradient multiplies what the product itself read.
    void fromSavedProduct(NodeIndex b) {
        NodeIndex found = npos;
        for (NodeIndex value : m_l.b.inputs(b)) {
            for (int i = 0; i < farBehind && m_l.opB(value) == "t" && !m_l.b.inputs(value).empty(); ++i)
                value = m_l.b.inputs(value).front();
            if (m_l.isOfBackward(value)) continue;
            for (const NodeIndex user : m_l.b.users(value)) {
                if (m_l.isOfBackward(user) || m_l.origin[user] == npos || !isProduct(m_l.opB(user))) continue;
                if (found != npos && found != m_l.origin[user]) return;
                found = m_l.origin[user];
            }
        }
        if (found != npos) claim(b, found, Evidence::Neighbourhood);
    }

    /// The gradient that a product multiplies with a weight goes into the gradients of weight and bias too.
    void besideProduct(NodeIndex b) {
        for (const NodeIndex gradient : m_l.b.inputs(b)) {
            if (!isBackward(gradient) || m_l.origin[gradient] != npos) continue;
            std::vector<NodeIndex> readers(m_l.b.users(gradient).begin(), m_l.b.users(gradient).end());
            if (m_l.opB(gradient) == "t") {
                const auto& more = m_l.b.users(m_l.b.inputs(gradient).front());
                readers.insert(readers.end(), more.begin(), more.end());
            }
            for (const NodeIndex reader : readers)
                if (isBackward(reader) &&
                    (isProduct(m_l.opB(reader)) || isOneOf(m_l.opB(reader), {"sum", "t"})))
                    claim(reader, m_l.origin[b], Evidence::Neighbourhood);
        }
    }

    /// What flattens a gradient for a product: a reshape, and the copy that it needs. A transpose may well be
    /// another node's own.
    void beforeUsers(NodeIndex b) {
        const bool copies = m_l.opB(b) == "clone";
        NodeIndex origin = npos;
        for (const NodeIndex user : m_l.b.users(b)) {
            if (!isBackward(user)) continue;
            if (m_l.origin[user] == npos || (origin != npos && origin != m_l.origin[user])) return;
            const bool fits = copies ? isReshape(m_l.opB(user))
                                     : isProduct(m_l.opB(user)) || isOneOf(m_l.opB(user), {"sum", "t"});
            if (!fits) return;
            origin = m_l.origin[user];
        }
        if (origin != npos) claim(b, origin, Evidence::Neighbourhood);
    }

    /// Autograd finishes one node before the next: what stands between two nodes of one origin is its.
    void fillRuns() {
        std::vector<NodeIndex> waiting;
        NodeIndex before = npos;
        for (NodeIndex b = 0; b < m_l.b.size(); ++b) {
            if (!isBackward(b)) continue;
            if (m_l.origin[b] == npos) {
                waiting.push_back(b);
                continue;
            }
            if (m_l.origin[b] == before)
                for (const NodeIndex between : waiting)
                    claim(between, before, Evidence::Neighbourhood);
            waiting.clear();
            before = m_l.origin[b];
        }
    }

    Lowering& m_l;
};

} // namespace

void linkBackward(Lowering& lowering) {
    Backward(lowering).run();
}

} // namespace dynascope::diff::detail
