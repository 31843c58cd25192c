// SPDX-License-Identifier: BSD-3-Clause
#include "core/passes/hooks/saved_tensors_hooks.h"

#include "core/ir/empty_like.h"
#include "core/ir/storage.h"
#include "core/passes/fx_names.h"
#include "core/passes/rename_inputs.h"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace dynascope::passes::hooks {

namespace {

using ir::Argument;
using ir::NodeIndex;
using ir::Op;

bool isSymbol(const ir::Node& node) {
    return node.meta && !node.meta->tensor && node.meta->raw.starts_with("Sym(");
}

/// Names that the graph has given, those of nodes that were dropped when it was cut out of the joint graph
/// included: what the other half has and this one could compute as well. `forward` says which half it is,
/// since forward's nodes were named first.
FxNames namesOf(const ir::Graph& graph, const ir::Graph& other, bool forward) {
    std::unordered_set<std::string_view> known;
    std::vector<std::string_view> own, dropped;
    FxNames out;
    for (const ir::NodePtr& node : graph.nodes()) {
        known.insert(node->name);
        if (node->op == Op::Placeholder)
            (void)out.create(node->name);
        else if (node->op != Op::Output)
            own.push_back(node->name);
    }
    for (NodeIndex i = 0; i < other.size(); ++i) {
        const ir::Node& node = other.node(i);
        if (node.op == Op::Placeholder || node.op == Op::Output || known.contains(node.name)) continue;
        const auto inputs = other.inputs(i);
        if (!std::all_of(inputs.begin(), inputs.end(),
                         [&](NodeIndex input) { return known.contains(other.node(input).name); }))
            continue;
        known.insert(node.name);
        dropped.push_back(node.name);
    }
    for (const auto* names : {forward ? &own : &dropped, forward ? &dropped : &own})
        for (const std::string_view name : *names)
            (void)out.create(name);
    return out;
}

class Inliner {
public:
    Inliner(const Request& request, const Trace& pack, const Trace& unpack)
        : m_request(request)
        , m_forward(*request.forward)
        , m_backward(*request.backward)
        , m_pack(pack)
        , m_unpack(unpack)
        , m_forwardNames(namesOf(m_forward, m_backward, true))
        , m_backwardNames(namesOf(m_backward, m_forward, false)) {
        for (const ir::Graph* graph : {&m_forward, &m_backward})
            for (const ir::NodePtr& node : graph->nodes())
                m_taken.insert(node->name);
    }

    Result<Hooked> run() {
        m_outputs = resultLeaves(m_forward);
        if (m_outputs.size() < m_request.functionOutputs)
            return failure("forward has fewer outputs than the function");
        for (std::size_t i = 0; i < m_request.functionOutputs; ++i)
            if (m_outputs[i].isNode()) m_functionOutputs.insert(m_outputs[i].text);
        auto excluded = filtered();
        if (!excluded) return Hooked{m_request.forward, m_request.backward, {}};
        for (std::size_t i = m_request.functionOutputs; i < m_outputs.size(); ++i) {
            const std::string& saved = m_outputs[i].text;
            const NodeIndex node = m_outputs[i].isNode() ? m_forward.find(saved) : ir::npos;
            if (node == ir::npos) return failure("'" + m_outputs[i].toString() + "' is saved and no node");
            if (isSymbol(m_forward.node(node))) {
                m_savedSymbols.push_back(saved);
            } else if (excluded->contains(saved)) {
                m_packedTensors.push_back(saved);
            } else if (auto done = hook(saved); !done) {
                return tl::unexpected(done.error());
            }
        }
        ir::GraphPtr newForward = forward();
        ir::GraphPtr newBackward = backward(*newForward);
        Hooked out{std::move(newForward), std::move(newBackward), std::move(m_packed)};
        if (auto same = checkNames(*out.backward); !same) return tl::unexpected(same.error());
        return out;
    }

private:
    /// Names that the filter leaves out; nothing where it leaves out all.
    std::optional<std::set<std::string>> filtered() const {
        std::set<std::string> out;
        const std::vector<std::string> inputs = placeholderNames(m_forward);
        if (m_request.filter == Filter::NoStatic) {
            for (const std::size_t i : m_request.staticInputs)
                if (i < inputs.size()) out.insert(inputs[i]);
        }
        if (m_request.filter != Filter::Donated) return out;
        const std::set<std::string> held = heldStorages(inputs);
        const std::vector<NodeIndex> roots = ir::storageRoots(m_forward, ir::FunctionalForms::NewStorage);
        bool any = false;
        for (std::size_t i = m_request.functionOutputs; i < m_outputs.size(); ++i) {
            const NodeIndex node = m_forward.find(m_outputs[i].text);
            if (node == ir::npos || isSymbol(m_forward.node(node))) continue;
            if (held.contains(m_forward.node(roots[node]).name))
                out.insert(m_outputs[i].text);
            else
                any = true;
        }
        if (!any) return std::nullopt;
        return out;
    }

