// SPDX-License-Identifier: BSD-3-Clause
//
// Shares the nodes between two anchors out among the operations that they were lowered from: dynamic
// programming over both sequences, by score.
#include "core/diff/lowering.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace dynascope::diff::detail {

namespace {

constexpr std::size_t largestStretch = 1'000'000; // cells of one table
constexpr std::size_t largestInAll = 2'000'000;   // cells of all tables: some tens of milliseconds

// Scores. Only their order matters.
constexpr int readsParameter = 10, readsOther = -12;
constexpr int isPartner = 20, isOtherPartner = -20;
constexpr int sameFamilyScore = 6, known = 2, strange = -2;
constexpr int rightShape = 3, afterResult = -1, noResult = -3;
constexpr int leavesProducer = -4;
constexpr int impossible = -1'000'000;

/// Operations that lowering makes of a torch-level one, besides those of its own family.
struct Expansion {
    std::string_view op;
    std::array<std::string_view, 14> into;
};
constexpr std::array<Expansion, 12> expansions{{
    {"linear", {"t", "permute", "view", "_unsafe_view", "mm", "addmm", "add", "bmm", "expand", "reshape"}},
    {"multi_head_attention_forward",
     {"t", "clone", "view", "_unsafe_view", "mm", "addmm", "add", "transpose", "select", "permute",
      "unsqueeze", "squeeze", "bmm", "baddbmm"}},
    {"layer_norm", {"native_layer_norm", "getitem", "var_mean", "rsqrt"}},
    {"batch_norm", {"native_batch_norm", "_native_batch_norm_legit_functional", "getitem", "add_"}},
    {"dropout",
     {"clone", "native_dropout", "bernoulli_", "bernoulli", "div_", "div", "mul", "empty_like", "rand"}},
    {"softmax", {"_softmax", "amax", "sub", "exp", "sum", "div"}},
    {"log_softmax", {"_log_softmax", "amax", "sub", "exp", "sum", "log"}},
    {"cross_entropy", {"_log_softmax", "nll_loss_forward", "getitem", "amax", "sub", "exp", "sum", "log"}},
    {"scaled_dot_product_attention",
     {"transpose", "mul", "matmul", "bmm", "_softmax", "_safe_softmax", "expand", "view", "clone",
      "_unsafe_view"}},
    {"matmul", {"expand", "view", "_unsafe_view", "bmm", "mm", "clone", "mv", "dot"}},
    {"conv2d", {"convolution", "view", "squeeze", "unsqueeze"}},
    {"contiguous", {"clone"}},
}};

class Stretches {
public:
    explicit Stretches(const Lowering& lowering)
        : m_l(lowering) {}

    [[nodiscard]] std::vector<std::uint32_t> solveStretches(const std::vector<Anchor>& anchors) {
        prepareScores();
        m_run.assign(m_l.q.size(), noPlace);
        const auto endX = static_cast<std::uint32_t>(m_l.x.size());
        const auto endQ = static_cast<std::uint32_t>(m_l.q.size());
        std::size_t cells = 0;
        for (std::size_t k = 0; k <= anchors.size(); ++k) {
            const bool first = k == 0;
            const bool last = k == anchors.size();
            const Anchor from = first ? Anchor{0, 0} : anchors[k - 1];
            const Anchor to = last ? Anchor{endX - 1, endQ} : anchors[k];
            if (!last) m_run[to.q] = to.x;
            const std::size_t size = std::size_t{to.x - from.x + 1} * (to.q - from.q + 1);
            cells += size;
            if (size > largestStretch || cells > largestInAll) continue;
            solve(from.x, to.x, first ? 0 : from.q + 1, to.q, !first, !last);
        }
        return std::move(m_run);
    }

private:
    /// What score() needs of one node, so that a cell of the table costs a few comparisons.
    struct Trait {
        std::uint64_t family = 0;
        std::uint32_t expansions = 0; ///< bits: of A its own, of B all that list it
        NodeIndex reader = npos;      ///< of B
        bool isVirtual = false;       ///< of A
        bool needsResult = false;     ///< of A
        bool isFollower = false;      ///< of B
        bool isQuiet = false;         ///< of B: may stand anywhere
        bool endsProduct = false;     ///< of B: gives the product right before it its shape
    };

    void prepareScores() {
        for (const NodeIndex x : m_l.x) {
            Trait trait;
            // Its attention is the operation that stands out; the rest is listed.
            const bool attention = m_l.opA(x) == "multi_head_attention_forward";
            trait.family = hashText(attention ? "attention" : opFamily(m_l.opA(x)));
            for (std::size_t e = 0; e < expansions.size(); ++e)
                if (expansions[e].op == m_l.opA(x)) trait.expansions |= 1U << e;
            trait.isVirtual = m_l.isVirtual(x);
            const auto& meta = m_l.a.node(x).meta;
            trait.needsResult = meta && meta->tensor && !trait.isVirtual;
            m_traitX.push_back(trait);
        }
        for (std::size_t j = 0; j < m_l.q.size(); ++j) {
            const NodeIndex q = m_l.q[j];
            Trait trait;
            trait.family = hashText(opFamily(m_l.opB(q)));
            for (std::size_t e = 0; e < expansions.size(); ++e) {
                const auto& into = expansions[e].into;
                if (std::find(into.begin(), into.end(), std::string_view(m_l.opB(q))) != into.end())
                    trait.expansions |= 1U << e;
            }
            trait.reader = m_l.readerOf(q);
            trait.isFollower = isFollower(m_l.opB(q));
            trait.isQuiet = trait.isFollower || isLayout(m_l.opB(q));
            const auto& inputs = m_l.b.inputs(q);
            trait.endsProduct = j > 0 && isReshape(m_l.opB(q)) && isProduct(m_l.opB(m_l.q[j - 1])) &&
                                inputs.size() == 1 && inputs.front() == m_l.q[j - 1];
            m_traitQ.push_back(trait);
        }
    }

