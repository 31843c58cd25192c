// SPDX-License-Identifier: BSD-3-Clause
#include "core/diff/graph_diff.h"

#include "core/diff/match.h"
#include "core/diff/sequence.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace dynascope::diff {

namespace {

using detail::Form;
using ir::Argument;
using ir::NodeIndex;
using ir::npos;

class Differ {
public:
    Differ(const ir::Graph& a, const ir::Graph& b, const Origins& known, const DiffOptions& options)
        : m_a(a)
        , m_b(b)
        , m_known(a, b, known)
        , m_options(options)
        , m_formsA(detail::formsOf(a))
        , m_formsB(detail::formsOf(b)) {}

    GraphDiff run() {
        m_diff.gradientB = detail::gradientsOf(m_a, m_b);
        const bool aligns = !m_known.allOfOneSide();
        detail::Alignment alignment{std::vector<NodeIndex>(m_a.size(), npos),
                                    std::vector<NodeIndex>(m_b.size(), npos),
                                    std::vector<Evidence>(m_a.size(), Evidence::Recorded)};
        if (aligns) {
            alignment = detail::alignGraphs(m_a, m_b, m_formsA, m_formsB, m_diff.gradientB);
            detail::linkLowering(m_a, m_b, m_formsA, m_formsB, alignment, m_diff.links);
            for (NodeIndex i = 0; i < m_a.size(); ++i)
                if (alignment.partnerOfA[i] != npos)
                    m_diff.links.push_back({i, alignment.partnerOfA[i], alignment.evidence[i]});
            detail::linkOrigins(m_a, m_b, m_formsA, m_formsB, m_diff.gradientB, alignment, m_diff.links);
        }
        if (!m_known.origins().empty())
            detail::takeOrigins(m_a, m_b, m_formsA, m_formsB, m_known, alignment, m_diff.links);
        m_diff.partnerOfA = alignment.partnerOfA;
        m_diff.partnerOfB = alignment.partnerOfB;
        m_diff.a.assign(m_a.size(), Change::Removed);
        m_diff.b.assign(m_b.size(), Change::Added);
        std::sort(m_diff.links.begin(), m_diff.links.end(), [](const Link& x, const Link& y) {
            return std::tie(x.a, x.b, x.evidence) < std::tie(y.a, y.b, y.evidence);
        });
        const auto twice = std::unique(m_diff.links.begin(), m_diff.links.end(),
                                       [](const Link& x, const Link& y) { return x.a == y.a && x.b == y.b; });
        m_diff.links.erase(twice, m_diff.links.end());

        for (NodeIndex i = 0; i < m_a.size(); ++i)
            if (m_diff.partnerOfA[i] != npos) set(i, compare(i, m_diff.partnerOfA[i]));
        findMoved();
        layRows();
        count();
        return std::move(m_diff);
    }

private:
    static bool earlier(const Link& x, const Link& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); }

    void set(NodeIndex a, Change change) {
        m_diff.a[a] = change;
        m_diff.b[m_diff.partnerOfA[a]] = change;
    }

    /// True if the node that `nameA` names in A is the partner of what `nameB` names in B.
    [[nodiscard]] bool sameNode(const std::string& nameA, const std::string& nameB) const {
        const NodeIndex i = m_a.find(nameA);
        const NodeIndex j = m_b.find(nameB);
        if (i == npos || j == npos) return i == j && nameA == nameB;
        if (m_diff.partnerOfA[i] != npos || m_diff.partnerOfB[j] != npos) return m_diff.partnerOfA[i] == j;
        // What became several nodes is still what it was to its users.
        return std::binary_search(m_diff.links.begin(), m_diff.links.end(), Link{i, j}, earlier);
    }

    [[nodiscard]] bool same(const Argument& x, const Argument& y) const {
        return detail::sameArgument(
            x, y, [this](const std::string& p, const std::string& q) { return sameNode(p, q); });
    }

