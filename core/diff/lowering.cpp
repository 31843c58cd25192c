// SPDX-License-Identifier: BSD-3-Clause
//
// What the nodes of a torch-level graph became when no source line tells. Tracing runs the graph in order, so
// the forward nodes of the lowered graph are one run for each node of A, in A's order, some of them empty.
// Nodes that read a parameter which only one node of A reads, and pairs that structure has found, are
// certain; they cut both sequences into short stretches. Inside a stretch the runs are those of the highest
// score (dynamic programming): operations of one family, operations that lowering is known to make, and a
// result of the shape that the node of A has. Backward comes node by node as well: from the parameters and
// saved values that it reads.
#include "core/diff/match.h"
#include "core/diff/sequence.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dynascope::diff::detail {

namespace {

using ir::NodeIndex;
using ir::npos;

constexpr std::size_t fewestAnchors = 2;
constexpr std::size_t largestStretch = 1'000'000; // cells of one table
constexpr std::size_t largestInAll = 2'000'000;   // cells of all tables: some tens of milliseconds
constexpr int farBehind = 8;                      // detach and getitem nodes that are looked through

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

class Lowering {
public:
    Lowering(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
             const std::vector<Form>& formsB, Alignment& alignment, std::vector<Link>& links)
        : m_a(a)
        , m_b(b)
        , m_formsA(formsA)
        , m_formsB(formsB)
        , m_alignment(alignment)
        , m_links(links)
        , m_owner(b.size(), npos)
        , m_foreign(b.size(), false)
        , m_origin(b.size(), npos) {}

    void run() {
        findForeign();
        for (NodeIndex i = 0; i < m_a.size(); ++i)
            if (isCall(m_a.node(i)) && m_a.node(i).location() == nullptr) m_x.push_back(i);
        for (NodeIndex i = 0; i < m_b.size(); ++i)
            if (isCall(m_b.node(i)) && m_b.node(i).location() == nullptr && !isOfBackward(i))
                m_q.push_back(i);
        // Two stages of one level are aligned well enough.
        const auto paired = std::count_if(m_x.begin(), m_x.end(),
                                          [this](NodeIndex x) { return m_alignment.partnerOfA[x] != npos; });
        if (2 * static_cast<std::size_t>(paired) >= m_x.size()) return;
        findOwners();
        if (!findAnchors()) return;
        prepareScores();
        solveStretches();
        emitForward();
        linkBackward();
    }

private:
    [[nodiscard]] const std::string& opA(NodeIndex i) const { return m_formsA[i].op; }
    [[nodiscard]] const std::string& opB(NodeIndex i) const { return m_formsB[i].op; }

    void findForeign() {
        for (NodeIndex b = 0; b < m_b.size(); ++b) {
            m_foreign[b] = m_b.node(b).op == ir::Op::Placeholder && m_alignment.partnerOfB[b] == npos;
            for (const NodeIndex input : m_b.inputs(b))
                m_foreign[b] = m_foreign[b] || m_foreign[input];
            if (m_foreign[b] && isCall(m_b.node(b))) m_backwardFrom = std::min(m_backwardFrom, b);
        }
    }

    /// Once backward has begun, a node that needs no tangent prepares a saved value or a weight for it.
    [[nodiscard]] bool isOfBackward(NodeIndex b) const { return m_foreign[b] || b >= m_backwardFrom; }

    /// Parameters (inputs of one reader) and their views, with the node of A that reads them.
    void findOwners() {
        for (NodeIndex p = 0; p < m_a.size(); ++p) {
            const NodeIndex image = m_alignment.partnerOfA[p];
            if (m_a.node(p).op != ir::Op::Placeholder || image == npos || m_a.users(p).size() != 1) continue;
            const NodeIndex reader = m_a.users(p).front();
            if (isCall(m_a.node(reader)) && m_a.node(reader).location() == nullptr) m_owner[image] = reader;
        }
        for (NodeIndex b = 0; b < m_b.size(); ++b) {
            const auto& inputs = m_b.inputs(b);
            if (inputs.size() == 1 && isCall(m_b.node(b)) && isReshape(opB(b)))
                m_owner[b] = m_owner[inputs.front()];
        }
    }

