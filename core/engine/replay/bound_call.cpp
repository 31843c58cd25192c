// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/bound_call.h"

#include <ATen/ScalarOps.h>
#include <ATen/core/List.h>
#include <ATen/ops/_log_softmax_ops.h>
#include <ATen/ops/_softmax_ops.h>
#include <ATen/ops/add_ops.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/clone_ops.h>
#include <ATen/ops/copy_ops.h>
#include <ATen/ops/div_ops.h>
#include <ATen/ops/embedding_ops.h>
#include <ATen/ops/exp_ops.h>
#include <ATen/ops/gelu_backward_ops.h>
#include <ATen/ops/gelu_ops.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/mul_ops.h>
#include <ATen/ops/native_layer_norm_ops.h>
#include <ATen/ops/neg_ops.h>
#include <ATen/ops/pow_ops.h>
#include <ATen/ops/relu_ops.h>
#include <ATen/ops/rsqrt_ops.h>
#include <ATen/ops/sigmoid_ops.h>
#include <ATen/ops/silu_ops.h>
#include <ATen/ops/sub_ops.h>
#include <ATen/ops/sum_ops.h>
#include <ATen/ops/tanh_ops.h>
#include <ATen/ops/threshold_backward_ops.h>
#include <ATen/ops/where_ops.h>
#include <algorithm>
#include <array>
#include <string>
#include <tuple>

