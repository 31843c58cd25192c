// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/functionalize_cells.h"

#include "core/engine/functional_result.h"
#include "core/engine/meta_kernels.h"
#include "core/engine/passes/torch_values.h"
#include "core/engine/tracer.h"

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/as_strided_copy.h>
#include <ATen/ops/as_strided_scatter.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/conj_physical.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/lift_fresh.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/permute_copy.h>
#include <ATen/ops/view_copy.h>
#include <algorithm>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::DispatchKey;
using c10::IValue;
namespace impl = at::functionalization::impl;

struct Geometry {
    std::vector<std::int64_t> size, stride;
    std::int64_t offset = 0;
    c10::ScalarType dtype = c10::ScalarType::Float;

    explicit Geometry(const Tensor& tensor)
        : size(tensor.sizes().vec())
        , stride(tensor.strides().vec())
        , offset(tensor.storage_offset())
        , dtype(tensor.scalar_type()) {}
    friend bool operator==(const Geometry&, const Geometry&) = default;
};

std::int64_t cellsOf(const c10::Storage& storage, c10::ScalarType dtype) {
    return static_cast<std::int64_t>(storage.nbytes() / c10::elementSize(dtype));
}

/// A storage of the program: its content as one functional value.
struct Storage {
    c10::Storage eager;
    std::uint32_t number = 0;
    std::uint32_t generation = 0;
    c10::ScalarType dtype = c10::ScalarType::Float;
    std::int64_t cells = 0;
    Tensor value;                     ///< undefined until first needed, for an input's storage
    std::vector<std::size_t> members; ///< inputs that lie in it
};

/// A tensor of the program: what its value is now, or was.
struct Tracked {
    Tensor eager; ///< keeps the address its own
    Tensor value; ///< functional; undefined where only the storage has it
    std::uint32_t generation = 0;
    std::uint32_t storage = 0;
};

class CellFunctionalizer {
public:
    CellFunctionalizer(const Program& program, const std::vector<Tensor>& inputs,
                       const Attributes& attributes, const FunctionalizeOptions& options,
                       const TaskContext& task)
        : m_program(program)
        , m_attributes(attributes)
        , m_options(options)
        , m_task(task)
        , m_eagerInputs(copyTensors(inputs))
        , m_tracedInputs(copyTensors(inputs))
        , m_values(program.graph->size())
        , m_traced(program.graph->size())
        , m_tape([this] { return static_cast<std::uint8_t>(m_why); }) {
        m_out.chains.emplace_back();
    }

    tl::expected<Functionalized, RunError> run() {
        const TapeGuard tape(m_tape);
        const at::AutoGradMode noGrad(false);
        const impl::FunctionalizationReapplyViewsGuard views(m_options.remove == Remove::Mutations);
        const c10::impl::ExcludeDispatchKeyGuard noAutograd(
            c10::autograd_dispatch_keyset_with_ADInplaceOrView);
        try {
            makeInputs();
            for (; m_at < m_program.code.size(); ++m_at) {
                if (m_task.cancelled()) return tl::unexpected(RunError{"cancelled", m_at, true});
                step();
                m_task.report("Functionalizing", m_at + 1, m_program.code.size());
            }
            m_at = ir::npos;
            finish();
        } catch (const std::exception& error) {
            return tl::unexpected(RunError{errorText(error), m_at, false});
        }
        return std::move(m_out);
    }

private:
    // ---- Tensors and storages

    std::uint32_t storageOf(const Tensor& eager) {
        const c10::Storage& storage = eager.storage();
        const auto [found, isNew] =
            m_numbers.emplace(storage.unsafeGetStorageImpl(), static_cast<std::uint32_t>(m_storages.size()));
        if (isNew) {
            Storage entry;
            entry.eager = storage;
            entry.number = found->second;
            entry.dtype = eager.scalar_type();
            entry.cells = cellsOf(storage, entry.dtype);
            m_storages.push_back(std::move(entry));
        }
        return found->second;
    }