    /// The node of A whose parameter `b` reads; npos for none or several.
    [[nodiscard]] NodeIndex readerOf(NodeIndex b) const {
        NodeIndex owner = npos;
        for (const NodeIndex input : m_b.inputs(b)) {
            if (m_owner[input] == npos) continue;
            if (owner != npos && owner != m_owner[input]) return npos;
            owner = m_owner[input];
        }
        return owner;
    }

    struct Anchor {
        std::uint32_t x = 0, q = 0; // positions in m_x and m_q
    };

    bool findAnchors() {
        std::vector<std::uint32_t> placeOfA(m_a.size(), UINT32_MAX);
        for (std::uint32_t i = 0; i < m_x.size(); ++i)
            placeOfA[m_x[i]] = i;
        std::vector<std::uint32_t> first(m_x.size(), UINT32_MAX);
        std::size_t byParameter = 0;
        for (std::uint32_t j = 0; j < m_q.size(); ++j) {
            const NodeIndex reader = readerOf(m_q[j]);
            if (reader != npos && first[placeOfA[reader]] == UINT32_MAX) {
                first[placeOfA[reader]] = j;
                ++byParameter;
            }
        }
        if (byParameter < fewestAnchors) return false;
        for (std::uint32_t j = 0; j < m_q.size(); ++j) {
            const NodeIndex partner = m_alignment.partnerOfB[m_q[j]];
            if (partner == npos || placeOfA[partner] == UINT32_MAX ||
                first[placeOfA[partner]] != UINT32_MAX || m_alignment.evidence[partner] > Evidence::Name)
                continue;
            first[placeOfA[partner]] = j;
        }
        std::vector<std::uint32_t> xs;
        std::vector<std::uint32_t> qs;
        for (std::uint32_t i = 0; i < m_x.size(); ++i) {
            if (first[i] == UINT32_MAX) continue;
            xs.push_back(i);
            qs.push_back(first[i]);
        }
        for (const std::uint32_t k : longestRising(qs))
            m_anchors.push_back({xs[k], qs[k]});
        // Where many anchors contradict the order, the two are not one program lowered.
        return 4 * m_anchors.size() >= 3 * xs.size();
    }

    [[nodiscard]] static bool sameShape(const ir::Node& a, const ir::Node& b) {
        return a.meta && b.meta && a.meta->tensor && b.meta->tensor &&
               a.meta->tensor->sizes == b.meta->tensor->sizes &&
               a.meta->tensor->dtype == b.meta->tensor->dtype;
    }

    /// Picks a tuple apart: nothing is lowered for it.
    [[nodiscard]] bool isVirtual(NodeIndex x) const {
        if (m_formsA[x].op != "getitem" || m_a.inputs(x).empty()) return false;
        const auto& meta = m_a.node(m_a.inputs(x).front()).meta;
        return !meta || !meta->tensor;
    }

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
        for (const NodeIndex x : m_x) {
            Trait trait;
            // Its attention is the operation that stands out; the rest is listed.
            const bool attention = opA(x) == "multi_head_attention_forward";
            trait.family = hashText(attention ? "attention" : opFamily(opA(x)));
            for (std::size_t e = 0; e < expansions.size(); ++e)
                if (expansions[e].op == opA(x)) trait.expansions |= 1U << e;
            trait.isVirtual = isVirtual(x);
            const auto& meta = m_a.node(x).meta;
            trait.needsResult = meta && meta->tensor && !trait.isVirtual;
            m_traitX.push_back(trait);
        }
        for (std::size_t j = 0; j < m_q.size(); ++j) {
            const NodeIndex q = m_q[j];
            Trait trait;
            trait.family = hashText(opFamily(opB(q)));
            for (std::size_t e = 0; e < expansions.size(); ++e) {
                const auto& into = expansions[e].into;
                if (std::find(into.begin(), into.end(), std::string_view(opB(q))) != into.end())
                    trait.expansions |= 1U << e;
            }
            trait.reader = readerOf(q);
            trait.isFollower = isFollower(opB(q));
            trait.isQuiet = trait.isFollower || isLayout(opB(q));
            const auto& inputs = m_b.inputs(q);
            trait.endsProduct = j > 0 && isReshape(opB(q)) && isProduct(opB(m_q[j - 1])) &&
                                inputs.size() == 1 && inputs.front() == m_q[j - 1];
            m_traitQ.push_back(trait);
        }
    }

