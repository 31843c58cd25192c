// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cells/cell_scorecard.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>

namespace dynascope::engine {

namespace {

using at::Tensor;

std::string list(const std::vector<std::int64_t>& numbers) {
    std::string out = "[";
    for (const std::int64_t number : numbers)
        (out += out.size() > 1 ? ", " : "") += std::to_string(number);
    return out + ']';
}

std::vector<double> valuesOf(const Tensor& traced) {
    const PlainCalls plain;
    const Tensor value = Tape::valueOf(traced);
    if (value.is_complex()) return {};
    const Tensor flat = value.to(at::kDouble).contiguous();
    return {flat.const_data_ptr<double>(), flat.const_data_ptr<double>() + flat.numel()};
}

std::vector<std::int32_t> cellsSeen(const CellStorage& storage, const Tensor& eager) {
    const PlainCalls plain;
    const Tensor seen = at::arange(storage.cells, at::kInt)
                            .as_strided(eager.sizes(), eager.strides(), eager.storage_offset())
                            .contiguous();
    return {seen.const_data_ptr<std::int32_t>(), seen.const_data_ptr<std::int32_t>() + seen.numel()};
}

} // namespace

std::uint32_t CellScorecard::chainOf(const CellStorage& storage, const Geometry& geometry) {
    if (storage.isCoveredBy(geometry)) return 0;
    const std::string text = "as_strided(size " + list(geometry.size) + ", stride " + list(geometry.stride) +
                             ", storage_offset " + std::to_string(geometry.offset) + ')';
    const auto [found, isNew] = m_chains.emplace(text, static_cast<std::uint32_t>(m_out.chains.size()));
    if (isNew) {
        m_out.chains.push_back({static_cast<std::uint32_t>(m_out.views.size())});
        m_out.views.push_back({text, -1, -1});
    }
    return found->second;
}

void CellScorecard::addUpdate(const Tensor& eager, const Tensor& written) {
    const CellStorage& storage = m_store.storage(m_store.tensor(eager).storage);
    m_out.updates.push_back({storage.number, storage.generation - 1, storage.generation,
                             static_cast<std::int32_t>(Tape::nodeOf(written)),
                             chainOf(storage, Geometry(eager))});
}

void CellScorecard::add(ir::NodeIndex value, const Tensor& eager, const FunctionalStep& step) {
    const CellTensor& entry = m_store.tensor(eager);
    const CellStorage& storage = m_store.storage(entry.storage);
    TensorScore row;
    row.value = value;
    row.storage = entry.storage;
    row.current = static_cast<std::int32_t>(entry.value.defined() ? Tape::nodeOf(entry.value) : -1);
    row.generation = entry.value.defined() ? entry.generation : 0;
    row.chain = chainOf(storage, Geometry(eager));
    row.regenerated = m_log.isRegenerated(row, step);
    addStorage(storage);
    if (storage.cells <= m_limit && entry.value.defined() && eager.scalar_type() == storage.dtype)
        m_out.cellsOfRow[static_cast<std::uint32_t>(m_out.rows.size())] = {cellsSeen(storage, eager),
                                                                           valuesOf(entry.value)};
    m_log.add(row, *eager.unsafeGetTensorImpl());
}

void CellScorecard::addStorage(const CellStorage& storage) {
    if (m_log.hasStorage(storage.number)) return;
    StorageScore row;
    row.storage = storage.number;
    row.generation = storage.generation;
    const Tensor& base =
        storage.value.defined() ? storage.value : (storage.input.defined() ? storage.input : storage.fresh);
    row.base = static_cast<std::int32_t>(Tape::nodeOf(base));
    if (storage.cells <= m_limit && !c10::isComplexType(storage.dtype)) {
        const PlainCalls plain;
        const Tensor whole = at::empty({0}, at::TensorOptions().dtype(storage.dtype))
                                 .set_(storage.eager, 0, {storage.cells}, {1});
        m_out.cellsOfStorage[static_cast<std::uint32_t>(m_out.storages.size())] = {{}, valuesOf(whole)};
    }
    m_out.storages.push_back(row);
}

} // namespace dynascope::engine
