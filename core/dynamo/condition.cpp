// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/condition.h"

#include "core/base/condition_parser.h"
#include "core/base/python_text.h"
#include "core/base/words.h"
#include "core/dynamo/describe.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace dynascope::dynamo {

struct Condition::Node {
    enum class Kind { And, Or, Not, Compare, Is, GuardOn } kind = Kind::Compare;
    std::shared_ptr<const Node> left, right;
    std::string first, second; ///< operands; of Is the local and the kind, of GuardOn the source
    std::string comparison;
    bool firstQuoted = false, secondQuoted = false;
};

namespace {

using Node = Condition::Node;
using NodePtr = std::shared_ptr<const Node>;

class Parser : public ConditionParser<Node> {
public:
    using ConditionParser::ConditionParser;

private:
    /// A guard's source: everything up to a word "and" or "or" outside of brackets, or the end.
    std::string sourceText() {
        const std::size_t begin = m_token.column - 1;
        const std::size_t end = python::findOutside(m_text, begin, python::Quotes::Strings,
                                                    [](char c) { return c == ' ' || python::isClose(c); });
        std::string out(m_text.substr(begin, end - begin));
        m_at = end;
        advance();
        return out;
    }

    NodePtr test() override {
        auto out = std::make_shared<Node>();
        const bool local = at("local");
        if (take("guard")) {
            if (!take("on")) fail("'on' and a source are missing");
            out->kind = Node::Kind::GuardOn;
            out->first = sourceText();
            if (out->first.empty()) fail("a source such as L['x'] is missing");
            return out;
        }
        if (local) advance();
        operand(out->first, out->firstQuoted);
        if (take("is")) {
            const bool negated = take("not");
            out->kind = Node::Kind::Is;
            bool quoted = false;
            operand(out->second, quoted);
            return negated ? join(Node::Kind::Not, std::move(out), nullptr) : NodePtr(std::move(out));
        }
        static constexpr std::array<std::string_view, 7> signs{"==", "!=", "<=", ">=", "<", ">", "="};
        for (const std::string_view sign : signs) {
            if (m_token.kind != Token::Kind::Sign || m_token.text != sign) continue;
            advance();
            out->comparison = sign == "=" ? "==" : sign;
            operand(out->second, out->secondQuoted);
            return out;
        }
        if (!local) fail("a comparison such as '> 10' is missing");
        out->kind = Node::Kind::Is; // "local x": there is one
        return out;
    }
};

std::optional<double> asNumber(std::string_view text) {
    double out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return out;
}

struct Context {
    const Recording& recording;
    const State& state;
    StepIndex step;
    const FrameState* frame;
};

constexpr std::array<std::string_view, 13> ownWords{"nodes",    "guards", "stack",   "depth",   "line",
                                                    "offset",   "step",   "attempt", "effects", "op",
                                                    "function", "file",   "compile"};

/// What the program's own words stand for; nothing if the word is not one of `ownWords`.
std::optional<std::string> builtin(const Context& context, std::string_view name) {
    const StepInfo& step = context.recording.steps()[context.step];
    const FrameInfo& frame = context.recording.frames()[step.frame];
    const Code& code = context.recording.codeOf(frame);
    const AttemptInfo& attempt = context.recording.attempts()[frame.attempt];
    const Instruction* instruction = context.recording.instructionAt(context.step);
    if (name == "nodes")
        return std::to_string(context.state.currentGraph() ? context.state.currentGraph()->nodes : 0);
    if (name == "guards") return std::to_string(context.state.guardCount);
    if (name == "stack") return std::to_string(context.frame->stack.size());
    if (name == "depth") return std::to_string(frame.depth);
    if (name == "line") return std::to_string(instruction ? instruction->line : 0);
    if (name == "offset") return std::to_string(instruction ? instruction->offset : -1);
    if (name == "step") return std::to_string(context.step);
    if (name == "attempt") return std::to_string(attempt.number);
    if (name == "effects")
        return std::to_string(context.state.stores.size() + context.state.mutations.size());
    if (name == "op") return std::string(instruction ? instruction->op : std::string_view());
    if (name == "function") return code.name;
    if (name == "file") return code.file;
    if (name == "compile") return attempt.compileId;
    return std::nullopt;
}

/// A local or one of its fields; a cell stands for what it holds.
std::optional<std::string> localText(const Context& context, std::string_view path) {
    const std::string_view name = path.substr(0, path.find('.'));
    ValueId id = localNamed(context.recording, *context.frame, name);
    if (id == 0) return std::nullopt;
    if (const ValueId contents = cellContents(context.recording, context.state, id)) id = contents;
    const ValueInfo value = unwrapped(context.recording, context.state, id);
    if (name.size() == path.size()) return comptimeText(context.recording, context.state, id);
    const std::string_view field = path.substr(name.size() + 1);
    if (field == "kind") return std::string(value.kind);
    const ValueInfo::Field* found = value.field(field);
    if (found == nullptr)
        return field == "requires_grad" || field == "modified" ? std::optional<std::string>("0")
                                                               : std::nullopt;
    if (!found->number) return std::string(found->text);
    if (field == "node" && *found->number > 0 && *found->number <= context.state.nodes.size())
        return std::string(context.recording.text(context.state.nodes[*found->number - 1].name));
    return std::to_string(*found->number);
}

bool isKind(const Context& context, std::string_view name, std::string_view kind) {
    ValueId id = localNamed(context.recording, *context.frame, name);
    if (id == 0) return false;
    if (kind.empty()) return true;
    const ValueInfo outer = context.recording.value(context.state, id);
    if (kind == "cell") return outer.kind == "CellVariable";
    if (kind == "lazy") return outer.field("realized") != nullptr && outer.number("realized") == 0;
    if (const ValueId contents = outer.value("contents")) id = contents;
    const ValueInfo value = unwrapped(context.recording, context.state, id);
    if (kind == "tensor")
        return !value.text("dtype").empty() || value.text("peek_type") == "Tensor" ||
               value.text("peek_type") == "Parameter";
    if (kind == "constant") return value.kind == "ConstantVariable";
    if (kind == "symbol") return value.kind == "SymNodeVariable";
    if (kind == "list" || kind == "dict" || kind == "tuple" || kind == "set" || kind == "function") {
        std::string wanted(kind);
        wanted.front() = static_cast<char>(wanted.front() - 'a' + 'A');
        return value.kind.find(wanted) != std::string_view::npos || value.text("peek_type") == kind;
    }
    return value.kind == kind || outer.kind == kind || value.text("type") == kind ||
           value.text("peek_type") == kind;
}

/// Kinds that are not those of the recording's values.
constexpr std::array<std::string_view, 10> ownKinds{"cell", "lazy",  "tensor", "constant", "symbol",
                                                    "list", "tuple", "dict",   "set",      "function"};

bool guardOn(const Context& context, std::string_view source) {
    const TextId id = context.recording.idOf(source);
    for (std::size_t i = 0; id != 0 && i < context.state.guards.size(); ++i)
        if (const GuardState& guard = context.state.guards[i]; !guard.gone && guard.name == id) return true;
    return false;
}

bool compare(const std::string& left, std::string_view sign, const std::string& right) {
    const std::optional<double> a = asNumber(left), b = asNumber(right);
    const auto decide = [sign](const auto& x, const auto& y) {
        if (sign == "==") return x == y;
        if (sign == "!=") return x != y;
        if (sign == "<") return x < y;
        if (sign == "<=") return x <= y;
        return sign == ">" ? x > y : x >= y;
    };
    return a && b ? decide(*a, *b) : decide(left, right);
}

bool evaluate(const Node& node, const Context& context) {
    switch (node.kind) {
    case Node::Kind::And:
        return evaluate(*node.left, context) && evaluate(*node.right, context);
    case Node::Kind::Or:
        return evaluate(*node.left, context) || evaluate(*node.right, context);
    case Node::Kind::Not:
        return !evaluate(*node.left, context);
    case Node::Kind::Is:
        return isKind(context, node.first, node.second);
    case Node::Kind::GuardOn:
        return guardOn(context, node.first);
    case Node::Kind::Compare:
        break;
    }
    const auto operand = [&](const std::string& text, bool quoted) -> std::optional<std::string> {
        if (quoted || asNumber(text)) return text;
        if (auto known = builtin(context, text)) return known;
        return localText(context, text);
    };
    const std::optional<std::string> left = operand(node.first, node.firstQuoted);
    if (!left) return false;
    // A word that names nothing stands for itself: f32, helper, LOAD_FAST.
    const std::string right = operand(node.second, node.secondQuoted).value_or(node.second);
    const bool fileName = !node.firstQuoted && node.first == "file" && right.find('/') == std::string::npos;
    return compare(fileName ? std::string(baseName(*left)) : *left, node.comparison, right);
}

void listUnknown(const Node* node, const Recording& recording, std::vector<std::string>& out) {
    if (node == nullptr) return;
    listUnknown(node->left.get(), recording, out);
    listUnknown(node->right.get(), recording, out);
    const auto known = [&](std::string_view text) { return recording.idOf(text) != 0; };
    const auto isOneOf = [](const auto& names, std::string_view name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const auto add = [&out](std::string what) {
        if (std::find(out.begin(), out.end(), what) == out.end()) out.push_back(std::move(what));
    };
    const bool test = node->kind == Node::Kind::Is || node->kind == Node::Kind::Compare;
    if (node->kind == Node::Kind::GuardOn && !known(node->first)) add("guard on " + node->first);
    if (!test) return;
    const std::string local = node->first.substr(0, node->first.find('.'));
    const bool ownWord = node->kind == Node::Kind::Compare &&
                         (node->firstQuoted || asNumber(node->first) || isOneOf(ownWords, node->first));
    if (!ownWord && !known(local)) add("local '" + local + '\'');
    if (node->kind == Node::Kind::Is && !node->second.empty() && !isOneOf(ownKinds, node->second) &&
        !known(node->second))
        add("kind '" + node->second + '\'');
}

} // namespace

std::vector<std::string> Condition::unknown(const Recording& recording) const {
    std::vector<std::string> out;
    listUnknown(m_root.get(), recording, out);
    return out;
}

Result<Condition> Condition::parse(std::string_view text) {
    Result<NodePtr> root = Parser(text).whole();
    if (!root) return tl::unexpected(root.error());
    Condition out;
    out.m_text = text;
    out.m_root = std::move(*root);
    return out;
}

bool Condition::holds(const Recording& recording, const State& state, StepIndex step) const {
    const FrameState* frame = state.frameState(state.frame);
    return frame != nullptr && evaluate(*m_root, {recording, state, step, frame});
}

} // namespace dynascope::dynamo