    Tracked& track(const Tensor& eager) {
        Tracked& entry = m_tracked[eager.unsafeGetTensorImpl()];
        if (!entry.eager.defined()) {
            entry.eager = eager;
            entry.storage = storageOf(eager);
        }
        return entry;
    }

    [[nodiscard]] static bool coversInOrder(const Storage& storage, const Geometry& geometry) {
        std::int64_t expected = 1;
        for (std::size_t i = geometry.size.size(); i-- > 0;) {
            if (geometry.size[i] != 1 && geometry.stride[i] != expected) return false;
            expected *= geometry.size[i];
        }
        return geometry.offset == 0 && geometry.dtype == storage.dtype && expected == storage.cells;
    }

    /// Calls below functionalization, recorded as they are.
    template <typename Fn>
    Tensor emit(Emission why, const Fn& fn) {
        const Emission outer = std::exchange(m_why, why);
        const c10::impl::ExcludeDispatchKeyGuard below(DispatchKey::Functionalize);
        Tensor out = fn();
        m_why = outer;
        return out;
    }

    [[nodiscard]] bool keepsViews() const { return m_options.remove == Remove::Mutations; }

    Tensor shaped(Emission why, const Tensor& value, at::IntArrayRef size) {
        if (value.sizes() == size) return value;
        return emit(why, [&] {
            const Tensor dense = value.is_contiguous() ? value : value.clone(at::MemoryFormat::Contiguous);
            return keepsViews() ? dense.view(size) : at::view_copy(dense, size);
        });
    }

    /// The storage's content as one dimension.
    Tensor flat(Storage& storage, Emission why) {
        if (!storage.value.defined() && storage.members.empty()) layOut(storage);
        if (!storage.value.defined()) {
            const Tensor& input = m_plain[storage.members.front()];
            storage.value = emit(why, [&] { return strided(input, {storage.cells}, {1}, 0); });
        }
        storage.value = shaped(why, storage.value, {storage.cells});
        return storage.value;
    }

    [[nodiscard]] Tensor strided(const Tensor& value, at::IntArrayRef size, at::IntArrayRef stride,
                                 std::int64_t offset) const {
        return keepsViews() ? value.as_strided(size, stride, offset)
                            : at::as_strided_copy(value, size, stride, offset);
    }

    /// What a view of this geometry shows of the storage now.
    Tensor look(Storage& storage, const Geometry& geometry, Emission why) {
        if (storage.value.defined() && coversInOrder(storage, geometry))
            return shaped(why, storage.value, geometry.size);
        const Tensor cells = flat(storage, why);
        return emit(why, [&] {
            const Tensor typed = geometry.dtype == storage.dtype ? cells : cells.view(geometry.dtype);
            return strided(typed, geometry.size, geometry.stride, geometry.offset);
        });
    }

    Tensor read(const Tensor& eager) {
        Tracked& entry = track(eager);
        Storage& storage = m_storages[entry.storage];
        if (entry.value.defined() && entry.generation == storage.generation) return entry.value;
        Tensor value = look(storage, Geometry(eager), Emission::Regeneration);
        if (eager.is_conj() || eager.is_neg()) {
            value = emit(Emission::Regeneration, [&] {
                const Tensor conj = eager.is_conj() ? at::conj_physical(value) : value;
                return eager.is_neg() ? at::neg(conj) : conj;
            });
        }
        entry.value = value;
        entry.generation = storage.generation;
        return value;
    }

    /// A new tensor of a storage of its own. Its functional value has the same elements, but maybe in another
    /// order in memory, so the storage's content is laid out as eager has it.
    void makeFresh(const Tensor& eager, const Tensor& value) {
        Tracked& entry = track(eager);
        entry.value = value;
        Storage& storage = m_storages[entry.storage];
        const Geometry geometry(eager);
        if (coversInOrder(storage, geometry)) {
            storage.value = value;
            return;
        }
        m_layouts.insert_or_assign(entry.storage, geometry);
        storage.value = Tensor();
        m_fresh[entry.storage] = value;
    }

