// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/aot/kept_graphs.h"

#include "core/engine/cases/traced_graph.h"
#include "core/engine/exec/autograd_node.h"
#include "core/engine/exec/torch_level/overloads.h"
#include "core/engine/functionalize/functionalization_run.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include <array>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/functions/utils.h>

namespace dynascope::engine {

namespace {

using at::Tensor;
using torch::autograd::variable_list;
using torch_level::Arguments;
using torch_level::aten;
using torch_level::itemsOf;
using torch_level::joined;
using torch_level::Value;

bool needsGrad(const std::vector<Value>& values) {
    return std::any_of(values.begin(), values.end(),
                       [](const Value& value) { return value.isTensor() && value.tensor().requires_grad(); });
}

/// What goes on below autograd, on plain tensors.
class Plainly {
    PlainCalls m_plain;
    c10::impl::ExcludeDispatchKeyGuard m_noAutograd{c10::autograd_dispatch_keyset_with_ADInplaceOrView};
};

/// One traced graph, for the node that keeps it.
struct Graph {
    std::string prefix; ///< its name but for the number
    ir::GraphPtr graph;
};

/// Works on the tape that was current when it was made.
class Keeper {
public:
    Keeper(const AutogradLevel& level, const torch_level::Context* context)
        : m_level(level)
        , m_context(context) {}

    /// The plain tensors behind the values.
    [[nodiscard]] Value plain(const Value& value) const {
        if (value.isTensor()) return Tape::valueOf(m_level.traced(value.tensor()));
        if (!value.isSequence()) return value;
        std::vector<Value> items;
        for (const Value& item : value.items())
            items.push_back(plain(item));
        return value.kind() == Value::Kind::List ? Value::list(std::move(items))
                                                 : Value::tuple(std::move(items));
    }

    /// The body's graph on inputs like these, which are plain.
    [[nodiscard]] ir::GraphPtr trace(const Value& body, const std::vector<Value>& inputs) const {
        Tape tape;
        const TapeGuard guard(tape);
        const at::AutoGradMode noGrad(false);
        const std::vector<Value> arguments = placeholders(tape, inputs, {});
        return finished(tape, torch_level::runGraph(body, arguments, m_context));
    }

    /// The graph of the body's backward: of the gradients of those inputs, by tangents of the outputs that
    /// have one. Zeros where there is no gradient.
    [[nodiscard]] ir::GraphPtr traceBackward(const Value& body, const std::vector<Value>& inputs,
                                             const std::vector<bool>& requiresGrad,
                                             const std::vector<Value>& tangents) const {
        Tape tape;
        const TapeGuard guard(tape);
        const at::AutoGradMode grad(true);
        const std::vector<Value> all = placeholders(tape, joined(inputs, tangents), requiresGrad);
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(inputs.size());
        const std::vector<Value> primals(all.begin(), middle), given(middle, all.end());
        const std::vector<Value> outputs = itemsOf(torch_level::runGraph(body, primals, m_context));
        variable_list from, by, to;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            if (!outputs[i].isTensor() || !outputs[i].tensor().requires_grad()) continue;
            from.push_back(outputs[i].tensor());
            by.push_back(given.at(i).tensor());
        }
        for (const Value& primal : primals)
            if (primal.isTensor() && primal.tensor().requires_grad()) to.push_back(primal.tensor());
        variable_list found(to.size());
        if (!from.empty() && !to.empty())
            found = torch::autograd::grad(from, to, by, std::nullopt, false, true);
        return finished(tape, Value::list(gradientsOf(primals, found, all)));
    }

