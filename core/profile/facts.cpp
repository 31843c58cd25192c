// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/facts.h"

#include "core/ir/place_text.h"
#include "core/layout/fold.h"
#include "core/profile/contexts.h"
#include "core/profile/graph_calls.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace dynascope::profile {

namespace {

using session::Phase;

bool isCall(const ir::Node& node) {
    return node.op == ir::Op::CallFunction || node.op == ir::Op::CallMethod || node.op == ir::Op::CallModule;
}

/// The module that holds both: "layers.0" of "layers.0.norm1" and "layers.0.linear1".
std::string commonModule(std::string_view a, std::string_view b) {
    std::size_t end = 0;
    for (std::size_t i = 0; i <= a.size() && i <= b.size(); ++i) {
        const bool endsA = i == a.size() || a[i] == '.', endsB = i == b.size() || b[i] == '.';
        if (endsA && endsB) end = i;
        if (i == a.size() || i == b.size() || a[i] != b[i]) break;
    }
    return std::string(a.substr(0, end));
}

void addWords(std::string& text, std::string_view words) {
    if (words.empty()) return;
    if (!text.empty()) text += "; ";
    text += words;
}

} // namespace

/// What questions about one compile share.
struct Facts::OfCompile {
    OfCompile(const session::SessionPtr& session, std::size_t index)
        : provenance(session, index) {
        const session::Compile& compile = session->compiles[index];
        for (std::size_t i = 0; i < compile.stages.size(); ++i)
            if (compile.stages[i]->phase == Phase::Dynamo &&
                compile.stages[i]->content == session::Stage::Content::Graph)
                dynamo = static_cast<int>(i);
        tree = makeStageTree(*session, compile);
    }

    /// By node of Dynamo's graph.
    const std::vector<std::string>& modules(const session::Compile& compile) {
        if (names) return *names;
        names.emplace();
        if (dynamo < 0) return *names;
        if (const Result<ir::GraphPtr> graph = compile.stages[static_cast<std::size_t>(dynamo)]->graph())
            names = layout::moduleNames(layout::groupNodes(**graph, layout::moduleHints(**graph)));
        return *names;
    }

    session::Provenance provenance;
    session::StageTree tree;
    int dynamo = -1;
    std::optional<std::vector<std::string>> names;
    /// Of generated code; calls of kernels whose name alone speaks for what they compute are left out.
    const CallsOfNodes& calls(std::size_t stage) {
        const auto [known, isNew] = callsOfCode.try_emplace(stage);
        if (!isNew) return known->second;
        for (const session::KernelLink& link : provenance.kernelLinks(stage)) {
            if (link.evidence >= session::LinkEvidence::KernelName) continue;
            if (link.node >= known->second.size()) known->second.resize(link.node + 1);
            known->second[link.node].emplace(static_cast<int>(link.kernel), static_cast<int>(link.call));
        }
        return known->second;
    }
    [[nodiscard]] bool knowsCall(const Row& row) {
        return std::ranges::any_of(calls(static_cast<std::size_t>(row.stage)), [&](const auto& calls) {
            return calls.contains({row.kernel, row.call});
        });
    }

    std::map<std::array<int, 3>, session::ProvenanceAnswer> ofKernel; ///< by stage, kernel and call
    std::map<std::size_t, CallsOfNodes> callsOfCode;
};

Facts::Facts(JoinedPtr joined)
    : m_joined(std::move(joined))
    , m_facts(m_joined->rows.size()) {}

Facts::~Facts() = default;

Facts::OfCompile& Facts::compile(int index) {
    std::unique_ptr<OfCompile>& out = m_compiles[index];
    if (!out) out = std::make_unique<OfCompile>(m_joined->session, static_cast<std::size_t>(index));
    return *out;
}