    /// Before a storage made by an operator is first needed as cells.
    void layOut(Storage& storage) {
        const auto fresh = m_fresh.find(storage.number);
        TORCH_CHECK(fresh != m_fresh.end(), "a storage of unknown origin");
        const Geometry& geometry = m_layouts.at(storage.number);
        std::vector<std::int64_t> order(geometry.size.size());
        std::iota(order.begin(), order.end(), 0);
        std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
            return geometry.stride[static_cast<std::size_t>(a)] >
                   geometry.stride[static_cast<std::size_t>(b)];
        });
        const Tensor& value = fresh->second;
        TORCH_CHECK(value.numel() == storage.cells, "node '", m_program.graph->node(m_at).name,
                    "' touches a tensor whose storage has gaps");
        storage.value = emit(Emission::Regeneration, [&] {
            return keepsViews() ? value.permute(order) : at::permute_copy(value, order);
        });
        storage.value = shaped(Emission::Regeneration, storage.value, {storage.cells});
    }

    /// Puts a written value into its storage.
    void commit(const Tensor& eager, const Tensor& written) {
        Tracked& entry = track(eager);
        Storage& storage = m_storages[entry.storage];
        const Geometry geometry(eager);
        const std::uint32_t from = storage.generation++;
        m_out.updates.push_back({storage.number, from, storage.generation,
                                 static_cast<std::int32_t>(Tape::nodeOf(written)),
                                 chainOf(storage, geometry)});
        if (coversInOrder(storage, geometry)) {
            storage.value = written;
        } else {
            const Tensor cells = flat(storage, Emission::Inverse);
            storage.value = emit(Emission::Inverse, [&] {
                const bool typed = geometry.dtype != storage.dtype;
                Tensor value = eager.is_neg() ? at::neg(written) : written;
                if (eager.is_conj()) value = at::conj_physical(value);
                Tensor out = at::as_strided_scatter(typed ? cells.view(geometry.dtype) : cells, value,
                                                    geometry.size, geometry.stride, geometry.offset);
                return typed ? out.view(storage.dtype) : out;
            });
        }
        entry.value = written;
        entry.generation = storage.generation;
    }

    // ---- The program

    void makeInputs() {
        for (ir::NodeIndex i = 0; i < m_program.code.size(); ++i) {
            if (m_program.code[i].kind != Instruction::Kind::Input) continue;
            const ir::Node& node = m_program.graph->node(i);
            const std::size_t position = m_plain.size();
            m_at = i;
            TORCH_CHECK(position < m_eagerInputs.size(), "the program takes ", m_program.inputs,
                        " inputs, but ", m_eagerInputs.size(), " were given");
            m_plain.push_back(m_tape.placeholder(node.name, node.target, m_tracedInputs[position]));
            const Tensor& eager = m_eagerInputs[position];
            Tracked& entry = track(eager);
            entry.value = m_plain.back();
            m_storages[entry.storage].members.push_back(position);
            m_atStart.emplace_back(eager);
            m_storageAtStart.push_back(entry.storage);
            m_inputNames.push_back(node.name);
        }
        m_at = 0;
    }

    void step() {
        const Instruction& instruction = m_program.code[m_at];
        FunctionalStep step = begin();
        if (instruction.kind == Instruction::Kind::Input) {
            m_values[m_at] = m_eagerInputs[instruction.position];
            step.firstEmitted = static_cast<std::uint32_t>(instruction.position);
            addRow(m_at, m_eagerInputs[instruction.position], step);
            end(step);
            step.endEmitted = step.firstEmitted + 1;
            m_out.steps.push_back(step);
        } else if (instruction.kind == Instruction::Kind::Attribute) {
            const auto found = m_attributes.find(instruction.attribute);
            TORCH_CHECK(found != m_attributes.end(), "no value was given for the constant '",
                        instruction.attribute, "'");
            m_values[m_at] = found->second;
            m_constants.insert(found->second.unsafeGetTensorImpl());
        } else {
            call(instruction);
            for (const ir::NodeIndex source : m_program.graph->inputs(m_at))
                if (m_values[source].isTensor() && m_values[source].toTensor().defined())
                    addRow(source, m_values[source].toTensor(), step);
            if (m_values[m_at].isTensor() && m_values[m_at].toTensor().defined())
                addRow(m_at, m_values[m_at].toTensor(), step);
            end(step);
            m_out.steps.push_back(step);
        }
        for (const ir::NodeIndex dead : instruction.dies)
            m_values[dead] = IValue();
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
            Tensor wrapper = impl::to_functional_tensor(read(eager));
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
        const std::size_t known = m_storages.size();
        m_values[m_at] = runEager(instruction);
        if (!movesStorage(instruction)) {
            IValue traced;
            bool failed = false;
            try {
                traced = runTraced(instruction);
            } catch (const std::exception&) {
                // A value laid out in another way than eager's cannot always be viewed alike: its storage
                // can.
                failed = true;
                bool views = true;
                forEachTensor(m_values[m_at], [&](const Tensor& made) {
                    const auto found = m_numbers.find(made.storage().unsafeGetStorageImpl());
                    views = views && found != m_numbers.end() && found->second < known;
                });
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
        if (m_values[m_at].isTensor() && m_values[m_at].toTensor().defined())
            (void)read(m_values[m_at].toTensor());
        for (const ir::NodeIndex source : m_program.graph->inputs(m_at))
            m_traced[source] = IValue();
    }

    IValue runEager(const Instruction& instruction) {
        const c10::impl::ExcludeDispatchKeyGuard plain(
            c10::DispatchKeySet({DispatchKey::Functionalize, DispatchKey::Fake}));
        return engine::call(instruction, m_values);
    }

    IValue runTraced(const Instruction& instruction) {
        const c10::impl::IncludeDispatchKeyGuard on(
            c10::DispatchKeySet({DispatchKey::Functionalize, DispatchKey::Fake}));
        m_why = Emission::Operator;
        const bool lifted = m_program.graph->node(m_at).target == "torch.ops.aten.lift_fresh_copy.default" &&
                            instruction.operands[0].kind == Operand::Kind::Value &&
                            m_program.code[instruction.operands[0].node].kind == Instruction::Kind::Attribute;
        if (lifted) return at::lift_fresh(m_traced[instruction.operands[0].node].toTensor());
        return engine::call(instruction, m_traced);
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
        commit(argument.eager, unwrapped(argument.wrapper));
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
        const std::uint32_t number = storageOf(eager);
        if (number >= known) return makeFresh(eager, value);
        Tracked& entry = track(eager);
        entry.value = value;
        entry.generation = m_storages[number].generation;
    }

    /// After the operator a tensor may lie elsewhere.
    void takeGeometry(const Argument& argument) {
        const Tensor& eager = argument.eager;
        const bool moved = eager.storage().unsafeGetStorageImpl() != argument.storage;
        if (!moved && Geometry(eager) == argument.before) return;
        Tracked& entry = track(eager);
        entry.storage = storageOf(eager);
        Storage& storage = m_storages[entry.storage];
        const std::int64_t cells = cellsOf(storage.eager, storage.dtype);
        if (cells > storage.cells) { // the new ones hold nothing yet
            const Tensor old = flat(storage, Emission::Operator);
            const std::int64_t more = cells - storage.cells;
            storage.value = emit(Emission::Operator, [&] { return at::constant_pad_nd(old, {0, more}, 0); });
            storage.cells = cells;
            ++storage.generation;
        }
        entry.value = Tensor();
    }

    // ---- The end

    void finish() {
        FunctionalStep step = begin();
        step.source = static_cast<ir::NodeIndex>(m_program.code.size());
        std::map<ir::NodeIndex, Tensor> results;
        for (const Operand* leaf : resultLeaves(m_program)) {
            if (leaf->kind != Operand::Kind::Value || !m_values[leaf->node].isTensor()) continue;
            const Tensor& eager = m_values[leaf->node].toTensor();
            results[leaf->node] = isConstant(eager) ? eager : read(eager);
        }
        std::vector<Tensor> leading;
        writeData(leading);
        moveInputs(leading);
        for (const auto& [node, value] : results)
            if (!isConstant(m_values[node].toTensor())) addRow(node, m_values[node].toTensor(), step);
        end(step);
        if (step.endEmitted > step.firstEmitted || m_program.code.size() < m_program.graph->size())
            m_out.steps.push_back(step);
        m_why = Emission::Operator;
        finishFunctionalized(m_program, m_tape, m_values, results, leading, m_out);
    }

    WriteBack& backOf(std::size_t input) {
        const auto found = std::find_if(m_out.writeBacks.begin(), m_out.writeBacks.end(),
                                        [&](const WriteBack& back) { return back.input == input; });
        if (found != m_out.writeBacks.end()) return *found;
        WriteBack back;
        back.input = input;
        back.name = m_inputNames[input];
        return m_out.writeBacks.emplace_back(std::move(back));
    }

    template <typename Fn>
    void apply(WriteBack& back, const char* how, const Fn& fn) {
        back.how.emplace_back(how);
        if (m_options.writeBack != WriteBackBy::Graph) return;
        (void)emit(Emission::WriteBack, fn);
        back.nodes.push_back(static_cast<std::int32_t>(m_tape.nodes().size()) - 1);
    }

    /// The content of each storage that inputs lie in, once, through the first of them.
    void writeData(std::vector<Tensor>& leading) {
        std::vector<bool> done(m_storages.size(), false);
        for (std::size_t i = 0; i < m_plain.size(); ++i) {
            Storage& storage = m_storages[m_storageAtStart[i]];
            if (storage.generation == 0 || done[storage.number]) continue;
            done[storage.number] = true;
            WriteBack& back = backOf(i);
            const std::int64_t before = cellsOf(m_tracedInputs[i].storage(), storage.dtype);
            if (storage.cells > before) {
                back.size = {storage.cells};
                back.stride = {1};
                apply(back, "resize_", [&] { return m_plain[i].resize_({storage.cells}); });
            }
            const bool whole = storage.cells > before || !coversInOrder(storage, m_atStart[i]);
            const Tensor value =
                whole ? flat(storage, Emission::WriteBack) : look(storage, m_atStart[i], Emission::WriteBack);
            back.bytes = value.nbytes();
            back.wholeStorage = whole;
            apply(back, "copy_", [&] {
                const Tensor target = whole ? m_plain[i].as_strided({storage.cells}, {1}, 0) : m_plain[i];
                return target.copy_(value);
            });
            if (m_options.writeBack == WriteBackBy::Caller) {
                back.output = static_cast<std::int32_t>(leading.size());
                leading.push_back(value);
            }
        }
    }

    /// Inputs that lie elsewhere after the call.
    void moveInputs(std::vector<Tensor>& leading) {
        std::vector<std::pair<std::size_t, Tensor>> sources;
        for (std::size_t i = 0; i < m_plain.size(); ++i) {
            const Tensor& eager = m_eagerInputs[i];
            const bool moved = storageOf(eager) != m_storageAtStart[i];
            if (!moved && Geometry(eager) == m_atStart[i]) continue;
            if (moved) {
                sources.emplace_back(i, sourceFor(eager));
                continue;
            }
            WriteBack& back = backOf(i);
            back.size = eager.sizes().vec();
            back.stride = eager.strides().vec();
            back.offset = eager.storage_offset();
            apply(back, "as_strided_",
                  [&] { return m_plain[i].as_strided_(back.size, back.stride, back.offset); });
        }
        for (const auto& [i, source] : sources) {
            WriteBack& back = backOf(i);
            TORCH_CHECK(back.how.empty() || m_options.writeBack == WriteBackBy::Graph, "input '", back.name,
                        "' is written and then moved to another storage, which only the graph itself can do");
            const Tensor& target = source;
            apply(back, "set_", [&, input = i] { return m_plain[input].set_(target); });
            if (m_options.writeBack == WriteBackBy::Caller) {
                back.output = static_cast<std::int32_t>(leading.size());
                leading.push_back(source);
            }
        }
    }

    /// A tensor that lies where an input shall lie: in another input's storage, or a new one.
    Tensor sourceFor(const Tensor& eager) {
        const Storage& storage = m_storages[storageOf(eager)];
        if (storage.members.empty()) return read(eager);
        return emit(Emission::WriteBack, [&] {
            return m_plain[storage.members.front()].as_strided(eager.sizes(), eager.strides(),
                                                               eager.storage_offset());
        });
    }

    // ---- The scorecard

    [[nodiscard]] FunctionalStep begin() const {
        FunctionalStep step;
        step.source = m_at;
        step.firstEmitted = static_cast<std::uint32_t>(m_tape.nodes().size());
        step.firstRow = static_cast<std::uint32_t>(m_out.rows.size());
        step.firstStorage = static_cast<std::uint32_t>(m_out.storages.size());
        step.firstUpdate = static_cast<std::uint32_t>(m_out.updates.size());
        return step;
    }

    void end(FunctionalStep& step) const {
        step.endEmitted = static_cast<std::uint32_t>(m_tape.nodes().size());
        step.endRow = static_cast<std::uint32_t>(m_out.rows.size());
        step.endStorage = static_cast<std::uint32_t>(m_out.storages.size());
        step.endUpdate = static_cast<std::uint32_t>(m_out.updates.size());
    }

    std::uint32_t chainOf(const Storage& storage, const Geometry& geometry) {
        if (coversInOrder(storage, geometry)) return 0;
        const auto list = [](const std::vector<std::int64_t>& numbers) {
            std::string out = "[";
            for (const std::int64_t number : numbers)
                (out += out.size() > 1 ? ", " : "") += std::to_string(number);
            return out + ']';
        };
        const std::string text = "as_strided(size " + list(geometry.size) + ", stride " +
                                 list(geometry.stride) + ", storage_offset " +
                                 std::to_string(geometry.offset) + ')';
        const auto [found, isNew] = m_chains.emplace(text, static_cast<std::uint32_t>(m_out.chains.size()));
        if (isNew) {
            m_out.chains.push_back({static_cast<std::uint32_t>(m_out.views.size())});
            m_out.views.push_back({text, -1, -1});
        }
        return found->second;
    }

    void addRow(ir::NodeIndex value, const Tensor& eager, const FunctionalStep& step) {
        if (isConstant(eager)) return;
        const Tracked& entry = track(eager);
        const Storage& storage = m_storages[entry.storage];
        ScoreRow row;
        row.value = value;
        row.storage = entry.storage;
        row.current = static_cast<std::int32_t>(entry.value.defined() ? Tape::nodeOf(entry.value) : -1);
        row.generation = entry.value.defined() ? entry.generation : 0;
        row.chain = chainOf(storage, Geometry(eager));
        row.geometry = static_cast<std::uint32_t>(m_out.numbers.size());
        row.dim = static_cast<std::uint16_t>(eager.dim());
        row.regenerated = row.current >= static_cast<std::int32_t>(step.firstEmitted) &&
                          static_cast<Emission>(m_tape.reasons()[static_cast<std::size_t>(row.current)]) ==
                              Emission::Regeneration;
        m_out.numbers.insert(m_out.numbers.end(), eager.sizes().begin(), eager.sizes().end());
        m_out.numbers.insert(m_out.numbers.end(), eager.strides().begin(), eager.strides().end());
        m_out.numbers.push_back(eager.storage_offset());
        addStorage(storage, step);
        if (m_options.cells && storage.cells <= maxCells && entry.value.defined() &&
            eager.scalar_type() == storage.dtype)
            m_out.cellsOfRow[static_cast<std::uint32_t>(m_out.rows.size())] = {cellsSeen(storage, eager),
                                                                               numbers(entry.value)};
        m_out.rows.push_back(row);
    }

    void addStorage(const Storage& storage, const FunctionalStep& step) {
        if (std::any_of(m_out.storages.begin() + step.firstStorage, m_out.storages.end(),
                        [&](const StorageRow& row) { return row.storage == storage.number; }))
            return;
        StorageRow row;
        row.storage = storage.number;
        row.generation = storage.generation;
        if (storage.value.defined()) {
            row.base = static_cast<std::int32_t>(Tape::nodeOf(storage.value));
        } else if (!storage.members.empty()) {
            row.base = static_cast<std::int32_t>(Tape::nodeOf(m_plain[storage.members.front()]));
        } else if (const auto fresh = m_fresh.find(storage.number); fresh != m_fresh.end()) {
            row.base = static_cast<std::int32_t>(Tape::nodeOf(fresh->second));
        }
        if (m_options.cells && storage.cells <= maxCells && !c10::isComplexType(storage.dtype)) {
            const c10::impl::ExcludeDispatchKeyGuard plain(
                c10::DispatchKeySet({DispatchKey::Functionalize, DispatchKey::Fake}));
            const Tensor whole = at::empty({0}, at::TensorOptions().dtype(storage.dtype))
                                     .set_(storage.eager, 0, {storage.cells}, {1});
            m_out.cellsOfStorage[static_cast<std::uint32_t>(m_out.storages.size())] = {{}, numbers(whole)};
        }
        m_out.storages.push_back(row);
    }

    static constexpr std::int64_t maxCells = 64;

    static std::vector<double> numbers(const Tensor& traced) {
        const c10::impl::ExcludeDispatchKeyGuard plain(
            c10::DispatchKeySet({DispatchKey::Functionalize, DispatchKey::Fake}));
        const Tensor value = Tape::valueOf(traced);
        if (value.is_complex()) return {};
        const Tensor flat = value.to(at::kDouble).contiguous();
        return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
    }

    static std::vector<std::int32_t> cellsSeen(const Storage& storage, const Tensor& eager) {
        const c10::impl::ExcludeDispatchKeyGuard plain(
            c10::DispatchKeySet({DispatchKey::Functionalize, DispatchKey::Fake}));
        const Tensor seen = at::arange(storage.cells, at::kInt)
                                .as_strided(eager.sizes(), eager.strides(), eager.storage_offset())
                                .contiguous();
        return {seen.const_data_ptr<std::int32_t>(), seen.const_data_ptr<std::int32_t>() + seen.numel()};
    }

    const Program& m_program;
    const Attributes& m_attributes;
    const FunctionalizeOptions& m_options;
    const TaskContext& m_task;
    std::vector<Tensor> m_eagerInputs, m_tracedInputs;
    Values m_values; ///< eager's
    Values m_traced; ///< of the operator under way
    Tape m_tape;
    Emission m_why = Emission::Operator;
    ir::NodeIndex m_at = 0;
    std::vector<Tensor> m_plain; ///< placeholders
    std::vector<Geometry> m_atStart;
    std::vector<std::uint32_t> m_storageAtStart;
    std::vector<std::string> m_inputNames;
    std::vector<Storage> m_storages;
    std::unordered_map<const void*, std::uint32_t> m_numbers; ///< of storages
    std::unordered_map<const void*, Tracked> m_tracked;
    std::unordered_map<std::uint32_t, Geometry> m_layouts; ///< of storages that are not laid out yet
    std::unordered_map<std::uint32_t, Tensor> m_fresh;     ///< and their values
    std::unordered_set<const void*> m_constants;
    std::map<std::string, std::uint32_t> m_chains;
    Functionalized m_out;
};

} // namespace

tl::expected<Functionalized, RunError>
functionalizeCells(const Program& program, const std::vector<Tensor>& inputs, const Attributes& attributes,
                   const FunctionalizeOptions& options, const TaskContext& task) {
    ensureMetaKernels();
    return CellFunctionalizer(program, inputs, attributes, options, task).run();
}

} // namespace dynascope::engine
