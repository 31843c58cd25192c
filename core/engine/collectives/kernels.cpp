// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/collectives/kernels.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty_like.h>
#include <algorithm>
#include <array>
#include <atomic>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::IValue;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using torch::jit::Stack;

/// "all_reduce" of "_c10d_functional::all_reduce_coalesced_".
std::string_view baseName(std::string_view name) {
    name.remove_prefix(name.find("::") + 2);
    for (const std::string_view end :
         {std::string_view("_"), std::string_view("_out"), std::string_view("_coalesced")})
        if (name.ends_with(end)) name.remove_suffix(end.size());
    return name;
}

std::size_t indexOf(const c10::OperatorHandle& op, std::string_view argument) {
    const auto index = op.schema().argumentIndexWithName(argument);
    TORCH_CHECK(index.has_value(), op.schema().name(), " has no argument '", std::string(argument), "'");
    return static_cast<std::size_t>(*index);
}

/// The shape of what one tensor becomes; a functional collective's result is dense.
Tensor metaResult(const c10::OperatorHandle& op, at::ArrayRef<IValue> arguments, const Tensor& input) {
    const std::string_view name = baseName(op.schema().name());
    std::vector<std::int64_t> sizes = input.sizes().vec();
    if (name == "all_gather_into_tensor") {
        const std::int64_t ranks = arguments[indexOf(op, "group_size")].toInt();
        if (sizes.empty()) {
            sizes.push_back(ranks);
        } else {
            sizes[0] *= ranks;
        }
    } else if (name == "reduce_scatter_tensor") {
        sizes.at(0) /= arguments[indexOf(op, "group_size")].toInt();
    } else if (name == "all_to_all_single") {
        const std::vector<std::int64_t> rows = arguments[indexOf(op, "output_split_sizes")].toIntVector();
        sizes.at(0) = std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
    } else if (name == "wait_tensor" || name == "broadcast") {
        return at::empty_like(input);
    } else {
        return at::empty_like(input, at::MemoryFormat::Contiguous);
    }
    return at::empty(sizes, input.options());
}

void metaKernel(const c10::OperatorHandle& op, Stack* stack) {
    const std::size_t count = op.schema().arguments().size();
    const auto arguments = torch::jit::last(*stack, count);
    IValue result;
    const c10::AliasInfo* alias = op.schema().arguments().front().alias_info();
    if (alias && alias->isWrite()) {
        result = arguments.front();
    } else if (arguments.front().isTensorList()) {
        c10::List<Tensor> list;
        for (const Tensor& input : arguments.front().toTensorVector())
            list.push_back(metaResult(op, arguments, input));
        result = std::move(list);
    } else {
        result = metaResult(op, arguments, arguments.front().toTensor());
    }
    torch::jit::drop(*stack, count);
    stack->push_back(std::move(result));
}

c10::OperatorHandle functionalOperator(const std::string& name) {
    return c10::Dispatcher::singleton().findSchemaOrThrow(("_c10d_functional::" + name).c_str(), "");
}

Tensor waited(const Tensor& tensor) {
    Stack stack{tensor};
    functionalOperator("wait_tensor").callBoxed(stack);
    return stack.at(0).toTensor();
}

variable_list called(const std::string& name, bool coalesced, const variable_list& grads,
                     std::initializer_list<IValue> rest) {
    Stack stack;
    if (coalesced) {
        c10::List<Tensor> list;
        for (const Tensor& grad : grads)
            list.push_back(grad.contiguous());
        stack.emplace_back(std::move(list));
    } else {
        stack.emplace_back(grads.front().contiguous());
    }
    stack.insert(stack.end(), rest.begin(), rest.end());
    functionalOperator(coalesced ? name + "_coalesced" : name).callBoxed(stack);
    variable_list out = coalesced ? stack.at(0).toTensorVector() : variable_list{stack.at(0).toTensor()};
    for (Tensor& tensor : out)
        tensor = waited(tensor);
    return out;
}

/// Which call it is, with all of its arguments but the tensors.
struct Call {
    c10::OperatorHandle op;
    Stack arguments;
};

struct Collective : torch::autograd::Function<Collective> {
    static variable_list forward(AutogradContext* context, const Call& call, at::TensorList inputs) {
        const c10::FunctionSchema& schema = call.op.schema();
        context->saved_data["name"] = schema.name();
        for (std::size_t i = 1; i < schema.arguments().size(); ++i)
            context->saved_data[schema.arguments()[i].name()] = call.arguments[i];
        Stack stack = call.arguments;
        const bool list = stack.front().isTensorList();
        stack.front() = list ? IValue(c10::List<Tensor>(inputs)) : IValue(inputs.front());
        const at::AutoDispatchBelowADInplaceOrView below;
        call.op.callBoxed(stack);
        return list ? stack.at(0).toTensorVector() : variable_list{stack.at(0).toTensor()};
    }

