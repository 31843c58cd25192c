// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/trace/tracer.h"

#include "core/engine/exec/map_tensors.h"
#include "core/engine/exec/torch_words.h"
#include "core/engine/sandbox/argument_checks.h"

#include <ATen/core/List.h>
#include <ATen/core/jit_type.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_eig.h>
#include <algorithm>
#include <c10/core/TensorImpl.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/library.h>
#include <typeinfo>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::DispatchKey;
using c10::IValue;
using ir::Argument;
using torch::jit::Stack;

constexpr std::string_view effectsTarget = "torch.ops.higher_order.with_effects";

thread_local Tape* currentTape = nullptr;
thread_local UpperLevel* upperLevel = nullptr;

class TracerImpl final : public c10::TensorImpl {
public:
    TracerImpl(Tensor value, std::size_t node)
        : TensorImpl(c10::DispatchKeySet({DispatchKey::Fake, DispatchKey::CPU}) | lazyKeys(value),
                     value.dtype(), c10::Device(c10::kCPU))
        , m_value(std::move(value))
        , m_node(node) {
        refresh();
        storage_access_should_throw_ = false;
    }

    [[nodiscard]] const Tensor& value() const { return m_value; }
    [[nodiscard]] std::size_t node() const { return m_node; }
    void setNode(std::size_t node) { m_node = node; }
    /// After an in-place operator changed the value's sizes.
    void refresh() { set_sizes_and_strides(m_value.sizes(), m_value.strides(), m_value.storage_offset()); }

    c10::intrusive_ptr<TensorImpl> shallow_copy_and_detach(const c10::VariableVersion& version,
                                                           bool allowChange) const override {
        return copy(version, allowChange);
    }
    c10::intrusive_ptr<TensorImpl> shallow_copy_and_detach(c10::VariableVersion&& version,
                                                           bool allowChange) const override {
        return copy(std::move(version), allowChange);
    }

private:
    template <typename Version>
    c10::intrusive_ptr<TensorImpl> copy(Version&& version, bool allowChange) const {
        auto out = c10::make_intrusive<TracerImpl>(m_value, m_node);
        copy_tensor_metadata(this, out.get(), std::forward<Version>(version), allowChange);
        return out;
    }

    Tensor m_value;
    std::size_t m_node;
};

TracerImpl* tracer(const Tensor& tensor) {
    c10::TensorImpl* const impl = tensor.unsafeGetTensorImpl();
    // Much cheaper than dynamic_cast; the class is final.
    return typeid(TracerImpl) == typeid(*impl) ? static_cast<TracerImpl*>(impl) : nullptr;
}

Tensor unwrapped(const Tensor& tensor) {
    const TracerImpl* impl = tracer(tensor);
    return impl ? impl->value() : tensor;
}

void unwrap(IValue& value) {
    if (value.isTensor()) {
        if (const TracerImpl* impl = tracer(value.toTensor())) value = impl->value();
    } else if (value.isList() || value.isTuple()) {
        value = mapTensors(value, [](const Tensor& tensor) { return unwrapped(tensor); });
    }
}

bool isOnMeta(const IValue& value) {
    const auto isMeta = [](const Tensor& tensor) { return tensor.defined() && tensor.is_meta(); };
    if (value.isTensor()) return isMeta(value.toTensor());
    if (!value.isTensorList()) return false;
    const auto list = value.toTensorList();
    return std::any_of(list.begin(), list.end(), isMeta);
}

/// What a wrapped number holds, without a call of an operator where it is as Python makes it.
IValue numberIn(const Tensor& tensor) {
    if (tensor.is_cpu() && tensor.scalar_type() == at::kDouble) return *tensor.const_data_ptr<double>();
    if (tensor.is_cpu() && tensor.scalar_type() == at::kLong) return *tensor.const_data_ptr<std::int64_t>();
    return tensor.item();
}

std::string_view nameOf(const c10::FunctionSchema& schema) {
    const std::string_view whole = schema.name();
    return whole.substr(whole.find("::") + 2);
}

/// What PyTorch registers as an effect that must stay in order, of the operators that may run here.
bool isOrderedEffect(const c10::FunctionSchema& schema) {
    return schema.name() == "aten::_linalg_check_errors";
}

bool writesFirstArgument(const c10::FunctionSchema& schema) {
    if (schema.arguments().empty() || !nameOf(schema).ends_with('_')) return false;
    const c10::AliasInfo* alias = schema.arguments().front().alias_info();
    return alias && alias->isWrite();
}