const RowFacts& Facts::of(std::size_t index) {
    if (m_facts[index]) return *m_facts[index];
    m_facts[index] = std::make_unique<RowFacts>();
    RowFacts& facts = *m_facts[index];
    const Row& row = m_joined->rows[index];
    const session::Session& session = *m_joined->session;
    facts.evidence = evidenceOf(row);
    if (row.compile >= 0) {
        const session::Compile& compile = session.compiles[static_cast<std::size_t>(row.compile)];
        facts.compile = compileName(session, compile);
        if (row.stage >= 0) facts.stage = compile.stages[static_cast<std::size_t>(row.stage)]->label();
    } else if (row.part == Part::Frame) {
        facts.compile = subjectOf(m_joined->profile->names.text(row.name));
    }
    if (row.brokenCompile >= 0) {
        const auto breaks = session.compiles[static_cast<std::size_t>(row.brokenCompile)].finalBreaks();
        if (!breaks.empty() && breaks.back()->location()) {
            facts.breakAt = *breaks.back()->location();
            facts.breakPlace = ir::placeText(facts.breakAt);
        }
        if (facts.breakPlace.empty())
            facts.breakPlace =
                compileName(session, session.compiles[static_cast<std::size_t>(row.brokenCompile)]);
    }
    if (row.part == Part::Kernel) addKernel(row, facts);
    if (row.part == Part::Node) addNode(row, facts);
    return facts;
}

std::string Facts::evidenceOf(const Row& row) const {
    std::string out;
    addWords(out, launchLinkName(row.launch));
    addWords(out, linkName(row.region));
    if (row.graph != Link::CacheKey || row.region != Link::CacheKey) addWords(out, linkName(row.graph));
    addWords(out, linkName(row.inner));
    if (row.part == Part::GroupThread) addWords(out, "name of the outermost event");
    return out;
}

void Facts::addKernel(const Row& row, RowFacts& facts) {
    OfCompile& of = compile(row.compile);
    const auto stage = static_cast<std::size_t>(row.stage), kernel = static_cast<std::size_t>(row.kernel);
    const session::GeneratedCode& code = of.provenance.code(stage);
    if (kernel >= code.kernels.size()) return;
    facts.kernel = code.kernels[kernel].name;
    auto [known, isNew] = of.ofKernel.try_emplace({row.stage, row.kernel, row.call});
    const std::size_t call = row.call < 0 ? session::Provenance::npos : static_cast<std::size_t>(row.call);
    if (isNew) known->second = of.provenance.ofKernel(stage, kernel, call);
    const std::size_t parent = of.tree.parent[stage];
    if (parent != session::StageTree::none) facts.nodeStage = static_cast<int>(parent);
    addAnswer(row, known->second, facts);
}

void Facts::addNode(const Row& row, RowFacts& facts) {
    facts.nodeStage = row.stage;
    const session::Compile& of = m_joined->session->compiles[static_cast<std::size_t>(row.compile)];
    const auto graph = of.stages[static_cast<std::size_t>(row.stage)]->graph();
    if (!graph) return;
    const ir::Node& node = (*graph)->node(row.node);
    session::ProvenanceAnswer answer;
    // Each question goes over all links of the compile; of a graph that large a node says its own line.
    constexpr std::size_t most = 20'000;
    if ((*graph)->size() <= most) {
        answer = compile(row.compile).provenance.ofNode(static_cast<std::size_t>(row.stage), row.node);
    } else {
        answer.nodes.push_back(
            {static_cast<std::size_t>(row.stage), row.node, session::LinkEvidence::Selected});
        if (const ir::SourceLocation* at = node.location(); at && at->line != 0) answer.lines.push_back(*at);
    }
    addAnswer(row, answer, facts);
    facts.kernel = ir::shortTarget(node.target);
}