    /// Storages, named by what makes them, of inputs and outputs of the function and of gradients.
    std::set<std::string> heldStorages(const std::vector<std::string>& inputs) const {
        std::set<std::string> out(inputs.begin(), inputs.end());
        const std::vector<NodeIndex> roots = ir::storageRoots(m_forward, ir::FunctionalForms::NewStorage);
        const auto rootName = [&](const std::string& name) {
            const NodeIndex node = m_forward.find(name);
            return node == ir::npos ? name : m_forward.node(roots[node]).name;
        };
        for (const std::string& output : m_functionOutputs)
            out.insert(rootName(output));
        const std::vector<NodeIndex> backwardRoots =
            ir::storageRoots(m_backward, ir::FunctionalForms::NewStorage);
        for (const Argument& gradient : resultLeaves(m_backward)) {
            const NodeIndex node = gradient.isNode() ? m_backward.find(gradient.text) : ir::npos;
            if (node != ir::npos) out.insert(rootName(m_backward.node(backwardRoots[node]).name));
        }
        return out;
    }

    Result<void> hook(const std::string& saved) {
        const auto pack = m_pack(saved);
        if (!pack) return tl::unexpected(pack.error());
        auto leaves = packInto(**pack, saved);
        if (!leaves) return tl::unexpected(leaves.error());
        const auto unpack = m_unpack(saved);
        if (!unpack) return tl::unexpected(unpack.error());
        return unpackFrom(**unpack, saved, *leaves);
    }

    std::string unusedName(const std::string& candidate) const {
        std::string out = candidate;
        for (int i = 0; m_taken.contains(out); ++i)
            out = candidate + '_' + std::to_string(i);
        return out;
    }

    /// Copies of the pack hook's calls go to the end of forward. Gives its result's leaves by their new
    /// names.
    Result<std::vector<Argument>> packInto(const ir::Graph& pack, const std::string& saved) {
        const std::vector<std::string> inputs = placeholderNames(pack);
        if (inputs.size() != 1)
            return failure("expected exactly 1 pack_g_input, got " + std::to_string(inputs.size()));
        NewNames names{{inputs.front(), saved}};
        const std::size_t first = m_epilogue.size();
        for (const ir::NodePtr& node : pack.nodes()) {
            if (node->op == Op::Placeholder || node->op == Op::Output) continue;
            ir::Node copy = *node;
            renameInputs(copy, names);
            copy.name = m_forwardNames.create(node->name);
            m_taken.insert(copy.name);
            names[node->name] = copy.name;
            m_epilogue.push_back(std::move(copy));
        }
        std::vector<Argument> leaves = resultLeaves(pack);
        if (leaves.empty()) return failure("the pack hook of '" + saved + "' returns nothing");
        NewNames results; // of the leaves that are made anew under another name
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            renameInputs(leaves[i], names);
            if (!leaves[i].isNode()) continue;
            const NodeIndex there = m_forward.find(leaves[i].text);
            const bool input = there != ir::npos && m_forward.node(there).op == Op::Placeholder;
            if (input || m_functionOutputs.contains(leaves[i].text) || results.contains(leaves[i].text))
                continue;
            const std::string name = m_forwardNames.create(unusedName(saved + "_hook_" + std::to_string(i)));
            if (there != ir::npos) m_renamedForward[leaves[i].text] = name;
            results[leaves[i].text] = name;
        }
        for (std::size_t i = first; i < m_epilogue.size(); ++i) {
            if (const auto found = results.find(m_epilogue[i].name); found != results.end())
                m_epilogue[i].name = found->second;
            renameInputs(m_epilogue[i], results);
        }
        Packed packed;
        packed.saved = saved;
        for (std::size_t i = first; i < m_epilogue.size(); ++i)
            packed.packing.push_back(m_epilogue[i].name);
        for (Argument& leaf : leaves) {
            renameInputs(leaf, results);
            if (!leaf.isNode()) continue;
            m_packedTensors.push_back(leaf.text);
            packed.values.push_back(leaf.text);
        }
        m_packed.push_back(std::move(packed));
        return leaves;
    }

