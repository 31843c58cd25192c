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
#include <vector>

namespace dynascope::passes {

/// The names of one graph in the making. Not thread-safe.
class FxNames {
public:
    /// A free name close to `candidate`: "add", then "add_1", ...; "slice_1" at once, because slice is a
    /// Python builtin.
    [[nodiscard]] std::string create(std::string_view candidate);

private:
    static constexpr int unused = -1;
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
    };
    template <typename Value>
    using ByName = std::unordered_map<std::string, Value, Hash, std::equal_to<>>;

    /// What was given of "add", "add_1", ...: numbers instead of names, since graphs have thousands of them.
    struct Family {
        std::string base;
        int count = unused;                  ///< the highest number, as FX counts it
        bool plain = false;                  ///< the base itself was given
        std::vector<bool> given;             ///< by number
        std::unordered_set<int> givenBeyond; ///< numbers too large for `given`

        /// Takes "base_number"; false where it was taken before.
        bool take(int number);
    };
    /// What a candidate comes to: graphs ask for few names many times.
    struct Candidate {
        std::string name;       ///< as an identifier
        std::size_t family = 0; ///< in m_families
        int suffix = 0;
        bool hasSuffix = false;
        bool isOdd = false; ///< "x_007": not how the family spells its numbers
        bool isReserved = false;
    };

    Candidate parse(std::string_view candidate);
    /// Takes the candidate's own name; false where it was taken before.
    bool take(const Candidate& candidate);

    std::vector<Family> m_families;
    ByName<std::size_t> m_familyOf; ///< by base
    ByName<Candidate> m_candidates;
    std::unordered_set<std::string> m_odd; ///< given ones that no family counts
};

} // namespace dynascope::passes
