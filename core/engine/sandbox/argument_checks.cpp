// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/sandbox/argument_checks.h"

#include "core/engine/collectives/kernels.h"
#include "core/engine/sandbox/checks/arguments.h"
#include "core/engine/sandbox/operator_classes.h"

#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/ops/_validate_sparse_compressed_tensor_args.h>
#include <ATen/ops/_validate_sparse_coo_tensor_args.h>

namespace dynascope::engine {

namespace {

using at::Tensor;

/// Tensors whose memory is not what their sizes and strides say.
constexpr c10::DispatchKeySet otherLayouts({c10::DispatchKey::Sparse, c10::DispatchKey::SparseCsr,
                                            c10::DispatchKey::Quantized, c10::DispatchKey::NestedTensor,
                                            c10::DispatchKey::MkldnnCPU});

/// Those that a graph can name: quantized and smaller than a byte are not among them.
constexpr bool isNamedDtype(std::int64_t number) {
    if (number < 0 || number >= static_cast<std::int64_t>(c10::ScalarType::NumOptions)) return false;
    switch (static_cast<c10::ScalarType>(number)) {
    case c10::ScalarType::Byte:
    case c10::ScalarType::Char:
    case c10::ScalarType::Short:
    case c10::ScalarType::Int:
    case c10::ScalarType::Long:
    case c10::ScalarType::Half:
    case c10::ScalarType::Float:
    case c10::ScalarType::Double:
    case c10::ScalarType::ComplexHalf:
    case c10::ScalarType::ComplexFloat:
    case c10::ScalarType::ComplexDouble:
    case c10::ScalarType::Bool:
    case c10::ScalarType::BFloat16:
    case c10::ScalarType::Float8_e5m2:
    case c10::ScalarType::Float8_e4m3fn:
    case c10::ScalarType::Float8_e5m2fnuz:
    case c10::ScalarType::Float8_e4m3fnuz:
    case c10::ScalarType::Float8_e8m0fnu:
    case c10::ScalarType::UInt16:
    case c10::ScalarType::UInt32:
    case c10::ScalarType::UInt64:
        return true;
    default:
        return false;
    }
}

/// The indices of a sparse tensor can be reached and written to, and its kernels believe them.
void checkSparse(const c10::FunctionSchema& schema, const Tensor& tensor) {
    const at::AutoDispatchBelowAutograd below;
    switch (tensor.layout()) {
    case at::kSparse:
        return at::_validate_sparse_coo_tensor_args(tensor._indices(), tensor._values(), tensor.sizes());
    case at::kSparseCsr:
    case at::kSparseBsr:
        return at::_validate_sparse_compressed_tensor_args(tensor.crow_indices(), tensor.col_indices(),
                                                           tensor.values(), tensor.sizes(), tensor.layout());
    case at::kSparseCsc:
    case at::kSparseBsc:
        return at::_validate_sparse_compressed_tensor_args(tensor.ccol_indices(), tensor.row_indices(),
                                                           tensor.values(), tensor.sizes(), tensor.layout());
    default:
        TORCH_CHECK(false, schema.name(), " takes a quantized, nested or MKL-DNN tensor, which is refused");
    }
}

void checkTensor(const c10::FunctionSchema& schema, const c10::TensorImpl& impl, const c10::IValue& value) {
    const c10::DispatchKeySet keys = impl.key_set();
    if (keys.has_any(otherLayouts) && !keys.has_any(checks::wrappers)) checkSparse(schema, value.toTensor());
}

c10::TypePtr withoutOptionalType(c10::TypePtr type) {
    while (type->kind() == c10::TypeKind::OptionalType)
        type = type->containedType(0);
    return type;
}

} // namespace

bool CallCheck::isKnown(Enumeration of, std::int64_t number) {
    switch (of) {
    case Enumeration::Dtype:
        return isNamedDtype(number);
    case Enumeration::Layout:
        return number >= 0 && number < static_cast<std::int64_t>(c10::Layout::NumOptions) &&
               number != static_cast<std::int64_t>(c10::Layout::Mkldnn) &&
               number != static_cast<std::int64_t>(c10::Layout::Jagged);
    case Enumeration::MemoryFormat:
        break;
    }
    return number >= 0 && number < static_cast<std::int64_t>(c10::MemoryFormat::NumOptions);
}

CallCheck::CallCheck(const c10::FunctionSchema& schema) {
    if (const OperatorClass* row = operatorClass(schema.name())) m_family = row->check;
    m_waits = waitsAtOnce() && schema.name().starts_with("_c10d_functional") &&
              !schema.name().ends_with("::wait_tensor");
    const std::vector<c10::Argument>& formals = schema.arguments();
    for (std::size_t i = 0; i < formals.size(); ++i) {
        const auto at = static_cast<std::uint16_t>(i);
        switch (withoutOptionalType(formals[i].real_type())->kind()) {
        case c10::TypeKind::ScalarTypeType:
            m_enumerators.push_back({at, Enumeration::Dtype});
            break;
        case c10::TypeKind::LayoutType:
            m_enumerators.push_back({at, Enumeration::Layout});
            break;
        case c10::TypeKind::MemoryFormatType:
            m_enumerators.push_back({at, Enumeration::MemoryFormat});
            break;
        default:
            break;
        }
    }
}

void CallCheck::operator()(const c10::FunctionSchema& schema, const c10::IValue* arguments) const {
    for (const auto [at, of] : m_enumerators) {
        if (!arguments[at].isInt()) continue;
        const std::int64_t number = arguments[at].toInt();
        const bool known = isKnown(of, number);
        TORCH_CHECK(known, schema.name(), ": ", schema.arguments()[at].name(), " is ", number,
                    ", which is no dtype, layout or memory format");
    }
    for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
        const c10::IValue& value = arguments[i];
        if (value.isTensor()) {
            checkTensor(schema, *value.unsafeToTensorImpl(), value);
        } else if (value.isTensorList() || value.isOptionalTensorList()) {
            for (const c10::IValue& item : value.toListRef())
                if (item.isTensor()) checkTensor(schema, *item.unsafeToTensorImpl(), item);
        }
    }
    if (m_family) m_family(schema, arguments);
}

void callChecked(const c10::OperatorHandle& op, const CallCheck& check, torch::jit::Stack& stack) {
    const c10::FunctionSchema& schema = op.schema();
    check(schema, stack.data() + (stack.size() - schema.arguments().size()));
    op.callBoxed(stack);
    if (check.waits()) waitFor(stack);
}

void callChecked(const c10::OperatorHandle& op, torch::jit::Stack& stack) {
    callChecked(op, CallCheck(op.schema()), stack);
}

} // namespace dynascope::engine
