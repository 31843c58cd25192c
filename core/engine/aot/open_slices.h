// SPDX-License-Identifier: BSD-3-Clause
//
// x[:, i] where PyTorch knows the first size as a symbol only. At a number the slice of a whole dimension is
// left out; at a symbol it is left out only where its length is known to be at most the slice's end, which
// PyTorch cannot tell of a symbol without an upper bound (at::indexing::impl::applySlice asks
// TORCH_STATICALLY_KNOWN_TRUE of it).
#pragma once

#include "core/engine/exec/program.h"

#include <set>
#include <string>

namespace dynascope::engine {

/// Names of symbols without an upper bound, such as "s0".
using UnboundedSymbols = std::set<std::string, std::less<>>;

/// The program with operator.getitem and operator.setitem as PyTorch traces them at such symbols: of a tensor
/// whose sizes (in the graph's own text) hold one, slices that PyTorch would keep are kept. Graphs within the
/// graph stay as they are.
[[nodiscard]] Program withOpenSlices(const Program& program, const UnboundedSymbols& unbounded);

} // namespace dynascope::engine