    static variable_list backward(AutogradContext* context, const variable_list& grads) {
        variable_list out = inputGrads(context, grads);
        out.insert(out.begin(), Tensor()); // of the call
        return out;
    }

    static variable_list inputGrads(AutogradContext* context, const variable_list& grads) {
        auto& saved = context->saved_data;
        const std::string whole = saved["name"].toStringRef();
        const std::string_view name = baseName(whole);
        if (name == "wait_tensor") return grads;
        const bool coalesced = whole.ends_with("_coalesced");
        if (name == "all_gather_into_tensor")
            return called("reduce_scatter_tensor", coalesced, grads,
                          {"sum", saved["group_size"], saved["group_name"]});
        if (name == "all_to_all_single")
            return called("all_to_all_single", false, grads,
                          {saved["input_split_sizes"], saved["output_split_sizes"], saved["group_name"]});
        std::string reduction = saved["reduce_op"].toStringRef();
        std::transform(reduction.begin(), reduction.end(), reduction.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        TORCH_CHECK(reduction == "sum", std::string(name), " backward only supports 'sum' reduction, got '",
                    reduction, "'");
        if (name == "all_reduce") return called("all_reduce", coalesced, grads, {"sum", saved["group_name"]});
        return called("all_gather_into_tensor", coalesced, grads, {saved["group_size"], saved["group_name"]});
    }
};

void autogradKernel(const c10::OperatorHandle& op, Stack* stack) {
    const std::size_t count = op.schema().arguments().size();
    Call call{op, Stack(stack->end() - static_cast<std::ptrdiff_t>(count), stack->end())};
    torch::jit::drop(*stack, count);
    const bool list = call.arguments.front().isTensorList();
    const variable_list inputs =
        list ? call.arguments.front().toTensorVector() : variable_list{call.arguments.front().toTensor()};
    const variable_list out = Collective::apply(call, at::TensorList(inputs));
    stack->push_back(list ? IValue(c10::List<Tensor>(at::TensorList(out))) : IValue(out.front()));
}

constexpr std::array withGradient{"_c10d_functional::wait_tensor",
                                  "_c10d_functional::all_reduce",
                                  "_c10d_functional::all_reduce_coalesced",
                                  "_c10d_functional::all_gather_into_tensor",
                                  "_c10d_functional::all_gather_into_tensor_coalesced",
                                  "_c10d_functional::reduce_scatter_tensor",
                                  "_c10d_functional::reduce_scatter_tensor_coalesced",
                                  "_c10d_functional::all_to_all_single",
                                  "_c10d_functional_autograd::all_gather_into_tensor",
                                  "_c10d_functional_autograd::reduce_scatter_tensor",
                                  "_c10d_functional_autograd::all_to_all_single"};
constexpr std::array metaOnly{"_c10d_functional::all_reduce_", "_c10d_functional::all_reduce_coalesced_",
                              "_c10d_functional::broadcast", "_c10d_functional::broadcast_"};

} // namespace

namespace {

std::atomic<bool> waitingAtOnce = false; // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

} // namespace

void waitAtOnce() {
    waitingAtOnce = true;
}

bool waitsAtOnce() {
    return waitingAtOnce;
}

void waitFor(const std::vector<IValue>& results) {
    const at::AutoDispatchBelowAutograd below;
    for (const IValue& result : results) {
        if (result.isTensor()) {
            (void)waited(result.toTensor());
        } else if (result.isTensorList()) {
            for (const Tensor& tensor : result.toTensorVector())
                (void)waited(tensor);
        }
    }
}

void ensureCollectiveKernels() {
    static const auto handles = [] {
        std::vector<c10::RegistrationHandleRAII> out;
        c10::Dispatcher& dispatcher = c10::Dispatcher::singleton();
        const auto add = [&](const char* name, c10::DispatchKey key, const c10::KernelFunction& kernel) {
            const auto op = dispatcher.findSchema({name, ""});
            if (op && !op->hasKernelForDispatchKey(key))
                out.push_back(dispatcher.registerImpl({name, ""}, key, kernel, std::nullopt, nullptr,
                                                      "dynascope: collectives"));
        };
        const auto meta = c10::KernelFunction::makeFromBoxedFunction<&metaKernel>();
        for (const char* name : withGradient) {
            add(name, c10::DispatchKey::Meta, meta);
            add(name, c10::DispatchKey::Autograd,
                c10::KernelFunction::makeFromBoxedFunction<&autogradKernel>());
        }
        for (const char* name : metaOnly)
            add(name, c10::DispatchKey::Meta, meta);
        return out;
    }();
}

} // namespace dynascope::engine