void Facts::addAnswer(const Row& row, const session::ProvenanceAnswer& answer, RowFacts& facts) {
    OfCompile& of = compile(row.compile);
    const session::Compile& session = m_joined->session->compiles[static_cast<std::size_t>(row.compile)];
    facts.lines = answer.lines;
    std::optional<session::LinkEvidence> weakest;
    std::optional<std::string> module;
    ir::GraphPtr graph;
    if (facts.nodeStage >= 0)
        if (auto read = session.stages[static_cast<std::size_t>(facts.nodeStage)]->graph()) graph = *read;
    const ir::GraphPtr dynamo =
        of.dynamo >= 0 ? session.stages[static_cast<std::size_t>(of.dynamo)]->graph().value_or(nullptr)
                       : nullptr;
    for (const session::LinkedNode& node : answer.nodes) {
        if (static_cast<int>(node.stage) == facts.nodeStage && graph && node.node < graph->size() &&
            isCall(graph->node(node.node))) {
            // What is computed where it is read is part of several kernels, perhaps.
            if (row.part == Part::Kernel && node.evidence == session::LinkEvidence::Fused) continue;
            facts.nodes.push_back(node.node);
            facts.nodeNames.push_back(graph->node(node.node).name);
            if (row.part == Part::Kernel) weakest = std::max(weakest.value_or(node.evidence), node.evidence);
        }
        const auto& names = of.modules(session);
        if (static_cast<int>(node.stage) == of.dynamo && node.node < names.size() && dynamo &&
            isCall(dynamo->node(node.node)))
            module = module ? commonModule(*module, names[node.node]) : names[node.node];
    }
    facts.module = module.value_or("");
    if (graph && (row.part == Part::Node || isLibraryCall(row)))
        for (const ir::NodeIndex node : facts.nodes)
            if (facts.collective.empty()) facts.collective = collectiveOf(*graph, node);
    if (graph) addWork(row, *graph, weakest, facts);
    if (weakest) addWords(facts.evidence, "nodes by " + std::string(linkEvidenceName(*weakest)));
    const bool isOne =
        weakest == session::LinkEvidence::Comment && facts.nodes.size() > 1 && isLibraryCall(row);
    if (isOne) facts.evidence += ", of which it is one";
    if (weakest == session::LinkEvidence::KernelName) facts.evidence += ", of which it computes one or more";
    facts.computesAll = !isOne && weakest != session::LinkEvidence::KernelName;
}

const session::GeneratedKernel& Facts::kernelOf(const Row& row) {
    return compile(row.compile)
        .provenance.code(static_cast<std::size_t>(row.stage))
        .kernels[static_cast<std::size_t>(row.kernel)];
}

bool Facts::isLibraryCall(const Row& row) {
    return row.part == Part::Kernel && kernelOf(row).definition.first == 0;
}

std::size_t Facts::replaysOf(const Row& row) {
    if (!m_replays) {
        m_replays.emplace();
        const Profile& profile = *m_joined->profile;
        std::map<std::pair<int, int>, std::set<std::uint32_t>> launches, calls;
        for (std::size_t i = 0; i < profile.events.size(); ++i) {
            const Event& event = profile.events[i];
            if (m_joined->rowOf[i] == none || !isOnDevice(event.kind)) continue;
            const std::uint32_t launch = profile.launches[event.launch].event;
            if (launch == none || !isGraphLaunch(profile.nameOf(profile.events[launch]))) continue;
            const Row& of = m_joined->rows[m_joined->rowOf[i]];
            launches[{of.compile, of.stage}].insert(launch);
            calls[{of.compile, of.stage}].insert(profile.events[launch].parent);
        }
        for (const auto& [stage, made] : launches)
            (*m_replays)[stage] = made.size() == calls[stage].size() ? made.size() : 0;
    }
    const auto known = m_replays->find({row.compile, row.stage});
    return known == m_replays->end() ? 0 : known->second;
}

std::optional<double> Facts::kernelsOfCall(const Row& row) {
    if (row.inner == Link::GraphPlace) {
        const std::size_t replays = replaysOf(row);
        if (replays == 0 || row.count % replays != 0) return {};
        return static_cast<double>(row.count) / static_cast<double>(replays);
    }
    if (!m_calls) {
        m_calls.emplace();
        for (const Row& one : m_joined->rows)
            if (one.part == Part::Kernel && m_joined->profile->devices[one.device] == "cpu")
                (*m_calls)[{one.compile, one.stage, one.kernel, one.call}] += one.count;
    }
    const auto called = m_calls->find({row.compile, row.stage, row.kernel, row.call});
    if (called == m_calls->end() || called->second == 0 || row.count % called->second != 0) return {};
    return static_cast<double>(row.count) / static_cast<double>(called->second);
}

