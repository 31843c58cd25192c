// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/cuda_graph.h"

#include <algorithm>
#include <cstdio>

namespace dynascope::replay {

namespace {

using nlohmann::json;

constexpr std::array kindNames{"kernel",           "memcpy",         "memset",     "host",
                               "child graph",      "empty",          "wait event", "event record",
                               "semaphore signal", "semaphore wait", "alloc",      "free",
                               "batch mem op",     "conditional",    "other"};

[[noreturn]] void refuse(const std::string& why) {
    throw json::other_error::create(500, why, nullptr);
}

std::string hex(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

std::string bytesText(std::uint64_t bytes) {
    char text[32];
    if (bytes < 1024) return std::to_string(bytes) + " B";
    if (bytes < std::uint64_t{1} << 20) {
        std::snprintf(text, sizeof text, "%.1f KiB", static_cast<double>(bytes) / 1024);
    } else {
        std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1024.0 * 1024));
    }
    return text;
}

/// "4", or "(4, 2, 1)" where more than the first counts.
std::string dimText(const std::array<std::uint32_t, 3>& dim) {
    if (dim[1] == 1 && dim[2] == 1) return std::to_string(dim[0]);
    return '(' + std::to_string(dim[0]) + ", " + std::to_string(dim[1]) + ", " + std::to_string(dim[2]) + ')';
}

int digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

// Of each kind of detail: its name in JSON, and both ways.

json detailJson(const CudaKernel& kernel) {
    json params = json::array();
    for (const CudaKernelParam& param : kernel.params)
        params.push_back(json::array({param.offset, param.size, param.bytes}));
    return {{"function", kernel.function},  {"label", kernel.label},
            {"grid", kernel.grid},          {"block", kernel.block},
            {"shared", kernel.sharedBytes}, {"params", kernel.paramsKnown ? std::move(params) : json()}};
}
json detailJson(const CudaMemcpy& copy) {
    return {
        {"from", copy.from},        {"to", copy.to},         {"source", copy.source}, {"target", copy.target},
        {"width", copy.widthBytes}, {"height", copy.height}, {"depth", copy.depth}};
}
json detailJson(const CudaMemset& set) {
    return {{"target", set.target}, {"value", set.value},   {"element", set.elementBytes},
            {"width", set.width},   {"height", set.height}, {"pitch", set.pitchBytes}};
}
json detailJson(const CudaAlloc& alloc) {
    return {{"address", alloc.address}, {"bytes", alloc.bytes}};
}
json detailJson(const CudaFree& release) {
    return {{"address", release.address}};
}
json detailJson(const CudaInner& inner) {
    return {{"condition", inner.condition}, {"graphs", inner.graphs}, {"known", inner.known}};
}
json detailJson(const std::monostate& /*none*/) {
    return {};
}

void read(const json& value, CudaKernel& out) {
    value.at("function").get_to(out.function);
    value.at("label").get_to(out.label);
    value.at("grid").get_to(out.grid);
    value.at("block").get_to(out.block);
    value.at("shared").get_to(out.sharedBytes);
    out.paramsKnown = !value.at("params").is_null();
    for (const json& row : value.at("params")) {
        CudaKernelParam& param = out.params.emplace_back();
        row.at(0).get_to(param.offset);
        row.at(1).get_to(param.size);
        row.at(2).get_to(param.bytes);
        const bool whole =
            param.bytes.size() == std::size_t{2} * param.size &&
            std::all_of(param.bytes.begin(), param.bytes.end(), [](char c) { return digit(c) >= 0; });
        if (!param.bytes.empty() && !whole) refuse("the bytes of a parameter are not what its size says");
    }
}
void read(const json& value, CudaMemcpy& out) {
    value.at("from").get_to(out.from);
    value.at("to").get_to(out.to);
    value.at("source").get_to(out.source);
    value.at("target").get_to(out.target);
    value.at("width").get_to(out.widthBytes);
    value.at("height").get_to(out.height);
    value.at("depth").get_to(out.depth);
}
void read(const json& value, CudaMemset& out) {
    value.at("target").get_to(out.target);
    value.at("value").get_to(out.value);
    value.at("element").get_to(out.elementBytes);
    value.at("width").get_to(out.width);
    value.at("height").get_to(out.height);
    value.at("pitch").get_to(out.pitchBytes);
}
void read(const json& value, CudaAlloc& out) {
    value.at("address").get_to(out.address);
    value.at("bytes").get_to(out.bytes);
}
void read(const json& value, CudaFree& out) {
    value.at("address").get_to(out.address);
}
void read(const json& value, CudaInner& out) {
    value.at("condition").get_to(out.condition);
    value.at("graphs").get_to(out.graphs);
    value.at("known").get_to(out.known);
}

CudaNodeKind kindFrom(const std::string& name) {
    const auto found = std::find(kindNames.begin(), kindNames.end(), name);
    if (found == kindNames.end()) refuse("no kind of node '" + name + "'");
    return static_cast<CudaNodeKind>(found - kindNames.begin());
}

/// The detail that nodes of the kind have.
decltype(CudaNode::detail) emptyDetail(CudaNodeKind kind) {
    switch (kind) {
    case CudaNodeKind::Kernel:
        return CudaKernel();
    case CudaNodeKind::Memcpy:
        return CudaMemcpy();
    case CudaNodeKind::Memset:
        return CudaMemset();
    case CudaNodeKind::Alloc:
        return CudaAlloc();
    case CudaNodeKind::Free:
        return CudaFree();
    case CudaNodeKind::ChildGraph:
    case CudaNodeKind::Conditional:
        return CudaInner();
    default:
        return std::monostate();
    }
}

json nodeJson(const CudaNode& node) {
    json out{{"kind", cudaNodeKindName(node.kind)}};
    if (node.maker) out["maker"] = *node.maker;
    if (node.id != 0) out["id"] = node.id;
    json detail = std::visit([](const auto& value) { return detailJson(value); }, node.detail);
    if (!detail.is_null()) out["detail"] = std::move(detail);
    return out;
}

CudaNode nodeFrom(const json& value) {
    CudaNode out;
    out.kind = kindFrom(value.at("kind").get_ref<const std::string&>());
    if (value.contains("maker")) out.maker = value.at("maker").get<std::uint32_t>();
    if (value.contains("id")) value.at("id").get_to(out.id);
    if (!value.contains("detail")) return out;
    out.detail = emptyDetail(out.kind);
    std::visit(
        [&](auto& detail) {
            if constexpr (!std::is_same_v<std::remove_reference_t<decltype(detail)>, std::monostate>)
                read(value.at("detail"), detail);
        },
        out.detail);
    return out;
}

CudaGraph readGraph(const json& document) {
    CudaGraph out;
    document.at("device").get_to(out.device);
    document.at("driver").get_to(out.driverVersion);
    document.at("warnings").get_to(out.warnings);
    const json& graphs = document.at("graphs");
    if (!graphs.is_array() || graphs.empty() || graphs.size() > maxCudaGraphs)
        refuse("there is no graph, or there are too many");
    for (const json& value : graphs) {
        CudaSubgraph& graph = out.graphs.emplace_back();
        for (const json& node : value.at("nodes")) {
            graph.nodes.push_back(nodeFrom(node));
            if (const auto* inner = std::get_if<CudaInner>(&graph.nodes.back().detail))
                for (const std::uint32_t index : inner->graphs)
                    if (index < out.graphs.size() || index >= graphs.size())
                        refuse("an inner graph that does not follow the one that has it");
        }
        for (const json& row : value.at("edges")) {
            graph.edges.push_back({row.at(0).get<std::uint32_t>(), row.at(1).get<std::uint32_t>(),
                                   row.at(2).get<std::uint8_t>(), row.at(3).get<std::uint8_t>(),
                                   row.at(4).get<std::uint8_t>()});
            if (std::max(graph.edges.back().from, graph.edges.back().to) >= graph.nodes.size())
                refuse("an edge that leads nowhere");
        }
    }
    return out;
}

} // namespace

