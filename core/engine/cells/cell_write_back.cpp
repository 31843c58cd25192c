// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/cells/cell_write_back.h"

#include <algorithm>

namespace dynascope::engine {

using at::Tensor;

std::vector<Tensor> CellWriteBack::run() {
    writeData();
    moveInputs();
    return std::move(m_leading);
}

WriteBack& CellWriteBack::backOf(const CellInput& input) {
    const auto found = std::find_if(m_out.begin(), m_out.end(),
                                    [&](const WriteBack& back) { return back.input == input.position; });
    if (found != m_out.end()) return *found;
    WriteBack back;
    back.input = input.position;
    back.name = input.name;
    return m_out.emplace_back(std::move(back));
}

template <typename Fn>
void CellWriteBack::apply(WriteBack& back, const char* how, const Fn& fn) {
    back.how.emplace_back(how);
    if (m_by != WriteBackBy::Graph) return;
    (void)m_store.emit(Emission::WriteBack, fn);
    back.nodes.push_back(static_cast<std::int32_t>(m_tape.size()) - 1);
}

void CellWriteBack::lead(WriteBack& back, const Tensor& value) {
    if (m_by != WriteBackBy::Caller) return;
    back.output = static_cast<std::int32_t>(m_leading.size());
    m_leading.push_back(value);
}

/// The content of each storage that inputs lie in, once, through the first of them.
void CellWriteBack::writeData() {
    std::vector<bool> done(m_store.size(), false);
    for (const CellInput& input : m_inputs) {
        CellStorage& storage = m_store.storage(input.storageAtStart);
        if (storage.generation == 0 || done[storage.number]) continue;
        done[storage.number] = true;
        WriteBack& back = backOf(input);
        const bool grown = storage.cells > cellsOf(input.traced.storage(), storage.dtype);
        if (grown) {
            back.size = {storage.cells};
            back.stride = {1};
            apply(back, "resize_", [&] { return input.placeholder.resize_({storage.cells}); });
        }
        const bool whole = grown || !storage.isCoveredBy(input.atStart);
        const Tensor value = whole ? m_store.flat(storage, Emission::WriteBack)
                                   : m_store.look(storage, input.atStart, Emission::WriteBack);
        back.bytes = value.nbytes();
        back.wholeStorage = whole;
        for (const CellInput& other : m_inputs)
            if (&other != &input && other.storageAtStart == input.storageAtStart)
                back.sharedWith.push_back(other.name);
        apply(back, "copy_", [&] {
            const Tensor target =
                whole ? input.placeholder.as_strided({storage.cells}, {1}, 0) : input.placeholder;
            return target.copy_(value);
        });
        lead(back, value);
    }
}

/// Inputs that lie elsewhere after the call.
void CellWriteBack::moveInputs() {
    std::vector<std::pair<const CellInput*, Tensor>> sources;
    for (const CellInput& input : m_inputs) {
        const Tensor& eager = input.eager;
        const bool moved = m_store.numberOf(eager) != input.storageAtStart;
        if (!moved && Geometry(eager) == input.atStart) continue;
        if (moved) {
            sources.emplace_back(&input, sourceFor(eager));
            continue;
        }
        WriteBack& back = backOf(input);
        back.size = eager.sizes().vec();
        back.stride = eager.strides().vec();
        back.offset = eager.storage_offset();
        apply(back, "as_strided_",
              [&] { return input.placeholder.as_strided_(back.size, back.stride, back.offset); });
    }
    for (const auto& [input, source] : sources) {
        WriteBack& back = backOf(*input);
        TORCH_CHECK(back.how.empty() || m_by == WriteBackBy::Graph, "input '", back.name,
                    "' is written and then moved to another storage, which only the graph itself can do");
        const Tensor &placeholder = input->placeholder, &target = source;
        apply(back, "set_", [&] { return placeholder.set_(target); });
        lead(back, source);
    }
}

/// A tensor that lies where an input shall lie: in another input's storage, or a new one.
Tensor CellWriteBack::sourceFor(const Tensor& eager) {
    const CellStorage& storage = m_store.storage(m_store.numberOf(eager));
    if (!storage.input.defined()) return m_store.read(eager);
    return m_store.emit(Emission::WriteBack, [&] {
        return storage.input.as_strided(eager.sizes(), eager.strides(), eager.storage_offset());
    });
}

} // namespace dynascope::engine
