// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/functionalize/functionalize.h"

#include "core/engine/exec/torch_values.h"
#include "core/engine/functionalize/functionalization_run.h"
#include "core/engine/trace/functional_kernels.h"

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/detach.h>
#include <ATen/ops/lift_fresh.h>
#include <algorithm>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/flat_hash_map.h>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <typeinfo>
#include <unordered_map>

namespace dynascope::engine {

namespace {

using at::FunctionalTensorWrapper;
using at::Tensor;
using at::functionalization::FunctionalStorageImpl;
using at::functionalization::ViewMeta;
using c10::DispatchKey;
using c10::IValue;
namespace impl = at::functionalization::impl;

// Two private members have no accessor. An explicit instantiation may name them (C++20 [temp.spec.general]
// p6).
template <auto Member, typename Tag>
struct Reveal {
    friend auto member(Tag) { return Member; }
};
struct UpdatesTag {
    friend auto member(UpdatesTag);
};
struct GenerationTag {
    friend auto member(GenerationTag);
};
template struct Reveal<&FunctionalStorageImpl::updates_, UpdatesTag>;
template struct Reveal<&FunctionalTensorWrapper::generation_, GenerationTag>;

FunctionalStorageImpl& storageOf(const FunctionalTensorWrapper& tensor) {
    return static_cast<FunctionalStorageImpl&>(*tensor.storage().unsafeGetStorageImpl());
}

std::size_t pendingUpdates(const FunctionalStorageImpl& storage) {
    return (storage.*member(UpdatesTag{})).size();
}

FunctionalTensorWrapper* wrapperOf(const IValue& value) {
    if (!value.isTensor() || !impl::isFunctionalTensor(value.toTensor())) return nullptr;
    return impl::unsafeGetFunctionalWrapper(value.toTensor());
}

/// "select_int" for at::functionalization::select_int_ViewMeta.
std::string viewName(const ViewMeta& view) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> demangled(
        abi::__cxa_demangle(typeid(view).name(), nullptr, nullptr, &status), &std::free);
    std::string name = status == 0 ? demangled.get() : typeid(view).name();
    if (const std::size_t colon = name.rfind("::"); colon != std::string::npos) name.erase(0, colon + 2);
    if (name.ends_with("_ViewMeta")) name.resize(name.size() - 9);
    return name;
}

/// Whether a node such as torch.ops.aten.select_copy.int is the view "select_int".
bool makesView(std::string_view target, std::string_view view) {
    constexpr std::string_view prefix = "torch.ops.aten.";
    if (!target.starts_with(prefix)) return false;
    target.remove_prefix(prefix.size());
    const std::size_t dot = target.find('.');
    if (dot == std::string_view::npos) return false;
    std::string_view name = target.substr(0, dot);
    std::string_view overload = target.substr(dot + 1);
    if (name.ends_with("_copy")) name.remove_suffix(5);
    if (!view.starts_with(name)) return false;
    view.remove_prefix(name.size());
    if (view.starts_with("_")) view.remove_prefix(1);
    return overload == "default" ? view.empty() : view == overload;
}

bool isView(const Instruction& instruction) {
    if (!instruction.op || instruction.op->schema().arguments().empty()) return false;
    const c10::AliasInfo* alias = instruction.op->schema().arguments().front().alias_info();
    return alias && !alias->isWrite();
}

class Functionalizer final : public FunctionalizationRun {
public:
    Functionalizer(const Program& program, const std::vector<IValue>& inputs, const Attributes& attributes,
                   const FunctionalizeOptions& options, const TaskContext& task)
        : FunctionalizationRun(program, attributes, options, task, [this] { return reason(); })
        , m_inputs(inputs)
        , m_values(program.graph->size()) {
        // As make_fx, which meets composite operators only where a kernel of functionalization calls one.
        m_tape.setDecomposing(true);
    }

private:
    /// Read off the wrappers while the operator is under way.
    [[nodiscard]] Emission reason() {
        if (m_phase != Emission::Operator) return m_phase;
        for (const FunctionalTensorWrapper* tensor : m_read) {
            if (pendingUpdates(storageOf(*tensor)) == 0) continue;
            noteUpdates(*tensor);
            return Emission::Inverse;
        }
        if (!m_isView && std::any_of(m_read.begin(), m_read.end(), [](const FunctionalTensorWrapper* tensor) {
                return !tensor->is_up_to_date();
            }))
            return Emission::Regeneration;
        return Emission::Operator;
    }

