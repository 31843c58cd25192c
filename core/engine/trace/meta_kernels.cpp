// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/trace/meta_kernels.h"

#include "core/engine/trace/register_where.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty_strided.h>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dynascope::engine {

namespace {

using at::Tensor;
using c10::DispatchKey;
using c10::IValue;
using torch::jit::Stack;

constexpr std::size_t largestStandIn = std::size_t{16} << 20; // bytes

/// CPU tensors that stand for the meta tensors of one call. What is one tensor there is one here.
class StandIns {
public:
    explicit StandIns(std::int64_t integers)
        : m_integers(integers) {}

    [[nodiscard]] bool tooLarge() const { return m_tooLarge; }

    Tensor of(const Tensor& meta) {
        if (!meta.defined() || !meta.is_meta()) return meta;
        m_tooLarge = m_tooLarge || meta.storage().nbytes() > largestStandIn;
        if (m_tooLarge) return meta;
        Tensor& made = m_made[meta.unsafeGetTensorImpl()];
        if (!made.defined()) {
            made = at::empty_strided(meta.sizes(), meta.strides(), meta.options().device(at::kCPU));
            // fill_ refuses a tensor that overlaps itself, which is what some calls are about.
            const Tensor cells = made.as_strided(
                {static_cast<std::int64_t>(made.storage().nbytes() / made.element_size())}, {1}, 0);
            cells.fill_(c10::isIntegralType(made.scalar_type(), true) ? m_integers : 1);
        }
        return made;
    }

    IValue of(const IValue& value) {
        if (value.isTensor()) return of(value.toTensor());
        if (value.isTensorList()) {
            c10::List<Tensor> list;
            for (const Tensor& item : value.toTensorVector())
                list.push_back(of(item));
            return list;
        }
        if (value.isOptionalTensorList()) {
            c10::List<std::optional<Tensor>> list;
            for (const std::optional<Tensor>& item : value.toOptionalTensorVector())
                list.push_back(item ? std::optional<Tensor>(of(*item)) : std::nullopt);
            return list;
        }
        return value;
    }

private:
    std::int64_t m_integers;
    bool m_tooLarge = false;
    std::unordered_map<c10::TensorImpl*, Tensor> m_made;
};

/// Writable tensor arguments in order: an operator that writes returns these.
std::vector<Tensor> written(const c10::FunctionSchema& schema, at::ArrayRef<IValue> arguments) {
    std::vector<Tensor> out;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const c10::AliasInfo* alias = schema.arguments()[i].alias_info();
        if (alias && alias->isWrite() && arguments[i].isTensor()) out.push_back(arguments[i].toTensor());
    }
    return out;
}

/// Runs the operator on stand-ins; false if they would be too large.
bool tryOut(const c10::OperatorHandle& op, at::ArrayRef<IValue> arguments, std::int64_t integers) {
    StandIns standIns(integers);
    Stack stack;
    for (const IValue& argument : arguments)
        stack.push_back(standIns.of(argument));
    if (standIns.tooLarge()) return false;
    op.callBoxed(stack);
    for (const Tensor& meta : written(op.schema(), arguments)) {
        const Tensor after = standIns.of(meta);
        if (meta.sizes() != after.sizes()) meta.resize_(after.sizes());
    }
    return true;
}

void onStandIns(const c10::OperatorHandle& op, Stack* stack) {
    const std::size_t count = op.schema().arguments().size();
    const std::vector<IValue> arguments(stack->end() - static_cast<std::ptrdiff_t>(count), stack->end());
    try {
        tryOut(op, arguments, 0); // zero is within range wherever integers are positions
    } catch (const c10::Error& error) {
        if (std::string_view(error.what_without_backtrace()).find("ZeroDivisionError") ==
            std::string_view::npos)
            throw;
        tryOut(op, arguments, 1);
    }
    torch::jit::drop(*stack, count);
    const std::vector<Tensor> results = written(op.schema(), arguments);
    for (std::size_t i = 0; i < op.schema().returns().size(); ++i)
        stack->emplace_back(results.at(i));
}

bool lacksMeta(const c10::OperatorHandle& op) {
    if (!op.hasSchema() || op.schema().getNamespace() != "aten" || !op.schema().is_mutable()) return false;
    if (!op.hasKernelForDispatchKey(DispatchKey::CPU)) return false;
    for (const DispatchKey key :
         {DispatchKey::Meta, DispatchKey::CompositeImplicitAutograd, DispatchKey::CompositeExplicitAutograd,
          DispatchKey::CompositeExplicitAutogradNonFunctional}) {
        if (op.hasKernelForDispatchKey(key)) return false;
    }
    std::size_t writable = 0;
    for (const c10::Argument& argument : op.schema().arguments()) {
        const bool writes = argument.alias_info() && argument.alias_info()->isWrite();
        if (writes && argument.type()->kind() != c10::TypeKind::TensorType) return false; // lists: left alone
        writable += writes ? 1 : 0;
    }
    return writable >= op.schema().returns().size();
}

} // namespace

void ensureMetaKernels() {
    static const auto handles =
        registerWhere(lacksMeta, DispatchKey::Meta, c10::KernelFunction::makeFromBoxedFunction<&onStandIns>(),
                      "dynascope: CPU kernel on stand-ins");
}

} // namespace dynascope::engine
