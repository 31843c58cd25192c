// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/functionalize.h"

#include "core/engine/meta_kernels.h"
#include "core/engine/tracer.h"

#include <ATen/FunctionalTensorWrapper.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/lift_fresh.h>
#include <algorithm>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <typeindex>

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

bool isView(const Instruction& instruction) {
    if (!instruction.op || instruction.op->schema().arguments().empty()) return false;
    const c10::AliasInfo* alias = instruction.op->schema().arguments().front().alias_info();
    return alias && !alias->isWrite();
}

class Functionalizer {
public:
    Functionalizer(const Program& program, const std::vector<Tensor>& inputs, const Attributes& attributes,
                   const TaskContext& task)
        : m_program(program)
        , m_inputs(inputs)
        , m_attributes(attributes)
        , m_task(task)
        , m_values(program.graph->size())
        , m_tape([this] { return static_cast<std::uint8_t>(reason()); }) {
        m_out.chains.emplace_back();
    }

    tl::expected<Functionalized, RunError> run(Remove remove) {
        const TapeGuard tape(m_tape);
        const at::AutoGradMode noGrad(false);
        const impl::FunctionalizationReapplyViewsGuard views(remove == Remove::Mutations);
        const c10::impl::ExcludeDispatchKeyGuard noAutograd(
            c10::autograd_dispatch_keyset_with_ADInplaceOrView);
        try {
            makeInputs();
            {
                // Fake is included for factories, which no tracer tensor reaches.
                const c10::impl::IncludeDispatchKeyGuard on(
                    c10::DispatchKeySet({DispatchKey::Functionalize, DispatchKey::Fake}));
                for (; m_at < m_program.code.size(); ++m_at) {
                    if (m_task.cancelled()) return tl::unexpected(RunError{"cancelled", m_at, true});
                    step();
                    m_task.report("Functionalizing", m_at + 1, m_program.code.size());
                }
            }
            m_at = ir::npos;
            finish();
        } catch (const std::exception& error) {
            return tl::unexpected(RunError{errorText(error), m_at, false});
        }
        return std::move(m_out);
    }

private:
    /// Read off the wrappers while the operator is under way.
    [[nodiscard]] Emission reason() const {
        if (m_phase != Emission::Operator) return m_phase;
        for (const FunctionalTensorWrapper* tensor : m_read) {
            if (pendingUpdates(storageOf(*tensor)) != 0) return Emission::Inverse;
        }
        if (!m_isView && std::any_of(m_read.begin(), m_read.end(), [](const FunctionalTensorWrapper* tensor) {
                return !tensor->is_up_to_date();
            }))
            return Emission::Regeneration;
        return Emission::Operator;
    }

    void makeInputs() {
        for (ir::NodeIndex i = 0; i < m_program.code.size(); ++i) {
            if (m_program.code[i].kind != Instruction::Kind::Input) continue;
            const ir::Node& node = m_program.graph->node(i);
            m_at = i;
            TORCH_CHECK(m_plain.size() < m_inputs.size(), "the program takes ", m_program.inputs,
                        " inputs, but ", m_inputs.size(), " were given");
            m_plain.push_back(m_tape.placeholder(node.name, node.target, m_inputs[m_plain.size()]));
            m_wrapped.push_back(impl::to_functional_tensor(m_plain.back()));
        }
        m_at = 0;
    }

