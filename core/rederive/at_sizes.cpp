// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/at_sizes.h"

#include "core/ir/empty_like.h"
#include "core/rederive/rederive_trace.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <unordered_map>

namespace dynascope::engine {

namespace {

using session::Compile;

using Replacements = std::unordered_map<std::string, ir::Argument>; ///< by node

void replaceIn(ir::Argument& argument, const Replacements& replacements) {
    if (argument.isNode()) {
        if (const auto found = replacements.find(argument.text); found != replacements.end())
            argument = found->second;
        return;
    }
    if (argument.items.empty()) return;
    argument.spelling.clear();
    for (ir::Argument& item : argument.items)
        replaceIn(item, replacements);
}

/// What stands for a slice that takes everything, or the write through one: a symbolic dimension keeps these,
/// one of known size does not.
const ir::Argument* behindWholeSlice(const ir::Node& node) {
    const bool scatter = node.target == "torch.ops.aten.slice_scatter.default";
    if ((!scatter && node.target != "torch.ops.aten.slice.Tensor") || !node.kwargs.empty()) return nullptr;
    const std::size_t start = scatter ? 3 : 2;
    if (node.args.size() != start + 2 || node.args[start].text != "0" ||
        node.args[start + 1].text != "9223372036854775807")
        return nullptr;
    return &node.args[scatter ? 1 : 0];
}

/// The expression of "Sym(2*s77)"; nothing for any other value.
std::optional<std::string> symbolOf(const ir::Node& node) {
    if (!node.meta || node.meta->tensor || !node.meta->raw.starts_with("Sym(") ||
        !node.meta->raw.ends_with(')'))
        return std::nullopt;
    return node.meta->raw.substr(4, node.meta->raw.size() - 5);
}

/// False where every operand of "2 <= 6 <= 7" is a number and a comparison does not hold, and where one is
/// computed of numbers alone in a way that is not known. What names other values is not asked.
bool mayHold(std::string_view comparisons) {
    constexpr std::array<std::string_view, 6> words{"<=", ">=", "==", "!=", "<", ">"};
    std::optional<std::int64_t> left;
    std::string_view before;
    bool holds = true;
    while (true) {
        std::size_t at = comparisons.size();
        std::string_view word;
        for (const std::string_view candidate : words) {
            const std::size_t found = comparisons.find(candidate);
            if (found < at) {
                at = found;
                word = candidate;
            }
        }
        const auto right = ir::symbolValue(comparisons.substr(0, at), {});
        if (!right) return comparisons.find('\'') != std::string_view::npos;
        if (!before.empty())
            holds &= before == "<="   ? *left <= *right
                     : before == ">=" ? *left >= *right
                     : before == "==" ? *left == *right
                     : before == "!=" ? *left != *right
                     : before == "<"  ? *left < *right
                                      : *left > *right;
        if (word.empty()) return holds;
        left = right;
        before = word;
        comparisons.remove_prefix(at + word.size());
    }
}

double asFloat(const ir::SymbolNumber& number) {
    return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

ir::Argument floatArgument(double value) {
    return {ir::Argument::Kind::Float, ir::pythonRepr(value), {}, {}};
}

/// 3 for "PlainAOTInput(idx=3)".
std::optional<std::size_t> inputPosition(std::string_view comment) {
    constexpr std::string_view open = "PlainAOTInput(idx=";
    if (!comment.starts_with(open)) return std::nullopt;
    std::size_t number = 0;
    const auto [end, error] =
        std::from_chars(comment.data() + open.size(), comment.data() + comment.size(), number);
    return error == std::errc() ? std::optional(number) : std::nullopt;
}

bool isUnbacked(std::string_view symbol) {
    if (symbol.starts_with("zuf"))
        symbol.remove_prefix(3);
    else if (symbol.starts_with('u'))
        symbol.remove_prefix(1);
    else
        return false;
    return !symbol.empty() && symbol.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether assertions of the graph are all that reads a node: the derived graph ran, so it held.
bool onlyAsserted(const ir::Graph& graph, ir::NodeIndex node) {
    const auto users = graph.users(node);
    return !users.empty() && std::all_of(users.begin(), users.end(), [&](ir::NodeIndex user) {
        return graph.node(user).target == "torch.ops.aten._assert_scalar.default";
    });
}

} // namespace

NumberValues numberValues(const Compile& compile, const ir::Graph& captured, const DynamoTrace& derived) {
    NumberValues out;
    const auto note = [&](const std::string& symbol, const std::string& value) {
        if (isUnbacked(symbol) && !value.empty() &&
            value.find_first_not_of("0123456789") == std::string::npos)
            out.try_emplace(symbol, ir::Argument{ir::Argument::Kind::Int, value, {}, {}});
    };
    // In order, the nodes with tensors are the same up to the first difference.
    const auto tensors = [](const ir::Graph& graph) {
        std::vector<const ir::Node*> nodes;
        for (const ir::NodePtr& node : graph.nodes())
            if (node->op == ir::Op::CallFunction && node->meta && node->meta->tensor)
                nodes.push_back(node.get());
        return nodes;
    };
    const auto theirs = tensors(captured), ours = tensors(*derived.traced.graph);
    for (std::size_t i = 0; i < std::min(theirs.size(), ours.size()); ++i) {
        const auto &want = theirs[i]->meta->tensor->sizes, &got = ours[i]->meta->tensor->sizes;
        if (theirs[i]->target != ours[i]->target || want.size() != got.size()) break;
        for (std::size_t d = 0; d < want.size(); ++d)
            note(want[d], got[d]);
    }
    std::size_t next = 0;
    for (const ir::NodePtr& node : captured.nodes()) {
        if (node->target != "torch.ops.aten._local_scalar_dense.default") continue;
        if (next >= derived.numbersRead.size()) break;
        const std::optional<wire::Number>& number = derived.numbersRead[next++];
        const auto symbol = symbolOf(*node);
        if (!number || !symbol || !isUnbacked(*symbol)) continue;
        if (const auto* real = std::get_if<double>(&number->value))
            out.try_emplace(*symbol, floatArgument(*real));
        else if (const auto* whole = std::get_if<std::int64_t>(&number->value))
            out.try_emplace(*symbol, ir::Argument::integer(*whole));
    }
    for (const auto& [symbol, value] : floatValues(compile))
        out.try_emplace(symbol, floatArgument(value));
    return out;
}

ir::FloatSymbolValues floatValues(const Compile& compile) {
    ir::FloatSymbolValues out;
    for (const session::SymbolInfo& symbol : compile.symbols) {
        const auto value =
            symbol.symbol.starts_with("zf") ? ir::symbolNumber(symbol.value, {}, {}) : std::nullopt;
        if (value) out.try_emplace(symbol.symbol, asFloat(*value));
    }
    return out;
}

std::optional<ir::SymbolValues> scaledSizes(const ir::SymbolValues& hints, int times, const ir::Graph& dynamo,
                                            const ir::Graph& captured) {
    ir::SymbolValues out = hints;
    if (times == 1) return out;
    for (auto& [symbol, value] : out)
        value *= times;
    std::vector<std::string> symbols; // of Dynamo's inputs; empty for tensors
    for (const ir::NodePtr& node : dynamo.nodes())
        if (node->op == ir::Op::Placeholder) symbols.push_back(symbolOf(*node).value_or(std::string()));
    for (const ir::NodePtr& node : captured.nodes()) {
        const auto expression = node->op == ir::Op::Placeholder ? symbolOf(*node) : std::nullopt;
        const auto position = expression ? inputPosition(node->comment) : std::nullopt;
        if (!position || *position >= symbols.size() || !hints.contains(symbols[*position])) continue;
        const auto value = ir::symbolValue(*expression, out);
        if (!value) return std::nullopt;
        out[symbols[*position]] = *value;
    }
    if (out == hints) return std::nullopt;
    return out;
}

double elementsAt(const ir::Graph& graph, const ir::SymbolValues& sizes) {
    double out = 0;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (!node->meta || !node->meta->tensor) continue;
        double elements = 1;
        for (const std::string& size : node->meta->tensor->sizes)
            elements *= static_cast<double>(ir::symbolValue(size, sizes).value_or(0));
        out += elements;
    }
    return out;
}

bool guardsAllow(const Compile& compile, const ir::SymbolValues& sizes) {
    constexpr std::string_view open = "LAMBDA_GUARD: ";
    const std::string guards = compile.guardText.text();
    for (std::size_t at = guards.find(open); at != std::string::npos; at = guards.find(open, at + 1)) {
        const std::size_t end = guards.find('\n', at);
        std::string guard = guards.substr(at + open.size(), end - at - open.size());
        guard.resize(std::min(guard.size(), guard.find("  #")));
        bool replaced = false;
        for (const session::SymbolInfo& symbol : compile.symbols) {
            const auto value = sizes.find(symbol.symbol);
            if (value == sizes.end() || symbol.source.empty()) continue;
            for (std::size_t i = guard.find(symbol.source); i != std::string::npos;
                 i = guard.find(symbol.source)) {
                guard.replace(i, symbol.source.size(), std::to_string(value->second));
                replaced = true;
            }
        }
        if (replaced && !mayHold(guard)) return false;
    }
    return true;
}

bool hasSymbolicFloats(const ir::Graph& graph) {
    return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const ir::NodePtr& node) {
        const auto symbol = symbolOf(*node);
        return symbol && (symbol->find("ToFloat(") != std::string::npos ||
                          symbol->find("TrueDiv(") != std::string::npos || symbol->starts_with("zf"));
    });
}

