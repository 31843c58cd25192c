// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace dynascope::dynamo {

/// A vector whose copies share what they have in common: a copy costs a pointer for every `Chunk` elements, a
/// change one chunk. What keyframes of a long recording are made of. Not for use from several threads.
template <typename T, std::size_t Chunk = 128>
class SharedVector {
public:
    [[nodiscard]] std::size_t size() const { return m_size; }
    [[nodiscard]] bool empty() const { return m_size == 0; }
    [[nodiscard]] const T& operator[](std::size_t i) const { return (*m_chunks[i / Chunk])[i % Chunk]; }

    /// The element for a change; i < size().
    [[nodiscard]] T& edit(std::size_t i) { return own(i / Chunk)[i % Chunk]; }

    void push(T value) {
        if (m_size % Chunk == 0) {
            m_chunks.push_back(std::make_shared<std::vector<T>>());
            m_chunks.back()->reserve(Chunk);
        }
        own(m_size / Chunk).push_back(std::move(value));
        ++m_size;
    }
    void clear() {
        m_chunks.clear();
        m_size = 0;
    }

private:
    std::vector<T>& own(std::size_t chunk) {
        std::shared_ptr<std::vector<T>>& mine = m_chunks[chunk];
        if (mine.use_count() > 1) {
            auto copy = std::make_shared<std::vector<T>>();
            copy->reserve(Chunk);
            copy->assign(mine->begin(), mine->end());
            mine = std::move(copy);
        }
        return *mine;
    }

    std::vector<std::shared_ptr<std::vector<T>>> m_chunks;
    std::size_t m_size = 0;
};

} // namespace dynascope::dynamo
