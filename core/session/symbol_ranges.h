// SPDX-License-Identifier: BSD-3-Clause
//
// What guards say of the sizes that symbols stand for, as PyTorch's ShapeEnv learns it (_refine_ranges in
// torch/fx/experimental/symbolic_shapes.py): guard by guard, from what is known when a guard is added.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::session {

/// The ranges of one compile's symbols. A value; not thread-safe.
class SymbolRanges {
public:
    struct Range {
        double lower = -std::numeric_limits<double>::infinity();
        double upper = std::numeric_limits<double>::infinity();
        friend bool operator==(const Range&, const Range&) = default;
    };

    /// A symbol comes in, or comes anew. `range` is as PyTorch prints it, "[2, int_oo]", in older releases
    /// "[2, oo]"; what cannot be read is no bound.
    void create(const std::string& symbol, std::string_view range);
    /// Takes a guard as it is printed: "s0 < s1", "2*s77 + 3 <= s17", "Eq(s0, s1 + 1)". Gives the symbols
    /// that it alone keeps from being unbounded above. A guard that PyTorch does not solve for a symbol, or
    /// that cannot be read, says nothing. Linear in the guard, but for how many symbols it has.
    std::vector<std::string> add(std::string_view guard);
    /// Without bounds where the symbol is not known.
    [[nodiscard]] Range of(std::string_view symbol) const;

private:
    std::map<std::string, Range, std::less<>> m_ranges;
};

} // namespace dynascope::session