    void makeInputs() override {
        for (ir::NodeIndex i = 0; i < m_program.code.size(); ++i) {
            if (m_program.code[i].kind != Instruction::Kind::Input) continue;
            const ir::Node& node = m_program.graph->node(i);
            m_at = i;
            TORCH_CHECK(m_plain.size() < m_inputs.size(), "the program takes ", m_program.inputs,
                        " inputs, but ", m_inputs.size(), " were given");
            const IValue input = m_tape.input(node.name, node.target, m_inputs[m_plain.size()]);
            const bool isTensor = isDefinedTensor(input);
            m_plain.push_back(isTensor ? input.toTensor() : Tensor());
            m_wrapped.push_back(isTensor ? IValue(impl::to_functional_tensor(input.toTensor())) : input);
            m_inputNames.push_back(node.name);
        }
    }

    void step() override {
        // Fake is included for factories, which no tracer tensor reaches.
        const c10::impl::IncludeDispatchKeyGuard on(
            c10::DispatchKeySet({DispatchKey::Functionalize, DispatchKey::Fake}));
        const Instruction& instruction = m_program.code[m_at];
        IValue& value = m_values[m_at];
        const FunctionalStep step = m_log.begin(m_at);
        if (instruction.kind == Instruction::Kind::Input) {
            value = m_wrapped[instruction.position];
            if (const FunctionalTensorWrapper* tensor = wrapperOf(value)) addRow(m_at, *tensor);
            m_log.endInput(step, instruction.position);
        } else if (instruction.kind == Instruction::Kind::Attribute) {
            value = attributeOf(instruction);
        } else {
            readOperands();
            m_isView = instruction.op ? isView(instruction)
                                      : ir::opKind(m_program.graph->node(m_at)) == ir::OpKind::View;
            value = isLiftedConstant(instruction)
                        ? IValue(liftedConstant(m_values[instruction.operands[0].node].toTensor()))
                        : call(instruction, m_values);
            score(step);
            m_log.end(step);
            m_read.clear();
            m_sources.clear();
        }
        for (const ir::NodeIndex dead : instruction.dies)
            m_values[dead] = IValue();
    }

    [[nodiscard]] Tensor liftedConstant(const Tensor& constant) const {
        Tensor lifted = at::lift_fresh(constant);
        if (!m_options.detachConstants) return lifted;
        const at::AutoDispatchBelowADInplaceOrView below; // autograd's own detach_ goes no further
        return lifted.detach_();
    }

    void readOperands() {
        for (const ir::NodeIndex source : m_program.graph->inputs(m_at)) {
            if (FunctionalTensorWrapper* tensor = wrapperOf(m_values[source])) {
                m_sources.push_back(source);
                m_read.push_back(tensor);
            }
        }
    }

    void score(const FunctionalStep& step) {
        for (std::size_t i = 0; i < m_sources.size(); ++i)
            addRow(m_sources[i], *m_read[i]);
        if (const FunctionalTensorWrapper* made = wrapperOf(m_values[m_at])) {
            addRow(m_at, *made);
        }
        for (std::size_t i = step.firstRow; i < m_out.rows.size(); ++i)
            m_out.rows[i].regenerated = m_log.isRegenerated(m_out.rows[i], step);
    }

    void addRow(ir::NodeIndex value, const FunctionalTensorWrapper& tensor) {
        TensorScore row;
        row.value = value;
        row.storage = addStorage(tensor);
        row.current = static_cast<std::int32_t>(Tape::nodeOf(tensor.value()));
        row.generation = static_cast<std::uint32_t>(tensor.*member(GenerationTag{}));
        row.chain = chainOf(tensor.view_metas(), tensor.value());
        if (m_options.cells) readCells(tensor);
        m_log.add(row, tensor);
    }

    /// Notes the tensor's storage, once a step; gives its number.
    std::uint32_t addStorage(const FunctionalTensorWrapper& tensor) {
        FunctionalStorageImpl& storage = storageOf(tensor);
        const std::uint32_t number = groupOf(tensor);
        if (m_log.hasStorage(number)) return number;
        StorageScore row;
        row.storage = number;
        row.base = static_cast<std::int32_t>(Tape::nodeOf(storage.base()));
        row.generation = static_cast<std::uint32_t>(storage.generation());
        row.pending = static_cast<std::uint32_t>(pendingUpdates(storage));
        if (m_generations[number] < row.generation && row.pending == 0 && !hasUpdate(number)) {
            // A write to the base itself becomes the base without any node.
            m_out.updates.push_back({number, m_generations[number], row.generation, row.base, 0});
        }
        m_generations[number] = row.generation;
        if (m_options.cells) {
            CellValues cells;
            if (readValues(storage.base(), cells.values))
                m_out.cellsOfStorage[static_cast<std::uint32_t>(m_out.storages.size())] = std::move(cells);
        }
        m_out.storages.push_back(row);
        return number;
    }