    void step() {
        const Instruction& instruction = m_program.code[m_at];
        IValue& value = m_values[m_at];
        if (instruction.kind == Instruction::Kind::Input) {
            value = m_wrapped[instruction.position];
        } else if (instruction.kind == Instruction::Kind::Attribute) {
            const auto found = m_attributes.find(instruction.attribute);
            TORCH_CHECK(found != m_attributes.end(), "no value was given for the constant '",
                        instruction.attribute, "'");
            value = found->second;
        } else {
            readOperands();
            FunctionalStep step;
            step.source = m_at;
            step.firstEmitted = static_cast<std::uint32_t>(m_tape.nodes().size());
            step.firstRow = static_cast<std::uint32_t>(m_out.rows.size());
            m_isView = isView(instruction);
            value = isLiftedConstant(instruction)
                        ? IValue(at::lift_fresh(m_values[instruction.operands[0].node].toTensor()))
                        : call(instruction, m_values);
            score();
            step.endEmitted = static_cast<std::uint32_t>(m_tape.nodes().size());
            step.endRow = static_cast<std::uint32_t>(m_out.rows.size());
            m_out.steps.push_back(step);
            m_read.clear();
        }
        for (const ir::NodeIndex dead : instruction.dies)
            m_values[dead] = IValue();
    }

    /// make_fx writes lift_fresh as lift_fresh_copy, but only the former wraps a constant.
    [[nodiscard]] bool isLiftedConstant(const Instruction& instruction) const {
        return m_program.graph->node(m_at).target == "torch.ops.aten.lift_fresh_copy.default" &&
               instruction.operands[0].kind == Operand::Kind::Value &&
               m_program.code[instruction.operands[0].node].kind == Instruction::Kind::Attribute;
    }

    void readOperands() {
        m_sources.clear();
        for (const ir::NodeIndex source : m_program.graph->inputs(m_at)) {
            if (FunctionalTensorWrapper* tensor = wrapperOf(m_values[source])) {
                m_sources.push_back(source);
                m_read.push_back(tensor);
            }
        }
    }

    void score() {
        for (std::size_t i = 0; i < m_sources.size(); ++i)
            addRow(m_sources[i], *m_read[i]);
        if (const FunctionalTensorWrapper* made = wrapperOf(m_values[m_at])) addRow(m_at, *made);
    }

    void addRow(ir::NodeIndex value, const FunctionalTensorWrapper& tensor) {
        FunctionalStorageImpl& storage = storageOf(tensor);
        ScoreRow row;
        row.value = value;
        row.group = groupOf(tensor);
        row.base = static_cast<std::int32_t>(Tape::nodeOf(storage.base()));
        row.current = static_cast<std::int32_t>(Tape::nodeOf(tensor.value()));
        row.generation = static_cast<std::uint32_t>(tensor.*member(GenerationTag{}));
        row.storageGeneration = static_cast<std::uint32_t>(storage.generation());
        row.pendingUpdates = static_cast<std::uint32_t>(pendingUpdates(storage));
        row.chain = chainOf(const_cast<FunctionalTensorWrapper&>(tensor).view_metas());
        m_out.rows.push_back(row);
    }

    /// Storages are held weakly, so that their addresses stay theirs but resize_ counts no extra user.
    std::uint32_t groupOf(const FunctionalTensorWrapper& tensor) {
        const auto [found, isNew] =
            m_groups.emplace(&storageOf(tensor), static_cast<std::uint32_t>(m_groups.size()));
        if (isNew) m_storages.emplace_back(tensor.storage().getWeakStorageImpl());
        return found->second;
    }

    std::uint32_t chainOf(const std::vector<std::shared_ptr<ViewMeta>>& views) {
        std::uint32_t chain = 0;
        for (const std::shared_ptr<ViewMeta>& view : views) {
            const ViewMeta& meta = *view;
            const auto [next, isNew] = m_chainAfter.emplace(std::pair(chain, std::type_index(typeid(meta))),
                                                            static_cast<std::uint32_t>(m_out.chains.size()));
            if (isNew) {
                std::vector<std::string> names = m_out.chains[chain];
                names.push_back(viewName(meta));
                m_out.chains.push_back(std::move(names));
            }
            chain = next->second;
        }
        return chain;
    }

