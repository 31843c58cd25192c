// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/pass_condition.h"

#include "core/base/condition_parser.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace dynascope::inductor {

struct PassCondition::Node {
    enum class Kind { And, Or, Not, Touch, Match, Is, Compare, State } kind = Kind::State;
    std::shared_ptr<const Node> left, right;
    std::string subject; ///< "removes", "matches", "pass", "nodes", "skipped"
    std::string object;  ///< a name; empty: any
    std::string comparison;
    double number = 0;
};

namespace {

using Node = PassCondition::Node;

constexpr std::array<std::string_view, 4> touchWords{"makes", "removes", "changes", "touches"};
constexpr std::array<std::string_view, 2> matchWords{"matches", "refuses"};
constexpr std::array<std::string_view, 4> nameWords{"pass", "phase", "graph", "subsystem"};
constexpr std::array<std::string_view, 7> countWords{"nodes",   "before",   "added", "removed",
                                                     "changed", "patterns", "time"};
constexpr std::array<std::string_view, 3> loneWords{"ran", "skipped", "failed"};

template <std::size_t n>
bool isOneOf(const std::array<std::string_view, n>& words, std::string_view word) {
    return std::ranges::find(words, word) != words.end();
}

class Parser : public ConditionParser<Node> {
public:
    using ConditionParser::ConditionParser;

private:
    NodePtr test() override {
        auto out = std::make_shared<Node>();
        const Token first = m_token;
        bool quoted = false;
        if (first.kind != Token::Kind::Word || !isKnown(first.text)) {
            fail(first.kind == Token::Kind::End
                     ? "something is missing at the end"
                     : "'" + first.text +
                           "' is none of makes, removes, changes, touches, matches, refuses, pass, "
                           "phase, graph, subsystem, nodes, before, added, removed, changed, "
                           "patterns, time, ran, skipped, failed");
            return out;
        }
        advance();
        out->subject = first.text;
        if (isOneOf(nameWords, first.text)) {
            const bool equals = at("==") || at("=") || at("is");
            const bool differs = at("!=");
            if (!equals && !differs) {
                fail("'is' and a name are missing");
                return out;
            }
            advance();
            const bool negated = take("not") || differs;
            out->kind = Node::Kind::Is;
            operand(out->object, quoted);
            return negated ? join(Node::Kind::Not, std::move(out), nullptr) : NodePtr(std::move(out));
        }
        if (isOneOf(countWords, first.text) && isComparison()) {
            out->kind = Node::Kind::Compare;
            out->comparison = at("=") ? "==" : m_token.text;
            advance();
            number(*out);
            return out;
        }
        if (isOneOf(countWords, first.text)) {
            fail("a comparison such as '> 10' is missing");
            return out;
        }
        if (isOneOf(loneWords, first.text)) return out;
        out->kind = isOneOf(touchWords, first.text) ? Node::Kind::Touch : Node::Kind::Match;
        // A name may follow; words that join do not count as one.
        if (m_token.kind == Token::Kind::Text ||
            (m_token.kind == Token::Kind::Word && !at("and") && !at("or")))
            operand(out->object, quoted);
        return out;
    }

    static bool isKnown(std::string_view word) {
        return isOneOf(touchWords, word) || isOneOf(matchWords, word) || isOneOf(nameWords, word) ||
               isOneOf(countWords, word) || isOneOf(loneWords, word);
    }

    [[nodiscard]] bool isComparison() const {
        static constexpr std::array<std::string_view, 7> signs{"==", "!=", "<=", ">=", "<", ">", "="};
        return m_token.kind == Token::Kind::Sign && isOneOf(signs, m_token.text);
    }

    void number(Node& out) {
        const std::string text = m_token.text;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.number);
        if (m_token.kind != Token::Kind::Word || error != std::errc() || end != text.data() + text.size())
            return fail(m_token.kind == Token::Kind::End ? "something is missing at the end"
                                                         : "'" + text + "' is no number");
        advance();
    }
};

bool compares(double left, std::string_view sign, double right) {
    if (sign == "==") return left == right;
    if (sign == "!=") return left != right;
    if (sign == "<") return left < right;
    if (sign == "<=") return left <= right;
    return sign == ">" ? left > right : left >= right;
}

double numberOf(const PassRow& row, std::string_view what) {
    const Change& change = *row.change;
    if (what == "nodes") return double(row.nodesAfter);
    if (what == "before") return double(row.nodesBefore);
    if (what == "added") return double(change.created.size());
    if (what == "removed") return double(change.erased.size());
    if (what == "changed") return double(change.updated.size());
    if (what == "time") return row.pass ? row.pass->us / 1000 : 0;
    return row.pass ? double(row.pass->matches.size() - row.pass->refused()) : 0;
}

std::string_view wordOf(const PassRow& row, std::string_view what) {
    if (what == "phase") return row.phase->name;
    if (what == "graph") return row.phase->graph;
    if (what == "subsystem") return row.pass ? std::string_view(row.pass->subsystem) : std::string_view();
    if (row.pass != nullptr) return row.pass->name;
    return row.part.empty() ? "between passes" : "split";
}