    Change compare(NodeIndex i, NodeIndex j) {
        const ir::Node& x = m_a.node(i);
        const ir::Node& y = m_b.node(j);
        std::vector<FieldChange> fields;
        const bool input = x.op == ir::Op::Placeholder;
        if (!input) {
            const bool sameOp = m_formsA[i].op == m_formsB[j].op;
            if (!sameOp) fields.push_back({"target", x.target, y.target});
            compareArguments(i, j, fields);
        }
        if (!m_options.ignoreMeta) compareMeta(x, y, fields);
        if (!m_options.ignoreNames && x.name != y.name) fields.push_back({"name", x.name, y.name});
        if (!fields.empty()) {
            m_diff.details.emplace_back(i, std::move(fields));
            return Change::Changed;
        }
        if (input || x.op == ir::Op::Output) return Change::Same;
        const bool spelledAlike = x.name == y.name && x.target == y.target && x.op == y.op &&
                                  !m_formsA[i].rewritten == !m_formsB[j].rewritten;
        return spelledAlike ? Change::Same : Change::Respelled;
    }

    void compareArguments(NodeIndex i, NodeIndex j, std::vector<FieldChange>& fields) const {
        const ir::Node& x = m_a.node(i);
        const ir::Node& y = m_b.node(j);
        // Lowering writes out what the user's spelling left to the defaults.
        const bool lenient = x.target != y.target;
        const auto& argsA = m_formsA[i].args();
        const auto& argsB = m_formsB[j].args();
        const std::size_t common = std::min(argsA.size(), argsB.size());
        compareSequences("args", argsA, argsB, lenient, fields, 0);

        std::map<std::string_view, std::pair<const Argument*, const Argument*>> keywords;
        for (const auto& [key, value] : x.kwargs)
            keywords[key].first = &value;
        for (const auto& [key, value] : y.kwargs)
            keywords[key].second = &value;
        for (const auto& [key, values] : keywords) {
            const std::string field = "kwargs[" + std::string(key) + "]";
            if (values.first != nullptr && values.second != nullptr) {
                compareValues(field, *values.first, *values.second, lenient, fields, 0);
            } else {
                const Argument& only = values.first != nullptr ? *values.first : *values.second;
                if (lenient && detail::isDefaultLike(only)) continue;
                const bool ofA = values.first != nullptr;
                if (lenient && takePositional(only, ofA, ofA ? argsB : argsA, common, fields)) continue;
                addMissing(field, only, ofA, fields);
            }
        }
    }

    /// True if the other side passes the value by position; that argument is then no difference either.
    bool takePositional(const Argument& value, bool valueOfA, const std::vector<Argument>& others,
                        std::size_t from, std::vector<FieldChange>& fields) const {
        for (std::size_t k = from; k < others.size(); ++k) {
            if (!(valueOfA ? same(value, others[k]) : same(others[k], value))) continue;
            const std::string field = "args[" + std::to_string(k) + "]";
            const auto missing = std::find_if(fields.begin(), fields.end(),
                                              [&](const FieldChange& f) { return f.field == field; });
            if (missing == fields.end()) continue;
            fields.erase(missing);
            return true;
        }
        return false;
    }

    static void addMissing(const std::string& field, const Argument& only, bool ofA,
                           std::vector<FieldChange>& fields) {
        if (ofA)
            fields.push_back({field, only.toString(), {}});
        else
            fields.push_back({field, {}, only.toString()});
    }

    void compareSequences(const std::string& field, const std::vector<Argument>& x,
                          const std::vector<Argument>& y, bool lenient, std::vector<FieldChange>& fields,
                          int depth) const {
        const std::size_t common = std::min(x.size(), y.size());
        for (std::size_t k = 0; k < common; ++k)
            compareValues(field + "[" + std::to_string(k) + "]", x[k], y[k], lenient, fields, depth);
        const bool ofA = x.size() > common;
        const auto& longer = ofA ? x : y;
        for (std::size_t k = common; k < longer.size(); ++k) {
            if (lenient && detail::isDefaultLike(longer[k])) continue;
            addMissing(field + "[" + std::to_string(k) + "]", longer[k], ofA, fields);
        }
    }

