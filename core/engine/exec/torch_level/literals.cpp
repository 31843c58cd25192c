// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/literals.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/lift_fresh.h>
#include <c10/core/DefaultDtype.h>
#include <c10/core/impl/LocalDispatchKeySet.h>

namespace dynascope::engine::torch_level {

namespace {

using Kind = Value::Kind;

struct Flat {
    std::vector<std::int64_t> sizes;
    std::vector<c10::Scalar> numbers;
    Kind widest = Kind::Bool; ///< kinds of numbers are declared from narrow to wide
};

void flatten(const Value& data, std::size_t depth, Flat& out) {
    if (!data.isSequence()) {
        TORCH_CHECK_VALUE(depth == out.sizes.size(), "the lists differ in depth");
        const Value number = data.isTensor() ? Value(data.tensor().item()) : data;
        out.numbers.push_back(number.scalar());
        out.widest = std::max(out.widest, number.kind());
        return;
    }
    const auto size = static_cast<std::int64_t>(data.items().size());
    if (depth == out.sizes.size()) {
        TORCH_CHECK_VALUE(out.numbers.empty(), "the lists differ in depth");
        out.sizes.push_back(size);
    }
    TORCH_CHECK_VALUE(out.sizes[depth] == size, "expected sequence of length ", out.sizes[depth], " at dim ",
                      depth, " (got ", size, ")");
    for (const Value& item : data.items())
        flatten(item, depth + 1, out);
}

c10::ScalarType defaultType(const Flat& flat) {
    if (flat.numbers.empty()) return c10::get_default_dtype_as_scalartype();
    switch (flat.widest) {
    case Kind::Bool:
        return at::kBool;
    case Kind::Int:
        return at::kLong;
    case Kind::Complex:
        return c10::typeMetaToScalarType(c10::get_default_complex_dtype());
    default:
        return c10::get_default_dtype_as_scalartype();
    }
}

template <typename T, typename Get>
at::Tensor filled(const Flat& flat, at::ScalarType type, Get get) {
    at::Tensor out = at::empty(flat.sizes, type);
    T* data = out.mutable_data_ptr<T>();
    for (const c10::Scalar& number : flat.numbers)
        *data++ = get(number);
    return out;
}

at::Tensor made(const Flat& flat, c10::ScalarType type) {
    const c10::impl::ExcludeDispatchKeyGuard unseen(
        c10::DispatchKeySet({c10::DispatchKey::Functionalize, c10::DispatchKey::Fake}) |
        c10::autograd_dispatch_keyset_with_ADInplaceOrView);
    const auto asDouble = [](const c10::Scalar& s) { return s.toDouble(); };
    if (flat.widest == Kind::Complex)
        return filled<c10::complex<double>>(flat, at::kComplexDouble,
                                            [](const c10::Scalar& s) { return s.toComplexDouble(); })
            .to(type);
    if (flat.widest == Kind::Float) return filled<double>(flat, at::kDouble, asDouble).to(type);
    return filled<std::int64_t>(flat, at::kLong, [](const c10::Scalar& s) { return s.toLong(); }).to(type);
}

} // namespace

at::Tensor tensorFrom(const Value& data, std::optional<c10::ScalarType> dtype) {
    Flat flat;
    flatten(data, 0, flat);
    return at::lift_fresh(made(flat, dtype.value_or(defaultType(flat))));
}

} // namespace dynascope::engine::torch_level
