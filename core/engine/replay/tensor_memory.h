// SPDX-License-Identifier: BSD-3-Clause
//
// Tensors and the memory that they lie in, apart from each other: shapes without memory, memory without an
// owner or with a pool for one, and copies that share memory where the originals do.
#pragma once

#include "core/engine/replay/pool_memory.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Storage.h>
#include <cstdint>
#include <map>
#include <memory>

namespace dynascope::engine {

/// A copy of the tensor's shape and flags, in an empty storage.
[[nodiscard]] at::Tensor shellOf(const at::Tensor& tensor);
/// A tensor of that shape over a storage of the same device.
[[nodiscard]] at::Tensor tensorIn(const at::Tensor& shell, const c10::Storage& storage);
/// Memory that somebody else owns.
[[nodiscard]] c10::Storage storageAt(std::uint64_t address, std::uint64_t bytes, c10::Device device);
/// The block of a pool at `address`, which goes back to it with its owner. The pool lives as long.
[[nodiscard]] c10::DataPtr ownedBlock(std::shared_ptr<PoolMemory> pool, PoolMemory::Address address);
[[nodiscard]] bool isOwnedBlock(const c10::DataPtr& block);
/// All bytes of a storage, as one tensor.
[[nodiscard]] at::Tensor bytesOf(const c10::Storage& storage);
[[nodiscard]] std::uint64_t addressOf(const c10::Storage& storage);

/// Copies tensors to a device, each storage once. What it copied must live as long as it does.
class StorageCopies {
public:
    /// Unless `always`, tensors that are on the device already stay as they are.
    StorageCopies(c10::Device device, bool always)
        : m_device(device)
        , m_always(always) {}
    [[nodiscard]] at::Tensor copyOf(const at::Tensor& tensor);

private:
    c10::Device m_device;
    bool m_always;
    std::map<const c10::StorageImpl*, c10::Storage> m_copies;
};

} // namespace dynascope::engine
