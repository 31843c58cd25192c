// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cells/cell_store.h"

#include <ATen/ops/as_strided_copy.h>
#include <ATen/ops/as_strided_scatter.h>
#include <ATen/ops/clone.h>
#include <ATen/ops/conj_physical.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/permute_copy.h>
#include <ATen/ops/view_copy.h>
#include <algorithm>
#include <numeric>

namespace dynascope::engine {

using at::Tensor;

std::int64_t cellsOf(const c10::Storage& storage, c10::ScalarType dtype) {
    return static_cast<std::int64_t>(storage.nbytes() / c10::elementSize(dtype));
}

bool CellStorage::isCoveredBy(const Geometry& geometry) const {
    std::int64_t expected = 1;
    for (std::size_t i = geometry.size.size(); i-- > 0;) {
        if (geometry.size[i] != 1 && geometry.stride[i] != expected) return false;
        expected *= geometry.size[i];
    }
    return geometry.offset == 0 && geometry.dtype == dtype && expected == cells;
}

std::uint32_t CellStore::numberOf(const Tensor& eager) {
    const c10::Storage& storage = eager.storage();
    const auto [found, isNew] =
        m_numbers.emplace(storage.unsafeGetStorageImpl(), static_cast<std::uint32_t>(m_storages.size()));
    if (isNew) {
        CellStorage entry;
        entry.eager = storage;
        entry.number = found->second;
        entry.dtype = eager.scalar_type();
        entry.cells = cellsOf(storage, entry.dtype);
        m_storages.push_back(std::move(entry));
    }
    return found->second;
}

bool CellStore::isKnown(const Tensor& eager, std::size_t known) const {
    const auto found = m_numbers.find(eager.storage().unsafeGetStorageImpl());
    return found != m_numbers.end() && found->second < known;
}

CellTensor& CellStore::tensor(const Tensor& eager) {
    CellTensor& entry = m_tensors[eager.unsafeGetTensorImpl()];
    if (!entry.eager.defined()) {
        entry.eager = eager;
        entry.storage = numberOf(eager);
    }
    return entry;
}

Tensor CellStore::shaped(Emission why, const Tensor& value, at::IntArrayRef size) {
    if (value.sizes() == size) return value;
    return emit(why, [&] {
        const Tensor dense = value.is_contiguous() ? value : value.clone(at::MemoryFormat::Contiguous);
        return m_keepsViews ? dense.view(size) : at::view_copy(dense, size);
    });
}

Tensor CellStore::strided(const Tensor& value, at::IntArrayRef size, at::IntArrayRef stride,
                          std::int64_t offset) const {
    return m_keepsViews ? value.as_strided(size, stride, offset)
                        : at::as_strided_copy(value, size, stride, offset);
}

Tensor CellStore::flat(CellStorage& storage, Emission why) {
    if (!storage.value.defined() && !storage.input.defined()) layOut(storage);
    if (!storage.value.defined())
        storage.value = emit(why, [&] { return strided(storage.input, {storage.cells}, {1}, 0); });
    storage.value = shaped(why, storage.value, {storage.cells});
    return storage.value;
}

Tensor CellStore::look(CellStorage& storage, const Geometry& geometry, Emission why) {
    if (storage.value.defined() && storage.isCoveredBy(geometry))
        return shaped(why, storage.value, geometry.size);
    const Tensor cells = flat(storage, why);
    return emit(why, [&] {
        const Tensor typed = geometry.dtype == storage.dtype ? cells : cells.view(geometry.dtype);
        return strided(typed, geometry.size, geometry.stride, geometry.offset);
    });
}

Tensor CellStore::read(const Tensor& eager) {
    CellTensor& entry = tensor(eager);
    CellStorage& storage = m_storages[entry.storage];
    if (entry.value.defined() && entry.generation == storage.generation) return entry.value;
    Tensor value = look(storage, Geometry(eager), Emission::Regeneration);
    if (eager.is_conj() || eager.is_neg()) {
        value = emit(Emission::Regeneration, [&] {
            const Tensor conj = eager.is_conj() ? at::conj_physical(value) : value;
            return eager.is_neg() ? at::neg(conj) : conj;
        });
    }
    entry.value = value;
    entry.generation = storage.generation;
    return value;
}

void CellStore::addInput(const Tensor& eager, const Tensor& placeholder) {
    CellTensor& entry = tensor(eager);
    entry.value = placeholder;
    CellStorage& storage = m_storages[entry.storage];
    if (!storage.input.defined()) storage.input = placeholder;
}

void CellStore::makeFresh(const Tensor& eager, const Tensor& value) {
    CellTensor& entry = tensor(eager);
    entry.value = value;
    CellStorage& storage = m_storages[entry.storage];
    const Geometry geometry(eager);
    if (storage.isCoveredBy(geometry)) {
        storage.value = value;
        return;
    }
    storage.value = Tensor();
    storage.fresh = value;
    storage.freshStride = geometry.stride;
}

/// Before a storage made by an operator is first needed as cells.
void CellStore::layOut(CellStorage& storage) {
    TORCH_CHECK(storage.fresh.defined(), "a storage of unknown origin");
    std::vector<std::int64_t> order(storage.freshStride.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        return storage.freshStride[static_cast<std::size_t>(a)] >
               storage.freshStride[static_cast<std::size_t>(b)];
    });
    const Tensor& value = storage.fresh;
    TORCH_CHECK(value.numel() == storage.cells, m_where, " touches a tensor whose storage has gaps");
    storage.value = emit(Emission::Regeneration, [&] {
        return m_keepsViews ? value.permute(order) : at::permute_copy(value, order);
    });
    storage.value = shaped(Emission::Regeneration, storage.value, {storage.cells});
}

void CellStore::commit(const Tensor& eager, const Tensor& written) {
    CellTensor& entry = tensor(eager);
    CellStorage& storage = m_storages[entry.storage];
    const Geometry geometry(eager);
    ++storage.generation;
    if (storage.isCoveredBy(geometry)) {
        storage.value = written;
    } else {
        const Tensor cells = flat(storage, Emission::Inverse);
        storage.value = emit(Emission::Inverse, [&] {
            const bool typed = geometry.dtype != storage.dtype;
            Tensor value = eager.is_neg() ? at::neg(written) : written;
            if (eager.is_conj()) value = at::conj_physical(value);
            Tensor out = at::as_strided_scatter(typed ? cells.view(geometry.dtype) : cells, value,
                                                geometry.size, geometry.stride, geometry.offset);
            return typed ? out.view(storage.dtype) : out;
        });
    }
    entry.value = written;
    entry.generation = storage.generation;
}

void CellStore::grow(CellStorage& storage) {
    const std::int64_t cells = cellsOf(storage.eager, storage.dtype);
    if (cells <= storage.cells) return;
    const Tensor old = flat(storage, Emission::Operator);
    const std::int64_t more = cells - storage.cells;
    storage.value = emit(Emission::Operator, [&] { return at::constant_pad_nd(old, {0, more}, 0); });
    storage.cells = cells;
    ++storage.generation;
}

} // namespace dynascope::engine
