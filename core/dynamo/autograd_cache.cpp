// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/autograd_cache.h"

#include "core/dynamo/cacheable_functions.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace dynascope::dynamo {

namespace {

bool contains(std::span<const std::string_view> names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

bool inModule(std::string_view name, std::string_view module) {
    return name == module || (name.starts_with(module) && name[module.size()] == '.');
}

bool isCacheableFunction(const CacheNode& node, const CacheSettings& settings) {
    static constexpr std::array<std::string_view, 2> outside = {"einops.einops.rearrange",
                                                                "einops.einops.repeat"};
    const std::string name = node.targetModule + '.' + node.targetName;
    if (inModule(node.targetModule, "torch._ops") || inModule(node.targetModule, "torch.ops")) {
        // The object of an overload or a packet, or a higher-order operator, which decides for itself.
        return node.cacheableOperator;
    }
    if (node.target.starts_with("<built-in ") || contains(outside, name)) return true;
    if (std::find(settings.markedCacheable.begin(), settings.markedCacheable.end(), name) !=
        settings.markedCacheable.end())
        return true;
    if (name == "torch.autograd.function.FunctionCtx") return settings.customAutogradFunctions;
    // What Dynamo makes of a function of NumPy, which torch._numpy has.
    if (node.targetModule == "torch._dynamo.utils" && node.target.starts_with("<Wrapped function <original "))
        return true;
    return isCacheableTorchFunction(node.targetModule, node.targetName);
}

/// How Python writes an attribute that is None.
std::string_view orNone(std::string_view text) {
    return text.empty() ? "None" : text;
}

std::string bypassOf(const CacheNode& node, const CacheSettings& settings) {
    if (node.op == "call_function") {
        if (node.wrapped && !node.userCacheHash.empty()) return {};
        if (isCacheableFunction(node, settings)) return {};
        return std::string("Unsupported call_function target ")
            .append(node.target)
            .append(". \n Function module: ")
            .append(orNone(node.targetModule))
            .append(", \nFunction name: ")
            .append(orNone(node.targetName));
    }
    if (node.op == "call_method") {
        if (node.receiverHasExample) return {};
        // The module is that of the node object, whose class gives it.
        return "Unsupported call_method target " + node.receiver +
               ". \nMethod module: torch.fx.node, \nMethod name: None";
    }
    static constexpr std::array<std::string_view, 4> safe = {"placeholder", "get_attr", "call_module",
                                                             "output"};
    return contains(safe, node.op) ? std::string() : "Unsupported node op " + node.op;
}

} // namespace

std::optional<CacheBypass> findCacheBypass(std::span<const CacheNode> nodes, const CacheSettings& settings) {
    if (settings.freezing)
        return CacheBypass{CacheBypass::wholeGraph, "Cannot cache a graph with freezing enabled"};
    if (!settings.fxGraphCache) return CacheBypass{CacheBypass::wholeGraph, "FX graph cache is not enabled"};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (std::string reason = bypassOf(nodes[i], settings); !reason.empty())
            return CacheBypass{i, std::move(reason)};
    }
    return {};
}

} // namespace dynascope::dynamo
