// SPDX-License-Identifier: BSD-3-Clause
#include "core/session/stage_links.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

namespace dynascope::session {

namespace {

/// Phases that a stage may come from, the first that exists counts.
std::vector<Phase> originsOf(Phase phase) {
    switch (phase) {
    case Phase::Dynamo:
        return {Phase::Dynamo};
    case Phase::Text:
        return {Phase::Text};
    case Phase::Export:
        return {Phase::Export, Phase::Dynamo, Phase::Text};
    case Phase::PreGrad:
        return {Phase::PreGrad, Phase::Dynamo, Phase::Export, Phase::Text};
    case Phase::Joint:
        return {Phase::Joint, Phase::PreGrad, Phase::Dynamo, Phase::Export, Phase::Text};
    case Phase::Inference:
        return {Phase::Inference, Phase::PreGrad, Phase::Dynamo, Phase::Export, Phase::Text};
    case Phase::Forward:
        return {Phase::Forward, Phase::Joint, Phase::PreGrad, Phase::Dynamo, Phase::Text};
    case Phase::Backward:
        return {Phase::Backward, Phase::Joint, Phase::Forward, Phase::PreGrad, Phase::Dynamo, Phase::Text};
    case Phase::PostGradForward:
        return {Phase::PostGradForward, Phase::Forward, Phase::Inference, Phase::Joint,
                Phase::PreGrad,         Phase::Dynamo,  Phase::Text};
    case Phase::PostGradBackward:
        return {Phase::PostGradBackward, Phase::Backward, Phase::Joint,
                Phase::PreGrad,          Phase::Dynamo,   Phase::Text};
    case Phase::Hooks:
    case Phase::Code:
    case Phase::Computed:
        break;
    }
    return {};
}

bool isGraph(const Stage& stage) {
    return stage.content == Stage::Content::Graph;
}

/// The graph that generated code was made of: the last one that Inductor finished before it.
std::size_t graphOfCode(const Compile& compile, const Stage& code) {
    std::size_t found = StageTree::none, record = 0;
    for (std::size_t i = 0; i < compile.stages.size(); ++i) {
        const Stage& stage = *compile.stages[i];
        const bool compiled = stage.phase == Phase::PostGradForward ||
                              stage.phase == Phase::PostGradBackward || stage.phase == Phase::Forward ||
                              stage.phase == Phase::Backward || stage.phase == Phase::Inference;
        if (!isGraph(stage) || !compiled || stage.attempt != code.attempt || stage.record == SIZE_MAX ||
            stage.record > code.record)
            continue;
        // AOTAutograd makes the backward graph before Inductor compiles the forward one.
        const bool isPost = stage.phase == Phase::PostGradForward || stage.phase == Phase::PostGradBackward;
        const bool hasPost =
            found != StageTree::none && (compile.stages[found]->phase == Phase::PostGradForward ||
                                         compile.stages[found]->phase == Phase::PostGradBackward);
        if (found != StageTree::none && (hasPost != isPost ? hasPost : stage.record < record)) continue;
        found = i;
        record = stage.record;
    }
    return found;
}

NodeNames namesOf(const nlohmann::json& root, const char* key) {
    NodeNames out;
    const auto found = root.find(key);
    if (found == root.end() || !found->is_object()) return out;
    for (const auto& [name, list] : found->items()) {
        if (!list.is_array()) continue;
        std::vector<std::string>& names = out[name];
        for (const nlohmann::json& item : list)
            if (item.is_string()) names.push_back(item.get<std::string>());
    }
    return out;
}

/// "add" of torch.ops.aten.add.Tensor.
std::string_view opOf(const ir::Node& node) {
    std::string_view target = node.target;
    for (const std::string_view space : {"torch.ops.", "aten.", "prims.", "inductor."})
        if (target.starts_with(space)) target.remove_prefix(space.size());
    return target.substr(0, target.find('.'));
}

/// Whether the kernel's name lists the op: "cpp_fused_add_select_0" lists "add".
bool lists(std::string_view kernel, std::string_view op) {
    if (op.empty()) return false;
    kernel = kernel.substr(kernel.rfind('.') == std::string_view::npos ? 0 : kernel.rfind('.') + 1);
    for (std::size_t at = kernel.find(op); at != std::string_view::npos; at = kernel.find(op, at + 1)) {
        const std::size_t end = at + op.size();
        if ((at == 0 || kernel[at - 1] == '_') && (end == kernel.size() || kernel[end] == '_')) return true;
    }
    return false;
}

/// Of a kernel of a library, the operator that it is: "addmm" of "extern_kernels.addmm".
std::string_view libraryOp(const GeneratedKernel& kernel) {
    std::string_view name = kernel.name;
    if (kernel.definition.first != 0) return {};
    if (name.starts_with("extern_kernels.")) return name.substr(std::string_view("extern_kernels.").size());
    if (name.starts_with("torch.ops.")) {
        name.remove_prefix(std::string_view("torch.ops.").size());
        name.remove_prefix(std::min(name.find('.') + 1, name.size()));
    }
    if (name.starts_with("aten.")) name.remove_prefix(std::string_view("aten.").size());
    return name.substr(0, name.find('.'));
}

bool isCall(const ir::Node& node) {
    return node.op == ir::Op::CallFunction || node.op == ir::Op::CallMethod || node.op == ir::Op::CallModule;
}

} // namespace

std::size_t StageTree::preGrad(std::size_t stage) const {
    for (std::size_t at = parent[stage]; at != none; at = parent[at])
        if (phases[at] == Phase::PreGrad || phases[at] == Phase::Dynamo || phases[at] == Phase::Text)
            return at;
    return none;
}

StageTree makeStageTree(const Session& session, const Compile& compile) {
    StageTree out;
    const std::size_t count = compile.stages.size();
    out.parent.assign(count, StageTree::none);
    out.mapping.assign(count, StageTree::none);
    std::map<std::pair<int, Phase>, std::size_t> last; // of an attempt and phase
    for (std::size_t i = 0; i < count; ++i) {
        const Stage& stage = *compile.stages[i];
        out.phases.push_back(stage.phase);
        if (!isGraph(stage)) {
            const std::size_t graph = graphOfCode(compile, stage);
            if (graph < i) out.parent[i] = graph;
            continue;
        }
        for (const Phase origin : originsOf(stage.phase)) {
            const auto found = last.find({stage.attempt, origin});
            if (found == last.end()) continue;
            out.parent[i] = found->second;
            break;
        }
        last[{stage.attempt, stage.phase}] = i;
    }
    for (const std::size_t record : compile.records) {
        if (session.records.type(record) != "artifact:inductor_provenance_tracking_node_mappings") continue;
        std::size_t code = StageTree::none;
        for (std::size_t i = 0; i < count; ++i)
            if (!isGraph(*compile.stages[i]) && compile.stages[i]->record < record &&
                (code == StageTree::none || compile.stages[i]->record > compile.stages[code]->record))
                code = i;
        if (code != StageTree::none) out.mapping[code] = record;
    }
    return out;
}

InductorRecord readInductorRecord(std::string_view json) {
    const nlohmann::json root = nlohmann::json::parse(json, nullptr, false);
    if (!root.is_object()) return {};
    return {namesOf(root, "preToPost"), namesOf(root, "postToPre"), namesOf(root, "cppCodeToPost")};
}

std::vector<KernelLink>
linkKernels(const ir::Graph& graph, const GeneratedCode& code, const InductorRecord& record,
            const std::function<std::vector<ir::NodeIndex>(const std::string&)>& resolve) {
    using Call = std::pair<std::size_t, std::size_t>; // kernel and call
    std::map<std::pair<ir::NodeIndex, Call>, LinkEvidence> links;
    std::vector<bool> linked(code.kernels.size(), false);
    const auto add = [&](Call call, ir::NodeIndex node, LinkEvidence evidence) {
        if (node == ir::npos || !isCall(graph.node(node))) return;
        links.try_emplace({node, call}, evidence);
        linked[call.first] = true;
    };
    // What is said of a kernel of a library names what its operands come of too: it is its own operator.
    const auto isOwn = [&](const GeneratedKernel& kernel, ir::NodeIndex node) {
        const std::string_view op = libraryOp(kernel);
        return !op.empty() && node != ir::npos && opOf(graph.node(node)) == op;
    };
    // A comment of a backward call names the operator by a view of it that is gone.
    const auto onlyReader = [&](const GeneratedKernel& kernel, const std::set<ir::NodeIndex>& named) {
        std::set<ir::NodeIndex> readers;
        for (const ir::NodeIndex node : named)
            for (const ir::NodeIndex user : graph.users(node))
                if (isOwn(kernel, user)) readers.insert(user);
        return readers.size() == 1 ? *readers.begin() : ir::npos;
    };
    const auto fromComments = [&](const GeneratedKernel& kernel, Call call,
                                  const std::vector<std::string>& sources,
                                  const std::vector<std::string>& atens) {
        bool isNamed = false;
        for (const std::string& name : atens) {
            const ir::NodeIndex node = graph.find(name);
            isNamed |= node != ir::npos && isCall(graph.node(node));
            add(call, node, LinkEvidence::Comment);
        }
        if (isNamed) return;
        std::set<ir::NodeIndex> named;
        for (const std::string& name : sources)
            for (const ir::NodeIndex node : resolve(name))
                named.insert(node);
        const bool hasOwn =
            std::ranges::any_of(named, [&](ir::NodeIndex node) { return isOwn(kernel, node); });
        if (const ir::NodeIndex reader = hasOwn ? ir::npos : onlyReader(kernel, named); reader != ir::npos)
            return add(call, reader, LinkEvidence::Structure);
        const auto isMeant = [&](ir::NodeIndex node) {
            return hasOwn ? isOwn(kernel, node) : lists(kernel.name, opOf(graph.node(node)));
        };
        const bool isListed = std::ranges::any_of(named, isMeant);
        for (const ir::NodeIndex node : named)
            if (!isListed || isMeant(node)) add(call, node, LinkEvidence::Comment);
    };
    for (std::size_t k = 0; k < code.kernels.size(); ++k) {
        const GeneratedKernel& kernel = code.kernels[k];
        const std::size_t only = kernel.calls.size() == 1 ? 0 : KernelLink::anyCall;
        for (const auto& [key, nodes] : record.kernelToPost) {
            for (std::size_t c = 0; c < kernel.calls.size(); ++c) {
                const std::string& handle = kernel.calls[c].handle;
                if (handle.empty() ? key.substr(0, key.rfind(':')) != kernel.name : handle != key) continue;
                const bool hasOwn = std::ranges::any_of(
                    nodes, [&](const std::string& node) { return isOwn(kernel, graph.find(node)); });
                for (const std::string& node : nodes)
                    if (!hasOwn || isOwn(kernel, graph.find(node)))
                        add({k, handle.empty() ? only : c}, graph.find(node), LinkEvidence::Record);
            }
        }
        if (linked[k]) continue;
        if (kernel.calls.size() < 2)
            for (const std::string& name : kernel.fragment.nodes)
                add({k, only}, graph.find(name), LinkEvidence::Comment);
        if (linked[k]) continue;
        if (kernel.calls.size() < 2 || !kernel.namesNodesOfCalls()) {
            fromComments(kernel, {k, only}, kernel.sourceNodes, kernel.atenNodes);
            continue;
        }
        for (std::size_t c = 0; c < kernel.calls.size(); ++c)
            fromComments(kernel, {k, c}, kernel.calls[c].sourceNodes, kernel.calls[c].atenNodes);
    }
    for (std::size_t k = 0; k < code.kernels.size(); ++k) {
        if (linked[k]) continue;
        const std::size_t only = code.kernels[k].calls.size() == 1 ? 0 : KernelLink::anyCall;
        for (ir::NodeIndex node = 0; node < graph.size(); ++node) {
            if (code.kernels.size() == 1)
                add({k, only}, node, LinkEvidence::OnlyKernel);
            else if (lists(code.kernels[k].name, opOf(graph.node(node))))
                add({k, only}, node, LinkEvidence::KernelName);
        }
    }
    // What no kernel names is computed where it is read.
    std::vector<std::set<Call>> callsOf(graph.size());
    for (const auto& [link, evidence] : links)
        callsOf[link.first].insert(link.second);
    constexpr std::size_t most = 4; // a node that many kernels read says nothing
    for (ir::NodeIndex node = static_cast<ir::NodeIndex>(graph.size()); node-- > 0;) {
        if (!isCall(graph.node(node)) || !callsOf[node].empty()) continue;
        std::set<Call> users;
        std::set<std::size_t> kernels;
        for (const ir::NodeIndex user : graph.users(node)) {
            for (const Call& call : callsOf[user]) {
                users.insert(call);
                kernels.insert(call.first);
            }
            if (kernels.size() > most) break;
        }
        if (kernels.size() > most) continue;
        for (const Call& call : users)
            links.try_emplace({node, call}, LinkEvidence::Fused);
        callsOf[node] = std::move(users);
    }
    std::vector<KernelLink> out;
    for (const auto& [link, evidence] : links)
        out.push_back({link.second.first, link.second.second, link.first, evidence});
    return out;
}

} // namespace dynascope::session
