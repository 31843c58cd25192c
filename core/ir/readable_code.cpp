// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/readable_code.h"

#include "core/ir/operators.h"
#include "core/ir/value_parser.h"

namespace dynascope::ir {

namespace {

void appendArguments(std::string& out, const Node& node, std::size_t from) {
    bool first = true;
    for (std::size_t i = from; i < node.args.size(); ++i) {
        if (!first) out += ", ";
        first = false;
        node.args[i].appendTo(out, "");
    }
    for (const auto& [key, value] : node.kwargs) {
        if (!first) out += ", ";
        first = false;
        out += key;
        out += " = ";
        value.appendTo(out, "");
    }
}

void appendCall(std::string& out, const Node& node, std::string_view callee, std::size_t from) {
    out += callee;
    out += '(';
    appendArguments(out, node, from);
    out += ')';
}

/// False if the function is not one that has an operator's spelling.
bool appendOperator(std::string& out, const Node& node) {
    const std::vector<Argument>& args = node.args;
    if (!node.kwargs.empty()) return false;
    if (args.size() == 2) {
        if (const std::string_view sign = signOf(binaryOperators, node.target); !sign.empty()) {
            args[0].appendTo(out, "");
            out += ' ';
            out += sign;
            out += ' ';
            args[1].appendTo(out, "");
            return true;
        }
        if (node.target == getitemTarget) {
            args[0].appendTo(out, "");
            out += '[';
            args[1].appendTo(out, "");
            out += ']';
            return true;
        }
        if (node.target == getattrTarget && args[1].kind == Argument::Kind::String) {
            out += attributePath(args[0].toString(), args[1].text);
            return true;
        }
    }
    if (args.size() == 1) {
        const std::string_view sign = signOf(unaryOperators, node.target);
        if (sign.empty()) return false;
        out += sign;
        args[0].appendTo(out, "");
        return true;
    }
    return false;
}

/// `x[i] = v;  setitem = x` and `x += v;  iadd = x`.
bool appendMutation(std::string& out, const Node& node, const ReadableOptions& options) {
    const std::vector<Argument>& args = node.args;
    if (node.op != Op::CallFunction || !node.kwargs.empty() || args.size() < 2) return false;
    if (node.target == setitemTarget && args.size() == 3) {
        args[0].appendTo(out, "");
        out += '[';
        args[1].appendTo(out, "");
        out += "] = ";
        args[2].appendTo(out, "");
    } else {
        const std::string_view sign = signOf(augmentedOperators, node.target);
        if (sign.empty() || args.size() != 2) return false;
        args[0].appendTo(out, "");
        out += ' ';
        out += sign;
        out += ' ';
        args[1].appendTo(out, "");
    }
    out += ";  ";
    out += node.name;
    appendAnnotation(out, node, options);
    out += " = ";
    args[0].appendTo(out, "");
    return true;
}

} // namespace

std::string attributePath(std::string base, std::string_view target) {
    for (;;) {
        const std::size_t dot = target.find('.');
        const std::string_view part = target.substr(0, dot);
        if (isName(part)) {
            base += '.';
            base += part;
        } else {
            base.insert(0, "getattr(").append(", \"").append(part).append("\")");
        }
        if (dot == std::string_view::npos) return base;
        target.remove_prefix(dot + 1);
    }
}

void appendAnnotation(std::string& out, const Node& node, const ReadableOptions& options) {
    if (!options.annotations) return;
    if (node.meta) {
        out += ": \"";
        out += options.strides ? node.meta->annotation() : node.meta->shortForm();
        out += '"';
    } else if (!node.typeExpr.empty()) {
        out += " : ";
        out += node.typeExpr;
    }
}

void appendStatement(std::string& out, const Node& node, const ReadableOptions& options) {
    if (appendMutation(out, node, options)) return;
    out += node.name;
    appendAnnotation(out, node, options);
    out += " = ";
    const std::string target = options.shortTargets ? shortTarget(node.target) : node.target;
    switch (node.op) {
    case Op::CallFunction:
        if (appendOperator(out, node)) return;
        if (target.empty()) // an expression kept as it was read
            appendArguments(out, node, 0);
        else
            appendCall(out, node, options.shortTargets ? target : calleeOfTarget(target), 0);
        return;
    case Op::CallMethod: {
        const std::string base = node.args.empty() ? std::string() : node.args.front().toString();
        appendCall(out, node, attributePath(base, target), 1);
        return;
    }
    case Op::CallModule:
        appendCall(out, node, attributePath("self", target), 0);
        return;
    case Op::GetAttr:
        out += attributePath("self", target);
        return;
    case Op::Placeholder:
    case Op::Output:
        out += target;
    }
}

std::string printNode(const Node& node, const ReadableOptions& options) {
    std::string out;
    if (node.op == Op::Output) {
        out = "return ";
        out += node.args.empty() ? std::string("None") : node.args.front().toString();
    } else if (node.op == Op::Placeholder && node.name == node.target) {
        out = node.name;
        appendAnnotation(out, node, options);
    } else {
        appendStatement(out, node, options);
    }
    return out;
}

} // namespace dynascope::ir
