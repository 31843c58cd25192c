// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/session/memory_snapshot.h"

#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace dynascope::session {

/// Sums blocks by the innermost line of the user's own code. The snapshot must outlive it.
class MemoryGroups {
public:
    explicit MemoryGroups(const MemorySnapshot& snapshot)
        : m_snapshot(snapshot) {}

    /// Returns the number of its line, in the order of first addition.
    std::size_t add(StackIndex stack, std::uint64_t bytes);
    /// Largest first. `placeOf` gets where each line number ended up.
    [[nodiscard]] std::vector<MemoryGroup> finish(std::vector<std::size_t>* placeOf = nullptr) &&;

private:
    std::size_t groupOf(StackIndex stack);

    const MemorySnapshot& m_snapshot;
    std::vector<MemoryGroup> m_groups;
    std::vector<std::uint64_t> m_largest; ///< block of each group
    std::unordered_map<StackIndex, std::size_t> m_ofStack;
    std::map<std::tuple<std::string_view, std::uint32_t, std::string_view>, std::size_t> m_ofLine;
};

} // namespace dynascope::session
