// SPDX-License-Identifier: BSD-3-Clause
//
// A node with known origins takes its partner among them alone: the pass knows better than any likeness. What
// the pass says nothing of is left to the alignment of the two graphs.
#include "core/diff/origins.h"

#include "core/diff/match.h"

#include <algorithm>

namespace dynascope::diff {

using ir::NodeIndex;
using ir::npos;

namespace {

void sortUnique(Origins& origins) {
    std::sort(origins.begin(), origins.end());
    origins.erase(std::unique(origins.begin(), origins.end()), origins.end());
}

} // namespace

Origins composed(const Origins& first, const Origins& second, std::size_t limit) {
    Origins bySource = second;
    sortUnique(bySource);
    Origins out;
    for (const auto& [a, b] : first) {
        auto at = std::lower_bound(bySource.begin(), bySource.end(), std::pair(b, NodeIndex{0}));
        for (; at != bySource.end() && at->first == b; ++at) {
            if (out.size() >= limit) return {};
            out.emplace_back(a, at->second);
        }
    }
    sortUnique(out);
    return out;
}

Origins inverted(Origins origins) {
    for (auto& [a, b] : origins)
        std::swap(a, b);
    sortUnique(origins);
    return origins;
}

namespace detail {

namespace {

enum Likeness : std::uint8_t { Itself, FunctionalForm, SameOperator, SameFamily, Result, PartOfResult, None };

class KnownPairs {
public:
    KnownPairs(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
               const std::vector<Form>& formsB, Alignment& alignment)
        : m_a(a)
        , m_b(b)
        , m_formsA(formsA)
        , m_formsB(formsB)
        , m_alignment(alignment) {}

    void pair(const Origins& known) {
        std::vector<std::uint32_t> originsOfB(m_b.size(), 0);
        for (const auto& [a, b] : known)
            ++originsOfB[b];
        std::vector<Likeness> likeness;
        likeness.reserve(known.size());
        for (const auto& [a, b] : known)
            likeness.push_back(compare(a, b, originsOfB[b] == 1));
        for (const Likeness wanted : {Itself, FunctionalForm, SameOperator, SameFamily})
            for (std::size_t i = 0; i < known.size(); ++i)
                if (likeness[i] == wanted) take(known[i]);
        // Of several nodes the last one carries the value.
        for (const Likeness wanted : {Result, PartOfResult})
            for (std::size_t i = known.size(); i-- > 0;)
                if (likeness[i] == wanted) take(known[i]);
    }

private:
    [[nodiscard]] Likeness compare(NodeIndex a, NodeIndex b, bool alone) const {
        const ir::Node& x = m_a.node(a);
        const ir::Node& y = m_b.node(b);
        const auto isCall = [](const ir::Node& node) {
            return node.op != ir::Op::Placeholder && node.op != ir::Op::Output;
        };
        if (!isCall(x) || !isCall(y)) return x.op == y.op ? Itself : None;
        if (m_a.nodes()[a] == m_b.nodes()[b]) return Itself;
        const std::string &p = m_formsA[a].op, &q = m_formsB[b].op;
        if (writes(p, q) || writes(q, p)) return FunctionalForm;
        if (p == q) return SameOperator;
        if (opFamily(p) == opFamily(q)) return SameFamily;
        return alone ? Result : PartOfResult;
    }

    /// "mul_" is "mul" in place.
    static bool writes(const std::string& inPlace, const std::string& functional) {
        return inPlace.size() == functional.size() + 1 && inPlace.back() == '_' &&
               inPlace.starts_with(functional);
    }

    void take(const std::pair<NodeIndex, NodeIndex>& origin) {
        const auto [a, b] = origin;
        if (m_alignment.partnerOfA[a] != npos || m_alignment.partnerOfB[b] != npos) return;
        m_alignment.partnerOfA[a] = b;
        m_alignment.partnerOfB[b] = a;
        m_alignment.evidence[a] = Evidence::Recorded;
    }

    const ir::Graph& m_a;
    const ir::Graph& m_b;
    const std::vector<Form>& m_formsA;
    const std::vector<Form>& m_formsB;
    Alignment& m_alignment;
};

} // namespace

Mentioned::Mentioned(const ir::Graph& a, const ir::Graph& b, Origins origins)
    : m_a(a.size(), false)
    , m_b(b.size(), false)
    , m_origins(std::move(origins)) {
    std::erase_if(m_origins,
                  [&](const auto& pair) { return pair.first >= m_a.size() || pair.second >= m_b.size(); });
    sortUnique(m_origins);
    for (const auto& [i, j] : m_origins)
        m_a[i] = m_b[j] = true;
}

bool Mentioned::allOfOneSide() const {
    const auto all = [](const std::vector<bool>& side) {
        return std::find(side.begin(), side.end(), false) == side.end();
    };
    return all(m_a) || all(m_b);
}

void takeOrigins(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                 const std::vector<Form>& formsB, const Mentioned& known, Alignment& alignment,
                 std::vector<Link>& links) {
    for (NodeIndex i = 0; i < a.size(); ++i) {
        const NodeIndex j = alignment.partnerOfA[i];
        if (j == npos || !(known.ofA(i) || known.ofB(j))) continue;
        alignment.partnerOfA[i] = alignment.partnerOfB[j] = npos;
    }
    std::erase_if(links, [&](const Link& link) { return known.ofA(link.a) || known.ofB(link.b); });
    KnownPairs(a, b, formsA, formsB, alignment).pair(known.origins());
    for (const auto& [i, j] : known.origins())
        links.push_back({i, j, Evidence::Recorded});
}

} // namespace detail

} // namespace dynascope::diff