    void compareValues(const std::string& field, const Argument& x, const Argument& y, bool lenient,
                       std::vector<FieldChange>& fields, int depth) const {
        if (same(x, y)) return;
        // mean(-1) lowers to mean([-1]).
        const auto wraps = [](const Argument& list, const Argument& item) {
            return detail::isSequence(list) && list.items.size() == 1 && !detail::isSequence(item);
        };
        if (lenient && ((wraps(y, x) && same(x, y.items[0])) || (wraps(x, y) && same(x.items[0], y)))) return;
        const bool alike = detail::isSequence(x) && detail::isSequence(y) && x.items.size() == y.items.size();
        if (alike && depth < detail::maxArgumentDepth / 4)
            compareSequences(field, x.items, y.items, lenient, fields, depth + 1);
        else
            fields.push_back({field, x.toString(), y.toString()});
    }

    void compareMeta(const ir::Node& x, const ir::Node& y, std::vector<FieldChange>& fields) const {
        if (!x.meta || !y.meta) return;
        if (!x.meta->tensor || !y.meta->tensor) {
            if (!x.meta->tensor && !y.meta->tensor && x.meta->raw != y.meta->raw)
                fields.push_back({"value", x.meta->raw, y.meta->raw});
            return;
        }
        const ir::TensorMeta& p = *x.meta->tensor;
        const ir::TensorMeta& q = *y.meta->tensor;
        const auto list = [](const std::vector<std::string>& items) {
            std::string text = "[";
            for (const std::string& item : items)
                text += (text.size() > 1 ? ", " : "") + item;
            return text + "]";
        };
        if (p.dtype != q.dtype) fields.push_back({"dtype", p.dtype, q.dtype});
        if (p.sizes != q.sizes) fields.push_back({"shape", list(p.sizes), list(q.sizes)});
        if (!m_options.ignoreStrides && p.strides && q.strides && *p.strides != *q.strides)
            fields.push_back({"stride", list(*p.strides), list(*q.strides)});
        if (!p.device.empty() && !q.device.empty() && p.device != q.device)
            fields.push_back({"device", p.device, q.device});
    }

    void findMoved() {
        std::vector<NodeIndex> pairs;
        std::vector<std::uint32_t> positions;
        for (NodeIndex i = 0; i < m_a.size(); ++i) {
            if (m_diff.partnerOfA[i] == npos) continue;
            pairs.push_back(i);
            positions.push_back(m_diff.partnerOfA[i]);
        }
        m_inOrder.assign(m_a.size(), false);
        for (const std::uint32_t k : detail::longestRising(positions))
            m_inOrder[pairs[k]] = true;
        for (const NodeIndex i : pairs)
            if (!m_inOrder[i] && m_diff.a[i] == Change::Same) set(i, Change::Moved);
    }

    void layRows() {
        NodeIndex j = 0;
        const auto rowsOfBUpTo = [&](NodeIndex end) {
            for (; j < end; ++j)
                if (m_diff.partnerOfB[j] == npos) m_diff.rows.push_back({npos, j, Change::Added});
        };
        for (NodeIndex i = 0; i < m_a.size(); ++i) {
            if (m_inOrder[i]) {
                rowsOfBUpTo(m_diff.partnerOfA[i]);
                j = m_diff.partnerOfA[i] + 1;
            }
            m_diff.rows.push_back({i, m_diff.partnerOfA[i], m_diff.a[i]});
        }
        rowsOfBUpTo(static_cast<NodeIndex>(m_b.size()));
    }

