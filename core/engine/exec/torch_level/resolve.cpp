// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/resolve.h"

#include "core/engine/exec/torch_level/functional.h"
#include "core/engine/exec/torch_level/functorch.h"
#include "core/engine/exec/torch_level/higher_order.h"
#include "core/engine/exec/torch_level/library_operators.h"
#include "core/engine/exec/torch_level/modes.h"
#include "core/engine/exec/torch_level/numpy_functions.h"
#include "core/engine/exec/torch_level/overloads.h"
#include "core/engine/exec/torch_level/prims.h"
#include "core/engine/exec/torch_level/python_operators.h"
#include "core/engine/exec/torch_level/tensor_attributes.h"
#include "core/engine/exec/torch_level/torch_functions.h"

#include <ATen/ops/empty.h>
#include <array>
#include <string>

namespace dynascope::engine::torch_level {

namespace {

/// Namespaces of Python whose functions are ATen's under another name: prefix and what ATen puts before.
struct Space {
    std::string_view prefix, aten;
};
constexpr std::array<Space, 15> spaces{{
    {"torch._C._nn.", ""},
    {"torch._C._VariableFunctions.", ""},
    {"torch._C._linalg.", ""},
    {"torch._C._fft.", ""},
    {"torch._C._special.", ""},
    {"torch._C._sparse.", ""},
    {"torch._C._nested.", ""},
    {"torch._VF.", ""},
    {"torch.functional.", ""},
    {"torch.nn.functional.", ""},
    {"torch.linalg.", "linalg_"},
    {"torch.fft.", "fft_"},
    {"torch.special.", "special_"},
    {"torch.sparse.", "sparse_"},
    {"torch.", ""},
}};

Found found(Function function) {
    return {std::move(function), {}};
}

Found atenFunction(std::string name, std::string_view target) {
    switch (availability(name)) {
    case Availability::Refused:
        return {{}, judgeOperator("aten", name)};
    case Availability::Unknown:
        return {{}, judgeUnknown(target)};
    case Availability::Known:
        break;
    }
    return found([name = std::move(name)](const Call& call) {
        if (!call.keyword("requires_grad")) return callOverload(name, call);
        Call without = call; // a factory's, which ATen does not have
        const Value flag = without.take("requires_grad");
        const Value out = callOverload(name, without);
        return requiringGrad(out.tensor(), flag);
    });
}

/// inplace=True of a function of torch.nn.functional that has no row of its own.
Found functionalFallback(std::string_view name, std::string_view target) {
    Found plain = atenFunction(std::string(name), target);
    const std::string inPlace = std::string(name) + '_';
    if (!plain.function || availability(inPlace) != Availability::Known) return plain;
    return found([plain = std::move(plain.function), inPlace](const Call& call) {
        if (!call.keyword("inplace")) return plain(call);
        Call without = call;
        return without.take("inplace").flag() ? callOverload(inPlace, without) : plain(without);
    });
}

constexpr std::array<std::string_view, 4> methodSpaces{"torch.Tensor.", "torch._C.TensorBase.",
                                                       "torch._C._TensorBase.", "torch._tensor.Tensor."};

Found ofOps(std::string_view rest, std::string_view target) {
    constexpr std::string_view higherOrder = "higher_order.", prims = "prims.", aten = "aten.";
    if (rest.starts_with(higherOrder)) {
        if (auto function = higherOrderFunction(rest.substr(higherOrder.size()))) return found(*function);
    } else if (rest.starts_with(prims)) {
        rest.remove_prefix(prims.size());
        if (auto function = primsFunction(rest.substr(0, rest.find('.')))) return found(*function);
    } else if (rest.starts_with(aten) && rest.find('.', aten.size()) == std::string_view::npos) {
        return atenFunction(std::string(rest.substr(aten.size())), target);
    } else if (auto function = libraryFunction(rest)) {
        return found(*function);
    }
    return {{}, judgeUnknown(target)};
}

} // namespace

Found findFunction(std::string_view target) {
    constexpr std::string_view ops = "torch.ops.", functional = "torch.nn.functional.", torch = "torch.";
    if (target.starts_with(ops)) return ofOps(target.substr(ops.size()), target);
    if (auto function = pythonFunction(target)) return found(*function);
    if (auto function = numpyFunction(target)) return found(*function);
    if (const std::string_view name = numpyName(target); !name.empty())
        return {{},
                {Obstacle::Unknown, "is NumPy's " + std::string(name) + ", which the engine does not know"}};
    if (auto function = modeFunction(target)) return found(*function);
    if (auto function = functorchFunction(target)) return found(*function);
    for (const std::string_view space : methodSpaces) {
        if (target.starts_with(space)) return findMethod(target.substr(space.size()));
    }
    if (OperatorVerdict verdict = judgeUnknown(target); verdict.obstacle != Obstacle::Unknown)
        return {{}, verdict};
    if (target.starts_with(functional)) {
        const std::string_view name = target.substr(functional.size());
        if (auto function = functionalFunction(name)) return found(*function);
        return functionalFallback(name, target);
    }
    if (target.starts_with(torch)) {
        if (auto function = torchFunction(target.substr(torch.size()))) return found(*function);
    }
    for (const Space& space : spaces) {
        if (!target.starts_with(space.prefix)) continue;
        const std::string_view name = target.substr(space.prefix.size());
        if (name.find('.') != std::string_view::npos) break;
        return atenFunction(std::string(space.aten) + std::string(name), target);
    }
    return {{}, judgeUnknown(target)};
}

Found findEffect(std::string_view op) {
    constexpr std::string_view ops = "torch.ops.", aten = "aten.";
    std::string_view name = op;
    if (name.starts_with(ops)) name.remove_prefix(ops.size());
    if (!name.starts_with(aten)) return {{}, {Obstacle::Hook, "calls Python that the capture does not hold"}};
    name.remove_prefix(aten.size());
    Found inner = atenFunction(std::string(name.substr(0, name.find('.'))), op);
    if (!inner.function) return inner;
    return found([inner = std::move(inner.function)](const Call& call) {
        TORCH_CHECK_TYPE(!call.args.empty(), "with_effects takes a token");
        Call without = call;
        without.args.erase(without.args.begin());
        const Value given = inner(without);
        std::vector<Value> out{Value(at::empty({0}))};
        for (const Value& value : given.kind() == Value::Kind::Tuple ? given.items() : std::vector{given})
            out.push_back(value);
        return Value::tuple(std::move(out));
    });
}

Found findMethod(std::string_view name) {
    if (auto function = operatorMethod(name)) return found(*function);
    if (auto function = tensorMethod(name)) return found(*function);
    return atenFunction(std::string(name), name);
}

} // namespace dynascope::engine::torch_level
