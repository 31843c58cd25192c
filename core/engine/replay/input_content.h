// SPDX-License-Identifier: BSD-3-Clause
//
// What the inputs of a graph held before it ran.
#pragma once

#include "core/engine/exec/interpreter.h"

#include <c10/core/Storage.h>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

namespace dynascope::engine {

/// Copies of the storages of inputs and constants, and their shapes. A storage that several share is one.
class InputContent {
public:
    /// `kept` lists positions of inputs that restore() leaves alone.
    InputContent(const std::vector<c10::IValue>& inputs, const Attributes& attributes,
                 const std::set<std::size_t>& kept);

    /// Finds what was written since, forgets the rest, and puts the content back, of kept inputs as well.
    void settle();
    void restoreAll() const;
    /// Position of an input that has another shape or storage by now.
    [[nodiscard]] std::optional<std::size_t> reshaped() const;
    /// Puts back what is not kept.
    void restore() const;
    /// One tensor of bytes over each storage that was written.
    [[nodiscard]] std::vector<at::Tensor> written() const;
    /// Positions of inputs with such a storage.
    [[nodiscard]] std::vector<std::uint32_t> writtenInputs() const;

private:
    struct Entry {
        c10::Storage storage;
        std::vector<std::uint8_t> content;
        std::vector<std::uint32_t> inputs;
        bool kept = false;
    };
    struct Shape {
        at::Tensor tensor;
        std::size_t input = 0;
        std::vector<std::int64_t> sizes, strides;
        std::int64_t offset = 0;
        c10::Storage storage;
        std::size_t bytes = 0;
    };
    using Known = std::unordered_map<const c10::StorageImpl*, std::size_t>;
    void add(Known& known, const at::Tensor& tensor, std::int64_t position, bool kept);
    static void putBack(const Entry& entry);

    std::vector<Entry> m_entries;
    std::vector<Shape> m_shapes;
};

} // namespace dynascope::engine
