// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/graph_calls.h"

#include "core/base/words.h"
#include "core/diff/sequence.h"

#include <algorithm>
#include <array>

namespace dynascope::profile {

namespace {

using session::Phase;
using session::Stage;

std::string baseId(const session::CompileId& id) {
    session::CompileId first = id;
    first.run = 1;
    return first.toString();
}

/// "aten::mm" of "extern_kernels.mm", "torch.ops.aten.mm.default", "aten.mm.default"; "" of anything else.
std::string operatorOf(std::string_view target) {
    constexpr std::string_view library = "extern_kernels.", ops = "torch.ops.";
    if (target.starts_with(library)) return "aten::" + std::string(target.substr(library.size()));
    if (target.starts_with(ops)) target.remove_prefix(ops.size());
    const std::size_t dot = target.find('.');
    if (dot == std::string_view::npos) return {};
    const std::string_view space = target.substr(0, dot), rest = target.substr(dot + 1);
    return std::string(space) + "::" + std::string(rest.substr(0, rest.find('.')));
}

/// Functions of Python that ATen spells otherwise; others have their own last name.
std::string_view atenName(std::string_view name) {
    struct Spelling {
        std::string_view python, aten;
    };
    static constexpr std::array<Spelling, 14> spellings = {{{"truediv", "div"},
                                                            {"floordiv", "floor_divide"},
                                                            {"mod", "remainder"},
                                                            {"invert", "bitwise_not"},
                                                            {"and_", "bitwise_and"},
                                                            {"or_", "bitwise_or"},
                                                            {"xor", "bitwise_xor"},
                                                            {"iadd", "add_"},
                                                            {"isub", "sub_"},
                                                            {"imul", "mul_"},
                                                            {"itruediv", "div_"},
                                                            {"cross_entropy", "cross_entropy_loss"},
                                                            {"float", "to"},
                                                            {"half", "to"}}};
    const auto* const found =
        std::ranges::find_if(spellings, [&](const Spelling& entry) { return entry.python == name; });
    return found == spellings.end() ? name : found->aten;
}

/// What ATen calls the operator of a node; empty where the node runs none by itself.
std::string operatorOf(const ir::Node& node) {
    if (node.op == ir::Op::CallMethod) return "aten::" + std::string(atenName(node.target));
    if (node.op != ir::Op::CallFunction || node.target == "operator.getitem") return {};
    if (node.target.starts_with("torch.ops.")) return operatorOf(node.target);
    if (node.target.starts_with("aten.") || node.target.starts_with("prims.")) return operatorOf(node.target);
    const std::string_view last = std::string_view(node.target).substr(node.target.rfind('.') + 1);
    return "aten::" + std::string(atenName(last));
}

} // namespace

CompileIndex::CompileIndex(const session::Session& session, int rank)
    : m_session(session) {
    const bool several = session.ranks.size() > 1;
    m_isRankUnknown = several && rank < 0;
    for (std::size_t i = 0; i < session.compiles.size(); ++i)
        if (!several || rank < 0 || session.compiles[i].rank == rank) add(static_cast<int>(i));
}

void CompileIndex::add(int index) {
    const session::Compile& compile = m_session.compiles[static_cast<std::size_t>(index)];
    if (!compile.id.empty()) m_ids[baseId(compile.id)].push_back(index);
    const session::StageTree tree = makeStageTree(m_session, compile);
    std::vector<std::size_t> codes;
    for (std::size_t i = 0; i < compile.stages.size(); ++i) {
        if (compile.stages[i]->content != Stage::Content::Code) continue;
        codes.push_back(i);
        const std::size_t parent = tree.parent[i];
        const Phase phase = parent == session::StageTree::none ? Phase::Code : compile.stages[parent]->phase;
        const bool backward = phase == Phase::PostGradBackward || phase == Phase::Backward;
        m_codes[{index, backward}].push_back(static_cast<int>(i));
    }
    // What a cache was asked is logged after the code that it gave, or that was made.
    std::size_t before = 0;
    for (const session::CacheEvent& event : compile.caches) {
        if (event.cache != "fx_graph_cache" || event.key.empty()) continue;
        KeyedCode keyed{index, -1};
        for (const std::size_t code : codes) {
            const std::size_t record = compile.stages[code]->record;
            if (record >= before && record < event.record) keyed.stage = static_cast<int>(code);
        }
        before = event.record;
        m_keys[event.key].push_back(keyed);
    }
}

std::span<const int> CompileIndex::withId(std::string_view id) const {
    const auto found = m_ids.find(id);
    // Of several ranks' compiles of that id, any would be a guess.
    if (found == m_ids.end() || (m_isRankUnknown && found->second.size() > 1)) return {};
    return found->second;
}

std::span<const KeyedCode> CompileIndex::withKey(std::string_view key) const {
    const auto found = m_keys.find(key);
    return found == m_keys.end() ? std::span<const KeyedCode>() : std::span<const KeyedCode>(found->second);
}

int CompileIndex::onlyCode(int compile, bool backward) const {
    const auto found = m_codes.find({compile, backward});
    return found == m_codes.end() || found->second.size() != 1 ? -1 : found->second.front();
}

bool CompileIndex::runsDynamo(int index) const {
    const session::Compile& compile = m_session.compiles[static_cast<std::size_t>(index)];
    return std::ranges::none_of(compile.stages, [](const session::StagePtr& stage) {
        return stage->phase == Phase::Inference || stage->phase == Phase::Forward ||
               stage->phase == Phase::PostGradForward || stage->content == Stage::Content::Code;
    });
}

int CompileIndex::graphRun(int index, bool backward) const {
    const session::Compile& compile = m_session.compiles[static_cast<std::size_t>(index)];
    int out = -1;
    for (std::size_t i = 0; i < compile.stages.size(); ++i) {
        const Stage& stage = *compile.stages[i];
        if (stage.content == Stage::Content::Code) return -1;
        const bool isRun = backward ? stage.phase == Phase::Backward
                                    : stage.phase == Phase::Forward || stage.phase == Phase::Inference;
        if (isRun) out = static_cast<int>(i);
    }
    if (out >= 0 || backward || !runsDynamo(index)) return out;
    for (std::size_t i = 0; i < compile.stages.size(); ++i)
        if (compile.stages[i]->phase == Phase::Dynamo) out = static_cast<int>(i);
    return out;
}

std::string_view withoutGraphNumber(std::string_view event) {
    constexpr std::string_view start = "graph_";
    if (!event.starts_with(start)) return event;
    std::size_t at = start.size();
    while (at < event.size() && isDigit(event[at]))
        ++at;
    return at > start.size() && at + 1 < event.size() && event[at] == '_' ? event.substr(at + 1) : event;
}

bool isGraphLaunch(std::string_view event) {
    return event.starts_with("cudaGraphLaunch") || event.starts_with("cuGraphLaunch") ||
           event.starts_with("hipGraphLaunch");
}

bool isGeneratedKernel(std::string_view event) {
    const std::string_view name = withoutGraphNumber(event);
    return name.starts_with("cpp_") || name.starts_with("triton_");
}

std::string_view debugHandleOf(std::string_view event) {
    constexpr std::string_view signs = "## ", start = "inductor_kernel:", end = " ##";
    if (event.starts_with(signs)) event.remove_prefix(signs.size());
    if (!event.starts_with(start)) return {};
    event.remove_prefix(start.size());
    if (event.ends_with(end)) event.remove_suffix(end.size());
    return event;
}

std::string_view kernelFileName(std::string_view path) {
    return path.substr(path.find_last_of("/\\") + 1);
}

CodeCalls::CodeCalls(std::string_view text)
    : m_code(session::readGeneratedCode(text)) {
    for (std::size_t k = 0; k < m_code.kernels.size(); ++k) {
        const session::GeneratedKernel& kernel = m_code.kernels[k];
        const std::string asOperator = kernel.definition.first == 0 ? operatorOf(kernel.name) : std::string();
        std::vector<Site>& sites = m_sites[asOperator.empty() ? kernel.name : asOperator];
        for (std::size_t c = 0; c < kernel.calls.size(); ++c) {
            const Site site{kernel.calls[c].lines.last, static_cast<int>(k), static_cast<int>(c)};
            sites.push_back(site);
            m_steps.push_back({site, kernel.definition.first == 0 ? std::string_view() : kernel.name});
            if (const std::string& handle = kernel.calls[c].handle; !handle.empty()) {
                const Matched called{site.kernel, site.call, none, Link::DebugHandle};
                if (const auto [at, isNew] = m_handles.try_emplace(handle, called); !isNew) at->second = {};
            }
        }
    }
    for (auto& [name, sites] : m_sites)
        std::ranges::sort(sites, {}, &Site::line);
    std::ranges::stable_sort(m_steps, {}, [](const Step& step) { return step.site.line; });
}

std::vector<Matched> CodeCalls::match(std::span<const CalledOperator> operators) const {
    std::map<std::string_view, std::size_t> times;
    for (const CalledOperator& op : operators)
        ++times[withoutGraphNumber(op.name)];
    std::map<std::string_view, std::size_t> turns;
    std::vector<Matched> out(operators.size());
    for (std::size_t i = 0; i < operators.size(); ++i) {
        const std::string_view name = withoutGraphNumber(operators[i].name);
        const auto sites = m_sites.find(name);
        if (sites == m_sites.end() || sites->second.empty()) continue;
        const std::size_t turn = turns[name]++;
        const Site& first = sites->second.front();
        const bool oneKernel =
            std::ranges::all_of(sites->second, [&](const Site& site) { return site.kernel == first.kernel; });
        if (sites->second.size() == 1)
            out[i] = {first.kernel, first.call, none, Link::KernelName};
        else if (times[name] == sites->second.size())
            out[i] = {sites->second[turn].kernel, sites->second[turn].call, none, Link::KernelOrder};
        else if (oneKernel)
            out[i] = {first.kernel, -1, none, Link::KernelName};
        const std::string_view file = kernelFileName(operators[i].file);
        if (out[i].link == Link::KernelName && !file.empty() &&
            file == kernelFileName(m_code.kernels[static_cast<std::size_t>(first.kernel)].file))
            out[i].link = Link::KernelFile;
    }
    return out;
}

Matched CodeCalls::find(std::string_view kernel) const {
    const auto sites = m_sites.find(kernel);
    if (sites == m_sites.end() || sites->second.empty()) return {};
    const Site& first = sites->second.front();
    return {first.kernel, sites->second.size() == 1 ? first.call : -1, none, Link::KernelName};
}

Matched CodeCalls::withHandle(std::string_view handle) const {
    const auto known = m_handles.find(handle);
    return known == m_handles.end() ? Matched() : known->second;
}

void CodeCalls::fillReplay(std::size_t from, std::size_t to, std::size_t first, std::size_t last,
                           std::vector<Matched>& out) const {
    const std::size_t calls = to - from, ran = last - first;
    if (calls == 0 || (calls > 1 && calls != ran)) return;
    for (std::size_t i = from; i < to; ++i)
        if (!m_steps[i].generated.empty()) return; // it ran under another name, or not at all
    for (std::size_t i = 0; i < ran; ++i) {
        const Site& site = m_steps[from + (calls == 1 ? 0 : i)].site;
        out[first + i] = {site.kernel, site.call, none, Link::GraphPlace};
    }
}

std::vector<Matched> CodeCalls::matchReplay(std::span<const std::string_view> kernels, bool isWhole) const {
    std::map<std::string_view, std::uint32_t> ids;
    const auto id = [&](std::string_view name) {
        return ids.try_emplace(name, static_cast<std::uint32_t>(ids.size())).first->second;
    };
    std::vector<std::uint32_t> own, ran;
    std::vector<std::size_t> steps, events;
    for (std::size_t i = 0; i < m_steps.size(); ++i)
        if (!m_steps[i].generated.empty()) {
            own.push_back(id(m_steps[i].generated));
            steps.push_back(i);
        }
    std::vector<Matched> out(kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i)
        if (isGeneratedKernel(kernels[i])) {
            out[i] = find(kernels[i]);
            ran.push_back(id(kernels[i]));
            events.push_back(i);
        }
    std::size_t from = 0, first = 0;
    bool isBounded = isWhole;
    for (const auto& [a, b] : diff::detail::alignSequences(own, ran)) {
        const std::size_t step = steps[a], event = events[b];
        out[event] = {m_steps[step].site.kernel, m_steps[step].site.call, none,
                      m_sites.find(m_steps[step].generated)->second.size() == 1 ? Link::KernelName
                                                                                : Link::KernelOrder};
        const bool onlyLibrary = std::none_of(kernels.begin() + static_cast<std::ptrdiff_t>(first),
                                              kernels.begin() + static_cast<std::ptrdiff_t>(event),
                                              [](std::string_view name) { return isGeneratedKernel(name); });
        if (isBounded && onlyLibrary) fillReplay(from, step, first, event, out);
        isBounded = true;
        from = step + 1;
        first = event + 1;
    }
    const bool onlyLibrary = std::none_of(kernels.begin() + static_cast<std::ptrdiff_t>(first), kernels.end(),
                                          [](std::string_view name) { return isGeneratedKernel(name); });
    if (isWhole && onlyLibrary) fillReplay(from, m_steps.size(), first, kernels.size(), out);
    return out;
}

std::string shapesOf(std::string_view inputDims) {
    std::string out;
    std::size_t open = std::string_view::npos;
    for (std::size_t i = 0; i < inputDims.size(); ++i) {
        if (inputDims[i] == '[') open = i;
        if (inputDims[i] != ']' || open == std::string_view::npos) continue;
        if (i > open + 1) {
            for (const char c : inputDims.substr(open, i - open + 1))
                if (c != ' ' && c != '\n' && c != '\r' && c != '\t') out += c;
        }
        open = std::string_view::npos;
    }
    return out;
}

std::string shapesOf(const ir::Graph& graph, const ir::Node& node) {
    std::string out;
    bool known = true;
    node.forEachInput([&](const std::string& name) {
        const ir::NodeIndex index = graph.find(name);
        const auto* meta = index == ir::npos || !graph.node(index).meta ? nullptr : &*graph.node(index).meta;
        if (meta == nullptr || !meta->tensor) {
            known = false;
            return;
        }
        std::string shape;
        for (const std::string& size : meta->tensor->sizes) {
            known = known && !size.empty() && std::ranges::all_of(size, isDigit);
            shape += (shape.empty() ? "" : ",") + size;
        }
        if (!shape.empty()) out += '[' + shape + ']';
    });
    return known ? out : "?";
}

GraphOperators::GraphOperators(const ir::Graph& graph) {
    for (ir::NodeIndex i = 0; i < graph.size(); ++i) {
        std::string name = operatorOf(graph.node(i));
        if (name.empty()) continue;
        m_names.insert(name);
        m_operators.push_back({std::move(name), shapesOf(graph, graph.node(i)), i});
    }
}

std::vector<Matched> GraphOperators::match(std::span<const CalledOperator> operators) const {
    std::map<std::string, std::uint32_t> ids;
    const auto id = [&](std::string text) {
        return ids.try_emplace(std::move(text), static_cast<std::uint32_t>(ids.size())).first->second;
    };
    std::vector<std::uint32_t> own, ownNames, run, runNames;
    for (const Operator& op : m_operators) {
        ownNames.push_back(id(op.name));
        own.push_back(op.dims == "?" ? id("? " + std::to_string(op.node)) : id(op.name + ' ' + op.dims));
    }
    for (const CalledOperator& op : operators) {
        runNames.push_back(id(std::string(op.name)));
        run.push_back(op.dims.empty() ? id("! " + std::to_string(run.size()))
                                      : id(std::string(op.name) + ' ' + shapesOf(op.dims)));
    }
    std::vector<Matched> out(operators.size());
    std::size_t ownFrom = 0, runFrom = 0;
    // Between two that are the same in all, those of the same name.
    const auto fill = [&](std::size_t ownTo, std::size_t runTo) {
        const auto between =
            diff::detail::alignSequences(std::span(ownNames).subspan(ownFrom, ownTo - ownFrom),
                                         std::span(runNames).subspan(runFrom, runTo - runFrom));
        for (const auto& [a, b] : between)
            out[runFrom + b] = {-1, -1, m_operators[ownFrom + a].node, Link::OperatorOrder};
    };
    for (const auto& [a, b] : diff::detail::alignSequences(own, run)) {
        fill(a, b);
        out[b] = {-1, -1, m_operators[a].node, Link::OperatorDims};
        ownFrom = a + 1;
        runFrom = b + 1;
    }
    fill(own.size(), run.size());
    bool isOver = false;
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i].foreign = isOver || !m_names.contains(operators[i].name);
        isOver |= !m_operators.empty() && out[i].node == m_operators.back().node;
    }
    return out;
}

} // namespace dynascope::profile
