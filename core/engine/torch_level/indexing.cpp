// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/torch_level/indexing.h"

#include "core/engine/torch_level/functorch.h"
#include "core/engine/torch_level/literals.h"
#include "core/engine/torch_level/numbers.h"
#include "core/engine/torch_level/overloads.h"

#include <ATen/TensorIndexing.h>
#include <ATen/ops/lift_fresh.h>
#include <algorithm>
#include <limits>
#include <optional>

namespace dynascope::engine::torch_level {

namespace {

using Kind = Value::Kind;
using at::indexing::TensorIndex;

std::optional<c10::SymInt> bound(const Value& value) {
    if (value.isNone()) return std::nullopt;
    return c10::SymInt(value.integer());
}

TensorIndex tensorIndex(const Value& index) {
    switch (index.kind()) {
    case Kind::None:
        return at::indexing::None;
    case Kind::Ellipsis:
        return at::indexing::Ellipsis;
    case Kind::Bool:
        return index.flag();
    case Kind::Int:
        return index.integer();
    case Kind::Tensor:
        return index.tensor();
    case Kind::Slice:
        // Python's open end is the largest integer, C++'s the largest that a SymInt holds in itself.
        return at::indexing::Slice(bound(index.items()[0]),
                                   bound(index.items()[1]).value_or(std::numeric_limits<std::int64_t>::max()),
                                   bound(index.items()[2]));
    case Kind::List:
    case Kind::Tuple: // a list of numbers stands for a tensor
        return tensorFrom(index, index.items().empty() ? std::optional(at::kLong) : std::nullopt);
    default:
        TORCH_CHECK_INDEX(false, "a tensor cannot be indexed with ", index.typeName());
    }
}

std::vector<TensorIndex> tensorIndices(const Value& index) {
    std::vector<TensorIndex> out;
    if (index.kind() != Kind::Tuple) {
        out.push_back(tensorIndex(index));
        return out;
    }
    for (const Value& item : index.items())
        out.push_back(tensorIndex(item));
    return out;
}

/// Numbers in tensors are read out, which a tensor under vmap does not allow: PyTorch takes them as indices.
/// Nothing where that does not concern the index.
std::optional<Value> mappedIndex(const Value& index) {
    std::vector<Value> items = index.kind() == Kind::Tuple ? index.items() : std::vector<Value>{index};
    const bool tensors =
        std::all_of(items.begin(), items.end(), [](const Value& item) { return item.isTensor(); });
    const auto isMapped = [](const Value& item) { return isTransformed(item.tensor()); };
    if (!tensors || std::none_of(items.begin(), items.end(), isMapped)) return std::nullopt;
    return Value::list(std::move(items));
}

std::size_t position(const Value& index, std::size_t size) {
    const std::int64_t given = index.integer();
    const auto length = static_cast<std::int64_t>(size);
    TORCH_CHECK_INDEX(given >= -length && given < length, "index ", given, " is out of range of ", size,
                      " values");
    return static_cast<std::size_t>(given < 0 ? given + length : given);
}

Value sliced(const Value& sequence, const Value& slice) {
    const auto size = static_cast<std::int64_t>(sequence.items().size());
    const std::int64_t step = slice.items()[2].isNone() ? 1 : slice.items()[2].integer();
    TORCH_CHECK_VALUE(step != 0, "slice step cannot be zero");
    const auto clip = [&](const Value& value, std::int64_t fallback, std::int64_t low, std::int64_t high) {
        if (value.isNone()) return fallback;
        const std::int64_t number = value.integer();
        return std::clamp(number < 0 && number > -size ? number + size
                          : number < 0                 ? low
                                                       : number,
                          low, high);
    };
    std::vector<Value> out;
    if (step > 0) {
        const std::int64_t start = clip(slice.items()[0], 0, 0, size);
        const std::int64_t stop = clip(slice.items()[1], size, 0, size);
        for (std::int64_t i = start; i < stop; i += std::min(step, size))
            out.push_back(sequence.items()[static_cast<std::size_t>(i)]);
    } else {
        const std::int64_t start = clip(slice.items()[0], size - 1, -1, size - 1);
        const std::int64_t stop = clip(slice.items()[1], -1, -1, size - 1);
        for (std::int64_t i = start; i > stop; i += std::max(step, -size))
            out.push_back(sequence.items()[static_cast<std::size_t>(i)]);
    }
    return sequence.kind() == Kind::List ? Value::list(std::move(out)) : Value::tuple(std::move(out));
}

} // namespace

Value getItem(const Value& container, const Value& index) {
    if (container.isTensor()) {
        if (const auto mapped = mappedIndex(index)) return aten("index", {container, *mapped});
        std::vector<TensorIndex> indices = tensorIndices(index);
        // Of a tuple Python drops a slice of everything, and C++ does where there is more than that.
        if (index.kind() == Kind::Tuple && indices.size() == 1 && indices[0].is_slice())
            indices.emplace_back(at::indexing::Ellipsis);
        return at::indexing::get_item(container.tensor(), indices);
    }
    if (container.kind() == Kind::Dict) {
        const std::vector<Value>& items = container.items();
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            if (equal(items[i], index)) return items[i + 1];
        }
        TORCH_CHECK_INDEX(false, "the key is not in the dict");
    }
    TORCH_CHECK_TYPE(container.isSequence(), container.typeName(), " cannot be indexed");
    if (index.kind() == Kind::Slice) return sliced(container, index);
    return container.items()[position(index, container.items().size())];
}

void setItem(const Value& container, const Value& index, const Value& value) {
    const at::Tensor& tensor = container.tensor();
    at::Tensor assigned;
    if (value.isTensor()) {
        assigned = value.tensor();
    } else {
        assigned = tensorFrom(value, tensor.scalar_type());
    }
    at::indexing::set_item(tensor, tensorIndices(index), assigned);
}

} // namespace dynascope::engine::torch_level