/// "copy_", "aten.copy_" or "aten.copy_.default" of "torch.ops.aten.copy_.default".
bool isOperator(std::string_view target, std::string_view name) {
    for (std::size_t begin = target.find(name); begin != std::string_view::npos;
         begin = target.find(name, begin + 1)) {
        const std::size_t end = begin + name.size();
        const bool starts = begin == 0 || target[begin - 1] == '.';
        // All of it, or all but the overload: no operator's own name is looked for inside.
        if (starts && (end == target.size() ||
                       (target[end] == '.' && target.find('.', end + 1) == std::string_view::npos)))
            return true;
    }
    return false;
}

} // namespace

Result<PassCondition> PassCondition::parse(std::string_view text) {
    auto root = Parser(text).whole();
    if (!root) return tl::unexpected(root.error());
    PassCondition out;
    out.m_text = text;
    out.m_root = std::move(*root);
    return out;
}

const ir::Graph* PassSearch::graph(std::uint32_t state) const {
    const auto [at, fresh] = m_graphs.try_emplace(state);
    if (fresh) {
        const int stage = m_passes.stageOf(state);
        if (stage >= 0)
            if (auto graph = m_passes.stages[std::size_t(stage)].stage->graph())
                at->second = std::move(*graph);
    }
    return at->second.get();
}

bool PassSearch::isNamed(const NodeRef& node, std::uint32_t state, const std::string& name) const {
    if (name.empty() || node.name == name) return true;
    const ir::Graph* in = graph(state);
    const ir::NodeIndex at = in ? in->find(node.name) : ir::npos;
    return at != ir::npos && isOperator(in->node(at).target, name);
}

bool PassSearch::touches(const Node& node, const PassRow& row) const {
    const bool any = node.subject == "touches";
    const Change& change = *row.change;
    const auto isIn = [&](const std::vector<NodeRef>& nodes, std::uint32_t state) {
        return std::ranges::any_of(nodes,
                                   [&](const NodeRef& ref) { return isNamed(ref, state, node.object); });
    };
    if ((any || node.subject == "makes") && isIn(change.created, row.after)) return true;
    if ((any || node.subject == "removes") && isIn(change.erased, row.before)) return true;
    if (!any && node.subject != "changes") return false;
    for (const Change::Renamed& renamed : change.renamed)
        if (isNamed({renamed.id, renamed.before}, row.before, node.object) ||
            isNamed({renamed.id, renamed.after}, row.after, node.object))
            return true;
    if (change.updated.empty()) return false;
    if (node.object.empty()) return true;
    for (const std::uint32_t state : {row.before, row.after}) {
        const auto [names, fresh] = m_names.try_emplace(state);
        if (fresh)
            for (const NodeRef& ref : m_passes.recording->nodes(state))
                names->second[ref.id] = ref.name;
        for (const std::uint64_t id : change.updated)
            if (const auto ref = names->second.find(id);
                ref != names->second.end() && isNamed({id, ref->second}, state, node.object))
                return true;
    }
    return false;
}

bool PassSearch::evaluate(const Node& node, const PassRow& row) const {
    switch (node.kind) {
    case Node::Kind::And:
        return evaluate(*node.left, row) && evaluate(*node.right, row);
    case Node::Kind::Or:
        return evaluate(*node.left, row) || evaluate(*node.right, row);
    case Node::Kind::Not:
        return !evaluate(*node.left, row);
    case Node::Kind::Touch:
        return touches(node, row);
    case Node::Kind::Is:
        return wordOf(row, node.subject) == node.object;
    case Node::Kind::Compare:
        return compares(numberOf(row, node.subject), node.comparison, node.number);
    case Node::Kind::Match:
        return row.pass != nullptr && std::ranges::any_of(row.pass->matches, [&](const Match& match) {
                   const Pattern* pattern = m_passes.recording->pattern(match.pattern);
                   return match.refused.empty() == (node.subject == "matches") &&
                          (node.object.empty() || (pattern != nullptr && pattern->name == node.object));
               });
    case Node::Kind::State:
        break;
    }
    const bool skipped = row.pass != nullptr && row.pass->kind == "skipped";
    if (node.subject == "failed") return row.pass != nullptr && !row.pass->exception.empty();
    return (node.subject == "skipped") == skipped;
}

bool PassSearch::holds(const PassCondition& condition, std::size_t row) const {
    return row < m_passes.rows.size() && evaluate(*condition.m_root, m_passes.rows[row]);
}

int PassSearch::find(const PassCondition& condition, int from, bool back, const TaskContext& task) const {
    const int count = int(m_passes.rows.size()), step = back ? -1 : 1;
    for (int row = from + step; row >= 0 && row < count && !task.cancelled(); row += step)
        if (holds(condition, std::size_t(row))) return row;
    return -1;
}

} // namespace dynascope::inductor
