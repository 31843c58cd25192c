// SPDX-License-Identifier: BSD-3-Clause
//
// Node names as torch.fx gives them (torch/fx/graph.py, _Namespace.create_name): given once, never given
// again.
#pragma once

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
    std::unordered_map<std::string, int> m_count; ///< highest suffix given, by base
    std::unordered_set<std::string> m_used;
};

} // namespace dynascope::passes
