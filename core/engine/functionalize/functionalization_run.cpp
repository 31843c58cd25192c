// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/functionalize/functionalization_run.h"

#include "core/engine/exec/torch_level/modes.h"

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/core/grad_mode.h>
#include <ATen/core/jit_type.h>
#include <algorithm>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace dynascope::engine {

namespace {

using at::Tensor;
using Results = std::map<ir::NodeIndex, Tensor>;

constexpr ir::NodeIndex reportEvery = 64;

ir::Argument resultArgument(const Program& program, Tape& tape, const ir::Argument& source,
                            const Values& values, const Results& results) {
    if (source.isNode()) {
        const ir::NodeIndex node = program.graph->find(source.text);
        const auto found = results.find(node);
        if (found != results.end()) return tape.argument(found->second, *c10::TensorType::get());
        const Instruction& instruction = program.code[node];
        if (instruction.kind == Instruction::Kind::Input) // a number: placeholders are the tape's first nodes
            return ir::Argument::node(tape.node(static_cast<std::int64_t>(instruction.position)).name);
        return tape.argument(values[node], *c10::AnyType::get());
    }
    ir::Argument out = source;
    for (ir::Argument& item : out.items)
        item = resultArgument(program, tape, item, values, results);
    return out;
}

ir::Argument withLeading(Tape& tape, ir::Argument result, const std::vector<Tensor>& leading) {
    if (leading.empty()) return result;
    std::vector<ir::Argument> items;
    for (const Tensor& tensor : leading)
        items.push_back(tape.argument(tensor, *c10::TensorType::get()));
    if (result.kind == ir::Argument::Kind::Tuple || result.kind == ir::Argument::Kind::List) {
        for (ir::Argument& item : result.items)
            items.push_back(std::move(item));
    } else {
        items.push_back(std::move(result));
    }
    return ir::Argument::tuple(std::move(items));
}

} // namespace

FunctionalStep StepLog::begin(ir::NodeIndex source) const {
    FunctionalStep step;
    step.source = source;
    step.firstEmitted = static_cast<std::uint32_t>(m_tape.size());
    step.firstRow = static_cast<std::uint32_t>(m_out.rows.size());
    step.firstStorage = static_cast<std::uint32_t>(m_out.storages.size());
    step.firstUpdate = static_cast<std::uint32_t>(m_out.updates.size());
    return step;
}

void StepLog::end(FunctionalStep step) {
    step.endEmitted = static_cast<std::uint32_t>(m_tape.size());
    step.endRow = static_cast<std::uint32_t>(m_out.rows.size());
    step.endStorage = static_cast<std::uint32_t>(m_out.storages.size());
    step.endUpdate = static_cast<std::uint32_t>(m_out.updates.size());
    m_out.steps.push_back(step);
}

void StepLog::endInput(FunctionalStep step, std::size_t position) {
    end(step);
    m_out.steps.back().firstEmitted = static_cast<std::uint32_t>(position);
    m_out.steps.back().endEmitted = static_cast<std::uint32_t>(position) + 1;
}

void StepLog::add(TensorScore row, const c10::TensorImpl& tensor) {
    const c10::IntArrayRef sizes = tensor.sizes();
    const c10::IntArrayRef strides = tensor.strides();
    row.geometry = static_cast<std::uint32_t>(m_out.numbers.size());
    row.dim = static_cast<std::uint16_t>(sizes.size());
    m_out.numbers.resize(row.geometry + 2 * sizes.size() + 1);
    auto next = std::copy(sizes.begin(), sizes.end(), m_out.numbers.begin() + row.geometry);
    next = std::copy(strides.begin(), strides.end(), next);
    *next = tensor.storage_offset();
    m_out.rows.push_back(row);
}

bool StepLog::isRegenerated(const TensorScore& row, const FunctionalStep& step) const {
    return row.current >= static_cast<std::int32_t>(step.firstEmitted) &&
           static_cast<Emission>(m_tape.reasons()[static_cast<std::size_t>(row.current)]) ==
               Emission::Regeneration;
}