    /// A node that calls the operator with these arguments, graphs among them by position in `graphs`; gives
    /// what it makes, `values` being plain.
    Value record(std::string_view name, const std::vector<Graph>& graphs, const std::vector<Value>& arguments,
                 const std::vector<Value>& values) const {
        Tape& tape = *TapeGuard::current();
        std::size_t number = 0;
        while (tape.hasSubgraph(graphs.front().prefix + std::to_string(number)))
            ++number;
        std::vector<ir::Argument> kept;
        for (const Graph& graph : graphs)
            kept.push_back(tape.keep(graph.prefix + std::to_string(number), graph.graph));
        auto node = tape.makeNode();
        node->op = ir::Op::CallFunction;
        node->target = "torch.ops.higher_order." + std::string(name);
        std::size_t next = 0;
        for (const Value& argument : arguments)
            node->args.push_back(argument.kind() == Value::Kind::Graph ? kept.at(next++)
                                                                       : written(tape, argument));
        const std::size_t at = tape.add(std::move(node), name);
        std::vector<Value> out;
        for (std::size_t i = 0; i < values.size(); ++i)
            out.push_back(values[i].isTensor() ? Value(m_level.wrap(tape.item(values[i].tensor(), at,
                                                                              static_cast<std::int64_t>(i))))
                                               : values[i]);
        return Value::tuple(std::move(out));
    }

    [[nodiscard]] const torch_level::Context* context() const { return m_context; }

private:
    std::vector<Value> placeholders(Tape& tape, const std::vector<Value>& inputs,
                                    const std::vector<bool>& requiresGrad) const {
        tape.setDescribing(true);
        tape.setLaidOutAsFake(true);
        std::vector<Value> out;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const std::string name = "arg" + std::to_string(i) + "_1";
            const c10::IValue traced = tape.input(name, name, inputs[i].toIValue());
            if (!isDefinedTensor(traced)) {
                out.push_back(inputs[i]);
                continue;
            }
            Tensor outer = m_level.wrap(traced.toTensor());
            if (i < requiresGrad.size() && requiresGrad[i]) outer.set_requires_grad(true);
            out.emplace_back(std::move(outer));
        }
        return out;
    }

    /// By input; what an input or another gradient is already gets copied.
    [[nodiscard]] std::vector<Value> gradientsOf(const std::vector<Value>& primals,
                                                 const variable_list& found,
                                                 const std::vector<Value>& inputs) const {
        std::vector<Value> out;
        std::size_t next = 0;
        for (const Value& primal : primals) {
            if (!primal.isTensor()) continue;
            const Tensor gradient = primal.tensor().requires_grad() ? found.at(next++) : Tensor();
            out.push_back(gradient.defined() ? Value(gradient) : aten("zeros_like", {primal}));
        }
        const at::AutoGradMode noGrad(false);
        std::vector<const void*> seen;
        for (const Value& input : inputs)
            if (input.isTensor()) seen.push_back(storageOf(input.tensor()));
        for (Value& gradient : out) {
            if (std::find(seen.begin(), seen.end(), storageOf(gradient.tensor())) != seen.end())
                gradient = aten("clone", {gradient});
            seen.push_back(storageOf(gradient.tensor()));
        }
        return out;
    }

    static const void* storageOf(const Tensor& outer) {
        const at::FunctionalTensorWrapper* wrapper = AutogradLevel::wrapperOf(outer);
        return wrapper ? wrapper->storage().unsafeGetStorageImpl() : nullptr;
    }

    [[nodiscard]] ir::GraphPtr finished(Tape& tape, const Value& result) const {
        ir::Argument returned = written(tape, result);
        return withoutDeadNodes(tape.finish(std::move(returned)));
    }

    ir::Argument written(Tape& tape, const Value& value) const {
        if (value.isTensor()) return tape.argument(m_level.traced(value.tensor()), *c10::TensorType::get());
        if (!value.isSequence()) return tape.argument(value.toIValue(), *c10::AnyType::get());
        std::vector<ir::Argument> items;
        for (const Value& item : value.items())
            items.push_back(written(tape, item));
        return value.kind() == Value::Kind::List ? ir::Argument::list(std::move(items))
                                                 : ir::Argument::tuple(std::move(items));
    }

    const AutogradLevel& m_level;
    const torch_level::Context* m_context;
};

