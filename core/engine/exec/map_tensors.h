// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ATen/core/List.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>
#include <optional>
#include <vector>

namespace dynascope::engine {

/// The value with `fn(tensor)` for each tensor in it that is defined: a tensor, a list of them, or a tuple
/// of such values. Others are given back as they are.
template <typename Fn>
[[nodiscard]] c10::IValue mapTensors(const c10::IValue& value, const Fn& fn) {
    const auto mapped = [&](const at::Tensor& tensor) { return tensor.defined() ? fn(tensor) : tensor; };
    if (value.isTensor()) return mapped(value.toTensor());
    if (value.isTensorList()) {
        c10::List<at::Tensor> list;
        for (const at::Tensor& item : value.toTensorList())
            list.push_back(mapped(item));
        return list;
    }
    if (value.isOptionalTensorList()) {
        c10::List<std::optional<at::Tensor>> list;
        for (const std::optional<at::Tensor> item : value.toOptionalTensorList())
            list.push_back(item ? std::optional<at::Tensor>(mapped(*item)) : std::nullopt);
        return list;
    }
    if (value.isTuple()) {
        std::vector<c10::IValue> items;
        for (const c10::IValue& item : value.toTupleRef().elements())
            items.push_back(mapTensors(item, fn));
        return c10::ivalue::Tuple::create(std::move(items));
    }
    return value;
}

} // namespace dynascope::engine
