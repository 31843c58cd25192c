// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/passes/normalize_ir.h"

#include "core/engine/exec/torch_values.h"
#include "core/engine/passes/alias_analysis.h"
#include "core/engine/passes/normalize_words.h"
#include "core/ir/empty_like.h"
#include "core/ir/operators.h"
#include "core/passes/fx_names.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

namespace dynascope::engine {

namespace {

using ir::Argument;
using ir::NodeIndex;
using ir::Op;
using passes::PassState;
using passes::Step;

/// What torch.fx names a node after: "iadd" of operator.iadd, "add_tensor" of torch.ops.aten.add.Tensor.
std::string nameBase(const ir::Node& node) {
    std::string_view target = node.target;
    if (node.op != Op::CallFunction) return std::string(target);
    constexpr std::string_view ops = "torch.ops.";
    if (target.starts_with(ops)) {
        target.remove_prefix(ops.size());
        target.remove_prefix(std::min(target.find('.') + 1, target.size()));
        std::string name(target);
        std::replace(name.begin(), name.end(), '.', '_');
        return name;
    }
    const std::size_t dot = target.rfind('.');
    return std::string(dot == std::string_view::npos ? target : target.substr(dot + 1));
}

using Readers = std::unordered_map<std::string, Argument>; ///< what readers of a name now read

void redirect(Argument& argument, const Readers& readers) {
    if (argument.isNode()) {
        if (const auto found = readers.find(argument.text); found != readers.end()) argument = found->second;
        return;
    }
    for (Argument& item : argument.items)
        redirect(item, readers);
}

void redirect(ir::Node& node, const Readers& readers) {
    for (Argument& argument : node.args)
        redirect(argument, readers);
    for (auto& [key, argument] : node.kwargs)
        redirect(argument, readers);
}

std::optional<Argument> takeKeyword(ir::Node& node, std::string_view key) {
    const auto found = std::find_if(node.kwargs.begin(), node.kwargs.end(),
                                    [&](const auto& kwarg) { return kwarg.first == key; });
    if (found == node.kwargs.end()) return std::nullopt;
    Argument value = std::move(found->second);
    node.kwargs.erase(found);
    return value;
}

/// Steps 1 and 2: methods to functions, then what torch.fx's NormalizeOperators does.
struct Normalized {
    ir::GraphPtr graph;
    std::vector<std::string> warnings;
};

Normalized normalized(const ir::Graph& graph) {
    Normalized out;
    ir::GraphBuilder builder = ir::emptyLike(graph);
    for (const ir::NodePtr& node : graph.nodes()) {
        ir::Node changed = *node;
        if (changed.op == Op::CallMethod) {
            if (const std::string_view to = rewritten(methodFunctions, changed.target); !to.empty()) {
                changed.op = Op::CallFunction;
                changed.target = to;
            }
        }
        const std::string_view binary = changed.op == Op::CallFunction && changed.args.size() == 2
                                            ? rewritten(binaryFunctions, changed.target)
                                            : std::string_view();
        if (!binary.empty()) {
            for (const auto& [key, value] : changed.kwargs)
                out.warnings.push_back("'" + node->name + "' loses its keyword '" + key +
                                       "' to torch.fx's NormalizeOperators");
            changed.kwargs.clear();
            changed.target = binary;
        }
        builder.add(changed.target == node->target ? node : std::make_shared<const ir::Node>(changed));
    }
    out.graph = builder.build();
    return out;
}

class AliasDetails final : public passes::StepDetails {
public:
    explicit AliasDetails(std::vector<NodeAliases> nodes)
        : m_nodes(std::move(nodes)) {}

    void describe(std::size_t step, nlohmann::json& into) const override {
        if (step >= m_nodes.size()) return;
        const NodeAliases& node = m_nodes[step];
        into["alias_groups"] = node.groups;
        into["mutates_alias_groups"] = node.mutates;
        into["is_input_alias"] = node.isInputAlias;
        into["is_input_mutation"] = node.isInputMutation;
        into["is_mutation"] = node.isMutation;
        into["partial_mutation"] = node.partialMutation;
        if (!node.dtype.empty()) into["dtype"] = node.dtype;
        if (!node.device.empty()) into["device"] = node.device;
    }
    void describeAll(nlohmann::json& into) const override {
        into["mutations_left"] = std::count_if(m_nodes.begin(), m_nodes.end(), [](const NodeAliases& node) {
            return node.isMutation && (node.isInputMutation || node.partialMutation || !node.isTensor);
        });
    }

private:
    std::vector<NodeAliases> m_nodes; ///< one a step: steps are the source's nodes in order
};

/// Step 4: emits the graph anew.
class Transform {
public:
    Transform(const ir::Graph& original, const ir::Graph& graph, const std::vector<NodeAliases>& aliases,
              passes::PassObserver& observer)
        : m_original(original)
        , m_graph(graph)
        , m_aliases(aliases)
        , m_observer(observer) {}