namespace dynascope::engine {

namespace {

using c10::IValue;

const c10::DispatchKeySet cpuKernel{c10::DispatchKey::CPU};

/// How an argument of a C++ signature is kept, and how it is passed.
template <typename Argument>
struct Kept {
    using Type = std::decay_t<Argument>;
    static Type from(const IValue& value) { return value.to<Type>(); }
    static const Type& pass(const Type& value) { return value; }
};
template <>
struct Kept<at::Tensor&> {
    using Type = at::Tensor;
    static Type from(const IValue& value) { return value.toTensor(); }
    static Type& pass(Type& value) { return value; }
};
template <>
struct Kept<c10::SymIntArrayRef> {
    using Type = std::vector<c10::SymInt>;
    static Type from(const IValue& value) { return value.to<Type>(); }
    static c10::SymIntArrayRef pass(const Type& value) { return value; }
};
template <>
struct Kept<at::OptionalIntArrayRef> {
    using Type = std::optional<std::vector<std::int64_t>>;
    static Type from(const IValue& value) { return value.to<Type>(); }
    static at::OptionalIntArrayRef pass(const Type& value) {
        return value ? at::OptionalIntArrayRef(*value) : at::OptionalIntArrayRef();
    }
};
template <>
struct Kept<c10::string_view> {
    using Type = std::string;
    static Type from(const IValue& value) { return value.toStringRef(); }
    static c10::string_view pass(const Type& value) { return value; }
};

void addResults(torch::jit::Stack& results, at::Tensor&& tensor) {
    results.emplace_back(std::move(tensor));
}
template <typename... Tensors>
void addResults(torch::jit::Stack& results, std::tuple<Tensors...>&& tensors) {
    std::apply([&](auto&... tensor) { (results.emplace_back(std::move(tensor)), ...); }, tensors);
}

template <typename Op, typename Signature>
class Bound;
template <typename Op, typename Result, typename... Arguments>
class Bound<Op, Result(Arguments...)> final : public BoundCall {
public:
    explicit Bound(const std::vector<IValue>& values)
        : Bound(values, std::index_sequence_for<Arguments...>()) {}
    void run(torch::jit::Stack& results) const override {
        std::apply(
            [&](const auto&... kept) {
                addResults(results, Op::redispatch(cpuKernel, Kept<Arguments>::pass(kept)...));
            },
            m_kept);
    }
    static std::unique_ptr<BoundCall> make(const std::vector<IValue>& values) {
        return values.size() == sizeof...(Arguments) ? std::make_unique<Bound>(values) : nullptr;
    }

private:
    template <std::size_t... Index>
    Bound(const std::vector<IValue>& values, std::index_sequence<Index...>)
        : m_kept(Kept<Arguments>::from(values[Index])...) {}
    std::tuple<typename Kept<Arguments>::Type...> m_kept;
};

struct Row {
    std::string_view name, overload;
    std::unique_ptr<BoundCall> (*make)(const std::vector<IValue>& values);
    bool takesNumber = false; ///< as its second argument, where this form takes a tensor
};

template <typename... Ops>
constexpr auto table() {
    return std::array{Row{Ops::name, Ops::overload_name, &Bound<Ops, typename Ops::schema>::make, false}...};
}

/// `Op` is an operator's form with `out` as its last argument.
template <typename Op, typename Signature>
class Into;
template <typename Op, typename... Arguments>
class Into<Op, at::Tensor&(Arguments...)> final : public BoundCall {
public:
    /// `values` include the result.
    explicit Into(const std::vector<IValue>& values)
        : Into(values, std::index_sequence_for<Arguments...>()) {}
    void run(torch::jit::Stack& /*results*/) const override {
        std::apply([](auto&... kept) { Op::redispatch(cpuKernel, Kept<Arguments>::pass(kept)...); }, m_kept);
    }
    static std::unique_ptr<BoundCall> make(const std::vector<IValue>& values) {
        return values.size() == sizeof...(Arguments) ? std::make_unique<Into>(values) : nullptr;
    }

private:
    template <std::size_t... Index>
    Into(const std::vector<IValue>& values, std::index_sequence<Index...>)
        : m_kept(Kept<Arguments>::from(values[Index])...) {}
    mutable std::tuple<typename Kept<Arguments>::Type...> m_kept; // a result is passed as Tensor&
};

/// clone() is a copy into what clone() makes.
std::unique_ptr<BoundCall> copyInto(const std::vector<IValue>& values) {
    using Copy = Into<at::_ops::copy_, at::_ops::copy_::schema>;
    return Copy::make({values.back(), values.front(), false});
}

/// The number of a call such as mul.Scalar as a tensor, made once and not at every call. Of the result's
/// dtype, which the kernel casts it to: float and double only, as kernels of smaller floats compute with the
/// number itself.
std::optional<at::Tensor> numberAsTensor(const IValue& number, const at::Tensor& result) {
    const c10::ScalarType dtype = result.scalar_type();
    if (!number.isScalar() || number.isComplexDouble() || (dtype != at::kFloat && dtype != at::kDouble))
        return std::nullopt;
    at::Tensor out = c10::scalar_to_tensor(number.toScalar()).to(dtype);
    out.unsafeGetTensorImpl()->set_wrapped_number(true);
    return out;
}

/// How many tensors the operator itself makes of the number: one, and another where it has to cast it.
std::size_t tensorsOfNumber(const IValue& number, const at::Tensor& result) {
    return number.isDouble() && result.scalar_type() == at::kDouble ? 1 : 2;
}

template <typename Functional, typename Out>
constexpr Row intoRow() {
    return {Functional::name, Functional::overload_name, &Into<Out, typename Out::schema>::make, false};
}

namespace op = at::_ops;
constexpr std::array into{Row{op::clone::name, op::clone::overload_name, &copyInto, false},
                          Row{op::mul_Scalar::name, op::mul_Scalar::overload_name,
                              &Into<op::mul_out, op::mul_out::schema>::make, true},
                          intoRow<op::add_Tensor, op::add_out>(),
                          intoRow<op::sub_Tensor, op::sub_out>(),
                          intoRow<op::mul_Tensor, op::mul_out>(),
                          intoRow<op::div_Tensor, op::div_out>(),
                          intoRow<op::mm, op::mm_out>(),
                          intoRow<op::bmm, op::bmm_out>(),
                          intoRow<op::addmm, op::addmm_out>(),
                          intoRow<op::gelu, op::gelu_out>(),
                          intoRow<op::_softmax, op::_softmax_out>()};

constexpr auto common =
    table<op::addmm, op::mm, op::bmm, op::add_Tensor, op::sub_Tensor, op::mul_Tensor, op::mul_Scalar,
          op::div_Tensor, op::clone, op::_softmax, op::_log_softmax, op::native_layer_norm, op::gelu,
          op::relu, op::silu, op::sigmoid, op::tanh, op::exp, op::neg, op::rsqrt, op::pow_Tensor_Scalar,
          op::sum_dim_IntList, op::embedding, op::where_self, op::threshold_backward, op::gelu_backward>();

/// Whether only its backend's kernel has to do with a tensor once autograd and autocast are off.
bool isOrdinary(const at::Tensor& tensor) {
    const c10::DispatchKeySet off =
        c10::autograd_dispatch_keyset_with_ADInplaceOrView | c10::autocast_dispatch_keyset;
    return tensor.key_set() - off == cpuKernel;
}

/// Whether every tensor is ordinary, and where the schema wants one there is one.
bool areOrdinary(const c10::OperatorHandle& op, const std::vector<IValue>& arguments) {
    const auto& formals = op.schema().arguments();
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const IValue& value = arguments[i];
        const bool wantsTensor = i < formals.size() && formals[i].type()->kind() == c10::TypeKind::TensorType;
        if (wantsTensor && !(value.isTensor() && value.toTensor().defined())) return false;
        if (value.isTensor() && value.toTensor().defined() && !isOrdinary(value.toTensor())) return false;
    }
    return true;
}

template <std::size_t Size>
const Row* find(const std::array<Row, Size>& rows, const c10::OperatorName& name) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& candidate) {
        return candidate.name == name.name && candidate.overload == name.overload_name;
    });
    return row == rows.end() ? nullptr : &*row;
}

} // namespace

std::unique_ptr<BoundCall> bindCall(const c10::OperatorHandle& op, const std::vector<IValue>& arguments) {
    const Row* const row = find(common, op.operator_name());
    return row && areOrdinary(op, arguments) ? row->make(arguments) : nullptr;
}

std::unique_ptr<BoundCall> bindInto(const c10::OperatorHandle& op, const std::vector<IValue>& arguments,
                                    const at::Tensor& result, std::size_t temporaries) {
    const Row* const row = find(into, op.operator_name());
    if (!row || !areOrdinary(op, arguments) || !isOrdinary(result)) return nullptr;
    std::vector<IValue> all = arguments;
    if (row->takesNumber) {
        std::optional<at::Tensor> number = numberAsTensor(arguments.at(1), result);
        if (!number || temporaries != tensorsOfNumber(arguments[1], result)) return nullptr;
        all[1] = std::move(*number);
    } else if (temporaries != 0) {
        return nullptr;
    }
    all.emplace_back(result);
    return row->make(all);
}

} // namespace dynascope::engine
