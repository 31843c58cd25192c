// SPDX-License-Identifier: BSD-3-Clause
//
// Node names as torch.fx gives them (torch/fx/graph.py, _Namespace.create_name): given once, never given
// again.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace dynascope::passes {

/// The names of one graph in the making. Not thread-safe.
class FxNames {
public:
    /// A free name close to `candidate`: "add", then "add_1", ...; "slice_1" at once, because slice is a
    /// Python builtin.
    [[nodiscard]] std::string create(std::string_view candidate);

private:
    static constexpr int unused = -1;
    using Counts = std::unordered_map<std::string, int>;
    /// What a candidate comes to: graphs ask for few names many times.
    struct Candidate {
        std::string name; ///< as an identifier
        int suffix = 0;
        bool hasSuffix = false, isReserved = false;
        Counts::value_type* base = nullptr; ///< in m_count
    };
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };

    Candidate parse(std::string_view candidate);

    Counts m_count; ///< highest suffix given, by base; `unused` where none was
    std::unordered_map<std::string, Candidate, Hash, std::equal_to<>> m_candidates;
    std::unordered_set<std::string> m_used;
};

} // namespace dynascope::passes
