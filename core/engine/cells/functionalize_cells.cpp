// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cells/functionalize_cells.h"

#include "core/engine/cells/cell_scorecard.h"
#include "core/engine/cells/cell_store.h"
#include "core/engine/cells/cell_write_back.h"
#include "core/engine/exec/torch_values.h"
#include "core/engine/functionalize/functionalization_run.h"
#include "core/engine/functionalize/overlapping_write.h"
#include "core/engine/trace/functional_kernels.h"

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/ops/lift_fresh.h>
#include <algorithm>
#include <optional>
#include <unordered_set>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::DispatchKey;
using c10::IValue;
namespace impl = at::functionalization::impl;

class CellFunctionalizer final : public FunctionalizationRun {
public:
    CellFunctionalizer(const Program& program, const std::vector<IValue>& inputs,
                       const Attributes& attributes, const FunctionalizeOptions& options,
                       const TaskContext& task)
        : FunctionalizationRun(program, attributes, options, task, [this] { return m_store.reason(); })
        , m_eagerInputs(copyInputs(inputs))
        , m_tracedInputs(copyInputs(inputs))
        , m_values(program.graph->size())
        , m_traced(program.graph->size())
        , m_store(options.remove == Remove::Mutations)
        , m_scorecard(m_store, m_log, m_out, cellLimit()) {}

private:
    void makeInputs() override {
        std::size_t position = 0;
        for (ir::NodeIndex i = 0; i < m_program.code.size(); ++i) {
            if (m_program.code[i].kind != Instruction::Kind::Input) continue;
            const ir::Node& node = m_program.graph->node(i);
            m_at = i;
            TORCH_CHECK(position < m_eagerInputs.size(), "the program takes ", m_program.inputs,
                        " inputs, but ", m_eagerInputs.size(), " were given");
            const IValue placeholder = m_tape.input(node.name, node.target, m_tracedInputs[position]);
            if (isDefinedTensor(placeholder)) {
                const Tensor& eager = m_eagerInputs[position].toTensor();
                m_store.addInput(eager, placeholder.toTensor());
                m_inputs.push_back({position, node.name, eager, m_tracedInputs[position].toTensor(),
                                    placeholder.toTensor(), Geometry(eager), m_store.numberOf(eager)});
            }
            ++position;
        }
    }

    void step() override {
        const Instruction& instruction = m_program.code[m_at];
        m_store.enter("node '" + m_program.graph->node(m_at).name + '\'');
        const FunctionalStep step = m_log.begin(m_at);
        if (instruction.kind == Instruction::Kind::Input) {
            m_values[m_at] = m_eagerInputs[instruction.position];
            addRow(m_at, step);
            m_log.endInput(step, instruction.position);
        } else if (instruction.kind == Instruction::Kind::Attribute) {
            m_values[m_at] = attributeOf(instruction);
            m_constants.insert(attributeOf(instruction).unsafeGetTensorImpl());
        } else {
            call(instruction);
            for (const ir::NodeIndex source : m_program.graph->inputs(m_at))
                addRow(source, step);
            addRow(m_at, step);
            m_log.end(step);
        }
        for (const ir::NodeIndex dead : instruction.dies)
            m_values[dead] = IValue();
    }

    void addRow(ir::NodeIndex value, const FunctionalStep& step) {
        if (isDefinedTensor(m_values[value]) && !isConstant(m_values[value].toTensor()))
            m_scorecard.add(value, m_values[value].toTensor(), step);
    }

    template <typename Fn>
    static void forEachTensor(const IValue& value, const Fn& fn) {
        if (value.isTensor()) {
            if (value.toTensor().defined()) fn(value.toTensor());
        } else if (value.isTensorList()) {
            for (const Tensor& item : value.toTensorVector())
                if (item.defined()) fn(item);
        } else if (value.isTuple()) {
            for (const IValue& item : value.toTupleRef().elements())
                forEachTensor(item, fn);
        }
    }

    struct Argument {
        Tensor eager, wrapper;
        Geometry before;
        const void* storage;
    };

    [[nodiscard]] bool isConstant(const Tensor& tensor) const {
        return m_constants.contains(tensor.unsafeGetTensorImpl());
    }

    IValue wrapped(const IValue& value, std::vector<Argument>& arguments) {
        const auto wrap = [&](const Tensor& eager) -> Tensor {
            if (!eager.defined() || isConstant(eager)) return eager;
            for (const Argument& known : arguments)
                if (known.eager.is_same(eager)) return known.wrapper;
            Tensor wrapper = impl::to_functional_tensor(m_store.read(eager));
            arguments.push_back({eager, wrapper, Geometry(eager), eager.storage().unsafeGetStorageImpl()});
            return wrapper;
        };
        if (value.isTensor()) return wrap(value.toTensor());
        if (value.isTensorList()) {
            c10::List<Tensor> list;
            for (const Tensor& item : value.toTensorVector())
                list.push_back(wrap(item));
            return list;
        }
        if (value.isTuple()) {
            std::vector<IValue> items;
            for (const IValue& item : value.toTupleRef().elements())
                items.push_back(wrapped(item, arguments));
            return c10::ivalue::Tuple::create(std::move(items));
        }
        return value;
    }