    /// Of giving the node at place `j` of B's sequence to the one at place `i` of A's.
    [[nodiscard]] int score(std::size_t i, std::size_t j) const {
        const Trait& x = m_traitX[i];
        const Trait& q = m_traitQ[j];
        int sum = 0;
        if (const NodeIndex partner = m_alignment.partnerOfB[m_q[j]]; partner != npos)
            sum += partner == m_x[i] ? isPartner : isOtherPartner;
        if (q.reader != npos) sum += q.reader == m_x[i] ? readsParameter : readsOther;
        if (x.isVirtual) return sum + 4 * strange;
        if (x.family == q.family) return sum + sameFamilyScore;
        if ((x.expansions & q.expansions) != 0) return sum + known;
        return sum + (q.isQuiet ? 0 : strange);
    }

    void solveStretches() {
        m_run.assign(m_q.size(), UINT32_MAX);
        const auto endX = static_cast<std::uint32_t>(m_x.size());
        const auto endQ = static_cast<std::uint32_t>(m_q.size());
        std::size_t cells = 0;
        for (std::size_t k = 0; k <= m_anchors.size(); ++k) {
            const bool first = k == 0;
            const bool last = k == m_anchors.size();
            const Anchor from = first ? Anchor{0, 0} : m_anchors[k - 1];
            const Anchor to = last ? Anchor{endX - 1, endQ} : m_anchors[k];
            if (!last) m_run[to.q] = to.x;
            const std::size_t size = std::size_t{to.x - from.x + 1} * (to.q - from.q + 1);
            cells += size;
            if (size > largestStretch || cells > largestInAll) continue;
            solve(from.x, to.x, first ? 0 : from.q + 1, to.q, !first, !last);
        }
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
        const bool already = begun && sameShape(m_a.node(m_x[x0]), m_b.node(m_q[q0 - 1]));
        m_best[cell(0, 0, already ? 1 : 0)] = 0;
        const auto offer = [&](std::size_t to, int value, std::uint8_t way) {
            if (value > m_best[to]) {
                m_best[to] = value;
                m_from[to] = way;
            }
        };
        for (std::size_t j = 0; j < columns; ++j) {
            for (std::size_t i = 0; i < rows; ++i) {
                const NodeIndex x = m_x[x0 + i];
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
                    const NodeIndex q = m_q[q0 + j];
                    int gain = score(x0 + i, q0 + j);
                    const bool result = !m_traitX[x0 + i].isVirtual && sameShape(m_a.node(x), m_b.node(q));
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

    /// A pair is a link already.
    void link(NodeIndex a, NodeIndex b, Evidence evidence) {
        m_origin[b] = a;
        if (m_alignment.partnerOfB[b] != a) m_links.push_back({a, b, evidence});
    }

    void emitForward() {
        std::vector<std::vector<NodeIndex>> runs(m_x.size());
        for (std::uint32_t j = 0; j < m_q.size(); ++j)
            if (m_run[j] != UINT32_MAX) runs[m_run[j]].push_back(m_q[j]);
        std::vector<NodeIndex> image(m_a.size(), npos); // the node that holds the value
        for (std::uint32_t i = 0; i < m_x.size(); ++i) {
            const NodeIndex x = m_x[i];
            if (runs[i].empty()) {
                // An element of a tuple is the last value of its producer's run, if that has its shape.
                if (!isVirtual(x)) continue;
                const NodeIndex value = image[m_a.inputs(x).front()];
                if (value != npos && sameShape(m_a.node(x), m_b.node(value)))
                    m_links.push_back({x, value, Evidence::Neighbourhood});
                continue;
            }
            pairTwin(x, runs[i]);
            for (const NodeIndex q : runs[i]) {
                const bool sure = readerOf(q) == x || opFamily(opA(x)) == opFamily(opB(q));
                link(x, q, sure ? Evidence::Structure : Evidence::Neighbourhood);
                if (!isFollower(opB(q))) image[x] = q;
            }
        }
    }

    /// The one node of a run that is the same operation with the same result is the node itself.
    void pairTwin(NodeIndex x, const std::vector<NodeIndex>& run) {
        if (m_alignment.partnerOfA[x] != npos) return;
        const auto isTwin = [&](NodeIndex q) {
            return opA(x) == opB(q) && m_alignment.partnerOfB[q] == npos &&
                   sameShape(m_a.node(x), m_b.node(q));
        };
        const auto twin = std::find_if(run.begin(), run.end(), isTwin);
        if (twin == run.end() || std::any_of(std::next(twin), run.end(), isTwin)) return;
        m_alignment.partnerOfA[x] = *twin;
        m_alignment.partnerOfB[*twin] = x;
        m_alignment.evidence[x] = Evidence::Structure;
    }

    [[nodiscard]] bool isBackward(NodeIndex b) const {
        return isOfBackward(b) && isCall(m_b.node(b)) && m_b.node(b).location() == nullptr;
    }

    void claim(NodeIndex b, NodeIndex origin, Evidence evidence) {
        if (m_origin[b] == npos && m_alignment.partnerOfB[b] == npos) link(origin, b, evidence);
    }

    void linkBackward() {
        for (NodeIndex b = 0; b < m_b.size(); ++b)
            if (isBackward(b)) fromForward(b);
        for (NodeIndex b = 0; b < m_b.size(); ++b)
            if (isBackward(b) && m_origin[b] != npos && isProduct(opB(b))) besideProduct(b);
        for (NodeIndex b = 0; b < m_b.size(); ++b) {
            const auto& inputs = m_b.inputs(b);
            if (!isBackward(b) || m_origin[b] != npos || inputs.size() != 1) continue;
            const NodeIndex input = inputs.front();
            if (m_origin[input] == npos || !m_foreign[input]) continue;
            const bool parts = isFollower(opB(b));
            const bool shapes =
                isReshape(opB(b)) && (isProduct(opB(input)) || isOneOf(opB(input), {"sum", "t", "view"}));
            if (parts || shapes) claim(b, m_origin[input], Evidence::Neighbourhood);
        }
        for (NodeIndex b = static_cast<NodeIndex>(m_b.size()); b-- > 0;)
            if (isBackward(b) && m_origin[b] == npos && (isReshape(opB(b)) || opB(b) == "clone"))
                beforeUsers(b);
        fillRuns();
    }

    /// The origin of the value behind detach and getitem nodes and views of weights.
    [[nodiscard]] NodeIndex savedOrigin(NodeIndex b) const {
        for (int i = 0; i < farBehind && m_origin[b] == npos; ++i) {
            if (!isCall(m_b.node(b)) || m_b.inputs(b).size() != 1 ||
                !(isFollower(opB(b)) || isReshape(opB(b))))
                break;
            b = m_b.inputs(b).front();
        }
        return m_foreign[b] ? npos : m_origin[b];
    }

    void fromForward(NodeIndex b) {
        if (const NodeIndex reader = readerOf(b); reader != npos) {
            claim(b, reader, Evidence::Structure);
            return;
        }
        if (isFollower(opB(b)) && m_b.inputs(b).size() == 1) {
            if (const NodeIndex origin = savedOrigin(b); origin != npos)
                claim(b, origin, Evidence::Neighbourhood);
            return;
        }
        const bool backward = opB(b).ends_with("_backward");
        if (!backward && !isProduct(opB(b))) return;
        NodeIndex only = npos;
        bool several = false;
        for (const NodeIndex input : m_b.inputs(b)) {
            const NodeIndex origin = savedOrigin(input);
            if (origin == npos) continue;
            if (backward && opFamily(opA(origin)) == opFamily(opB(b))) {
                claim(b, origin, Evidence::Structure);
                return;
            }
            several = several || (only != npos && only != origin);
            only = origin;
        }
        if (backward && only != npos && !several) claim(b, only, Evidence::Neighbourhood);
        if (isProduct(opB(b))) fromSavedProduct(b);
    }

    /// A weight's gradient multiplies what the product itself read.
    void fromSavedProduct(NodeIndex b) {
        NodeIndex found = npos;
        for (NodeIndex value : m_b.inputs(b)) {
            for (int i = 0; i < farBehind && opB(value) == "t" && !m_b.inputs(value).empty(); ++i)
                value = m_b.inputs(value).front();
            if (isOfBackward(value)) continue;
            for (const NodeIndex user : m_b.users(value)) {
                if (isOfBackward(user) || m_origin[user] == npos || !isProduct(opB(user))) continue;
                if (found != npos && found != m_origin[user]) return;
                found = m_origin[user];
            }
        }
        if (found != npos) claim(b, found, Evidence::Neighbourhood);
    }

    /// The gradient that a product multiplies with a weight goes into the gradients of weight and bias too.
    void besideProduct(NodeIndex b) {
        for (const NodeIndex gradient : m_b.inputs(b)) {
            if (!isBackward(gradient) || m_origin[gradient] != npos) continue;
            std::vector<NodeIndex> readers(m_b.users(gradient).begin(), m_b.users(gradient).end());
            if (opB(gradient) == "t") {
                const auto& more = m_b.users(m_b.inputs(gradient).front());
                readers.insert(readers.end(), more.begin(), more.end());
            }
            for (const NodeIndex reader : readers)
                if (isBackward(reader) && (isProduct(opB(reader)) || isOneOf(opB(reader), {"sum", "t"})))
                    claim(reader, m_origin[b], Evidence::Neighbourhood);
        }
    }

    /// What flattens a gradient for a product: a reshape, and the copy that it needs. A transpose may well be
    /// another node's own.
    void beforeUsers(NodeIndex b) {
        const bool copies = opB(b) == "clone";
        NodeIndex origin = npos;
        for (const NodeIndex user : m_b.users(b)) {
            if (!isBackward(user)) continue;
            if (m_origin[user] == npos || (origin != npos && origin != m_origin[user])) return;
            const bool fits =
                copies ? isReshape(opB(user)) : isProduct(opB(user)) || isOneOf(opB(user), {"sum", "t"});
            if (!fits) return;
            origin = m_origin[user];
        }
        if (origin != npos) claim(b, origin, Evidence::Neighbourhood);
    }

    /// Autograd finishes one node before the next: what stands between two nodes of one origin is its.
    void fillRuns() {
        std::vector<NodeIndex> waiting;
        NodeIndex before = npos;
        for (NodeIndex b = 0; b < m_b.size(); ++b) {
            if (!isBackward(b)) continue;
            if (m_origin[b] == npos) {
                waiting.push_back(b);
                continue;
            }
            if (m_origin[b] == before)
                for (const NodeIndex between : waiting)
                    claim(between, before, Evidence::Neighbourhood);
            waiting.clear();
            before = m_origin[b];
        }
    }

    const ir::Graph& m_a;
    const ir::Graph& m_b;
    const std::vector<Form>& m_formsA;
    const std::vector<Form>& m_formsB;
    Alignment& m_alignment;
    std::vector<Link>& m_links;
    std::vector<NodeIndex> m_owner; // by node of B: reader in A of the parameter that it is, or is a view of
    std::vector<bool> m_foreign;    // by node of B: depends on an input that A does not have
    NodeIndex m_backwardFrom = npos;
    std::vector<NodeIndex> m_origin; // by node of B, as found here
    std::vector<NodeIndex> m_x, m_q; // the two sequences
    std::vector<Anchor> m_anchors;
    std::vector<std::uint32_t> m_run; // by place in m_q: place in m_x
    std::vector<Trait> m_traitX, m_traitQ;
    std::vector<int> m_best;
    std::vector<std::uint8_t> m_from;
};

} // namespace

void linkLowering(const ir::Graph& a, const ir::Graph& b, const std::vector<Form>& formsA,
                  const std::vector<Form>& formsB, Alignment& alignment, std::vector<Link>& links) {
    Lowering(a, b, formsA, formsB, alignment, links).run();
}

} // namespace dynascope::diff::detail