    /// Copies of the unpack hook's calls go behind backward's placeholders, before those of earlier values.
    Result<void> unpackFrom(const ir::Graph& unpack, const std::string& saved,
                            const std::vector<Argument>& leaves) {
        if (m_backward.find(saved) == ir::npos)
            return failure("could not find saved tensor " + saved + " in bw_g_inputs");
        const std::vector<std::string> inputs = placeholderNames(unpack);
        if (inputs.size() > leaves.size())
            return failure("the unpack hook of '" + saved + "' takes more than the pack hook returns");
        std::unordered_map<std::string, Argument> values;
        std::vector<std::string>& placeholders = m_placeholdersFor[saved];
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            if (leaves[i].isNode() && leaves[i].text != saved)
                placeholders.push_back(m_backwardNames.create(leaves[i].text));
            else if (leaves[i].isNode())
                m_usedDirectly.insert(saved);
            if (i < inputs.size()) values.emplace(inputs[i], leaves[i]);
        }
        std::vector<ir::Node> block;
        for (const ir::NodePtr& node : unpack.nodes()) {
            if (node->op == Op::Placeholder || node->op == Op::Output) continue;
            ir::Node copy = *node;
            for (Argument& argument : copy.args)
                substitute(argument, values);
            for (auto& [key, argument] : copy.kwargs)
                substitute(argument, values);
            copy.name = m_backwardNames.create(node->name);
            m_taken.insert(copy.name);
            values[node->name] = Argument::node(copy.name);
            m_packed.back().unpacking.push_back(copy.name);
            block.push_back(std::move(copy));
        }
        m_prologues.push_back(std::move(block));
        std::vector<Argument> result = resultLeaves(unpack);
        if (result.size() != 1)
            return failure("expected exactly 1 leaf, got " + std::to_string(result.size()));
        substitute(result.front(), values);
        if (!result.front().isNode()) return failure("the unpack hook of '" + saved + "' returns no tensor");
        m_renamedBackward[saved] = m_packed.back().unpacked = result.front().text;
        return {};
    }

    /// A hook may return numbers, which backward then has as constants.
    static void substitute(Argument& argument, const std::unordered_map<std::string, Argument>& values) {
        if (argument.isNode()) {
            if (const auto found = values.find(argument.text); found != values.end())
                argument = found->second;
            return;
        }
        for (Argument& item : argument.items)
            substitute(item, values);
    }

    ir::GraphPtr forward() {
        ir::GraphBuilder builder = ir::emptyLike(m_forward);
        for (const ir::NodePtr& node : m_forward.nodes()) {
            if (node->op == Op::Output) continue;
            ir::NodePtr out = withInputsRenamed(node, m_renamedForward);
            if (const auto found = m_renamedForward.find(node->name); found != m_renamedForward.end()) {
                ir::Node renamed = *out;
                renamed.name = found->second;
                out = std::make_shared<const ir::Node>(std::move(renamed));
            }
            builder.add(std::move(out));
        }
        for (ir::Node& node : m_epilogue) {
            renameInputs(node, m_renamedForward);
            builder.add(std::move(node));
        }
        ir::Node output;
        if (m_forward.size() > 0) output = *m_forward.nodes().back();
        Argument results = Argument::tuple({});
        for (std::size_t i = 0; i < m_request.functionOutputs; ++i) {
            renameInputs(m_outputs[i], m_renamedForward);
            results.items.push_back(m_outputs[i]);
        }
        for (const auto* list : {&m_packedTensors, &m_savedSymbols})
            for (const std::string& name : *list)
                results.items.push_back(Argument::node(name));
        output.args = {std::move(results)};
        builder.add(std::move(output));
        return builder.build();
    }

    /// After forward(), which has what the hooks returned.
    ir::GraphPtr backward(const ir::Graph& forward) {
        ir::GraphBuilder builder = ir::emptyLike(m_backward);
        std::size_t left = placeholderNames(m_backward).size();
        for (const ir::NodePtr& node : m_backward.nodes()) {
            if (node->op != Op::Placeholder) {
                builder.add(withInputsRenamed(node, m_renamedBackward));
                continue;
            }
            if (const auto found = m_placeholdersFor.find(node->name); found != m_placeholdersFor.end()) {
                for (const std::string& name : found->second) {
                    ir::Node placeholder;
                    placeholder.name = placeholder.target = name;
                    placeholder.op = Op::Placeholder;
                    if (const NodeIndex packed = forward.find(name); packed != ir::npos)
                        placeholder.meta = forward.node(packed).meta;
                    builder.add(std::move(placeholder));
                }
            }
            if (!m_renamedBackward.contains(node->name) || m_usedDirectly.contains(node->name))
                builder.add(node);
            if (--left > 0) continue;
            for (std::size_t i = m_prologues.size(); i-- > 0;)
                for (ir::Node& copy : m_prologues[i])
                    builder.add(std::move(copy));
        }
        return builder.build();
    }

    Result<void> checkNames(const ir::Graph& backward) const {
        std::vector<std::string> expected = m_savedSymbols;
        expected.insert(expected.end(), m_packedTensors.begin(), m_packedTensors.end());
        const std::vector<std::string> got = placeholderNames(backward);
        if (got.size() < expected.size() || !std::equal(expected.begin(), expected.end(), got.begin()))
            return failure("what forward saves and what backward takes differ in names or order");
        return {};
    }

    const Request& m_request;
    const ir::Graph& m_forward;
    const ir::Graph& m_backward;
    const Trace& m_pack;
    const Trace& m_unpack;
    FxNames m_forwardNames, m_backwardNames;
    std::unordered_set<std::string> m_taken; ///< names of nodes of either graph
    std::vector<Argument> m_outputs;         ///< of forward
    std::set<std::string> m_functionOutputs;
    std::vector<std::string> m_packedTensors, m_savedSymbols; ///< forward's outputs behind the function's
    std::vector<ir::Node> m_epilogue;
    std::vector<std::vector<ir::Node>> m_prologues; ///< in the order of the saved values
    NewNames m_renamedForward, m_renamedBackward;
    std::unordered_map<std::string, std::vector<std::string>> m_placeholdersFor; ///< by saved value
    std::unordered_set<std::string> m_usedDirectly; ///< backward still takes the value itself
    std::vector<Packed> m_packed;
};

} // namespace

Result<std::size_t> functionOutputsOf(const ir::Graph& forward, const ir::Graph& backward) {
    const std::size_t outputs = resultLeaves(forward).size();
    std::size_t saved = 0;
    for (const std::string& name : placeholderNames(backward))
        saved += forward.find(name) != ir::npos ? 1 : 0;
    if (saved > outputs) return failure("backward takes more than forward saves");
    return outputs - saved;
}

Result<Hooked> inlineHooks(const Request& request, const Trace& pack, const Trace& unpack) {
    return Inliner(request, pack, unpack).run();
}

} // namespace dynascope::passes::hooks
