// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/cuda_dot.h"

#include "core/base/text.h"
#include "core/ir/dot_text.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace dynascope::replay {

namespace {

constexpr std::string_view capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";

/// Without the backslashes by which record labels escape their own signs.
std::string unescaped(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) ++i;
        out += text[i];
    }
    return out;
}

DotNode nodeOf(std::string name, std::string_view label) {
    DotNode out{std::move(name), {}, {}, {}};
    std::string_view text = label.substr(std::min(label.find_first_not_of("{ \r\n"), label.size()));
    out.kind = text.substr(0, text.find_first_not_of(capitals));
    // {ID | 0 (topoId: 3) | NAME\<\<\<GRID,BLOCK,SHARED\>\>\>}
    constexpr std::string_view open = "\\<\\<\\<", close = "\\>\\>\\>";
    const std::size_t launch = text.find(open);
    if (launch == std::string_view::npos) return out;
    const std::size_t bar = text.rfind('|', launch);
    const std::size_t begin = bar == std::string_view::npos ? 0 : bar + 1;
    out.function = unescaped(trimmed(text.substr(begin, launch - begin)));
    text.remove_prefix(launch + open.size());
    out.launch = unescaped(text.substr(0, text.find(close)));
    return out;
}

/// The outermost subgraphs, each with what the subgraphs within it hold. A node is of every one that names it.
class Clusters final : public ir::DotListener {
public:
    void onBegin(const std::string& name) override {
        if (m_depth++ == 0) {
            m_out.emplace_back().name = name;
            m_nodes.clear();
        }
    }
    void onEnd() override { --m_depth; }
    void onStatement(ir::DotStatement statement) override {
        if (m_depth == 0) return;
        DotCluster& cluster = m_out.back();
        cluster.edges += statement.chain.size() - 1;
        for (std::string& name : statement.chain)
            if (m_nodes.try_emplace(name, cluster.nodes.size()).second)
                cluster.nodes.push_back(nodeOf(name, {}));
        if (!statement.isNode()) return;
        const std::string& name = statement.chain.front();
        cluster.nodes[m_nodes[name]] = nodeOf(name, statement.label);
    }
    [[nodiscard]] std::vector<DotCluster> take() { return std::move(m_out); }

private:
    std::vector<DotCluster> m_out;
    std::unordered_map<std::string, std::size_t> m_nodes; ///< of the last cluster, by name
    std::size_t m_depth = 0;
};

std::string dotDims(const std::array<std::uint32_t, 3>& dim) {
    std::size_t last = 2;
    while (last > 0 && dim[last] == 1)
        --last;
    if (last == 0) return std::to_string(dim[0]);
    std::string out = "{" + std::to_string(dim[0]);
    for (std::size_t i = 1; i <= last; ++i)
        out += ',' + std::to_string(dim[i]);
    return out + '}';
}

/// The dump's word for a kind; empty where it is not known.
std::string_view dotWord(CudaNodeKind kind) {
    switch (kind) {
    case CudaNodeKind::Kernel:
        return "KERNEL";
    case CudaNodeKind::Memcpy:
        return "MEMCPY";
    case CudaNodeKind::Memset:
        return "MEMSET";
    case CudaNodeKind::Host:
        return "HOST";
    case CudaNodeKind::ChildGraph:
        return "GRAPH";
    case CudaNodeKind::Empty:
        return "EMPTY";
    case CudaNodeKind::WaitEvent:
        return "WAIT_EVENT";
    case CudaNodeKind::EventRecord:
        return "EVENT_RECORD";
    case CudaNodeKind::SemaphoreSignal:
        return "EXT_SEMAS_SIGNAL";
    case CudaNodeKind::SemaphoreWait:
        return "EXT_SEMAS_WAIT";
    case CudaNodeKind::Alloc:
        return "MEM_ALLOC";
    case CudaNodeKind::Free:
        return "MEM_FREE";
    case CudaNodeKind::BatchMemOp:
        return "BATCH_MEM_OP";
    case CudaNodeKind::Conditional:
        return "CONDITIONAL";
    case CudaNodeKind::Other:
        break;
    }
    return {};
}

using Counts = std::map<std::string, std::ptrdiff_t>;

void tell(const Counts& read, const Counts& dumped, std::string_view what, std::vector<std::string>& out) {
    Counts all = read;
    all.insert(dumped.begin(), dumped.end());
    for (const auto& [name, unused] : all) {
        const auto of = [&name = name](const Counts& counts) {
            const auto found = counts.find(name);
            return found == counts.end() ? 0 : found->second;
        };
        if (of(read) != of(dumped))
            out.push_back("the DOT dump has " + std::to_string(of(dumped)) + ' ' + std::string(what) + ' ' +
                          name + " where " + std::to_string(of(read)) + " were read");
    }
}

} // namespace

Result<std::vector<DotCluster>> readCudaDot(std::string_view text) {
    Clusters clusters;
    if (!ir::readDot(text, clusters)) return failure("the dump of the CUDA graph is no DOT");
    return clusters.take();
}

std::vector<std::string> compareWithDot(const CudaGraph& graph, const std::vector<DotCluster>& dump) {
    Counts kinds, dumpedKinds, kernels, dumpedKernels;
    std::size_t edges = 0, dumpedEdges = 0;
    bool allKnown = true;
    for (const CudaSubgraph& sub : graph.graphs) {
        edges += sub.edges.size();
        for (const CudaNode& node : sub.nodes) {
            if (const std::string_view word = dotWord(node.kind); !word.empty()) ++kinds[std::string(word)];
            if (const auto* inner = std::get_if<CudaInner>(&node.detail)) allKnown &= inner->known;
            if (const auto* kernel = std::get_if<CudaKernel>(&node.detail))
                ++kernels[kernel->function + "<<<" + dotDims(kernel->grid) + ',' + dotDims(kernel->block) +
                          ',' + std::to_string(kernel->sharedBytes) + ">>>"];
        }
    }
    std::vector<std::string> out;
    if (!allKnown && dump.size() > graph.graphs.size()) {
        // Bodies of conditionals, which only the dump shows: what is left to compare is the graph around
        // them.
        std::size_t more = 0;
        for (std::size_t i = graph.graphs.size(); i < dump.size(); ++i)
            more += dump[i].nodes.size();
        out.push_back("the DOT dump shows " + std::to_string(dump.size() - graph.graphs.size()) +
                      " graphs within conditionals, of " + std::to_string(more) +
                      " nodes, that the driver has no call to read");
    }
    for (std::size_t i = 0; i < dump.size() && (allKnown || i < graph.graphs.size()); ++i) {
        dumpedEdges += dump[i].edges;
        for (const DotNode& node : dump[i].nodes) {
            ++dumpedKinds[node.kind];
            if (!node.function.empty()) ++dumpedKernels[node.function + "<<<" + node.launch + ">>>"];
        }
    }
    tell(kinds, dumpedKinds, "nodes of kind", out);
    tell(kernels, dumpedKernels, "launches of", out);
    if (edges != dumpedEdges)
        out.push_back("the DOT dump has " + std::to_string(dumpedEdges) + " edges where " +
                      std::to_string(edges) + " were read");
    return out;
}

} // namespace dynascope::replay