    void count() {
        for (const Row& row : m_diff.rows) {
            switch (row.change) {
            case Change::Same:
                ++m_diff.same;
                break;
            case Change::Respelled:
                ++m_diff.respelled;
                break;
            case Change::Changed:
                ++m_diff.changed;
                break;
            case Change::Moved:
                ++m_diff.moved;
                break;
            case Change::Added:
                ++m_diff.added;
                break;
            case Change::Removed:
                ++m_diff.removed;
                break;
            }
        }
    }

    const ir::Graph& m_a;
    const ir::Graph& m_b;
    const detail::Mentioned m_known;
    const DiffOptions& m_options;
    std::vector<Form> m_formsA, m_formsB;
    std::vector<bool> m_inOrder; // by node of A: on the longest run of pairs that keeps its order
    GraphDiff m_diff;
};

} // namespace

std::string_view changeName(Change change) {
    switch (change) {
    case Change::Same:
        return "same";
    case Change::Respelled:
        return "respelled";
    case Change::Changed:
        return "changed";
    case Change::Moved:
        return "moved";
    case Change::Added:
        return "added";
    case Change::Removed:
        return "removed";
    }
    return "";
}

char32_t changeSign(Change change) {
    switch (change) {
    case Change::Same:
        return U'=';
    case Change::Respelled:
        return U'\u2248';
    case Change::Changed:
        return U'~';
    case Change::Moved:
        return U'\u2195';
    case Change::Added:
        return U'+';
    case Change::Removed:
        return U'\u2212';
    }
    return U' ';
}

std::string_view evidenceName(Evidence evidence) {
    switch (evidence) {
    case Evidence::Recorded:
        return "recorded";
    case Evidence::SharedNode:
        return "shared node";
    case Evidence::Structure:
        return "structure";
    case Evidence::Name:
        return "name";
    case Evidence::StackTrace:
        return "stack trace";
    case Evidence::Neighbourhood:
        return "neighbourhood";
    }
    return "";
}

std::vector<NodeIndex> GraphDiff::linksFromA(NodeIndex node) const {
    std::vector<NodeIndex> result;
    auto it = std::lower_bound(links.begin(), links.end(), node,
                               [](const Link& l, NodeIndex n) { return l.a < n; });
    for (; it != links.end() && it->a == node; ++it)
        result.push_back(it->b);
    return result;
}

std::vector<NodeIndex> GraphDiff::linksFromB(NodeIndex node) const {
    std::vector<NodeIndex> result;
    for (const Link& link : links)
        if (link.b == node) result.push_back(link.a);
    return result;
}

const std::vector<FieldChange>* GraphDiff::detail(NodeIndex node) const {
    const auto it = std::lower_bound(details.begin(), details.end(), node,
                                     [](const auto& d, NodeIndex n) { return d.first < n; });
    return it != details.end() && it->first == node ? &it->second : nullptr;
}

namespace {

/// Of a graph and itself, which a window shows that has but one.
GraphDiff sameGraph(const ir::Graph& graph) {
    GraphDiff out;
    out.a.assign(graph.size(), Change::Same);
    out.b = out.a;
    out.partnerOfA.resize(graph.size());
    out.rows.reserve(graph.size());
    out.links.reserve(graph.size());
    for (NodeIndex i = 0; i < graph.size(); ++i) {
        out.partnerOfA[i] = i;
        out.rows.push_back({i, i, Change::Same});
        out.links.push_back({i, i, Evidence::SharedNode});
    }
    out.partnerOfB = out.partnerOfA;
    out.same = graph.size();
    return out;
}

} // namespace

GraphDiff diffGraphs(const ir::Graph& a, const ir::Graph& b, const DiffOptions& options) {
    return diffGraphs(a, b, Origins(), options);
}

GraphDiff diffGraphs(const ir::Graph& a, const ir::Graph& b, const Origins& known,
                     const DiffOptions& options) {
    if (&a == &b && known.empty()) return sameGraph(a);
    return Differ(a, b, known, options).run();
}

} // namespace dynascope::diff
