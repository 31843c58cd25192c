// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/passes/shapes.h"

#include "core/base/text.h"
#include "core/engine/exec/map_tensors.h"
#include "core/engine/exec/torch_level/modes.h"
#include "core/engine/exec/torch_values.h"
#include "core/engine/exec/torch_words.h"
#include "core/engine/passes/shape_rules.h"
#include "core/ir/empty_like.h"

#include <ATen/core/List.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/zeros.h>
#include <map>
#include <thread>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::IValue;
using passes::PassState;
using passes::Step;

constexpr std::int64_t largestRun = std::int64_t{1} << 16; ///< cells of all arguments together

std::int64_t cellsOf(const Tensor& tensor) {
    return static_cast<std::int64_t>(tensor.storage().nbytes() / tensor.element_size());
}

/// The same place in a storage of its own, on another device; zeros there on a CPU.
Tensor moved(const Tensor& tensor, c10::Device device) {
    const auto options = at::TensorOptions().dtype(tensor.scalar_type()).device(device);
    const Tensor cells =
        device.is_meta() ? at::empty({cellsOf(tensor)}, options) : at::zeros({cellsOf(tensor)}, options);
    return cells.as_strided(tensor.sizes(), tensor.strides(), tensor.storage_offset());
}

IValue onMeta(const IValue& value) {
    return mapTensors(value, [](const Tensor& tensor) {
        return tensor.is_meta() ? tensor : moved(tensor, c10::Device(at::kMeta));
    });
}

ir::ValueMeta metaOf(const IValue& value, const std::optional<ir::ValueMeta>& recorded) {
    ir::ValueMeta out;
    if (!value.isTensor() || !value.toTensor().defined()) {
        if (recorded) out = *recorded;
        return out;
    }
    out.tensor = tensorMeta(
        value.toTensor(),
        recorded && recorded->tensor && !recorded->tensor->device.empty() ? recorded->tensor->device : "cpu");
    return out;
}

/// What a graph recorded, as a meta tensor; nothing where sizes are symbols.
std::optional<Tensor> recordedTensor(const ir::Node& node) {
    if (!node.meta || !node.meta->tensor) return std::nullopt;
    const ir::TensorMeta& meta = *node.meta->tensor;
    const auto dtype = dtypeFromShortName(meta.dtype);
    const auto numbers = [](const std::vector<std::string>& words) {
        std::optional<std::vector<std::int64_t>> out(std::in_place);
        for (const std::string& word : words) {
            const auto number = ir::Argument{ir::Argument::Kind::Int, word, {}, {}}.asInt();
            if (!number) return std::optional<std::vector<std::int64_t>>();
            out->push_back(*number);
        }
        return out;
    };
    const auto sizes = numbers(meta.sizes);
    if (!dtype || !sizes) return std::nullopt;
    const auto options = at::TensorOptions().dtype(*dtype).device(at::kMeta);
    if (!meta.strides) return at::empty(*sizes, options);
    const auto strides = numbers(*meta.strides);
    if (!strides) return std::nullopt;
    return at::empty_strided(*sizes, *strides, options);
}

/// What each node gives for the example inputs: numbers, and tensors on meta.
class ExampleRun final : public RunObserver {
public:
    void before(ir::NodeIndex) override {}
    void after(ir::NodeIndex node, const IValue& value) override { m_values[node] = onMeta(value); }

    /// Runs as far as the program goes. In a thread of its own, which starts in PyTorch's default modes: the
    /// caller may stand in the middle of an autocast region.
    void run(const Program& program, const TorchValues& given, const TaskContext& task) {
        std::thread([&] {
            const at::AutoGradMode noGrad(false);
            const auto result = engine::run(program, given.freshInputs(), given.attributes(), task, this);
            if (!result) m_problem = result.error().message;
        }).join();
    }

    [[nodiscard]] const IValue& at(ir::NodeIndex node) const {
        const auto found = m_values.find(node);
        TORCH_CHECK(found != m_values.end(),
                    "it depends on values, and the example inputs do not run that far (", m_problem, ")");
        return found->second;
    }

private:
    std::map<ir::NodeIndex, IValue> m_values;
    std::string m_problem;
};

class Propagation {
public:
    Propagation(const Program& program, const TorchValues& given, const passes::PassContext& context,
                passes::PassObserver& observer)
        : m_program(program)
        , m_graph(*program.graph)
        , m_given(given)
        , m_context(context)
        , m_observer(observer)
        , m_values(m_graph.size()) {}

    passes::PassResult<PassState> run() {
        const torch_level::ModeGuard modes;
        const at::AutoGradMode noGrad(false);
        ir::GraphBuilder builder = ir::emptyLike(m_graph);
        for (ir::NodeIndex at = 0; at < m_graph.size(); ++at) {
            if (m_context.task.cancelled())
                return tl::unexpected(passes::PassError{"cancelled", at, true, {}});
            Step step;
            step.source = at;
            ir::NodePtr node = m_graph.nodes()[at];
            if (at < m_program.code.size()) {
                try {
                    m_values[at] = value(at, step.why);
                } catch (const std::exception& error) {
                    return tl::unexpected(passes::PassError{"the shape of " + node->target +
                                                                " is not known: " + errorText(error),
                                                            at,
                                                            false,
                                                            {}});
                }
                ir::ValueMeta meta = metaOf(m_values[at], node->meta);
                if ((meta.tensor || !meta.raw.empty()) && (!node->meta || *node->meta != meta)) {
                    ir::Node annotated = *node;
                    annotated.meta = std::move(meta);
                    step.changed.push_back({at, at, step.why});
                    node = std::make_shared<const ir::Node>(std::move(annotated));
                }
            }
            builder.add(std::move(node));
            step.end = at + 1;
            m_observer.onStep(std::move(step));
        }
        return PassState{builder.build(), m_state, nullptr, {}};
    }

