// SPDX-License-Identifier: BSD-3-Clause
//
// The storages of a program, each as one flat functional value, and its tensors as windows onto them.
#pragma once

#include "core/engine/functionalize/scorecard.h"

#include <ATen/core/Tensor.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace dynascope::engine {

/// Where a tensor lies in its storage.
struct Geometry {
    std::vector<std::int64_t> size, stride;
    std::int64_t offset = 0;
    c10::ScalarType dtype = c10::ScalarType::Float;

    explicit Geometry(const at::Tensor& tensor)
        : size(tensor.sizes().vec())
        , stride(tensor.strides().vec())
        , offset(tensor.storage_offset())
        , dtype(tensor.scalar_type()) {}
    friend bool operator==(const Geometry&, const Geometry&) = default;
};

/// How many elements of a dtype the storage holds.
[[nodiscard]] std::int64_t cellsOf(const c10::Storage& storage, c10::ScalarType dtype);

/// A storage: its content as one functional value.
struct CellStorage {
    c10::Storage eager;
    std::uint32_t number = 0;
    std::uint32_t generation = 0; ///< counts writes
    c10::ScalarType dtype = c10::ScalarType::Float;
    std::int64_t cells = 0;
    at::Tensor value; ///< undefined until first needed
    at::Tensor input; ///< placeholder of the first input that lies in it; undefined where none does
    /// A value with its elements that is not in their order, and eager's order; where `value` is undefined.
    at::Tensor fresh;
    std::vector<std::int64_t> freshStride;

    /// Whether a tensor of this geometry is the whole storage, cell by cell.
    [[nodiscard]] bool isCoveredBy(const Geometry& geometry) const;
};

/// A tensor: what its value is now, or was at `generation` of its storage.
struct CellTensor {
    at::Tensor eager; ///< keeps the address its own
    at::Tensor value; ///< functional; undefined where only the storage has it
    std::uint32_t generation = 0;
    std::uint32_t storage = 0;
};

/// Tensors are known by eager's. What is emitted for looking and writing goes to the current tape, with the
/// reason that reason() gives meanwhile. Throws what PyTorch throws. Not thread-safe.
class CellStore {
public:
    /// Without `keepsViews` views are emitted as copies.
    explicit CellStore(bool keepsViews)
        : m_keepsViews(keepsViews) {}

    /// Why nodes are emitted now.
    [[nodiscard]] Emission reason() const { return m_why; }
    void setReason(Emission why) { m_why = why; }
    /// Names what is under way, for errors: "node 'add'".
    void enter(std::string where) { m_where = std::move(where); }

    /// Calls below functionalization, recorded as they are.
    template <typename Fn>
    at::Tensor emit(Emission why, const Fn& fn) {
        const Emission outer = std::exchange(m_why, why);
        const c10::impl::ExcludeDispatchKeyGuard below(c10::DispatchKey::Functionalize);
        at::Tensor out = fn();
        m_why = outer;
        return out;
    }

    [[nodiscard]] std::size_t size() const { return m_storages.size(); }
    [[nodiscard]] CellStorage& storage(std::uint32_t number) { return m_storages[number]; }
    /// The storage's number, a new one at first sight.
    [[nodiscard]] std::uint32_t numberOf(const at::Tensor& eager);
    /// Whether the storage was there when there were `known` of them.
    [[nodiscard]] bool isKnown(const at::Tensor& eager, std::size_t known) const;
    [[nodiscard]] CellTensor& tensor(const at::Tensor& eager);

    /// The tensor's value now.
    [[nodiscard]] at::Tensor read(const at::Tensor& eager);
    /// The storage's content as one dimension.
    [[nodiscard]] at::Tensor flat(CellStorage& storage, Emission why);
    /// What a view of this geometry shows of the storage now.
    [[nodiscard]] at::Tensor look(CellStorage& storage, const Geometry& geometry, Emission why);

    /// An input's tensor, whose value is its placeholder.
    void addInput(const at::Tensor& eager, const at::Tensor& placeholder);
    /// A new tensor of a storage of its own. Its functional value has the same elements, but maybe in another
    /// order in memory.
    void makeFresh(const at::Tensor& eager, const at::Tensor& value);
    /// Puts a written value into the tensor's storage, whose generation rises.
    void commit(const at::Tensor& eager, const at::Tensor& written);
    /// Adds the cells that eager's storage has gained; they hold nothing yet.
    void grow(CellStorage& storage);

private:
    [[nodiscard]] at::Tensor shaped(Emission why, const at::Tensor& value, at::IntArrayRef size);
    [[nodiscard]] at::Tensor strided(const at::Tensor& value, at::IntArrayRef size, at::IntArrayRef stride,
                                     std::int64_t offset) const;
    void layOut(CellStorage& storage);

    bool m_keepsViews;
    Emission m_why = Emission::Operator;
    std::string m_where;
    std::vector<CellStorage> m_storages;
    std::unordered_map<const void*, std::uint32_t> m_numbers;
    std::unordered_map<const void*, CellTensor> m_tensors;
};

} // namespace dynascope::engine
