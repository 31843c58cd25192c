// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/tensor_memory.h"

#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/set.h>
#include <utility>

namespace dynascope::engine {

namespace {

/// What the deleter of an owned block gets.
struct Owner {
    std::shared_ptr<PoolMemory> pool;
    PoolMemory::Address address;
};

void releaseOwned(void* context) {
    const std::unique_ptr<Owner> owner(static_cast<Owner*>(context));
    owner->pool->release(owner->address);
}

} // namespace

at::Tensor shellOf(const at::Tensor& tensor) {
    const c10::VariableVersion version = tensor.is_inference()
                                             ? c10::VariableVersion(c10::VariableVersion::DISABLED)
                                             : c10::VariableVersion(0);
    at::Tensor shell(tensor.unsafeGetTensorImpl()->shallow_copy_and_detach(version, true));
    shell.unsafeGetTensorImpl()->set_storage_keep_dtype(storageAt(0, 0, tensor.device()));
    return shell;
}

at::Tensor tensorIn(const at::Tensor& shell, const c10::Storage& storage) {
    at::Tensor out = shellOf(shell);
    out.unsafeGetTensorImpl()->set_storage_keep_dtype(storage);
    return out;
}

c10::Storage storageAt(std::uint64_t address, std::uint64_t bytes, c10::Device device) {
    void* const data = reinterpret_cast<void*>(address);
    return {c10::Storage::use_byte_size_t(), bytes,
            c10::DataPtr(
                data, data, [](void*) {}, device),
            nullptr, false};
}

c10::DataPtr ownedBlock(std::shared_ptr<PoolMemory> pool, PoolMemory::Address address) {
    auto owner = std::make_unique<Owner>(Owner{std::move(pool), address});
    return {reinterpret_cast<void*>(address), owner.release(), &releaseOwned, c10::Device(c10::kCPU)};
}

bool isOwnedBlock(const c10::DataPtr& block) {
    return block.get_deleter() == &releaseOwned;
}

at::Tensor bytesOf(const c10::Storage& storage) {
    return at::empty({0}, at::TensorOptions(at::kByte).device(storage.device()))
        .set_(storage, 0, {static_cast<std::int64_t>(storage.nbytes())});
}

std::uint64_t addressOf(const c10::Storage& storage) {
    return reinterpret_cast<std::uint64_t>(storage.unsafeGetStorageImpl()->data());
}

at::Tensor StorageCopies::copyOf(const at::Tensor& tensor) {
    if (!tensor.defined() || !tensor.has_storage() || (!m_always && tensor.device() == m_device))
        return tensor;
    c10::Storage& copy = m_copies[tensor.storage().unsafeGetStorageImpl()];
    if (!copy) {
        const at::Tensor bytes = bytesOf(tensor.storage());
        copy = at::empty({bytes.numel()}, bytes.options().device(m_device)).copy_(bytes).storage();
    }
    at::Tensor out = at::empty({0}, tensor.options().device(m_device))
                         .set_(copy, tensor.storage_offset(), tensor.sizes(), tensor.strides());
    if (tensor.is_conj()) out._set_conj(true); // asks for a complex dtype either way
    if (tensor.is_neg()) out._set_neg(true);
    return out;
}

} // namespace dynascope::engine