    void keep(std::shared_ptr<const passes::Values> values) { m_state = std::move(values); }

private:
    IValue value(ir::NodeIndex at, std::string& why) {
        const Instruction& instruction = m_program.code[at];
        const c10::Device meta(at::kMeta);
        if (instruction.kind == Instruction::Kind::Input) {
            why = "as the input is";
            const auto& inputs = m_given.inputs();
            TORCH_CHECK(instruction.position < inputs.size(), "no example input was given");
            return onMeta(inputs[instruction.position]);
        }
        if (instruction.kind == Instruction::Kind::Attribute) {
            why = "as the constant is";
            const auto found = m_given.attributes().find(instruction.attribute);
            TORCH_CHECK(found != m_given.attributes().end(), "no value was given for the constant");
            return moved(found->second, meta);
        }
        std::string problem;
        try {
            why = "by the C++ Meta kernel";
            return onMeta(call(instruction, onDevice(at, meta)));
        } catch (const std::exception& error) {
            problem = errorText(error);
        }
        if (auto ruled = byRule(at)) {
            why = "by PyTorch's shape function for lazy backends";
            return *ruled;
        }
        if (const auto recorded = recordedTensor(m_graph.node(at))) {
            why = "as the capture recorded it";
            return *recorded;
        }
        // Zeros would give an item() or a nonzero() that no run has. A function that is no single operator
        // may read values as well.
        if (!instruction.op || instruction.op->hasTag(at::Tag::dynamic_output_shape) ||
            instruction.op->hasTag(at::Tag::data_dependent_output)) {
            if (!m_examples) m_examples.emplace().run(m_program, m_given, m_context.task);
            why = "as the example inputs give it";
            return m_examples->at(at);
        }
        TORCH_CHECK(smallEnough(at), "there is no Meta kernel, no shape function and no recorded shape (",
                    firstLine(problem), ")");
        why = "by a run on zeros";
        return onMeta(call(instruction, onDevice(at, c10::Device(at::kCPU))));
    }

    /// The operands' values on a device; views of them stay where they are.
    Values onDevice(ir::NodeIndex at, c10::Device device) const {
        Values values(m_graph.size());
        for (const ir::NodeIndex source : m_graph.inputs(at))
            values[source] = mapTensors(m_values[source], [&](const Tensor& tensor) {
                return tensor.device() == device ? tensor : moved(tensor, device);
            });
        return values;
    }

    std::optional<IValue> byRule(ir::NodeIndex at) const {
        const Instruction& instruction = m_program.code[at];
        if (!instruction.op) return std::nullopt;
        const c10::FunctionSchema& schema = instruction.op->schema();
        try {
            const Values values = onDevice(at, c10::Device(at::kMeta));
            torch::jit::Stack stack;
            for (const Operand& operand : instruction.operands)
                stack.push_back(evaluate(operand, values));
            const auto shapes = shapesByRule(schema.name(), schema.overload_name(), std::move(stack));
            if (!shapes || shapes->empty()) return std::nullopt;
            if (shapes->size() == 1) return IValue(shapes->front());
            std::vector<IValue> items(shapes->begin(), shapes->end());
            return IValue(c10::ivalue::Tuple::create(std::move(items)));
        } catch (const std::exception&) {
            return std::nullopt; // the next source of shapes is asked
        }
    }

    bool smallEnough(ir::NodeIndex at) const {
        std::int64_t cells = 0;
        for (const ir::NodeIndex source : m_graph.inputs(at)) {
            (void)mapTensors(m_values[source], [&](const Tensor& tensor) {
                cells += cellsOf(tensor);
                return tensor;
            });
        }
        return cells <= largestRun;
    }

    const Program& m_program;
    const ir::Graph& m_graph;
    const TorchValues& m_given;
    const passes::PassContext& m_context;
    passes::PassObserver& m_observer;
    Values m_values;                      ///< on meta
    std::optional<ExampleRun> m_examples; ///< made when a node's result depends on values
    std::shared_ptr<const passes::Values> m_state;
};

} // namespace

passes::PassResult<PassState> ShapesPass::run(const PassState& source, const passes::PassContext& context,
                                              passes::PassObserver& observer) const {
    const auto values = torchValues(source);
    if (!values) return tl::unexpected(values.error());
    const std::shared_ptr<const Program> program = (*values)->program(source.graph);
    if (auto obstacle = obstacleOf(*program)) return tl::unexpected(std::move(*obstacle));
    Propagation propagation(*program, **values, context, observer);
    propagation.keep(source.values);
    return propagation.run();
}

} // namespace dynascope::engine