Result<ir::GraphPtr> atHints(const ir::Graph& graph, const ir::SymbolValues& hints) {
    return atHints(graph, hints, {});
}

Result<ir::GraphPtr> atHints(const ir::Graph& graph, const ir::SymbolValues& hints,
                             const NumberValues& numbers) {
    ir::SymbolValues known = hints;
    ir::FloatSymbolValues floats;
    for (const auto& [symbol, value] : numbers) {
        if (const auto number = value.asInt())
            known[symbol] = *number;
        else if (const auto real = ir::symbolNumber(value.text, {}, {}))
            floats[symbol] = asFloat(*real);
    }
    ir::GraphBuilder builder = ir::emptyLike(graph);
    Replacements replacements;
    std::map<std::string, std::string> unknown; ///< the symbol of a node without a value
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::NodePtr& node = graph.nodes()[i];
        if (const auto symbol = symbolOf(*node)) {
            const auto value = ir::symbolNumber(*symbol, known, floats);
            if (value && std::holds_alternative<std::int64_t>(*value))
                replacements[node->name] = ir::Argument::integer(std::get<std::int64_t>(*value));
            else if (value)
                replacements[node->name] = floatArgument(asFloat(*value));
            else if (onlyAsserted(graph, i))
                replacements[node->name] = ir::Argument::boolean(true);
            else
                unknown[node->name] = *symbol;
            if (node->op != ir::Op::Placeholder) continue;
        }
        ir::Node changed = *node;
        std::string missing;
        changed.forEachInput([&](const std::string& name) {
            if (unknown.contains(name)) missing = name;
        });
        if (!missing.empty())
            return failure("'" + missing + "' is " + unknown[missing] + ", which has no value");
        for (ir::Argument& argument : changed.args)
            replaceIn(argument, replacements);
        for (auto& [name, argument] : changed.kwargs)
            replaceIn(argument, replacements);
        if (const ir::Argument* whole = known.empty() ? nullptr : behindWholeSlice(changed)) {
            replacements[node->name] = *whole;
            continue;
        }
        builder.add(std::move(changed));
    }
    return builder.build();
}

} // namespace dynascope::engine
