// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/input_content.h"

#include "core/engine/replay/recorder.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/set.h>
#include <algorithm>
#include <cstring>

namespace dynascope::engine {

InputContent::InputContent(const std::vector<c10::IValue>& inputs, const Attributes& attributes,
                           const std::set<std::size_t>& kept) {
    Known known;
    for (std::size_t i = 0; i < inputs.size(); ++i)
        forEachTensor(inputs[i], [&](const at::Tensor& tensor) {
            add(known, tensor, static_cast<std::int64_t>(i), kept.contains(i));
            if (hasPlainMemory(tensor))
                m_shapes.push_back({tensor, i, tensor.sizes().vec(), tensor.strides().vec(),
                                    tensor.storage_offset(), tensor.storage(), tensor.storage().nbytes()});
        });
    for (const auto& [name, tensor] : attributes)
        add(known, tensor, -1, false);
}

void InputContent::add(Known& known, const at::Tensor& tensor, std::int64_t position, bool kept) {
    if (!hasPlainMemory(tensor)) return;
    const auto [place, isNew] = known.emplace(tensor.storage().unsafeGetStorageImpl(), m_entries.size());
    if (isNew) {
        const auto* bytes = static_cast<const std::uint8_t*>(tensor.storage().data());
        m_entries.push_back({tensor.storage(), {bytes, bytes + tensor.storage().nbytes()}, {}, false});
    }
    Entry& entry = m_entries[place->second];
    entry.kept |= kept;
    if (position >= 0) entry.inputs.push_back(static_cast<std::uint32_t>(position));
}

void InputContent::putBack(const Entry& entry) {
    if (!entry.content.empty())
        std::memcpy(entry.storage.mutable_data(), entry.content.data(), entry.content.size());
}

void InputContent::settle() {
    std::erase_if(m_entries, [](const Entry& entry) {
        return entry.storage.nbytes() != entry.content.size() ||
               std::equal(entry.content.begin(), entry.content.end(),
                          static_cast<const std::uint8_t*>(entry.storage.data()));
    });
    restoreAll();
}

void InputContent::restoreAll() const {
    std::for_each(m_entries.begin(), m_entries.end(), putBack);
}

std::optional<std::size_t> InputContent::reshaped() const {
    const auto found = std::find_if(m_shapes.begin(), m_shapes.end(), [](const Shape& shape) {
        return shape.tensor.sizes() != c10::IntArrayRef(shape.sizes) ||
               shape.tensor.strides() != c10::IntArrayRef(shape.strides) ||
               shape.tensor.storage_offset() != shape.offset ||
               shape.tensor.storage().unsafeGetStorageImpl() != shape.storage.unsafeGetStorageImpl() ||
               shape.storage.nbytes() != shape.bytes;
    });
    return found == m_shapes.end() ? std::nullopt : std::optional(found->input);
}

void InputContent::restore() const {
    for (const Entry& entry : m_entries)
        if (!entry.kept) putBack(entry);
}

std::vector<at::Tensor> InputContent::written() const {
    std::vector<at::Tensor> out;
    for (const Entry& entry : m_entries)
        out.push_back(at::empty({0}, at::kByte).set_(entry.storage, 0, {std::int64_t(entry.content.size())}));
    return out;
}

std::vector<std::uint32_t> InputContent::writtenInputs() const {
    std::vector<std::uint32_t> out;
    for (const Entry& entry : m_entries)
        out.insert(out.end(), entry.inputs.begin(), entry.inputs.end());
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace dynascope::engine