/// The result of the branch that is taken, on plain operands.
std::vector<Value> taken(const ir::GraphPtr& yes, const ir::GraphPtr& no, const Keeper& keeper,
                         const Value& predicate, const std::vector<Value>& operands) {
    const Plainly plainly;
    const bool which = keeper.plain(predicate).tensor().item<bool>();
    const Value body = Value::graph(std::make_shared<const Program>(compile(which ? yes : no)));
    return itemsOf(torch_level::runGraph(body, operands, keeper.context()));
}

Value recordCond(const Keeper& keeper, const Value& predicate, const ir::GraphPtr& yes,
                 const ir::GraphPtr& no, const std::vector<Value>& operands) {
    const std::vector<Value> values =
        taken(yes, no, keeper, predicate, itemsOf(keeper.plain(Value::tuple(operands))));
    const Value graph = Value::graph(nullptr);
    return keeper.record("cond", {{"true_graph_", yes}, {"false_graph_", no}},
                         {predicate, graph, graph, Value::tuple(operands)}, values);
}

/// What the gradients of a cond's outputs go through.
class CondBackward final : public torch::autograd::Node {
public:
    CondBackward(const AutogradLevel& level, const Arguments& a)
        : m_level(level)
        , m_context(a.context() ? *a.context() : torch_level::Context())
        , m_predicate(a["pred"])
        , m_yes(a["true_fn"])
        , m_no(a["false_fn"])
        , m_operands(a["operands"].items()) {}

    Value attach(const Value& output, const AutogradNodePtr& self) {
        if (!output.isTensor()) return output;
        m_sizes.push_back(output.tensor().sizes().vec());
        m_options.push_back(output.tensor().options());
        if (torch::autograd::isDifferentiableType(output.tensor().scalar_type())) {
            Tensor out = output.tensor();
            torch::autograd::set_history(out, self);
            return out;
        }
        add_input_metadata(undefined_input());
        return output;
    }

    void release_variables() override { m_operands.clear(); }

private:
    variable_list apply(variable_list&& given) override {
        const Keeper keeper(m_level, &m_context);
        std::vector<Value> tangents;
        for (std::size_t i = 0; i < given.size(); ++i)
            tangents.emplace_back(given[i].defined() ? given[i] : at::zeros(m_sizes.at(i), m_options.at(i)));
        std::vector<bool> requiresGrad;
        for (const Value& operand : m_operands)
            requiresGrad.push_back(operand.isTensor() && operand.tensor().requires_grad());
        const std::vector<Value> inputs = itemsOf(keeper.plain(Value::tuple(m_operands)));
        const std::vector<Value> like = itemsOf(keeper.plain(Value::tuple(tangents)));
        const ir::GraphPtr yes = keeper.traceBackward(m_yes, inputs, requiresGrad, like);
        const ir::GraphPtr no = keeper.traceBackward(m_no, inputs, requiresGrad, like);
        variable_list out;
        for (const Value& gradient :
             itemsOf(recordCond(keeper, m_predicate, yes, no, joined(m_operands, tangents))))
            out.push_back(gradient.tensor());
        return out;
    }

    const AutogradLevel& m_level;
    torch_level::Context m_context;
    Value m_predicate, m_yes, m_no;
    std::vector<Value> m_operands;
    std::vector<std::vector<std::int64_t>> m_sizes; ///< of the outputs
    std::vector<at::TensorOptions> m_options;
};

Value traceCond(const AutogradLevel& level, const Arguments& a) {
    const Keeper keeper(level, a.context());
    const std::vector<Value>& operands = a["operands"].items();
    const std::vector<Value> inputs = itemsOf(keeper.plain(a["operands"]));
    Value outputs;
    {
        const at::AutoGradMode noGrad(false);
        outputs = recordCond(keeper, a["pred"], keeper.trace(a["true_fn"], inputs),
                             keeper.trace(a["false_fn"], inputs), operands);
    }
    if (!at::GradMode::is_enabled() || !needsGrad(operands)) return outputs;
    const AutogradNodePtr node = makeAutogradNode<CondBackward>(level, a);
    variable_list tensors;
    for (const Value& operand : operands)
        if (operand.isTensor()) tensors.push_back(operand.tensor());
    node->set_next_edges(torch::autograd::collect_next_edges(tensors));
    std::vector<Value> out;
    for (const Value& output : outputs.items())
        out.push_back(static_cast<CondBackward&>(*node).attach(output, node));
    return Value::tuple(std::move(out));
}