void traceOperator(const c10::OperatorHandle& op, c10::DispatchKeySet, Stack* stack) {
    if (upperLevel) {
        upperLevel->call(op, *stack);
        return;
    }
    if (currentTape && currentTape->decomposing() && isComposite(op)) {
        // The operators that its kernel calls come here again.
        if (op.schema().name() == "aten::linalg_eigvals") { // the kernel asks whether a mode of Python is on
            stack->back() = std::get<0>(at::linalg_eig(stack->back().toTensor()));
            return;
        }
        op.callBoxedForDispatchKey(DispatchKey::CompositeImplicitAutograd, *stack);
        return;
    }
    const c10::impl::ExcludeDispatchKeyGuard below(
        c10::DispatchKeySet({DispatchKey::Fake, DispatchKey::Functionalize}));
    const std::size_t first = stack->size() - op.schema().arguments().size();
    // Functionalization tries an in-place kernel on meta copies first, for its errors: that is not the
    // program's.
    const bool trial =
        std::any_of(stack->begin() + static_cast<std::ptrdiff_t>(first), stack->end(), isOnMeta);
    if (trial || !currentTape) {
        op.callBoxed(stack);
    } else {
        currentTape->record(op, *stack);
    }
}

} // namespace

TORCH_LIBRARY_IMPL(_, Fake, library) {
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&traceOperator>());
}

c10::DispatchKeySet lazyKeys(const Tensor& value) {
    return value.key_set() & c10::DispatchKeySet({DispatchKey::Conjugate, DispatchKey::Negative});
}

bool isComposite(const c10::OperatorHandle& op) {
    return op.hasKernelForDispatchKey(DispatchKey::CompositeImplicitAutograd);
}

UpperLevelGuard::UpperLevelGuard(UpperLevel* level)
    : m_outer(std::exchange(upperLevel, level)) {}

UpperLevelGuard::~UpperLevelGuard() {
    upperLevel = m_outer;
}

bool UpperLevelGuard::active() {
    return upperLevel != nullptr;
}

TapeGuard::TapeGuard(Tape& tape)
    : m_outer(currentTape) {
    currentTape = &tape;
}

Tape* TapeGuard::current() {
    return currentTape;
}

TapeGuard::~TapeGuard() {
    currentTape = m_outer;
}

Tape::Tape(Reason reason)
    : m_reason(std::move(reason)) {}

Tensor Tape::wrap(const Tensor& value, std::size_t node) {
    if (m_describing) m_nodes[node]->meta = ir::ValueMeta{tensorMeta(value), {}};
    return Tensor(c10::make_intrusive<TracerImpl>(value, node));
}

IValue Tape::input(const std::string& name, const std::string& target, const IValue& value) {
    auto node = makeNode();
    node->op = ir::Op::Placeholder;
    node->target = target;
    const std::size_t at = add(std::move(node), name);
    return isDefinedTensor(value) ? IValue(wrap(value.toTensor(), at)) : value;
}

std::shared_ptr<ir::Node> Tape::makeNode() {
    if (!m_block || m_usedOfBlock == m_block->size()) {
        m_block = std::make_shared_for_overwrite<std::array<ir::Node, 32>>();
        m_usedOfBlock = 0;
    }
    return {m_block, &(*m_block)[m_usedOfBlock++]};
}

std::size_t Tape::add(std::shared_ptr<ir::Node> node, std::string_view base, std::int64_t source) {
    node->name = m_nextName.empty() ? m_names.create(base) : std::exchange(m_nextName, {});
    m_nodes.push_back(std::move(node));
    m_reasons.push_back(m_reason ? m_reason() : std::uint8_t{0});
    m_sources.push_back(source);
    return m_nodes.size() - 1;
}

Argument Tape::keep(const std::string& name, ir::GraphPtr graph) {
    auto node = makeNode();
    node->op = ir::Op::GetAttr;
    node->target = name;
    m_subgraphs.emplace_back(name, std::move(graph));
    return Argument::node(m_nodes[add(std::move(node), name)]->name);
}

bool Tape::hasSubgraph(const std::string& name) const {
    return std::any_of(m_subgraphs.begin(), m_subgraphs.end(),
                       [&](const auto& kept) { return kept.first == name; });
}