    /// Of giving the node at place `j` of B's sequence to the one at place `i` of A's.
    [[nodiscard]] int score(std::size_t i, std::size_t j) const {
        const Trait& x = m_traitX[i];
        const Trait& q = m_traitQ[j];
        int sum = 0;
        if (const NodeIndex partner = m_l.alignment.partnerOfB[m_l.q[j]]; partner != npos)
            sum += partner == m_l.x[i] ? isPartner : isOtherPartner;
        if (q.reader != npos) sum += q.reader == m_l.x[i] ? readsParameter : readsOther;
        if (x.isVirtual) return sum + 4 * strange;
        if (x.family == q.family) return sum + sameFamilyScore;
        if ((x.expansions & q.expansions) != 0) return sum + known;
        return sum + (q.isQuiet ? 0 : strange);
    }

    /// Gives the nodes q0 .. q1-1 to the nodes x0 .. x1. Two states a cell: the run has its result or not.
    void solve(std::uint32_t x0, std::uint32_t x1, std::uint32_t q0, std::uint32_t q1, bool begun,
               bool toEnd) {
        const std::size_t rows = x1 - x0 + 1;
        const std::size_t columns = std::size_t{q1} - q0 + 1;
        m_best.assign(rows * columns * 2, impossible);
        m_from.assign(rows * columns * 2, 0);
        const auto cell = [&](std::size_t i, std::size_t j, std::size_t done) {
            return (i * columns + j) * 2 + done;
        };
        const bool already = begun && m_l.sameShape(m_l.x[x0], m_l.q[q0 - 1]);
        m_best[cell(0, 0, already ? 1 : 0)] = 0;
        const auto offer = [&](std::size_t to, int value, std::uint8_t way) {
            if (value > m_best[to]) {
                m_best[to] = value;
                m_from[to] = way;
            }
        };
        for (std::size_t j = 0; j < columns; ++j) {
            for (std::size_t i = 0; i < rows; ++i) {
                const NodeIndex x = m_l.x[x0 + i];
                for (const std::size_t done : {std::size_t{0}, std::size_t{1}}) {
                    const int here = m_best[cell(i, j, done)];
                    if (here == impossible) continue;
                    if (i + 1 < rows) {
                        int cost = done == 0 && m_traitX[x0 + i].needsResult ? noResult : 0;
                        if (j + 1 < columns && (m_traitQ[q0 + j].isFollower || m_traitQ[q0 + j].endsProduct))
                            cost += leavesProducer;
                        offer(cell(i + 1, j, 0), here + cost, static_cast<std::uint8_t>(1 + done));
                    }
                    if (j + 1 == columns) continue;
                    const NodeIndex q = m_l.q[q0 + j];
                    int gain = score(x0 + i, q0 + j);
                    const bool result = !m_traitX[x0 + i].isVirtual && m_l.sameShape(x, q);
                    if (result && done == 0) gain += rightShape;
                    if (done == 1 && !m_traitQ[q0 + j].isFollower) gain += afterResult;
                    offer(cell(i, j + 1, result || done == 1 ? 1 : 0), here + gain,
                          static_cast<std::uint8_t>(3 + done));
                }
            }
        }
        // A stretch that ends at an anchor ends inside its run; the last one has to have its result.
        std::size_t i = rows - 1;
        std::size_t j = columns - 1;
        std::size_t done = m_best[cell(i, j, 1)] >= m_best[cell(i, j, 0)] + (toEnd ? 0 : noResult) ? 1 : 0;
        while (i > 0 || j > 0) {
            const std::uint8_t way = m_from[cell(i, j, done)];
            if (way == 0) return; // no way: nothing is claimed
            if (way <= 2) {
                --i;
                done = way - 1U;
            } else {
                --j;
                m_run[q0 + j] = x0 + static_cast<std::uint32_t>(i);
                done = way - 3U;
            }
        }
    }

    const Lowering& m_l;
    std::vector<std::uint32_t> m_run; // by place in q: place in x
    std::vector<Trait> m_traitX, m_traitQ;
    std::vector<int> m_best;
    std::vector<std::uint8_t> m_from;
};

} // namespace

std::vector<std::uint32_t> shareOut(const Lowering& lowering, const std::vector<Anchor>& anchors) {
    return Stretches(lowering).solveStretches(anchors);
}

} // namespace dynascope::diff::detail