/// The first of what is gone along, plain.
std::vector<Value> firstRows(const Value& xs) {
    const Plainly plainly;
    std::vector<Value> out;
    for (const Value& x : xs.items())
        out.push_back(aten("select_copy", {x, 0, 0}));
    return out;
}

/// An operator whose one body runs many times.
struct Loop {
    std::string_view name;
    std::vector<std::string_view> bodies;   ///< parameters
    std::vector<std::string_view> prefixes; ///< of the bodies' names
    std::vector<std::string_view> rest;     ///< the other parameters, which follow the bodies
};

const std::array<Loop, 3>& loops() {
    static const std::array<Loop, 3> rows{
        {{"while_loop",
          {"cond_fn", "body_fn"},
          {"while_loop_cond_graph_", "while_loop_body_graph_"},
          {"carried_inputs", "additional_inputs"}},
         {"map_impl", {"f"}, {"body_graph_"}, {"xs", "pos_args"}},
         {"scan", {"combine_fn"}, {"scan_combine_graph_"}, {"init", "xs", "additional_inputs"}}}};
    return rows;
}

/// What a body is given the first time.
std::vector<Value> firstInputs(const Loop& loop, const Keeper& keeper, const Arguments& a) {
    std::vector<Value> out;
    for (const std::string_view parameter : loop.rest) {
        const Value plain = keeper.plain(a[parameter]);
        out = joined(std::move(out), parameter == "xs" ? firstRows(plain) : itemsOf(plain));
    }
    return out;
}

Value traceLoop(const Loop& loop, const AutogradLevel& level, const torch_level::Entry& op,
                const Arguments& a) {
    const Keeper keeper(level, a.context());
    std::vector<Value> given, arguments;
    torch_level::Call plain;
    plain.context = a.context();
    for (const std::string_view body : loop.bodies) {
        arguments.push_back(Value::graph(nullptr));
        plain.args.push_back(a[body]);
    }
    for (const std::string_view parameter : loop.rest) {
        given = joined(std::move(given), itemsOf(a[parameter]));
        // PyTorch makes a tuple of these on the way.
        const bool tuple = loop.name == "scan" && parameter == "additional_inputs";
        arguments.push_back(tuple ? Value::tuple(itemsOf(a[parameter])) : a[parameter]);
        plain.args.push_back(keeper.plain(a[parameter]));
    }
    TORCH_CHECK_NOT_IMPLEMENTED(!at::GradMode::is_enabled() || !needsGrad(given), "'torch.ops.higher_order.",
                                loop.name, "' is differentiated, which is not traced");
    const at::AutoGradMode noGrad(false);
    const std::vector<Value> first = firstInputs(loop, keeper, a);
    std::vector<Graph> graphs;
    for (std::size_t i = 0; i < loop.bodies.size(); ++i)
        graphs.push_back({std::string(loop.prefixes[i]), keeper.trace(a[loop.bodies[i]], first)});
    std::vector<Value> values;
    {
        const Plainly below;
        values = itemsOf(torch_level::functionOf(op)(plain));
    }
    return keeper.record(loop.name, graphs, arguments, values);
}

} // namespace

Value KeptGraphs::keep(const torch_level::Entry& op, const Arguments& a) const {
    if (op.name == "cond" && a["pred"].isTensor()) return traceCond(m_level, a);
    for (const Loop& loop : loops())
        if (loop.name == op.name) return traceLoop(loop, m_level, op, a);
    TORCH_CHECK_NOT_IMPLEMENTED(false, "'torch.ops.higher_order.", op.name,
                                "' keeps graphs of its own, which are not traced");
}

} // namespace dynascope::engine