    void call(const Instruction& instruction) {
        std::vector<Argument> arguments;
        for (const ir::NodeIndex source : m_program.graph->inputs(m_at))
            m_traced[source] = wrapped(m_values[source], arguments);
        const std::size_t known = m_store.size();
        m_values[m_at] = runEager(instruction);
        if (const auto written = overlapping(instruction)) {
            writeInParts(instruction, *written);
        } else if (!movesStorage(instruction)) {
            IValue traced;
            bool failed = false;
            try {
                traced = runTraced(instruction);
            } catch (const std::exception&) {
                // A value laid out in another way than eager's cannot always be viewed alike: its storage
                // can. A write that is not traced would be lost.
                failed = true;
                bool views = !writesData(instruction);
                forEachTensor(m_values[m_at],
                              [&](const Tensor& made) { views = views && m_store.isKnown(made, known); });
                if (!views) throw;
            }
            if (!failed) {
                for (const Argument& argument : arguments)
                    takeWrite(argument);
                takeResults(m_values[m_at], traced, arguments, known);
            }
        }
        for (const Argument& argument : arguments)
            takeGeometry(argument);
        if (isDefinedTensor(m_values[m_at])) (void)m_store.read(m_values[m_at].toTensor());
        for (const ir::NodeIndex source : m_program.graph->inputs(m_at))
            m_traced[source] = IValue();
    }

    /// The node whose value is written element by element though elements of it share cells.
    [[nodiscard]] std::optional<ir::NodeIndex> overlapping(const Instruction& instruction) const {
        const auto position = instruction.op ? writtenPointwise(*instruction.op) : std::nullopt;
        if (!position || *position >= instruction.operands.size()) return std::nullopt;
        const Operand& written = instruction.operands[*position];
        const bool overlaps = written.kind == Operand::Kind::Value &&
                              isDefinedTensor(m_values[written.node]) &&
                              overlapsItself(m_values[written.node].toTensor());
        return overlaps ? std::optional(written.node) : std::nullopt;
    }

    void writeInParts(const Instruction& instruction, ir::NodeIndex written) {
        std::vector<ir::NodeIndex> sources{written};
        for (const ir::NodeIndex source : m_program.graph->inputs(m_at))
            if (source != written && isDefinedTensor(m_values[source])) sources.push_back(source);
        std::vector<std::vector<Tensor>> parts;
        {
            const PlainCalls plain;
            std::vector<Tensor> operands;
            for (const ir::NodeIndex source : sources)
                operands.push_back(m_values[source].toTensor());
            parts = partsInOrder(operands);
        }
        for (const std::vector<Tensor>& part : parts) {
            std::vector<Argument> arguments;
            for (std::size_t i = 0; i < sources.size(); ++i)
                m_traced[sources[i]] = isConstant(m_values[sources[i]].toTensor())
                                           ? IValue(part[i])
                                           : wrapped(part[i], arguments);
            (void)runTraced(instruction);
            for (const Argument& argument : arguments)
                takeWrite(argument);
        }
    }

    IValue runEager(const Instruction& instruction) {
        const PlainCalls plain;
        return engine::call(instruction, m_values);
    }

    IValue runTraced(const Instruction& instruction) {
        const c10::impl::IncludeDispatchKeyGuard on(
            c10::DispatchKeySet({DispatchKey::Functionalize, DispatchKey::Fake}));
        m_store.setReason(Emission::Operator);
        if (isLiftedConstant(instruction))
            return at::lift_fresh(m_traced[instruction.operands[0].node].toTensor());
        return engine::call(instruction, m_traced);
    }

    [[nodiscard]] bool writesData(const Instruction& instruction) const {
        if (!instruction.op) return ir::opKind(m_program.graph->node(m_at)) == ir::OpKind::Write;
        return instruction.op->schema().is_mutable() && !instruction.op->hasTag(at::Tag::inplace_view);
    }

    /// Operators that only say where a tensor lies; eager has said it.
    [[nodiscard]] bool movesStorage(const Instruction& instruction) const {
        if (!instruction.op) return false;
        const std::string& name = instruction.op->schema().name();
        return name == "aten::set_" || name == "aten::resize_" || name == "aten::resize_as_" ||
               name == "aten::as_strided" || name == "aten::as_strided_";
    }

