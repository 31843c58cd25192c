// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/storage.h"
#include "core/replay/plan.h"

#include <algorithm>

namespace dynascope::replay {

namespace {

constexpr std::uint32_t none = UINT32_MAX;
bool allocates(const ir::Node& node) {
    return node.op == ir::Op::CallFunction || node.op == ir::Op::CallMethod || node.op == ir::Op::CallModule;
}

/// Whether the node takes a tensor out of a tuple: the op before it made it.
ir::NodeIndex tupleOf(const ir::Graph& graph, ir::NodeIndex i) {
    const ir::Node& node = graph.node(i);
    if (!node.target.ends_with("getitem") || node.args.empty() || !node.args.front().isNode())
        return ir::npos;
    return graph.find(node.args.front().text);
}

constexpr std::uint64_t most = std::uint64_t(1) << 40;

/// Of a tensor with symbols among its sizes.
std::optional<std::uint64_t> symbolicBytes(const ir::Node& node, const ir::SymbolValues& symbols) {
    if (symbols.empty()) return std::nullopt;
    ir::TensorMeta meta = *node.meta->tensor;
    for (std::string& size : meta.sizes) {
        const std::optional<std::int64_t> value = ir::symbolValue(size, symbols);
        if (!value || *value < 0) return std::nullopt;
        size = std::to_string(*value);
    }
    const std::optional<std::uint64_t> bytes = meta.bytes();
    return bytes && *bytes <= most ? bytes : std::nullopt;
}

} // namespace

std::optional<std::uint64_t> tensorBytes(const ir::Node& node) {
    if (!node.meta || !node.meta->tensor) return std::nullopt;
    const std::optional<std::uint64_t> bytes = node.meta->tensor->bytes();
    return bytes && *bytes <= most ? bytes : std::nullopt;
}

GraphBlocks blocksOf(const ir::Graph& graph, std::uint64_t alignment, const ir::SymbolValues& symbols) {
    GraphBlocks out;
    const std::vector<ir::NodeIndex> roots = ir::storageRoots(graph, ir::FunctionalForms::NewStorage);
    std::vector<std::uint32_t> blockOf(graph.size(), none); // by root
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        const ir::Node& node = graph.node(i);
        if (roots[i] == i && allocates(node) && node.meta && node.meta->tensor) {
            std::optional<std::uint64_t> bytes = tensorBytes(node);
            if (!bytes) {
                bytes = symbolicBytes(node, symbols);
                if (bytes) ++out.bySymbols;
            }
            if (!bytes) {
                ++out.unknown;
            } else {
                // What is taken out of a tuple was allocated with it.
                const ir::NodeIndex tuple = tupleOf(graph, i);
                const ir::NodeIndex maker = tuple < i ? tuple : i;
                blockOf[i] = static_cast<std::uint32_t>(out.blocks.size());
                out.blocks.push_back({*bytes, maker, i});
                out.makers.push_back(maker);
            }
        }
        for (const ir::NodeIndex input : graph.inputs(i))
            if (const std::uint32_t block = input < i ? blockOf[roots[input]] : none; block != none)
                out.blocks[block].last = std::max(out.blocks[block].last, i);
    }
    // What the graph returns outlives its last op.
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        if (graph.node(i).op != ir::Op::Output) continue;
        for (const ir::NodeIndex input : graph.inputs(i))
            if (const std::uint32_t block = blockOf[roots[input]]; block != none)
                out.blocks[block].last = static_cast<std::uint32_t>(graph.size());
    }
    for (const Block& block : out.blocks)
        out.keepAllBytes += (block.bytes + alignment - 1) & ~(alignment - 1);
    return out;
}

} // namespace dynascope::replay
