// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/cuda_graph.h"

#include "core/replay/cuda_graph_fields.h"

#include <algorithm>
#include <cstdio>

namespace dynascope::wire {

DYNASCOPE_WIRE(replay::CudaGraph)

} // namespace dynascope::wire

namespace dynascope::replay {

namespace {

using nlohmann::json;

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

} // namespace

std::string_view cudaNodeKindName(CudaNodeKind kind) {
    return wire::Words<CudaNodeKind>::of[static_cast<std::size_t>(kind)];
}

CudaDetail emptyDetail(CudaNodeKind kind) {
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

bool CudaKernelParam::isWhole() const {
    return bytes.empty() || (bytes.size() == std::size_t{2} * size &&
                             std::ranges::all_of(bytes, [](char c) { return digit(c) >= 0; }));
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

bool CudaGraph::isMadeBy(std::size_t count) const {
    const auto isMade = [count](const CudaNode& node) { return !node.maker || *node.maker < count; };
    return std::ranges::all_of(
        graphs, [&](const CudaSubgraph& graph) { return std::ranges::all_of(graph.nodes, isMade); });
}

bool CudaGraph::isNested() const {
    for (std::size_t i = 0; i < graphs.size(); ++i)
        for (const CudaNode& node : graphs[i].nodes)
            if (const auto* inner = std::get_if<CudaInner>(&node.detail))
                for (const std::uint32_t index : inner->graphs)
                    if (index <= i || index >= graphs.size()) return false;
    return true;
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
    return wire::encode(graph);
}

Result<CudaGraph> cudaGraphFromJson(const json& document) {
    return wire::decode<CudaGraph>(document);
}

} // namespace dynascope::replay