std::string_view cudaNodeKindName(CudaNodeKind kind) {
    return kindNames[static_cast<std::size_t>(kind)];
}

std::optional<std::uint64_t> CudaKernelParam::number() const {
    if (size == 0 || size > 8 || bytes.size() != std::size_t{2} * size) return std::nullopt;
    std::uint64_t out = 0;
    for (std::size_t i = size; i-- > 0;)
        out = out << 8 | static_cast<std::uint64_t>(digit(bytes[2 * i]) << 4 | digit(bytes[2 * i + 1]));
    return out;
}

std::size_t CudaGraph::count(CudaNodeKind kind) const {
    std::size_t out = 0;
    for (const CudaSubgraph& graph : graphs)
        out += static_cast<std::size_t>(std::count_if(
            graph.nodes.begin(), graph.nodes.end(), [&](const CudaNode& node) { return node.kind == kind; }));
    return out;
}

std::string describe(const CudaNode& node) {
    std::string kind(cudaNodeKindName(node.kind));
    if (const auto* kernel = std::get_if<CudaKernel>(&node.detail))
        return (kernel->label.empty() ? kernel->function : kernel->label) + "<<<" + dimText(kernel->grid) +
               ", " + dimText(kernel->block) +
               (kernel->sharedBytes > 0 ? ", " + std::to_string(kernel->sharedBytes) : std::string()) + ">>>";
    if (const auto* copy = std::get_if<CudaMemcpy>(&node.detail)) {
        std::string size = bytesText(copy->widthBytes);
        if (copy->height != 1 || copy->depth != 1)
            size += " x " + std::to_string(copy->height) + " x " + std::to_string(copy->depth);
        return kind + ' ' + copy->from + " to " + copy->to + ", " + size;
    }
    if (const auto* set = std::get_if<CudaMemset>(&node.detail)) {
        std::string cells = std::to_string(set->width);
        if (set->height != 1) cells += " x " + std::to_string(set->height);
        return kind + ' ' + cells + " x " + std::to_string(set->elementBytes) + " B to " + hex(set->value);
    }
    if (const auto* alloc = std::get_if<CudaAlloc>(&node.detail))
        return kind + ' ' + bytesText(alloc->bytes) + " at " + hex(alloc->address);
    if (const auto* release = std::get_if<CudaFree>(&node.detail)) return kind + ' ' + hex(release->address);
    if (const auto* inner = std::get_if<CudaInner>(&node.detail)) {
        std::string text = inner->condition.empty() ? kind : kind + ' ' + inner->condition;
        if (!inner->known) return text + ", bodies not known";
        const std::size_t count = inner->graphs.size();
        return text + ", " + std::to_string(count) + (count == 1 ? " graph" : " graphs");
    }
    return kind;
}

json toJson(const CudaGraph& graph) {
    json graphs = json::array();
    for (const CudaSubgraph& sub : graph.graphs) {
        json nodes = json::array(), edges = json::array();
        for (const CudaNode& node : sub.nodes)
            nodes.push_back(nodeJson(node));
        for (const CudaEdge& edge : sub.edges)
            edges.push_back(json::array({edge.from, edge.to, edge.fromPort, edge.toPort, edge.type}));
        graphs.push_back({{"nodes", std::move(nodes)}, {"edges", std::move(edges)}});
    }
    return {{"device", graph.device},
            {"driver", graph.driverVersion},
            {"graphs", std::move(graphs)},
            {"warnings", graph.warnings}};
}

Result<CudaGraph> cudaGraphFromJson(const json& document) {
    try {
        return readGraph(document);
    } catch (const json::exception& error) {
        return failure(std::string("not a CUDA graph: ") + error.what());
    }
}

} // namespace dynascope::replay