bool StepLog::hasStorage(std::uint32_t storage) const {
    const std::uint32_t first = m_out.steps.empty() ? 0 : m_out.steps.back().endStorage;
    return std::any_of(m_out.storages.begin() + first, m_out.storages.end(),
                       [&](const StorageScore& row) { return row.storage == storage; });
}

FunctionalizationRun::FunctionalizationRun(const Program& program, const Attributes& attributes,
                                           const FunctionalizeOptions& options, const TaskContext& task,
                                           std::function<Emission()> reason)
    : m_program(program)
    , m_attributes(attributes)
    , m_options(options)
    , m_task(task)
    , m_tape([reason = std::move(reason)] { return static_cast<std::uint8_t>(reason()); }) {
    m_out.chains.emplace_back();
}

tl::expected<Functionalized, RunError> FunctionalizationRun::run() {
    const TapeGuard tape(m_tape);
    const torch_level::ModeGuard modes;
    const at::AutoGradMode noGrad(false);
    const at::functionalization::impl::FunctionalizationReapplyViewsGuard views(m_options.remove ==
                                                                                Remove::Mutations);
    const c10::impl::ExcludeDispatchKeyGuard noAutograd(c10::autograd_dispatch_keyset_with_ADInplaceOrView);
    try {
        makeInputs();
        for (m_at = 0; m_at < m_program.code.size(); ++m_at) {
            if (m_task.cancelled()) return tl::unexpected(RunError{"cancelled", m_at, true});
            step();
            if (m_at % reportEvery == 0) m_task.report("Functionalizing", m_at + 1, m_program.code.size());
        }
        m_at = ir::npos;
        finish();
    } catch (const std::exception& error) {
        return tl::unexpected(RunError{errorText(error), m_at, false});
    }
    return std::move(m_out);
}

void FunctionalizationRun::endLast(const FunctionalStep& step) {
    if (m_tape.size() > step.firstEmitted || m_program.code.size() < m_program.graph->size()) m_log.end(step);
}

const Tensor& FunctionalizationRun::attributeOf(const Instruction& instruction) const {
    const auto found = m_attributes.find(instruction.attribute);
    TORCH_CHECK(found != m_attributes.end(), "no value was given for the constant '", instruction.attribute,
                "'");
    return found->second;
}

bool FunctionalizationRun::isLiftedConstant(const Instruction& instruction) const {
    return instruction.operands.size() == 1 && instruction.operands[0].kind == Operand::Kind::Value &&
           m_program.code[instruction.operands[0].node].kind == Instruction::Kind::Attribute &&
           m_program.graph->node(m_at).target == "torch.ops.aten.lift_fresh_copy.default";
}

void FunctionalizationRun::makeGraph(const Values& values, const Results& results,
                                     const std::vector<Tensor>& leading) {
    ir::Node output;
    output.op = ir::Op::Output;
    output.name = "output";
    output.target = "output";
    const ir::Graph& graph = *m_program.graph;
    if (m_program.code.size() < graph.size()) {
        const ir::Node& source = graph.node(outputIndex());
        if (!source.args.empty())
            output.args.push_back(withLeading(
                m_tape, resultArgument(m_program, m_tape, source.args.front(), values, results), leading));
    }
    m_out.attributes = m_tape.attributes();
    m_out.emissions.reserve(m_tape.reasons().size());
    for (const std::uint8_t why : m_tape.reasons())
        m_out.emissions.push_back(static_cast<Emission>(why));
    ir::GraphBuilder builder;
    for (std::shared_ptr<ir::Node>& node : m_tape.takeNodes())
        builder.add(std::move(node));
    if (!output.args.empty()) builder.add(std::move(output));
    m_out.graph = builder.build();
}

} // namespace dynascope::engine