    [[nodiscard]] bool hasUpdate(std::uint32_t storage) const {
        const std::size_t first = m_out.steps.empty() ? 0 : m_out.steps.back().endUpdate;
        return std::any_of(m_out.updates.begin() + static_cast<std::ptrdiff_t>(first), m_out.updates.end(),
                           [&](const ScoreUpdate& update) { return update.storage == storage; });
    }

    /// Called while the inverse chain of the first update is emitted, with all of them still queued.
    void noteUpdates(const FunctionalTensorWrapper& tensor) {
        FunctionalStorageImpl& storage = storageOf(tensor);
        const std::uint32_t number = groupOf(tensor);
        const auto generation = static_cast<std::uint32_t>(storage.generation());
        if (m_generations[number] == generation) return;
        for (const auto& update : storage.*member(UpdatesTag{}))
            m_out.updates.push_back({number, m_generations[number], generation,
                                     static_cast<std::int32_t>(Tape::nodeOf(update.new_val)),
                                     chainOf(update.view_metas, update.new_val)});
        m_generations[number] = generation;
    }

    /// Storages are held weakly, so that their addresses stay theirs but resize_ counts no extra user.
    std::uint32_t groupOf(const FunctionalTensorWrapper& tensor) {
        const auto [found, isNew] =
            m_groups.emplace(&storageOf(tensor), static_cast<std::uint32_t>(m_groups.size()));
        if (isNew) {
            m_storages.emplace_back(tensor.storage().getWeakStorageImpl());
            m_generations.push_back(0);
        }
        return found->second;
    }

    std::uint32_t chainOf(const std::vector<std::shared_ptr<ViewMeta>>& views, const Tensor& value) {
        std::uint32_t chain = 0;
        for (std::size_t i = 0; i < views.size(); ++i) {
            const std::uint32_t view = viewOf(views, i, value);
            const auto [next, isNew] = m_chainAfter.emplace((std::uint64_t{chain} << 32U) | view,
                                                            static_cast<std::uint32_t>(m_out.chains.size()));
            if (isNew) {
                std::vector<std::uint32_t> longer = m_out.chains[chain];
                longer.push_back(view);
                m_out.chains.push_back(std::move(longer));
            }
            chain = next->second;
        }
        return chain;
    }

    /// A view's number. At its first sight the tensor's value is what the view's own node made, and that of
    /// the view before it is the node's first argument.
    std::uint32_t viewOf(const std::vector<std::shared_ptr<ViewMeta>>& views, std::size_t at,
                         const Tensor& value) {
        const auto known = m_views.find(views[at].get());
        if (known != m_views.end()) return known->second;
        std::int64_t node = Tape::nodeOf(value);
        for (std::size_t i = views.size(); i-- > at;) {
            ViewStep view;
            view.name = nameOf(*views[i]);
            std::int64_t maker = node;
            if (maker >= 0 && m_tape.node(maker).target == "operator.getitem") {
                maker = m_tape.sourceOf(maker);
                view.result = views[i]->out_index;
            }
            if (maker >= 0 && makesView(m_tape.node(maker).target, view.name)) {
                view.node = static_cast<std::int32_t>(maker);
                node = m_tape.sourceOf(maker);
            }
            if (!m_views.emplace(views[i].get(), static_cast<std::uint32_t>(m_out.views.size())).second)
                continue;
            m_keptViews.push_back(views[i]); // so that the address stays its own
            m_out.views.push_back(std::move(view));
        }
        return m_views.at(views[at].get());
    }

    /// Demangled once a kind of view.
    const std::string& nameOf(const ViewMeta& view) {
        std::string& name = m_viewNames[&typeid(view)];
        if (name.empty()) name = viewName(view);
        return name;
    }

    bool readValues(const Tensor& traced, std::vector<double>& out) const {
        const Tensor value = Tape::valueOf(traced);
        if (value.numel() > cellLimit() || value.is_complex() || value.is_meta()) return false;
        const PlainCalls plain;
        const Tensor flat = value.to(at::kDouble).contiguous();
        out.assign(flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel());
        return true;
    }

    /// The cells of the base that a view sees: its chain, replayed on the base's cell numbers.
    void readCells(const FunctionalTensorWrapper& tensor) {
        const Tensor base = Tape::valueOf(storageOf(tensor).base());
        CellValues cells;
        if (base.numel() > cellLimit() || !readValues(tensor.value(), cells.values)) return;
        const PlainCalls plain;
        try {
            Tensor numbers = at::arange(base.numel(), at::kInt).view(base.sizes());
            numbers = impl::apply_view_meta_sequence(numbers, tensor.view_metas()).contiguous();
            if (numbers.scalar_type() != at::kInt) return;
            const auto* first = numbers.const_data_ptr<std::int32_t>();
            cells.cells.assign(first, first + numbers.numel());
        } catch (const std::exception&) {
            return; // a view of another element size has no cells of the base's
        }
        m_out.cellsOfRow[static_cast<std::uint32_t>(m_out.rows.size())] = std::move(cells);
    }