    /// Outputs are synced first, then inputs; then changed inputs are written back in input order.
    void finish() {
        m_phase = Emission::Regeneration;
        std::map<ir::NodeIndex, Tensor> results;
        for (const Operand* leaf : resultLeaves(m_program)) {
            if (leaf->kind == Operand::Kind::Value && m_values[leaf->node].isTensor())
                results[leaf->node] = synced(m_values[leaf->node].toTensor());
        }
        for (const Tensor& wrapped : m_wrapped)
            impl::sync(wrapped);
        m_phase = Emission::WriteBack;
        for (std::size_t i = 0; i < m_wrapped.size(); ++i)
            writeBack(m_plain[i], impl::from_functional_tensor(m_wrapped[i]));
        m_phase = Emission::Operator;
        buildGraph(results);
    }

    static Tensor synced(const Tensor& tensor) {
        if (!impl::isFunctionalTensor(tensor)) return tensor;
        impl::sync(tensor);
        return impl::from_functional_tensor(tensor);
    }

    static void writeBack(Tensor& input, const Tensor& value) {
        if (value.is_same(input)) return;
        if (input.nbytes() != value.nbytes()) input.resize_(value.sizes());
        if (input.sizes() != value.sizes()) input.as_strided_(value.sizes(), value.strides());
        input.copy_(value);
    }

    void buildGraph(const std::map<ir::NodeIndex, Tensor>& results) {
        ir::Node output;
        output.op = ir::Op::Output;
        output.name = "output";
        output.target = "output";
        if (m_program.code.size() < m_program.graph->size())
            output.args.push_back(resultArgument(m_program.graph->node(outputIndex()).args.front(), results));
        m_out.attributes = m_tape.attributes();
        for (const std::uint8_t why : m_tape.reasons())
            m_out.emissions.push_back(static_cast<Emission>(why));
        ir::GraphBuilder builder;
        for (ir::Node& node : m_tape.takeNodes())
            builder.add(std::move(node));
        if (!output.args.empty()) builder.add(std::move(output));
        m_out.graph = builder.build();
    }

    [[nodiscard]] ir::NodeIndex outputIndex() const {
        return static_cast<ir::NodeIndex>(m_program.code.size());
    }

    ir::Argument resultArgument(const ir::Argument& source, const std::map<ir::NodeIndex, Tensor>& results) {
        if (source.isNode()) {
            const auto found = results.find(m_program.graph->find(source.text));
            if (found != results.end()) return m_tape.argument(found->second, *c10::TensorType::get());
            return m_tape.argument(m_values[m_program.graph->find(source.text)], *c10::AnyType::get());
        }
        ir::Argument out = source;
        for (ir::Argument& item : out.items)
            item = resultArgument(item, results);
        return out;
    }

    const Program& m_program;
    const std::vector<Tensor>& m_inputs;
    const Attributes& m_attributes;
    const TaskContext& m_task;
    Values m_values;
    Tape m_tape;
    ir::NodeIndex m_at = 0;
    Emission m_phase = Emission::Operator;        ///< forced while finishing
    bool m_isView = false;                        ///< of the source node under way
    std::vector<ir::NodeIndex> m_sources;         ///< functional tensors it reads: their nodes,
    std::vector<FunctionalTensorWrapper*> m_read; ///< and themselves
    std::vector<Tensor> m_plain, m_wrapped;
    std::unordered_map<const FunctionalStorageImpl*, std::uint32_t> m_groups;
    std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> m_storages;
    std::map<std::pair<std::uint32_t, std::type_index>, std::uint32_t> m_chainAfter;
    Functionalized m_out;
};

} // namespace

std::string_view emissionName(Emission emission) {
    switch (emission) {
    case Emission::Operator:
        return "operator";
    case Emission::Inverse:
        return "inverse";
    case Emission::Regeneration:
        return "regeneration";
    case Emission::WriteBack:
        return "write_back";
    }
    return {};
}

tl::expected<Functionalized, RunError> functionalize(const Program& program,
                                                     const std::vector<Tensor>& inputs,
                                                     const Attributes& attributes, Remove remove,
                                                     const TaskContext& task) {
    ensureMetaKernels();
    return Functionalizer(program, inputs, attributes, task).run(remove);
}

} // namespace dynascope::engine
