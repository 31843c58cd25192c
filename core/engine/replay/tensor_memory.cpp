// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/tensor_memory.h"

#include <ATen/ops/copy.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/set.h>

namespace dynascope::engine {

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
    return at::empty({0}, tensor.options().device(m_device))
        .set_(copy, tensor.storage_offset(), tensor.sizes(), tensor.strides());
}

} // namespace dynascope::engine