    ir::GraphPtr run(std::vector<std::string>& warnings) {
        m_builder = ir::emptyLike(m_graph);
        for (m_at = 0; m_at < m_graph.size(); ++m_at)
            emit();
        warnings.insert(warnings.end(), m_warnings.begin(), m_warnings.end());
        return m_builder.build();
    }

private:
    void emit() {
        const ir::Node& source = m_graph.node(m_at);
        const NodeAliases& aliases = m_aliases[m_at];
        Step step;
        step.source = m_at;
        ir::Node node = source;
        m_patched.reset();
        const bool inTable = isCall(source) && !rewritten(inPlaceReplacements, key(source)).empty();
        if (foldsAttribute(source)) {
            m_readers.insert_or_assign(source.name, constantOf(source));
            step.why = "folded to the constant that the analysis saw";
            step.removed.push_back({m_at, ir::npos, step.why});
            return finish(std::move(step));
        }
        if (isCall(source)) step.why = replaceWrite(node, aliases);
        const bool onNumbers = !aliases.isTensor && aliases.groups.empty() && !aliases.isMutation;
        if (node.op == Op::CallFunction && node.kwargs.empty() && !onNumbers) {
            const std::string_view function = rewritten(functionReplacements, plainTarget(node.target));
            if (!function.empty()) {
                if (plainTarget(node.target) == "operator.floordiv")
                    node.kwargs.emplace_back("rounding_mode", Argument::string("floor"));
                node.target = function;
            }
        }
        redirect(node, m_readers);
        const std::string name = add(std::move(node), source, step);
        Argument result = Argument::node(name);
        if (inTable) {
            const NodeIndex operand = operandOf(source);
            ir::Node cast;
            cast.op = Op::CallMethod;
            cast.target = "to";
            const std::string dtype = operand == ir::npos ? aliases.dtype : m_aliases[operand].dtype;
            cast.args = {result, Argument{Argument::Kind::Dtype, dtype, {}, {}}};
            cast.name = m_names.create("to");
            result = Argument::node(cast.name);
            step.emitted.push_back({static_cast<NodeIndex>(m_builder.size()),
                                    "keeps the dtype of the tensor that was written in place"});
            m_builder.add(std::move(cast));
        }
        m_readers.insert_or_assign(source.name, result);
        if (m_patched) {
            m_readers.insert_or_assign(*m_patched, result);
            warnAboutOtherNames(*m_patched);
        }
        finish(std::move(step));
    }

    static bool isCall(const ir::Node& node) {
        return node.op == Op::CallFunction || node.op == Op::CallMethod;
    }

    static std::string_view key(const ir::Node& node) { return plainTarget(node.target); }

    [[nodiscard]] NodeIndex operandOf(const ir::Node& node) const {
        return !node.args.empty() && node.args.front().isNode() ? m_graph.find(node.args.front().text)
                                                                : ir::npos;
    }

    /// Gives the reason of what it did, or of what it left.
    std::string replaceWrite(ir::Node& node, const NodeAliases& aliases) {
        const bool inTable = !rewritten(inPlaceReplacements, key(node)).empty();
        if (aliases.isMutation && aliases.isInputMutation) return "writes into an input, so it stays";
        if (aliases.isMutation && aliases.partialMutation) return "writes through an index, so it stays";
        if (!aliases.isTensor)
            return aliases.isMutation ? "writes, but gives no tensor, so it stays" : std::string();
        if (aliases.isInputMutation || aliases.partialMutation) return {};
        if (const auto inPlace = takeKeyword(node, "inplace")) {
            if (inPlace->text != "True") return "drops inplace=False";
            if (!node.args.empty() && node.args.front().isNode()) m_patched = node.args.front().text;
            return "makes a new value; readers of what it wrote read that";
        }
        if (const auto out = takeKeyword(node, "out")) {
            if (out->isNode()) m_patched = out->text;
            return "drops out=; readers of what it wrote read the result";
        }
        if (inTable) {
            if (key(node) == "operator.ifloordiv")
                node.kwargs.emplace_back("rounding_mode", Argument::string("floor"));
            node.target = rewritten(inPlaceReplacements, key(node));
            if (!node.args.empty() && node.args.front().isNode()) m_patched = node.args.front().text;
            return "makes a new value; readers of what it wrote read that";
        }
        return aliases.isMutation ? "writes, and " + std::string(ir::shortTarget(node.target)) +
                                        " is not among the writes that the pass knows, so it stays"
                                  : std::string();
    }