/// The work of an event is known where its nodes are, which PyTorch names or of which there is one, and it computes all of
/// them: in a call of a kernel of which it is known what that call computes. On the CPU of a program that has a device,
/// time is that of launching.
void Facts::addWork(const Row& row, const ir::Graph& graph, std::optional<session::LinkEvidence> nodes,
                    RowFacts& facts) {
    const bool onDevice = m_joined->profile->devices[row.device] != "cpu";
    const bool hasDevice = m_joined->profile->devices.size() > 1;
    if (std::ranges::any_of(facts.nodes,
                            [&](ir::NodeIndex node) { return isCollective(graph.node(node).target); }))
        return;
    // Backward of an operator, which is another one, has the node of its forward.
    if (row.part == Part::Node && !hasDevice && row.inner != Link::Sequence)
        facts.work = workOf(graph, {row.node});
    if (row.part != Part::Kernel || (hasDevice && !onDevice)) return;
    using session::LinkEvidence;
    const session::GeneratedKernel& kernel = kernelOf(row);
    const bool isLibrary = kernel.definition.first == 0;
    if (kernel.calls.size() != 1 && (row.call < 0 || !compile(row.compile).knowsCall(row))) return;
    // Names of the program's nodes, from which we look further, are of all that became of those.
    const session::GraphFragment& fragment = kernel.fragment;
    const bool named =
        nodes == LinkEvidence::Record || nodes == LinkEvidence::OnlyKernel ||
        (nodes == LinkEvidence::Comment && (!kernel.atenNodes.empty() || !fragment.nodes.empty()));
    const bool isOne = isLibrary && facts.nodes.size() == 1 &&
                       (nodes == LinkEvidence::Comment || nodes == LinkEvidence::Structure);
    if (!named && !isOne) return;
    Work work = workOf(graph, facts.nodes, compile(row.compile).calls(static_cast<std::size_t>(row.stage)));
    if (isLibrary && onDevice) {
        const std::optional<double> kernels = kernelsOfCall(row);
        if (!kernels) return;
        if (work.flops) *work.flops /= *kernels;
        if (work.bytes) *work.bytes /= *kernels;
    } else if (!isLibrary && work.flops.value_or(1) > 0 && !kernel.multiplies) {
        return; // it comes of a matrix product, perhaps of its padding or its epilogue, and is none
    }
    if (fragment.bytesRead && fragment.bytesWritten)
        work.bytes = *fragment.bytesRead + *fragment.bytesWritten;
    facts.work = std::move(work);
}

std::string partWords(const Row& row, const RowFacts& facts) {
    switch (row.part) {
    case Part::Kernel:
    case Part::Node:
        return facts.kernel;
    case Part::OutputCode:
        return row.compile >= 0 && row.name != 0 ? "launch of the CUDA graph, and copies of its inputs"
                                                 : "output code around its kernels";
    case Part::Guards:
        return "guards";
    case Part::Pregraph:
        return "pregraph bytecode";
    case Part::Prologue:
        return "prologue of AOTAutograd's runtime wrapper";
    case Part::Runtime:
        return "AOTAutograd's runtime wrapper";
    case Part::Frame:
        return "bytecode of the frame";
    case Part::AfterBreak:
        return "eager code after the break at " + facts.breakPlace;
    case Part::InGraph:
        return "in the graph, of no node that is known";
    case Part::InFrame:
        return "in the frame, outside its graph";
    case Part::Eager:
        return "outside compiled code";
    case Part::GroupThread:
        return "collectives on threads of process groups";
    case Part::Unknown:
        return "unknown kernel";
    }
    return {};
}

} // namespace dynascope::profile
