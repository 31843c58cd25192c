// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/provenance.h"

#include "core/diff/graph_diff.h"
#include "core/session/stage_links.h"

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace dynascope::session {

namespace {

using Reached = std::map<ir::NodeIndex, LinkEvidence>;

void reach(Reached& set, ir::NodeIndex node, LinkEvidence evidence) {
    const auto [known, isNew] = set.try_emplace(node, evidence);
    if (!isNew) known->second = std::min(known->second, evidence);
}

LinkEvidence evidenceOf(diff::Evidence evidence) {
    switch (evidence) {
    case diff::Evidence::Recorded: // no pass of ours stands between captured stages
    case diff::Evidence::SharedNode:
        return LinkEvidence::SharedNode;
    case diff::Evidence::Structure:
        return LinkEvidence::Structure;
    case diff::Evidence::Name:
        return LinkEvidence::Name;
    case diff::Evidence::StackTrace:
        return LinkEvidence::StackTrace;
    case diff::Evidence::Neighbourhood:
        break;
    }
    return LinkEvidence::Neighbourhood;
}

} // namespace

std::string_view linkEvidenceName(LinkEvidence evidence) {
    static constexpr std::array<std::string_view, 12> names = {
        "selected",      "Inductor's record", "source line", "comment",
        "shared node",   "structure",         "name",        "stack trace",
        "neighbourhood", "only kernel",       "kernel name", "fused with its users"};
    return names[static_cast<std::size_t>(evidence)];
}

bool namesFile(std::string_view path, std::string_view file) {
    if (!path.ends_with(file) || file.empty()) return false;
    return path.size() == file.size() || path[path.size() - file.size() - 1] == '/';
}

/// Everything that is known of the compile so far. Guarded by `mutex` as a whole.
struct Provenance::State {
    SessionPtr session;
    std::size_t index = 0;
    std::mutex mutex;
    StageTree tree;
    std::map<std::size_t, ir::GraphPtr> graphs;
    std::map<std::size_t, std::vector<diff::Link>> links; ///< parent to stage, by stage
    std::map<std::size_t, GeneratedCode> codes;
    std::map<std::size_t, InductorRecord> records; ///< by stage of generated code
    std::map<std::size_t, std::vector<KernelLink>> kernelLinks;

    [[nodiscard]] const Compile& compile() const { return session->compiles[index]; }

    /// Null where the stage cannot be read.
    const ir::GraphPtr& graph(std::size_t stage) {
        const auto [known, isNew] = graphs.try_emplace(stage);
        if (isNew)
            if (Result<ir::GraphPtr> read = compile().stages[stage]->graph())
                known->second = std::move(*read);
        return known->second;
    }

    const std::vector<diff::Link>& linksTo(std::size_t stage) {
        const auto [known, isNew] = links.try_emplace(stage);
        const std::size_t parent = tree.parent[stage];
        if (!isNew || parent == StageTree::none) return known->second;
        const ir::GraphPtr a = graph(parent), b = graph(stage);
        if (a && b) known->second = diff::diffGraphs(*a, *b).links;
        return known->second;
    }

    const GeneratedCode& codeOf(std::size_t stage) {
        const auto [known, isNew] = codes.try_emplace(stage);
        const Stage& of = *compile().stages[stage];
        if (isNew && of.content == Stage::Content::Code) known->second = readGeneratedCode(of.payload.text());
        return known->second;
    }

    const InductorRecord& recordOf(std::size_t code) {
        const auto [known, isNew] = records.try_emplace(code);
        const std::size_t record = tree.mapping[code];
        if (isNew && record != StageTree::none)
            known->second = readInductorRecord(session->records[record].payload.text());
        return known->second;
    }

    const std::vector<KernelLink>& kernelsOf(std::size_t code) {
        const auto [known, isNew] = kernelLinks.try_emplace(code);
        const std::size_t parent = tree.parent[code];
        if (!isNew || parent == StageTree::none || !graph(parent)) return known->second;
        // Comments name nodes of the graph that Inductor was given, or of the one before AOTAutograd; backward's above all
        // those that AOTAutograd made. Both may have a node of that name, and they have little in common then.
        const bool isBackward = tree.phases[parent] == Phase::PostGradBackward;
        const auto resolve = [&](const std::string& name) {
            const ir::NodeIndex own = graph(parent)->find(name);
            std::vector<ir::NodeIndex> out;
            if (isBackward && own != ir::npos) return std::vector{own};
            for (std::size_t at = tree.parent[parent]; at != StageTree::none; at = tree.parent[at]) {
                const ir::GraphPtr& from = graph(at);
                const ir::NodeIndex node = from ? from->find(name) : ir::npos;
                if (node == ir::npos) continue;
                // The graph nearest to the program is the one that is meant, so go on.
                if (const Reached below = descendTo(parent, at, node); !below.empty()) {
                    out.clear();
                    for (const auto& [reached, evidence] : below)
                        out.push_back(reached);
                }
            }
            if (out.empty() && own != ir::npos) out.push_back(own);
            return out;
        };
        known->second = linkKernels(*graph(parent), codeOf(code), recordOf(code), resolve);
        return known->second;
    }

    Reached step(const Reached& from, std::size_t stage, bool down) {
        Reached out;
        for (const diff::Link& link : linksTo(stage)) {
            const auto found = from.find(down ? link.a : link.b);
            if (found != from.end())
                reach(out, down ? link.b : link.a, std::max(found->second, evidenceOf(link.evidence)));
        }
        return out;
    }

    /// Composed links from a node of an ancestor.
    Reached descendTo(std::size_t stage, std::size_t ancestor, ir::NodeIndex node) {
        std::vector<std::size_t> path;
        for (std::size_t at = stage; at != ancestor && at != StageTree::none; at = tree.parent[at])
            path.push_back(at);
        Reached now = {{node, LinkEvidence::Selected}};
        for (std::size_t i = path.size(); i-- > 0;)
            now = step(now, path[i], true);
        return now;
    }

    /// What Inductor recorded between the pre-grad stage and this post-grad one, if both are its own.
    Reached recorded(const Reached& from, std::size_t fromStage, std::size_t toStage,
                     const NodeNames& names) {
        Reached out;
        const ir::GraphPtr &a = graph(fromStage), &b = graph(toStage);
        if (!a || !b) return out;
        for (const auto& [node, evidence] : from) {
            const auto found = names.find(a->node(node).name);
            if (found == names.end()) continue;
            for (const std::string& name : found->second)
                if (const ir::NodeIndex other = b->find(name); other != ir::npos)
                    reach(out, other, std::max(evidence, LinkEvidence::Record));
        }
        return out;
    }

    using Origins = std::vector<std::vector<ir::NodeIndex>>; ///< by node of the stage below

    /// What Inductor recorded of the nodes of a post-grad stage, in the pre-grad stage; no node has any where it is silent.
    Origins recordedOrigins(std::size_t stage, std::size_t pre) {
        Origins out(graph(stage)->size());
        const std::size_t code = codeBelow(stage);
        if (code == StageTree::none || !graph(pre)) return out;
        const NodeNames& names = recordOf(code).postToPre;
        for (ir::NodeIndex node = 0; node < out.size(); ++node) {
            const auto found = names.find(graph(stage)->node(node).name);
            if (found == names.end()) continue;
            for (const std::string& name : found->second)
                if (const ir::NodeIndex other = graph(pre)->find(name); other != ir::npos)
                    out[node].push_back(other);
        }
        return out;
    }

    /// The nodes of the parent of `at` that those of `below` come from.
    Origins upFrom(const Origins& below, std::size_t at) {
        Origins parents(graph(at)->size());
        for (const diff::Link& link : linksTo(at))
            if (link.evidence != diff::Evidence::Neighbourhood && link.b < parents.size())
                parents[link.b].push_back(link.a);
        Origins out(below.size());
        for (std::size_t node = 0; node < below.size(); ++node)
            for (const ir::NodeIndex mid : below[node])
                out[node].insert(out[node].end(), parents[mid].begin(), parents[mid].end());
        return out;
    }

    /// Provenance::originsIn(); all stages on the way are graphs that can be read.
    Origins origins(std::size_t stage, std::size_t above) {
        Origins now(graph(stage)->size());
        for (ir::NodeIndex node = 0; node < now.size(); ++node)
            now[node] = {node};
        const std::size_t pre = tree.preGrad(stage);
        for (std::size_t at = stage; at != above; at = tree.parent[at]) {
            now = upFrom(now, at);
            if (tree.parent[at] == pre) {
                Origins own = recordedOrigins(stage, pre);
                for (std::size_t node = 0; node < now.size(); ++node)
                    if (!own[node].empty()) now[node] = std::move(own[node]);
            }
            for (std::vector<ir::NodeIndex>& nodes : now) {
                std::ranges::sort(nodes);
                nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
            }
        }
        return now;
    }

    /// The code whose provenance record speaks of this post-grad stage.
    [[nodiscard]] std::size_t codeBelow(std::size_t stage) const {
        for (std::size_t i = stage + 1; i < tree.parent.size(); ++i)
            if (tree.parent[i] == stage && tree.mapping[i] != StageTree::none) return i;
        return StageTree::none;
    }

    /// From what was asked about to every stage: up to the roots, then down into the branches that lead
    /// elsewhere.
    std::map<std::size_t, Reached> follow(const std::map<std::size_t, Reached>& asked) {
        std::map<std::size_t, Reached> reached = asked;
        std::map<std::size_t, Reached>
            records; // what Inductor says of stages above; goes before our own links
        for (std::size_t at = tree.parent.size(); at-- > 0;) {
            if (const auto own = records.find(at); own != records.end() && asked.count(at) == 0)
                reached[at] = own->second;
            const auto found = reached.find(at);
            const std::size_t parent = tree.parent[at];
            if (found == reached.end() || parent == StageTree::none) continue;
            const Reached here = found->second;
            for (const auto& [node, evidence] : step(here, at, false))
                reach(reached[parent], node, evidence);
            const std::size_t code = codeBelow(at), pre = tree.preGrad(at);
            if (code == StageTree::none || pre == StageTree::none) continue;
            for (const auto& [node, evidence] : recorded(here, at, pre, recordOf(code).postToPre))
                reach(records[pre], node, evidence);
        }
        std::set<std::size_t> above;
        for (const auto& [stage, set] : asked)
            for (std::size_t at = stage; at != StageTree::none; at = tree.parent[at])
                above.insert(at);
        for (std::size_t stage = 0; stage < tree.parent.size(); ++stage) {
            const std::size_t parent = tree.parent[stage];
            if (parent == StageTree::none || above.count(stage) != 0 ||
                compile().stages[stage]->content != Stage::Content::Graph)
                continue;
            const auto found = reached.find(parent);
            Reached now = found == reached.end() ? Reached() : step(found->second, stage, true);
            const std::size_t code = codeBelow(stage), pre = tree.preGrad(stage);
            const auto from = pre == StageTree::none ? reached.end() : reached.find(pre);
            if (code != StageTree::none && from != reached.end())
                if (Reached own = recorded(from->second, pre, stage, recordOf(code).preToPost); !own.empty())
                    now = std::move(own);
            if (!now.empty()) reached[stage] = std::move(now);
        }
        return reached;
    }

    using Kernels = std::map<std::pair<std::size_t, std::size_t>, LinkEvidence>; ///< by stage and kernel

    /// The answer that these nodes make, with the kernels that compute them; `askedKernels` stand for their
    /// stages.
    ProvenanceAnswer collect(const std::map<std::size_t, Reached>& reached, const Kernels& askedKernels) {
        ProvenanceAnswer out;
        Kernels kernels = askedKernels;
        std::map<std::pair<std::string_view, std::uint32_t>, const ir::SourceLocation*> lines;
        for (const auto& [stage, set] : reached) {
            const ir::GraphPtr& of = graph(stage);
            if (!of) continue;
            for (const auto& [node, evidence] : set) {
                out.nodes.push_back({stage, node, evidence});
                if (const ir::SourceLocation* at = of->node(node).location(); at && at->line != 0)
                    lines.try_emplace({at->file, at->line}, at);
            }
        }
        for (std::size_t code = 0; code < tree.parent.size(); ++code) {
            if (compile().stages[code]->content != Stage::Content::Code) continue;
            const auto found = reached.find(tree.parent[code]);
            const bool isAsked = std::any_of(askedKernels.begin(), askedKernels.end(),
                                             [&](const auto& kernel) { return kernel.first.first == code; });
            if (found == reached.end() || isAsked) continue;
            for (const KernelLink& link : kernelsOf(code)) {
                const auto node = found->second.find(link.node);
                if (node == found->second.end()) continue;
                const LinkEvidence evidence = std::max(node->second, link.evidence);
                const auto [known, isNew] = kernels.try_emplace({code, link.kernel}, evidence);
                if (!isNew) known->second = std::min(known->second, evidence);
            }
        }
        for (const auto& [kernel, evidence] : kernels)
            out.kernels.push_back({kernel.first, kernel.second, evidence});
        for (const auto& [place, at] : lines)
            out.lines.push_back(*at);
        return out;
    }

    [[nodiscard]] bool knowsCall(std::size_t code, std::size_t kernel, std::size_t call) {
        return std::ranges::any_of(kernelsOf(code), [&](const KernelLink& link) {
            return link.kernel == kernel && link.call == call && call != KernelLink::anyCall;
        });
    }

    /// `call` of all these kernels, where it is known of it.
    ProvenanceAnswer ofKernels(std::size_t code, const std::vector<std::size_t>& asked,
                               std::size_t call = KernelLink::anyCall) {
        Kernels kernels;
        Reached nodes;
        for (const std::size_t kernel : asked) {
            kernels.emplace(std::pair(code, kernel), LinkEvidence::Selected);
            const bool ofCall = knowsCall(code, kernel, call);
            for (const KernelLink& link : kernelsOf(code))
                if (link.kernel == kernel && (!ofCall || link.call == call))
                    reach(nodes, link.node, link.evidence);
        }
        if (nodes.empty()) return collect({}, kernels);
        return collect(follow({{tree.parent[code], nodes}}), kernels);
    }
};

Provenance::Provenance(SessionPtr session, std::size_t compile)
    : m_state(std::make_unique<State>()) {
    m_state->session = std::move(session);
    m_state->index = compile;
    m_state->tree = makeStageTree(*m_state->session, m_state->compile());
}

Provenance::~Provenance() = default;

const Compile& Provenance::compile() const {
    return m_state->compile();
}

const GeneratedCode& Provenance::code(std::size_t stage) const {
    const std::lock_guard lock(m_state->mutex);
    return m_state->codeOf(stage);
}

ProvenanceAnswer Provenance::ofNode(std::size_t stage, ir::NodeIndex node) const {
    return ofNodes(stage, {&node, 1});
}

ProvenanceAnswer Provenance::ofNodes(std::size_t stage, std::span<const ir::NodeIndex> nodes) const {
    const std::lock_guard lock(m_state->mutex);
    if (stage >= compile().stages.size() || !m_state->graph(stage)) return {};
    Reached asked;
    for (const ir::NodeIndex node : nodes)
        if (node < m_state->graph(stage)->size()) asked.emplace(node, LinkEvidence::Selected);
    if (asked.empty()) return {};
    return m_state->collect(m_state->follow({{stage, std::move(asked)}}), {});
}

std::vector<std::size_t> Provenance::stagesAbove(std::size_t stage) const {
    const StageTree& tree = m_state->tree;
    std::vector<std::size_t> out;
    if (stage >= tree.parent.size()) return out;
    for (std::size_t at = tree.parent[stage]; at != StageTree::none; at = tree.parent[at])
        if (compile().stages[at]->content == Stage::Content::Graph) out.push_back(at);
    return out;
}

std::vector<std::vector<ir::NodeIndex>> Provenance::originsIn(std::size_t stage, std::size_t above) const {
    const std::lock_guard lock(m_state->mutex);
    const std::vector<std::size_t>& parent = m_state->tree.parent;
    if (stage >= parent.size() || above >= stage) return {};
    for (std::size_t at = stage; at != above; at = parent[at])
        if (at == StageTree::none || !m_state->graph(at)) return {};
    if (!m_state->graph(above)) return {};
    return m_state->origins(stage, above);
}

ProvenanceAnswer Provenance::ofSource(std::string_view file, std::uint32_t line) const {
    const std::lock_guard lock(m_state->mutex);
    int attempt = 0;
    for (const StagePtr& stage : compile().stages)
        if (stage->content == Stage::Content::Graph) attempt = std::max(attempt, stage->attempt);
    std::map<std::size_t, Reached> direct;
    for (std::size_t i = 0; i < compile().stages.size(); ++i) {
        const Stage& stage = *compile().stages[i];
        if (stage.content != Stage::Content::Graph || stage.attempt != attempt || !m_state->graph(i))
            continue;
        const ir::Graph& graph = *m_state->graph(i);
        for (ir::NodeIndex n = 0; n < graph.size(); ++n) {
            const auto& stack = graph.node(n).stack;
            if (stack && std::any_of(stack->begin(), stack->end(), [&](const ir::SourceLocation& at) {
                    return at.line == line && namesFile(at.file, file);
                }))
                direct[i].emplace(n, LinkEvidence::SourceLine);
        }
    }
    std::map<std::size_t, Reached> roots;
    for (const auto& [stage, set] : direct)
        if (m_state->tree.parent[stage] == StageTree::none) roots.emplace(stage, set);
    std::map<std::size_t, Reached> reached = m_state->follow(roots.empty() ? direct : roots);
    for (const auto& [stage, set] : direct)
        for (const auto& [node, evidence] : set)
            reach(reached[stage], node, evidence);
    // A node that names another line itself is of that line, unless Inductor's record says otherwise.
    for (auto& [stage, set] : reached) {
        if (!m_state->graph(stage)) continue;
        const ir::Graph& graph = *m_state->graph(stage);
        std::erase_if(set, [&](const auto& entry) {
            const ir::SourceLocation* at = graph.node(entry.first).location();
            return at && at->line != 0 && entry.second > LinkEvidence::Record &&
                   direct[stage].count(entry.first) == 0;
        });
    }
    return m_state->collect(reached, {});
}

ProvenanceAnswer Provenance::ofKernel(std::size_t stage, std::size_t kernel, std::size_t call) const {
    const std::lock_guard lock(m_state->mutex);
    if (stage >= compile().stages.size() || kernel >= m_state->codeOf(stage).kernels.size()) return {};
    return m_state->ofKernels(stage, {kernel}, call);
}

std::vector<KernelLink> Provenance::kernelLinks(std::size_t stage) const {
    const std::lock_guard lock(m_state->mutex);
    if (stage >= compile().stages.size()) return {};
    return m_state->kernelsOf(stage);
}

std::size_t Provenance::codeMadeOf(std::size_t stage) const {
    const std::vector<std::size_t>& parents = m_state->tree.parent;
    for (std::size_t i = stage; i < parents.size(); ++i)
        if (parents[i] == stage && compile().stages[i]->content == Stage::Content::Code) return i;
    return npos;
}

std::vector<KernelNodes> Provenance::kernelsMadeOf(std::size_t stage) const {
    const std::size_t code = codeMadeOf(stage);
    if (code == npos) return {};
    const std::lock_guard lock(m_state->mutex);
    const std::vector<GeneratedKernel>& kernels = m_state->codeOf(code).kernels;
    const std::vector<KernelLink>& links = m_state->kernelsOf(code);
    std::set<std::size_t> guessed;
    for (const KernelLink& link : links)
        if (link.evidence == LinkEvidence::KernelName) guessed.insert(link.kernel);
    std::map<std::pair<std::size_t, std::size_t>, KernelNodes> byCall;
    for (const KernelLink& link : links) {
        if (link.call == KernelLink::anyCall || guessed.contains(link.kernel)) continue;
        const GeneratedKernel& kernel = kernels[link.kernel];
        KernelNodes& known = byCall[{link.kernel, link.call}];
        known.name = kernel.name;
        known.call = link.call;
        known.calls = kernel.calls.size();
        known.nodes.push_back(link.node); // links are in the order of nodes, each node once
        known.evidence = std::max(known.evidence, link.evidence);
    }
    std::vector<KernelNodes> out;
    for (auto& [call, known] : byCall)
        out.push_back(std::move(known));
    return out;
}

ProvenanceAnswer Provenance::ofCode(std::size_t stage, std::size_t line) const {
    const std::lock_guard lock(m_state->mutex);
    if (stage >= compile().stages.size()) return {};
    return m_state->ofKernels(stage, m_state->codeOf(stage).kernelsAt(line));
}

} // namespace dynascope::session