    static bool foldsAttribute(const ir::Node& node) {
        return node.op == Op::CallFunction && plainTarget(node.target) == ir::getattrTarget &&
               node.args.size() == 2 && node.args[0].isNode() &&
               (node.args[1].text == "dtype" || node.args[1].text == "device");
    }

    [[nodiscard]] Argument constantOf(const ir::Node& node) const {
        const NodeIndex operand = operandOf(node);
        const bool dtype = node.args[1].text == "dtype";
        const NodeAliases none;
        const NodeAliases& seen = operand == ir::npos ? none : m_aliases[operand];
        return {
            dtype ? Argument::Kind::Dtype : Argument::Kind::Device, dtype ? seen.dtype : seen.device, {}, {}};
    }

    std::string add(ir::Node node, const ir::Node& source, Step& step) {
        const auto at = static_cast<NodeIndex>(m_builder.size());
        const bool inOrOut = node.op == Op::Placeholder || node.op == Op::Output;
        node.name = inOrOut ? source.name : m_names.create(nameBase(node));
        if (node.op == Op::Placeholder) (void)m_names.create(source.name);
        const ir::NodePtr& original = m_original.nodes()[m_at];
        if (same(*original, node)) {
            m_builder.add(original);
        } else {
            if (!inOrOut)
                step.changed.push_back(
                    {m_at, at, step.why.empty() ? "reads or is named otherwise" : step.why});
            m_builder.add(node);
        }
        return node.name;
    }

    static bool same(const ir::Node& a, const ir::Node& b) {
        return a.name == b.name && a.op == b.op && a.target == b.target && a.args == b.args &&
               a.kwargs == b.kwargs;
    }

    void finish(Step step) {
        step.end = static_cast<NodeIndex>(m_builder.size());
        m_observer.onStep(std::move(step));
    }

    /// The pass's known hole: other tensors over the same memory keep the value from before.
    void warnAboutOtherNames(const std::string& patched) {
        const NodeAliases& written = m_aliases[m_at];
        for (NodeIndex other = 0; other < m_at; ++other) {
            const ir::Node& node = m_graph.node(other);
            if (node.name == patched || !m_aliases[other].isTensor) continue;
            const bool shares = std::any_of(m_aliases[other].groups.begin(), m_aliases[other].groups.end(),
                                            [&](int group) { return written.mutates.contains(group); });
            const auto users = m_graph.users(other);
            const bool readLater =
                std::any_of(users.begin(), users.end(), [&](NodeIndex user) { return user > m_at; });
            if (shares && readLater)
                m_warnings.push_back("'" + node.name + "' shares memory with '" + patched + "', which '" +
                                     m_graph.node(m_at).name +
                                     "' wrote: it is read afterwards, and without that write");
        }
    }

    const ir::Graph& m_original;
    const ir::Graph& m_graph;
    const std::vector<NodeAliases>& m_aliases;
    passes::PassObserver& m_observer;
    ir::GraphBuilder m_builder;
    passes::FxNames m_names;
    Readers m_readers;
    std::optional<std::string> m_patched; ///< the node whose later readers read the new value
    std::vector<std::string> m_warnings;
    NodeIndex m_at = 0;
};

} // namespace

passes::PassResult<PassState> NormalizeIrPass::run(const PassState& source,
                                                   const passes::PassContext& context,
                                                   passes::PassObserver& observer) const {
    const auto values = torchValues(source);
    if (!values) return tl::unexpected(values.error());
    Normalized first = normalized(*source.graph);
    const Program program = compile(first.graph);
    if (auto obstacle = obstacleOf(program)) return tl::unexpected(std::move(*obstacle));
    auto aliases = analyzeAliases(program, (*values)->freshInputs(), (*values)->attributes(), context.task);
    if (!aliases) return tl::unexpected(passError(aliases.error()));
    PassState after;
    after.warnings = std::move(first.warnings);
    after.graph = Transform(*source.graph, *first.graph, *aliases, observer).run(after.warnings);
    after.values = source.values;
    after.details = std::make_shared<const AliasDetails>(std::move(*aliases));
    return after;
}

} // namespace dynascope::engine
