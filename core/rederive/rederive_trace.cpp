// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/rederive_trace.h"

#include "core/engine/cases/graph_inputs.h"
#include "core/engine/wire/methods.h"
#include "core/ir/empty_like.h"
#include "core/ir/symbol_number.h"
#include "core/ir/text.h"
#include "core/passes/aot/lift_attributes.h"
#include "core/rederive/rederive.h"
#include "core/session/input_sources.h"
#include "core/session/symbol_hints.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

namespace dynascope::engine {

namespace {

using nlohmann::json;
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

/// Autocast around the frame, as the check of the global state has it.
struct Autocast {
    bool elsewhere = false; ///< on for another device than the CPU
    std::string dtype;      ///< empty where it is off for the CPU
};

/// Nothing where the guards do not say it.
std::optional<Autocast> autocastOf(const std::string& guards) {
    constexpr std::string_view key = "\"autocast_state\":";
    const std::size_t at = guards.find(key);
    const std::size_t end = guards.find('}', std::min(at, guards.size()));
    if (end == std::string::npos) return Autocast();
    const std::size_t begin = at + key.size();
    const json state = json::parse(guards.substr(begin, end + 1 - begin), nullptr, false);
    if (!state.is_object()) return std::nullopt;
    const json enabled = state.value("enabled", json::array()), dtypes = state.value("dtype", json::array());
    Autocast out;
    for (std::size_t i = 0; enabled.is_array() && i < enabled.size(); ++i) { // the CPU comes first
        if (enabled[i] != true) continue;
        out.elsewhere |= i > 0;
        if (i == 0 && dtypes.is_array() && !dtypes.empty())
            out.dtype = dtypes[0] == 5 ? "torch.float16" : dtypes[0] == 15 ? "torch.bfloat16" : "";
        if (i == 0 && out.dtype.empty()) return std::nullopt;
    }
    return out;
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

/// Whether all that differs does by no more than 1e-5 times the largest magnitude.
bool areAllClose(const std::vector<wire::Check>& checks) {
    return std::all_of(checks.begin(), checks.end(), [](const wire::Check& check) {
        return check.ok || !check.counts || (check.distance && check.distance->close);
    });
}

/// Inputs are made at these sizes: placeholders that are sizes stay in a graph.
wire::VerifyRequest withSymbols(const ir::SymbolValues& hints) {
    wire::VerifyRequest out;
    for (const auto& [symbol, value] : hints)
        out.on.symbols.emplace(symbol, value);
    return out;
}

/// In the words in which AOTAutograd refuses inputs.
bool isRefusal(std::string_view message) {
    return message.starts_with("aot_autograd() does not yet handle") ||
           message.starts_with("Encountered aliased inputs");
}

/// PyTorch compiled what is captured, so that a refusal is the engine's mistake.
std::string contradicted(const std::string& refusal) {
    return "PyTorch compiled it, but the engine takes its inputs for such as AOTAutograd refuses (" +
           refusal + ")";
}

/// PyTorch's longer messages go on with lists of backends.
std::string firstSentence(const std::string& text) {
    return text.substr(0, std::min(text.find(". "), text.find('\n')));
}

} // namespace

bool isLost(const CallError& error) {
    using Kind = CallError::Kind;
    return error.kind == Kind::NotStarted || error.kind == Kind::EngineDied || error.kind == Kind::TimedOut;
}

tl::expected<DynamoTrace, CallError> traceDynamoGraph(Client& engine, const Compile& compile,
                                                      const ir::GraphPtr& graph,
                                                      const ir::SymbolValues& hints, bool joint,
                                                      const CallOptions& options) {
    const auto refused = [](std::string why) {
        return tl::unexpected(CallError{CallError::Kind::Refused, std::move(why), 0, {}});
    };
    const session::InputsByName described(compile);
    const ir::GraphPtr lifted = passes::aot::liftAttributes(graph, [&](const std::string& attribute) {
        const session::TensorInput* input = described.find(attribute);
        return input && input->isParameter;
    });
    const ir::Graph& dynamo = *lifted;
    GraphInputOptions wanted;
    wanted.symbols = hints;
    wanted.requiresGrad = wanted.views = true;
    const auto inputs = inputsOfCapture(compile, dynamo, wanted);
    if (!inputs) return refused(inputs.error().message);
    const std::string guards = compile.guardText.text(); // with the modes around the frame
    const auto autocast = autocastOf(guards);
    if (!autocast) return refused("the capture's record of autocast around the frame cannot be read");
    if (autocast->elsewhere)
        return refused("autocast was on around the frame for another device than the CPU");
    wire::AotRequest request;
    request.on.inputs = *inputs;
    request.symbolicSizes = !hints.empty();
    if (request.symbolicSizes) request.unbounded = session::unboundedSymbols(compile);
    if (!autocast->dtype.empty()) request.autocast = autocast->dtype;
    const bool isGuarded = guards.find("\"grad_mode\":") != std::string::npos;
    if (isGuarded) request.gradMode = guards.find("\"grad_mode\":true") != std::string::npos;
    if (!isGuarded && joint) request.gradMode = true;
    const std::string text = ir::printReadable(dynamo).text;
    Answer<wire::AotReply> reply = engine.aot(text, request, options);
    // A compile that failed later has no guards. Under grad this function is trained, and it was not.
    if (reply && !isGuarded && !joint && reply->trace && reply->trace->joint) {
        request.gradMode = false;
        reply = engine.aot(text, request, options);
    }
    if (!reply && isRefusal(reply.error().message)) return refused(contradicted(reply.error().message));
    if (!reply) return tl::unexpected(reply.error());
    if (reply->refused) return refused(contradicted(*reply->refused));
    auto traced = readTracedGraph(*reply);
    if (!traced) return refused(traced.error().message);
    wire::AotTrace& trace = *reply->trace;
    return DynamoTrace{std::move(*traced), std::move(trace.metadata), trace.microseconds,
                       std::move(trace.numbersRead)};
}

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
        const wire::Any& number = derived.numbersRead[next++];
        const auto symbol = symbolOf(*node);
        if (!symbol || !isUnbacked(*symbol)) continue;
        if (number.is_number_float())
            out.try_emplace(*symbol, floatArgument(number.get<double>()));
        else if (number.is_number())
            out.try_emplace(*symbol, ir::Argument::integer(number.get<std::int64_t>()));
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

Answer<wire::VerifyReply> verifyAgainst(Client& engine, const ir::Graph& graph, const ir::Graph& computed,
                                        wire::VerifyRequest request, const CallOptions& options) {
    const auto loaded = engine.load({ir::printReadable(computed).text}, options);
    if (!loaded) return tl::unexpected(loaded.error());
    request.computed = loaded->graph;
    return engine.verify(ir::printReadable(graph).text, request, options);
}

Answer<wire::VerifyReply> verifyDerived(Client& engine, const ir::Graph& captured, const ir::Graph& derived,
                                        const ir::SymbolValues& hints, const CallOptions& options) {
    const auto atSizes = atHints(captured, hints);
    return verifyAgainst(engine, atSizes ? **atSizes : captured, derived, withSymbols(hints), options);
}

bool isClose(const wire::VerifyReply& verified) {
    return verified.verdict == wire::VerifyVerdict::Different && !verified.inDoublePrecision &&
           !verified.checks.empty() && areAllClose(verified.checks);
}

namespace {

/// Why one of the graphs did not run, where that tells nothing of the other; empty where both did.
std::string notRun(const wire::VerifyReply& verified) {
    for (const wire::Check& check : verified.checks) {
        if (check.what != "the call") continue;
        if (check.expected.is_string())
            return "the captured graph does not run here: " +
                   firstSentence(check.expected.get<std::string>());
        const std::string derived =
            check.actual.is_string() ? check.actual.get<std::string>() : std::string();
        // Values of constants are in no capture, and a graph that lacks one may still be the right one.
        if (derived.starts_with("no value was given for the constant"))
            return "the derived graph does not run here: " + derived;
    }
    return {};
}

} // namespace

NumericalComparison compareNumerically(Client& engine, const ir::Graph& captured, const ir::Graph& derived,
                                       const ir::SymbolValues& hints, const CallOptions& options) {
    using Outcome = NumericalComparison::Outcome;
    const auto verified = verifyAgainst(engine, captured, derived, withSymbols(hints), options);
    if (!verified)
        return {Outcome::Unknown, verified.error().message,
                isLost(verified.error()) ? std::optional(verified.error()) : std::nullopt};
    if (std::string why = notRun(*verified); !why.empty()) return {Outcome::Unknown, std::move(why), {}};
    if (isClose(*verified)) return {Outcome::Equal, std::string(closeWords), {}};
    const Outcome outcome = verified->verdict == wire::VerifyVerdict::Equal       ? Outcome::Equal
                            : verified->verdict == wire::VerifyVerdict::Different ? Outcome::Different
                                                                                  : Outcome::Unknown;
    return {outcome, verified->reason, {}};
}

} // namespace dynascope::engine