    static Tensor unwrapped(const Tensor& traced) {
        if (!impl::isFunctionalTensor(traced)) return traced;
        impl::sync(traced);
        return impl::from_functional_tensor(traced);
    }

    void takeWrite(const Argument& argument) {
        if (!impl::unsafeGetFunctionalWrapper(argument.wrapper)->has_data_mutation()) return;
        const Tensor written = unwrapped(argument.wrapper);
        m_store.commit(argument.eager, written);
        m_scorecard.addUpdate(argument.eager, written);
    }

    void takeResults(const IValue& eager, const IValue& traced, const std::vector<Argument>& arguments,
                     std::size_t known) {
        if (eager.isTensor()) {
            if (!eager.toTensor().defined()) return;
            takeResult(eager.toTensor(), traced.toTensor(), arguments, known);
        } else if (eager.isTensorList()) {
            const auto ours = eager.toTensorVector();
            const auto theirs = traced.toTensorVector();
            for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i)
                takeResult(ours[i], theirs[i], arguments, known);
        } else if (eager.isTuple()) {
            const auto& ours = eager.toTupleRef().elements();
            const auto& theirs = traced.toTupleRef().elements();
            for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i)
                takeResults(ours[i], theirs[i], arguments, known);
        }
    }

    void takeResult(const Tensor& eager, const Tensor& traced, const std::vector<Argument>& arguments,
                    std::size_t known) {
        const bool isArgument =
            std::any_of(arguments.begin(), arguments.end(),
                        [&](const Argument& argument) { return argument.eager.is_same(eager); });
        if (isArgument) return;
        const Tensor value = unwrapped(traced);
        const std::uint32_t number = m_store.numberOf(eager);
        if (number >= known) return m_store.makeFresh(eager, value);
        CellTensor& entry = m_store.tensor(eager);
        entry.value = value;
        entry.generation = m_store.storage(number).generation;
    }

    /// After the operator a tensor may lie elsewhere.
    void takeGeometry(const Argument& argument) {
        const Tensor& eager = argument.eager;
        const bool moved = eager.storage().unsafeGetStorageImpl() != argument.storage;
        if (!moved && Geometry(eager) == argument.before) return;
        CellTensor& entry = m_store.tensor(eager);
        entry.storage = m_store.numberOf(eager);
        m_store.grow(m_store.storage(entry.storage));
        entry.value = Tensor();
    }

    void finish() override {
        m_store.enter("the end of the program");
        const FunctionalStep step = m_log.begin(outputIndex());
        Results results;
        std::size_t position = 0;
        for (const Operand* leaf : resultLeaves(m_program)) {
            const std::size_t result = position++;
            if (leaf->kind != Operand::Kind::Value || !isDefinedTensor(m_values[leaf->node])) continue;
            const Tensor& eager = m_values[leaf->node].toTensor();
            results[leaf->node] = isConstant(eager) ? eager : m_store.read(eager);
            noteAlias(result, eager);
        }
        const std::vector<Tensor> leading =
            CellWriteBack(m_store, m_inputs, m_options.writeBack, m_tape, m_out.writeBacks).run();
        for (const auto& [node, value] : results)
            addRow(node, step);
        endLast(step);
        m_store.setReason(Emission::Operator);
        makeGraph(m_values, results, leading);
    }

    void noteAlias(std::size_t result, const Tensor& eager) {
        if (isConstant(eager) || eager.is_conj() || eager.is_neg()) return;
        const std::uint32_t storage = m_store.numberOf(eager);
        const CellInput* of = nullptr;
        for (const CellInput& input : m_inputs) {
            if (input.eager.is_same(eager)) {
                m_out.aliases.push_back({result, input.position, true, {}, {}, 0});
                return;
            }
            if (!of && input.storageAtStart == storage) of = &input;
        }
        if (of)
            m_out.aliases.push_back({result, of->position, false, eager.sizes().vec(), eager.strides().vec(),
                                     eager.storage_offset()});
    }

    std::vector<IValue> m_eagerInputs, m_tracedInputs;
    Values m_values; ///< eager's
    Values m_traced; ///< of the operator under way
    std::vector<CellInput> m_inputs;
    std::unordered_set<const void*> m_constants;
    CellStore m_store;
    CellScorecard m_scorecard;
};

} // namespace

tl::expected<Functionalized, RunError>
functionalizeCells(const Program& program, const std::vector<IValue>& inputs, const Attributes& attributes,
                   const FunctionalizeOptions& options, const TaskContext& task) {
    ensureFunctionalKernels();
    return CellFunctionalizer(program, inputs, attributes, options, task).run();
}

} // namespace dynascope::engine