    /// Outputs are synced first, then inputs; then changed inputs are written back in input order.
    void finish() override {
        const FunctionalStep step = m_log.begin(outputIndex());
        m_phase = Emission::Regeneration;
        Results results;
        for (const Operand* leaf : resultLeaves(m_program)) {
            if (leaf->kind == Operand::Kind::Value && m_values[leaf->node].isTensor())
                results[leaf->node] = synced(m_values[leaf->node].toTensor());
        }
        for (const IValue& wrapped : m_wrapped)
            if (wrapperOf(wrapped)) impl::sync(wrapped.toTensor());
        m_phase = Emission::WriteBack;
        std::vector<Tensor> leading;
        for (std::size_t i = 0; i < m_wrapped.size(); ++i)
            if (wrapperOf(m_wrapped[i]))
                writeBack(i, impl::from_functional_tensor(m_wrapped[i].toTensor()), leading);
        m_phase = Emission::Operator;
        for (const auto& [node, tensor] : results) {
            if (const FunctionalTensorWrapper* wrapper = wrapperOf(m_values[node])) addRow(node, *wrapper);
        }
        endLast(step);
        makeGraph(m_values, results, leading);
    }

    static Tensor synced(const Tensor& tensor) {
        if (!impl::isFunctionalTensor(tensor)) return tensor;
        impl::sync(tensor);
        return impl::from_functional_tensor(tensor);
    }

    void writeBack(std::size_t position, const Tensor& value, std::vector<Tensor>& leading) {
        Tensor& input = m_plain[position];
        if (value.is_same(input)) return;
        WriteBack back;
        back.input = position;
        back.name = m_inputNames[position];
        back.bytes = value.nbytes();
        const bool inGraph = m_options.writeBack == WriteBackBy::Graph;
        const auto how = [&](const char* op, const auto& emit) {
            back.how.emplace_back(op);
            if (!inGraph) return;
            emit();
            back.nodes.push_back(static_cast<std::int32_t>(m_tape.size()) - 1);
        };
        const bool resized = input.nbytes() != value.nbytes();
        const bool reshaped = !resized && input.sizes() != value.sizes();
        if (resized) how("resize_", [&] { input.resize_(value.sizes()); });
        if (reshaped || (resized && input.sizes() != value.sizes() && inGraph))
            how("as_strided_", [&] { input.as_strided_(value.sizes(), value.strides()); });
        if (resized || reshaped) {
            back.size = value.sizes().vec();
            back.stride = value.strides().vec();
        }
        how("copy_", [&] { input.copy_(value); });
        if (!inGraph) {
            back.output = static_cast<std::int32_t>(leading.size());
            leading.push_back(value);
        }
        m_out.writeBacks.push_back(std::move(back));
    }

    const std::vector<IValue>& m_inputs;
    Values m_values;
    Emission m_phase = Emission::Operator;        ///< forced while finishing
    bool m_isView = false;                        ///< of the source node under way
    std::vector<ir::NodeIndex> m_sources;         ///< functional tensors it reads: their nodes,
    std::vector<FunctionalTensorWrapper*> m_read; ///< and themselves
    std::vector<Tensor> m_plain;                  ///< placeholders; undefined for an input that is no tensor
    std::vector<IValue> m_wrapped;                ///< the same, functional
    std::vector<std::string> m_inputNames;
    ska::flat_hash_map<const FunctionalStorageImpl*, std::uint32_t> m_groups;
    std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> m_storages;
    std::vector<std::uint32_t> m_generations; ///< of each storage, as last noted
    ska::flat_hash_map<const ViewMeta*, std::uint32_t> m_views;
    std::vector<std::shared_ptr<ViewMeta>> m_keptViews;
    std::unordered_map<const std::type_info*, std::string> m_viewNames;
    ska::flat_hash_map<std::uint64_t, std::uint32_t> m_chainAfter; ///< chain and view, 32 bits each
};

} // namespace

tl::expected<Functionalized, RunError>
functionalize(const Program& program, const std::vector<IValue>& inputs, const Attributes& attributes,
              const FunctionalizeOptions& options, const TaskContext& task) {
    ensureFunctionalKernels();
    return Functionalizer(program, inputs, attributes, options, task).run();
}

} // namespace dynascope::engine
