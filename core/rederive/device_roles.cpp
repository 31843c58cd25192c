// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/device_roles.h"

#include "core/diff/canonical.h"
#include "core/ir/empty_like.h"
#include "core/passes/match_in_order.h"

namespace dynascope::engine {

namespace {

constexpr std::string_view cpu = "cpu", meta = "meta";
constexpr int maxDepth = 32; ///< of graphs in graphs

template <typename Fn>
void eachDevice(ir::Argument& argument, const Fn& fn) {
    if (argument.kind == ir::Argument::Kind::Device) fn(argument);
    for (ir::Argument& item : argument.items)
        eachDevice(item, fn);
}

template <typename Fn>
void eachDevice(ir::Node& node, const Fn& fn) {
    for (ir::Argument& argument : node.args)
        eachDevice(argument, fn);
    for (auto& [name, argument] : node.kwargs)
        eachDevice(argument, fn);
}

void setDevice(ir::Argument& argument, const std::string& device) {
    argument.text = device;
    argument.spelling.clear();
}

/// The graph with each device but "meta" changed by `deviceOf`, and the graphs that it keeps.
template <typename Fn>
ir::GraphPtr renamed(const ir::Graph& graph, const Fn& deviceOf, int depth = 0) {
    ir::GraphBuilder builder;
    builder.setName(graph.name()).setStyle(graph.style());
    for (const std::string& name : graph.subgraphOrder()) {
        const ir::GraphPtr& inner = graph.subgraphs().find(name)->second;
        builder.addSubgraph(name, depth < maxDepth ? renamed(*inner, deviceOf, depth + 1) : inner);
    }
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        ir::Node node = graph.node(i);
        eachDevice(node, [&](ir::Argument& argument) {
            const std::string device = diff::detail::canonicalScalar(argument);
            if (device != meta) setDevice(argument, deviceOf(device));
        });
        if (node.meta && node.meta->tensor && !node.meta->tensor->device.empty() &&
            node.meta->tensor->device != meta)
            node.meta->tensor->device = deviceOf(node.meta->tensor->device);
        builder.add(std::move(node));
    }
    return builder.build();
}

ir::GraphPtr onCpu(const ir::Graph& graph) {
    return renamed(graph, [](const std::string&) { return std::string(cpu); });
}

} // namespace

std::set<std::string> devicesOf(const ir::Graph& graph) {
    std::set<std::string> out;
    for (const ir::NodePtr& node : graph.nodes()) {
        if (node->meta && node->meta->tensor) out.insert(node->meta->tensor->device);
        ir::Node copy = *node;
        eachDevice(copy, [&](ir::Argument& device) { out.insert(diff::detail::canonicalScalar(device)); });
    }
    out.erase("");
    out.erase(std::string(meta));
    return out;
}

WithDevices withDevicesOf(const ir::Graph& captured, const ir::GraphPtr& derived) {
    WithDevices out{derived, devicesOf(captured), false};
    if (out.captured.empty() || (out.captured.size() == 1 && out.captured.contains(std::string(cpu))))
        return out;
    if (out.captured.size() == 1) {
        const std::string& only = *out.captured.begin();
        out.graph =
            renamed(*derived, [&](const std::string& device) { return device == cpu ? only : device; });
        return out;
    }
    out.areMerged = true;
    const std::size_t same = passes::matchInOrder(*onCpu(captured), *onCpu(*derived)).matched;
    ir::GraphBuilder builder = ir::emptyLike(*derived);
    for (ir::NodeIndex i = 0; i < derived->size(); ++i) {
        if (i >= same) {
            builder.add(derived->nodes()[i]);
            continue;
        }
        ir::Node node = derived->node(i), model = captured.node(i);
        if (node.meta && node.meta->tensor && model.meta && model.meta->tensor)
            node.meta->tensor->device = model.meta->tensor->device;
        std::vector<std::string> devices;
        eachDevice(model,
                   [&](ir::Argument& device) { devices.push_back(diff::detail::canonicalScalar(device)); });
        std::size_t next = 0;
        eachDevice(node, [&](ir::Argument& device) {
            if (next < devices.size()) setDevice(device, devices[next]);
            ++next;
        });
        builder.add(std::move(node));
    }
    out.graph = builder.build();
    return out;
}

} // namespace dynascope::engine