ir::GraphPtr Tape::finish(Argument result) {
    ir::GraphBuilder builder;
    for (auto& [name, graph] : m_subgraphs)
        builder.addSubgraph(name, std::move(graph));
    std::vector<std::shared_ptr<ir::Node>> nodes = takeNodes();
    std::stable_partition(nodes.begin(), nodes.end(),
                          [](const auto& node) { return node->op == ir::Op::Placeholder; });
    for (std::shared_ptr<ir::Node>& node : nodes)
        builder.add(std::move(node));
    ir::Node output;
    output.op = ir::Op::Output;
    output.name = output.target = "output";
    output.args = {std::move(result)};
    builder.add(std::move(output));
    return builder.build();
}

std::int64_t Tape::nodeOf(const Tensor& tensor) {
    const TracerImpl* impl = tracer(tensor);
    return impl ? static_cast<std::int64_t>(impl->node()) : -1;
}

Tensor Tape::valueOf(const Tensor& tensor) {
    return unwrapped(tensor);
}

Argument Tape::constantTensor(const Tensor& tensor) {
    std::string& name = m_attributeOf[tensor.unsafeGetTensorImpl()];
    if (name.empty()) {
        name = "_tensor_constant" + std::to_string(m_attributes.size());
        m_attributes[name] = tensor;
    }
    auto node = makeNode();
    node->op = ir::Op::GetAttr;
    node->target = name;
    return Argument::node(m_nodes[add(std::move(node), name)]->name);
}

Argument Tape::argument(const IValue& value, const c10::Type& type) {
    if (value.isNone()) return Argument::none();
    if (type.kind() == c10::TypeKind::OptionalType) return argument(value, *type.containedType(0));
    if (value.isTensor()) {
        const Tensor& tensor = value.toTensor();
        if (!tensor.defined()) return Argument::none();
        if (const TracerImpl* impl = tracer(tensor)) return Argument::node(m_nodes[impl->node()]->name);
        if (!tensor.unsafeGetTensorImpl()->is_wrapped_number()) return constantTensor(tensor);
        return argument(numberIn(tensor), *c10::NumberType::get());
    }
    if (value.isTensorList() || value.isOptionalTensorList()) {
        Argument list = Argument::list({});
        const c10::TypePtr element = type.containedType(0);
        for (const IValue& item : value.toListRef())
            list.items.push_back(argument(item, *element));
        return list;
    }
    std::optional<Argument> constant = argumentFrom(value, type);
    TORCH_CHECK(constant, "an argument of kind ", value.tagKind(), " cannot be written into a graph");
    return std::move(*constant);
}

const Tape::Call& Tape::callOf(const c10::FunctionSchema& schema) {
    const auto [known, isNew] = m_calls.try_emplace(&schema);
    Call& call = known->second;
    if (!isNew) return call;
    const std::string_view whole = schema.name();
    const std::string_view overload =
        schema.overload_name().empty() ? "default" : std::string_view(schema.overload_name());
    call.name = nameOf(schema);
    if (call.name == "lift_fresh") call.name = "lift_fresh_copy"; // as make_fx writes it
    call.target.append("torch.ops.").append(whole.substr(0, whole.find("::")));
    call.target.append(".").append(call.name).append(".").append(overload);
    const auto& formals = schema.arguments();
    while (call.positional < formals.size() && !formals[call.positional].kwarg_only())
        ++call.positional;
    call.writesFirst = writesFirstArgument(schema);
    call.check = CallCheck(schema);
    if (m_asFake) call.strides = strideRule(call.name);
    return call;
}

/// Trailing arguments that have their default are left out, as make_fx does.
std::shared_ptr<ir::Node> Tape::callNode(const c10::FunctionSchema& schema, const Call& call,
                                         const Stack& stack) {
    const auto& formals = schema.arguments();
    const std::size_t first = stack.size() - formals.size();
    const auto isDefault = [&](std::size_t i) {
        const auto& value = formals[i].default_value();
        const IValue& given = stack[first + i];
        return value && (*value == given || (value->isNone() && given.isTensor() && !isDefinedTensor(given)));
    };
    std::size_t given = call.positional;
    while (given > 0 && isDefault(given - 1))
        --given;

    auto node = makeNode();
    node->op = ir::Op::CallFunction;
    node->target = call.target;
    node->args.reserve(given);
    for (std::size_t i = 0; i < given; ++i)
        node->args.push_back(argument(stack[first + i], *formals[i].real_type()));
    for (std::size_t i = call.positional; i < formals.size(); ++i) {
        if (!isDefault(i))
            node->kwargs.emplace_back(formals[i].name(), argument(stack[first + i], *formals[i].real_type()));
    }
    return node;
}

