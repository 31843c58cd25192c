// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/rederive_trace.h"

#include "core/engine/cases/graph_inputs.h"
#include "core/engine/wire/methods.h"
#include "core/ir/text.h"
#include "core/passes/aot/lift_attributes.h"
#include "core/rederive/at_sizes.h"
#include "core/rederive/constants.h"
#include "core/rederive/rederive.h"
#include "core/session/input_sources.h"
#include "core/session/symbol_hints.h"

#include <algorithm>

namespace dynascope::engine {

namespace {

using nlohmann::json;
using session::Compile;

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
                                                      bool keepsWrites, const CallOptions& options) {
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
    request.keepInputMutations = keepsWrites;
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

bool haveTheSame(const Constants& a, const Constants& b) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) {
        return x.first == y.first && x.second->dtype == y.second->dtype && x.second->sizes == y.second->sizes;
    });
}

/// Why one of the graphs did not run, where that tells nothing of the other; empty where both did.
std::string notRun(const wire::VerifyReply& verified) {
    for (const wire::Check& check : verified.checks) {
        if (check.what != "the call" || check.property != "error") continue;
        if (const std::string captured = check.expected.shown(); !captured.empty())
            return "the captured graph does not run here: " + firstSentence(captured);
        const std::string derived = check.actual.shown();
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
    wire::VerifyRequest request = withSymbols(hints);
    // Both graphs name constants in the order in which tracing made them.
    const Constants constants = constantsOf(captured), others = constantsOf(derived);
    const bool areMadeUp = !constants.empty() && haveTheSame(constants, others);
    if (areMadeUp) request.on.attributes = request.computedAttributes = madeUp(constants, others);
    const auto verified = verifyAgainst(engine, captured, derived, std::move(request), options);
    if (!verified)
        return {Outcome::Unknown, verified.error().message,
                isLost(verified.error()) ? std::optional(verified.error()) : std::nullopt};
    if (std::string why = notRun(*verified); !why.empty()) return {Outcome::Unknown, std::move(why), {}};
    const std::string with = areMadeUp ? "with made-up values for " + nameList(constants) : std::string();
    const auto withThem = [&with](std::string words) { return with.empty() ? words : words + "; " + with; };
    if (isClose(*verified)) return {Outcome::Equal, withThem(std::string(closeWords)), {}};
    switch (verified->verdict) {
    case wire::VerifyVerdict::Equal:
        return {Outcome::Equal,
                withThem(areMadeUp && verified->reason.empty() ? "the results agree" : verified->reason),
                {}};
    case wire::VerifyVerdict::Different:
        // What was compiled may hold for the values that the constants have, and for no others.
        if (areMadeUp)
            return {Outcome::Unknown, with + ", of which the capture has none, the results differ", {}};
        return {Outcome::Different, verified->reason, {}};
    default:
        return {Outcome::Unknown, verified->reason, {}};
    }
}

} // namespace dynascope::engine
