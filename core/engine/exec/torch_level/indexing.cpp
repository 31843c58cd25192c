// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/exec/torch_level/indexing.h"

#include "core/engine/exec/torch_level/functorch.h"
#include "core/engine/exec/torch_level/literals.h"
#include "core/engine/exec/torch_level/numbers.h"
#include "core/engine/exec/torch_level/overloads.h"

#include <ATen/TensorIndexing.h>
#include <ATen/ops/alias.h>
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

struct Sliced {
    at::Tensor view;
    std::vector<at::Tensor> indices; ///< what is left for index or index_put_
};

/// at::indexing::impl::applySlicing, which leaves out slices of whole dimensions, at symbols: of an open
/// dimension a slice is left out only where it ends at the length itself. (A number that happens to be the
/// length is taken for it.) `open` has a flag for each dimension.
Sliced openSlicing(const at::Tensor& tensor, const std::vector<TensorIndex>& indices, OpenSizes open) {
    Sliced out{tensor, {}};
    std::int64_t dim = 0;
    std::int64_t specified = at::indexing::impl::count_specified_dimensions(indices);
    TORCH_CHECK_INDEX(specified <= tensor.dim(), "too many indices for tensor of dimension ", tensor.dim());
    for (std::size_t i = 0; i < indices.size(); ++i) {
        const TensorIndex& index = indices[i];
        const auto at = static_cast<std::size_t>(dim);
        const bool beyond = index.is_slice() && open[at] &&
                            index.slice().stop().guard_int(__FILE__, __LINE__) != out.view.size(dim);
        out.view = at::indexing::handleDimInMultiDimIndexing(out.view, tensor, index, &dim, &specified,
                                                             static_cast<std::int64_t>(i), out.indices,
                                                             beyond, tensor.device(), out.view.sym_sizes());
        // The flags follow the view's dimensions: an integer takes one away, None and booleans add one.
        const auto here = open.begin() + static_cast<std::ptrdiff_t>(at);
        if (static_cast<std::size_t>(out.view.dim()) > open.size()) open.insert(here, false);
        if (static_cast<std::size_t>(out.view.dim()) < open.size()) open.erase(here);
    }
    return out;
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

Value getItem(const Value& container, const Value& index, const OpenSizes& open) {
    if (container.isTensor()) {
        if (const auto mapped = mappedIndex(index)) return aten("index", {container, *mapped});
        std::vector<TensorIndex> indices = tensorIndices(index);
        // Of a tuple Python drops a slice of everything, and C++ does where there is more than that.
        if (index.kind() == Kind::Tuple && indices.size() == 1 && indices[0].is_slice())
            indices.emplace_back(at::indexing::Ellipsis);
        const at::Tensor& tensor = container.tensor();
        if (indices.size() == 1 || std::ssize(open) != tensor.dim())
            return at::indexing::get_item(tensor, indices);
        Sliced sliced = openSlicing(tensor, indices, open);
        if (!sliced.indices.empty())
            return at::indexing::dispatch_index(sliced.view, std::move(sliced.indices));
        return sliced.view.is_same(tensor) ? at::alias(tensor) : sliced.view;
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

void setItem(const Value& container, const Value& index, const Value& value, const OpenSizes& open) {
    const at::Tensor& tensor = container.tensor();
    at::Tensor assigned;
    if (value.isTensor()) {
        assigned = value.tensor();
    } else {
        assigned = tensorFrom(value, tensor.scalar_type());
    }
    const std::vector<TensorIndex> indices = tensorIndices(index);
    if (std::ssize(open) != tensor.dim() || (indices.size() == 1 && !indices[0].is_slice()))
        return at::indexing::set_item(tensor, indices, assigned);
    Sliced sliced = openSlicing(tensor, indices, open);
    if (sliced.indices.empty()) return at::indexing::copy_to(sliced.view, assigned);
    const c10::SymIntArrayRef sizes = at::indexing::slicePrefix1sSize(assigned.sym_sizes());
    at::indexing::dispatch_index_put_(sliced.view, std::move(sliced.indices),
                                      sizes.equals(assigned.sym_sizes()) ? assigned
                                                                         : assigned.view_symint(sizes));
}

} // namespace dynascope::engine::torch_level
