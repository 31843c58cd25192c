// SPDX-License-Identifier: BSD-3-Clause
//
// The kinds about what Dynamo and AOTAutograd decide before anything runs. They need no engine: core/dynamo
// answers.
#include "core/dynamo/autograd_cache.h"
#include "core/dynamo/backend_match.h"
#include "core/dynamo/pgo_naming.h"
#include "core/ir/text.h"
#include "core/oracle/oracle_case.h"

#include <map>

namespace dynascope::engine {

namespace {

using nlohmann::json;

bool flag(const json& object, const char* key, bool otherwise) {
    const json& value = field(object, key);
    return value.is_boolean() ? value.get<bool>() : otherwise;
}

std::optional<std::int64_t> number(const json& object, const char* key) {
    const json& value = field(object, key);
    return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}

std::optional<dynamo::DimPolicy> policyOf(const std::string& name) {
    if (name == "STATIC") return dynamo::DimPolicy::Static;
    if (name == "DUCK") return dynamo::DimPolicy::Duck;
    if (name == "DYNAMIC") return dynamo::DimPolicy::Dynamic;
    return {};
}

/// The address of an object is another in every process.
std::string withoutAddresses(std::string text) {
    constexpr std::string_view hex = "0123456789abcdef";
    for (std::size_t at = 0; (at = text.find(" at 0x", at)) != std::string::npos; at += 4) {
        const std::size_t digits = at + 6;
        const std::size_t end = std::min(text.find_first_not_of(hex, digits), text.size());
        text.erase(digits, end - digits);
    }
    return text;
}

/// The text between two others of which one is the beginning; nothing where they are not there.
std::optional<std::string> between(std::string_view text, std::string_view before, std::string_view after) {
    if (!text.starts_with(before)) return {};
    const std::size_t end = text.find(after, before.size());
    if (end == std::string_view::npos) return {};
    return std::string(text.substr(before.size(), end - before.size()));
}

/// What PyTorch bypassed for, if it says so in words that check_cacheable has for something besides the
/// graph: a setting, or a node of a hook's graph that is asked just so. Empty for any other text.
std::string causeOutside(const std::string& expected) {
    constexpr std::string_view bypassed = "bypass: ";
    if (!expected.starts_with(bypassed)) return {};
    const std::string reason = expected.substr(bypassed.size());
    if (reason == dynamo::findCacheBypass({}, {.freezing = true})->reason) return "the setting freezing";
    if (reason == dynamo::findCacheBypass({}, {.fxGraphCache = false})->reason)
        return "the setting fx_graph_cache";
    if (reason == "Won't cache a graph with fakify_first_call enabled") return "fakify_first_call";
    dynamo::CacheNode node{.op = "call_function"};
    constexpr std::string_view module = ". \n Function module: ", name = ", \nFunction name: ";
    const auto target = between(reason, "Unsupported call_function target ", module);
    if (!target) return {};
    const std::size_t rest = reason.find(module) + module.size(), last = reason.find(name, rest);
    if (last == std::string::npos) return {};
    const auto orNothing = [](const std::string& text) { return text == "None" ? std::string() : text; };
    node.target = *target;
    node.targetModule = orNothing(reason.substr(rest, last - rest));
    node.targetName = orNothing(reason.substr(last + name.size()));
    const auto asked = dynamo::findCacheBypass({&node, 1});
    return asked && asked->reason == reason ? "a node of a hook's graph" : std::string();
}

std::vector<dynamo::CacheNode> cacheNodes(const json& list, const ir::Graph& graph) {
    std::map<std::string, bool> hasExample;
    std::vector<dynamo::CacheNode> nodes;
    for (const json& entry : list) {
        dynamo::CacheNode node;
        node.op = stringField(entry, "op");
        node.target = stringField(entry, "target");
        node.targetModule = stringField(entry, "target_module");
        node.targetName = stringField(entry, "target_name");
        node.wrapped = flag(entry, "is_wrapped", false);
        node.userCacheHash = stringField(entry, "user_cache_hash");
        hasExample[stringField(entry, "name")] = flag(entry, "has_example_value", false);
        if (const auto place = graph.find(stringField(entry, "name"));
            place != ir::npos && node.op == "call_method") {
            const ir::Node& call = graph.node(place);
            if (!call.args.empty() && call.args.front().isNode()) node.receiver = call.args.front().text;
            node.receiverHasExample = hasExample[node.receiver];
        }
        nodes.push_back(std::move(node));
    }
    return nodes;
}

} // namespace

void judgeBackendMatch(const json& oracleCase, CaseReport& report) {
    Part part(report, "compiled_by");
    const json& calls = field(oracleCase, "calls");
    const json& equal = field(oracleCase, "backends_compare_equal");
    if (!calls.is_array() || !equal.is_boolean())
        return part.fail("calls and how backends compare are needed");
    dynamo::CodeCache cache;
    // The programs mark no size as dynamic, and have that turned off: an entry guards the size that it was
    // compiled for.
    std::vector<std::int64_t> sizes;
    json compiled = json::array();
    for (const json& call : calls) {
        const auto backend = number(call, "backend"), size = number(call, "size");
        if (!backend || !size) return part.fail("a call needs its backend and its size");
        const dynamo::Backend callable{static_cast<std::size_t>(*backend), "Backend",
                                       equal.get<bool>() ? "equal" : ""};
        const dynamo::CacheAnswer answer = cache.call(callable, [&](std::size_t entry) {
            return sizes[entry] == *size ? std::optional<std::string>() : "size mismatch";
        });
        const bool made = answer.kind == dynamo::CacheAnswer::Kind::Compiled;
        if (made) sizes.push_back(*size);
        compiled.push_back(made ? json::array({*backend}) : json());
    }
    part.compare(field(oracleCase, "compiled_by"), compiled);
    if (oracleCase.contains("n_backends")) {
        std::size_t backends = 0;
        for (const json& call : calls)
            backends = std::max<std::size_t>(backends, call["backend"].get<std::size_t>() + 1);
        Part(report, "backends").compare(field(oracleCase, "n_backends"), backends);
    }
}

void judgePgoNaming(const json& oracleCase, CaseReport& report) {
    const json& entries = field(oracleCase, "entries");
    const json& settings = field(oracleCase, "shape_env");
    if (!entries.is_array() || !settings.is_object())
        return Part(report, "names").fail("entries and the shape environment's settings are needed");
    dynamo::SymbolNames names(
        {flag(settings, "duck_shape", true), flag(settings, "specialize_zero_one", true)});
    json hashes = json::array(), texts = json::array();
    for (const json& entry : entries) {
        const auto policy = policyOf(stringField(entry, "dynamic"));
        const json& value = field(entry, "val");
        if (!policy || !(value.is_number_integer() || value.is_number_float()))
            return Part(report, "names").fail("an entry needs its value and whether it is dynamic");
        const std::string source = stringField(entry, "source");
        hashes.push_back(dynamo::hashedSymbolId(source));
        dynamo::SymbolRequest request{source, std::int64_t{0}, *policy};
        if (value.is_number_float())
            request.value = value.get<double>();
        else
            request.value = value.get<std::int64_t>();
        texts.push_back(names.create(request).text);
    }
    Part(report, "hashes").compare(field(oracleCase, "sha256_mod_100"), hashes);
    Part(report, "names").compare(field(oracleCase, "expected"), texts);
}

void judgeAutogradCache(const json& oracleCase, CaseReport& report) {
    const json& list = field(oracleCase, "nodes");
    const Result<ir::GraphPtr> graph = ir::readGraph(stringField(oracleCase, "graph"));
    if (!list.is_array() || !graph) return Part(report, "nodes").fail("a graph and its nodes are needed");
    json listed = json::array(), printed = json::array();
    for (const json& entry : list)
        listed.push_back(stringField(entry, "name") + ' ' + stringField(entry, "op"));
    for (const ir::NodePtr& node : (*graph)->nodes())
        if (node->op != ir::Op::Output)
            printed.push_back(node->name + ' ' + std::string(ir::opName(node->op)));
    printed.push_back("output output");
    Part(report, "graph's nodes").compare(listed, printed);
    const std::vector<dynamo::CacheNode> nodes = cacheNodes(list, **graph);
    json expected = json::array(), got = json::array();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto bypass = dynamo::findCacheBypass(std::span(nodes).subspan(i, 1));
        got.push_back(withoutAddresses(bypass ? "bypass: " + bypass->reason : "ok"));
        expected.push_back(withoutAddresses(stringField(list[i], "result")));
    }
    Part(report, "nodes").compare(expected, got);

    const std::string whole = stringField(oracleCase, "expected");
    const auto bypass = dynamo::findCacheBypass(nodes);
    if (const std::string cause = bypass ? std::string() : causeOutside(whole); !cause.empty()) {
        report.parts.push_back({"graph", CaseVerdict::Declined,
                                "PyTorch bypassed for " + cause + ", which the case does not hold"});
        return;
    }
    Part(report, "graph")
        .compare(withoutAddresses(whole),
                 withoutAddresses(bypass ? "bypass: " + bypass->reason : "cacheable"));
}

} // namespace dynascope::engine
