// SPDX-License-Identifier: BSD-3-Clause
//
// Whether AOTAutograd's cache can hold what is compiled from a graph, and if not, at which node and why.
//
// Source: torch/_functorch/_aot_autograd/autograd_cache.py of PyTorch 2.13, check_cacheable and
// check_node_safe.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dynascope::dynamo {

/// An FX node, as far as the cache's check sees it.
struct CacheNode {
    std::string op = {};     ///< "call_function"
    std::string target = {}; ///< of a call_function, Python's text of the object: "<built-in method relu
                             ///< ...>", "aten.relu.default"
    std::string targetModule = {}; ///< __module__, empty for none
    std::string targetName = {};   ///< __name__, empty for none
    bool wrapped = false;          ///< torch.fx.wrap, meta["is_wrapped"]
    std::string userCacheHash = {};
    bool cacheableOperator = true; ///< of a higher-order operator: what its cacheable() says
    /// Of a call_method: the node it is called on, and whether that one has an example_value, as tensors do.
    std::string receiver = {};
    bool receiverHasExample = false;
};

struct CacheSettings {
    bool freezing = false;    ///< torch._inductor.config.freezing
    bool fxGraphCache = true; ///< torch._inductor.config.fx_graph_cache, or the remote one
    /// torch._functorch.config.autograd_cache_allow_custom_autograd_functions
    bool customAutogradFunctions = true;
    /// torch._inductor.config.unsafe_marked_cacheable_functions
    std::vector<std::string> markedCacheable = {};
};

struct CacheBypass {
    static constexpr std::size_t wholeGraph = static_cast<std::size_t>(-1);
    std::size_t node = wholeGraph; ///< position in the list that was asked about
    std::string reason;            ///< PyTorch's text
};

/// The first node of the list that is not safe, nothing where all are. The settings are asked before. Hook
/// graphs (pack, then unpack) are asked in a call each, as PyTorch does after the graph's own nodes.
[[nodiscard]] std::optional<CacheBypass> findCacheBypass(std::span<const CacheNode> nodes,
                                                         const CacheSettings& settings = {});

} // namespace dynascope::dynamo
