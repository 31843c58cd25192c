// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/passes/decompose.h"

#include "core/engine/exec/torch_level/modes.h"
#include "core/engine/exec/torch_values.h"
#include "core/engine/functionalize/scorecard.h"
#include "core/engine/trace/tracer.h"

#include <ATen/core/grad_mode.h>
#include <ATen/core/jit_type.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::DispatchKey;
using c10::IValue;
using passes::PassState;
using passes::Step;

class Decomposition {
public:
    Decomposition(const Program& program, const TorchValues& values, const passes::PassContext& context,
                  passes::PassObserver& observer)
        : m_program(program)
        , m_graph(*program.graph)
        , m_given(values)
        , m_context(context)
        , m_observer(observer)
        , m_values(m_graph.size()) {
        m_tape.setDecomposing(true);
        for (const ir::NodePtr& node : m_graph.nodes())
            m_tape.reserve(node->name);
    }

    passes::PassResult<PassState> run() {
        const std::vector<IValue> inputs = m_given.freshInputs();
        const TapeGuard tape(m_tape);
        const torch_level::ModeGuard modes;
        const at::AutoGradMode noGrad(false);
        const c10::impl::ExcludeDispatchKeyGuard noAutograd(
            c10::autograd_dispatch_keyset_with_ADInplaceOrView);
        const c10::impl::IncludeDispatchKeyGuard factories(DispatchKey::Fake);
        ir::NodeIndex at = 0;
        try {
            for (; at < m_program.code.size(); ++at) {
                if (m_context.task.cancelled())
                    return tl::unexpected(passes::PassError{"cancelled", at, true, {}});
                step(at, inputs);
            }
            return finish();
        } catch (const std::exception& error) {
            return tl::unexpected(
                passes::PassError{errorText(error), at < m_program.code.size() ? at : ir::npos, false, {}});
        }
    }

private:
    void step(ir::NodeIndex at, const std::vector<IValue>& inputs) {
        const Instruction& instruction = m_program.code[at];
        const ir::Node& node = m_graph.node(at);
        m_firsts.push_back(m_tape.size());
        if (instruction.kind == Instruction::Kind::Input) {
            TORCH_CHECK(instruction.position < inputs.size(), "the program takes ", m_program.inputs,
                        " inputs, but ", inputs.size(), " were given");
            m_tape.nameNext(node.name);
            m_values[at] = m_tape.input(node.name, node.target, inputs[instruction.position]);
        } else if (instruction.kind == Instruction::Kind::Attribute) {
            const auto found = m_given.attributes().find(instruction.attribute);
            TORCH_CHECK(found != m_given.attributes().end(), "no value was given for the constant '",
                        instruction.attribute, "'");
            m_values[at] = found->second;
        } else {
            const bool keepsName = instruction.kind == Instruction::Kind::Operator && instruction.op &&
                                   !isComposite(*instruction.op);
            m_tape.nameNext(keepsName ? node.name : std::string());
            m_values[at] = call(instruction, m_values);
            m_tape.nameNext({});
        }
    }

    ir::Argument resultOf(const ir::Argument& source) {
        if (source.isNode()) {
            const ir::NodeIndex node = m_graph.find(source.text);
            if (m_graph.node(node).op == ir::Op::Placeholder) return source;
            return m_tape.argument(m_values[node], *c10::AnyType::get());
        }
        ir::Argument out = source;
        for (ir::Argument& item : out.items)
            item = resultOf(item);
        return out;
    }

    PassState finish() {
        m_firsts.push_back(m_tape.size());
        const bool returns = m_program.code.size() < m_graph.size();
        ir::Node output;
        if (returns) {
            output = m_graph.node(static_cast<ir::NodeIndex>(m_program.code.size()));
            for (ir::Argument& argument : output.args)
                argument = resultOf(argument);
        }
        const std::vector<std::shared_ptr<ir::Node>> made = m_tape.takeNodes();
        ir::GraphBuilder builder;
        for (ir::NodeIndex at = 0; at + 1 < m_firsts.size(); ++at)
            report(at, made, builder);
        // Constants that only the result reads come after everything else.
        for (std::size_t i = m_firsts.back(); i < made.size(); ++i)
            builder.add(made[i]);
        if (returns) {
            Step step;
            step.source = static_cast<ir::NodeIndex>(m_program.code.size());
            builder.add(std::move(output));
            step.end = static_cast<ir::NodeIndex>(builder.size());
            m_observer.onStep(std::move(step));
        }
        return PassState{builder.build(), m_given.with(m_tape.attributes()), nullptr, {}};
    }

    void report(ir::NodeIndex at, const std::vector<std::shared_ptr<ir::Node>>& made,
                ir::GraphBuilder& builder) {
        const ir::Node& source = m_graph.node(at);
        Step step;
        step.source = at;
        const std::size_t count = m_firsts[at + 1] - m_firsts[at];
        bool same = false;
        for (std::size_t i = m_firsts[at]; i < m_firsts[at + 1]; ++i) {
            ir::Node& node = *made[i];
            const auto position = static_cast<ir::NodeIndex>(builder.size());
            node.stack = source.stack;
            node.note = source.note;
            if (node.name == source.name && node.target == source.target && node.args == source.args &&
                node.kwargs == source.kwargs) {
                builder.add(m_graph.nodes()[at]);
                same = true;
            } else {
                if (node.name == source.name) {
                    step.changed.push_back({at, position, "reads the nodes of a decomposed one"});
                } else {
                    step.emitted.push_back({position, "part of the operator"});
                }
                builder.add(made[i]);
            }
        }
        if (count == 0 && source.op != ir::Op::GetAttr && source.target != "operator.getitem") {
            step.why =
                m_values[at].isScalar() ? "is a number, which its readers take" : "gives back its argument";
            step.removed.push_back({at, ir::npos, step.why});
        } else if (!same && !step.emitted.empty()) {
            step.why = "is composed of " + std::to_string(step.emitted.size()) +
                       (step.emitted.size() == 1 ? " operator" : " nodes");
            step.removed.push_back({at, step.emitted.back().node, step.why});
        }
        step.end = static_cast<ir::NodeIndex>(builder.size());
        m_observer.onStep(std::move(step));
    }

    const Program& m_program;
    const ir::Graph& m_graph;
    const TorchValues& m_given;
    const passes::PassContext& m_context;
    passes::PassObserver& m_observer;
    Values m_values;
    Tape m_tape;
    std::vector<std::size_t> m_firsts; ///< for each source node the tape's first node
};

} // namespace

passes::PassResult<PassState> DecomposePass::run(const PassState& source, const passes::PassContext& context,
                                                 passes::PassObserver& observer) const {
    const auto values = torchValues(source);
    if (!values) return tl::unexpected(values.error());
    const std::shared_ptr<const Program> program = (*values)->program(source.graph);
    if (auto obstacle = obstacleOf(*program)) return tl::unexpected(std::move(*obstacle));
    return Decomposition(*program, **values, context, observer).run();
}

} // namespace dynascope::engine
