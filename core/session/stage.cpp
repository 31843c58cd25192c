// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/text.h"
#include "core/session/session.h"

#include <atomic>

namespace dynascope::session {

struct Stage::Cache {
    std::mutex mutex;
    std::optional<Result<ir::GraphPtr>> graph;
    std::optional<std::size_t> nodes;
    std::optional<std::size_t> kernels;
};

namespace {

Result<ir::GraphPtr> readStage(const std::string& text) {
    Result<ir::GraphPtr> graph = ir::readGraph(text);
    if (graph) return graph;
    // An ExportedProgram indents its graph and says more below it.
    ir::PastedGraphs found = ir::readPasted(text);
    if (found.graphs.size() == 1 && found.problems.empty()) return std::move(found.graphs.front().graph);
    return graph;
}

std::size_t countKernels(std::string_view code) {
    constexpr std::string_view call = "async_compile.";
    std::size_t count = 0;
    for (std::size_t at = code.find(call); at != std::string_view::npos; at = code.find(call, at)) {
        at += call.size();
        const std::string_view rest = code.substr(at, 5);
        if (rest != "wait(") ++count;
    }
    return count;
}

} // namespace

StageId Stage::newId() {
    static std::atomic<std::uint64_t> last{0};
    return static_cast<StageId>(++last);
}

std::shared_ptr<Stage::Cache> Stage::makeCache() {
    return std::make_shared<Cache>();
}

void Stage::setGraph(ir::GraphPtr graph) {
    m_cache->nodes = graph->size();
    m_cache->graph = std::move(graph);
}

std::string Stage::label() const {
    return k == 0 ? name : name + '#' + std::to_string(k);
}

std::string Stage::shortLabel() const {
    std::string out = name;
    if (out.ends_with("_graph")) out.resize(out.size() - 6);
    if (out.starts_with("inductor_")) out.erase(0, 9);
    return k == 0 ? out : out + '#' + std::to_string(k);
}

Result<ir::GraphPtr> Stage::graph() const {
    if (content == Content::Code) return failure(label() + " is generated code, which has no graph");
    const std::lock_guard lock(m_cache->mutex);
    if (!m_cache->graph) {
        // What another machine did not send is asked for again the next time.
        const Result<std::string> text = payload.read();
        if (!text) return tl::unexpected(text.error());
        m_cache->graph = readStage(*text);
        m_cache->nodes = *m_cache->graph ? (**m_cache->graph)->size() : 0;
    }
    return *m_cache->graph;
}

bool Stage::isRead() const {
    const std::unique_lock lock(m_cache->mutex, std::try_to_lock);
    return lock && m_cache->graph.has_value();
}

std::size_t Stage::nodeCount() const {
    if (content == Content::Code) return 0;
    const std::lock_guard lock(m_cache->mutex);
    // Counting alone keeps no graph: a session may hold hundreds of stages.
    if (!m_cache->nodes) {
        const Result<std::string> text = payload.read();
        if (!text) return 0;
        const Result<ir::GraphPtr> graph = readStage(*text);
        m_cache->nodes = graph ? (*graph)->size() : 0;
    }
    return *m_cache->nodes;
}

std::size_t Stage::kernelCount() const {
    if (content != Content::Code) return 0;
    const std::lock_guard lock(m_cache->mutex);
    if (!m_cache->kernels) {
        const Result<std::string> text = payload.read();
        if (!text) return 0;
        m_cache->kernels = countKernels(*text);
    }
    return *m_cache->kernels;
}

} // namespace dynascope::session