void Tape::record(const c10::OperatorHandle& op, Stack& stack) {
    const c10::FunctionSchema& schema = op.schema();
    if (m_threadsEffects && isOrderedEffect(schema)) return recordEffect(op, stack);
    const std::size_t first = stack.size() - schema.arguments().size();
    const Call& call = callOf(schema);
    std::shared_ptr<ir::Node> node = callNode(schema, call, stack);

    const std::int64_t source =
        first < stack.size() && stack[first].isTensor() ? nodeOf(stack[first].toTensor()) : -1;
    const Tensor written = call.writesFirst ? stack[first].toTensor() : Tensor();
    for (std::size_t i = first; i < stack.size(); ++i)
        unwrap(stack[i]);
    if (m_asFake) reachAsFake(call.name, std::span(stack).subspan(first));
    if (call.strides && mayLieOtherwise(*call.strides, std::span(stack).subspan(first))) {
        const std::vector<IValue> arguments(stack.begin() + static_cast<std::ptrdiff_t>(first), stack.end());
        callChecked(op, call.check, stack);
        layOutAsFake(*call.strides, arguments, std::span(stack).subspan(first));
    } else {
        callChecked(op, call.check, stack);
    }
    const std::size_t at = add(std::move(node), call.name, source);
    if (call.name == "_local_scalar_dense") m_numbersRead.push_back(stack.back());
    if (TracerImpl* impl = tracer(written)) {
        impl->setNode(at); // later readers read the in-place node
        impl->refresh();
        stack.back() = written;
        return;
    }
    wrapResults(op, stack, at);
}

/// (new token, results...) = with_effects(token, operator, arguments...)
void Tape::recordEffect(const c10::OperatorHandle& op, Stack& stack) {
    const c10::FunctionSchema& schema = op.schema();
    if (!m_token) {
        const std::size_t at = m_nodes.size();
        (void)input("tangents_token", "tangents_token", at::empty({0}));
        m_token = at;
    }
    const Call& call = callOf(schema);
    std::shared_ptr<ir::Node> node = callNode(schema, call, stack);
    node->args.insert(node->args.begin(),
                      {Argument::node(m_nodes[*m_token]->name),
                       Argument::raw(std::exchange(node->target, std::string(effectsTarget)))});
    for (std::size_t i = stack.size() - schema.arguments().size(); i < stack.size(); ++i)
        unwrap(stack[i]);
    callChecked(op, call.check, stack);
    const std::size_t at = add(std::move(node), "with_effects");
    m_token = m_nodes.size();
    (void)wrapItem(at::empty({0}), at, 0);
    const std::size_t count = schema.returns().size();
    for (std::size_t i = 0; i < count; ++i) {
        IValue& value = stack[stack.size() - count + i];
        if (value.isTensor() && value.toTensor().defined())
            value = wrapItem(value.toTensor(), at, static_cast<std::int64_t>(i) + 1);
    }
}

/// One of several results is reached through a getitem node, as PyTorch's tracer does for every one of them.
Tensor Tape::wrapItem(const Tensor& value, std::size_t node, std::int64_t index) {
    auto item = makeNode();
    item->op = ir::Op::CallFunction;
    item->target = "operator.getitem";
    item->args = {Argument::node(m_nodes[node]->name), Argument::integer(index)};
    return wrap(value, add(std::move(item), "getitem", static_cast<std::int64_t>(node)));
}

void Tape::wrapResults(const c10::OperatorHandle& op, Stack& stack, std::size_t node) {
    const std::size_t count = op.schema().returns().size();
    const std::size_t first = stack.size() - count;
    for (std::size_t i = 0; i < count; ++i) {
        IValue& value = stack[first + i];
        if (value.isTensor() && value.toTensor().defined()) {
            value = count > 1 ? wrapItem(value.toTensor(), node, static_cast<std::int64_t>(i))
                              : wrap(value.toTensor(), node);
        } else if (value.isTensorList()) {
            c10::List<Tensor> list;
            std::int64_t index = 0;
            for (const Tensor& item : value.toTensorList())
                list.push_back(wrapItem(item, node, index++));
            value = list;
        }
    }
}

} // namespace dynascope::engine
