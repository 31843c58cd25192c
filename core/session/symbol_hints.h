// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/ir/symbol_value.h"
#include "core/session/session.h"

#include <string>
#include <vector>

namespace dynascope::session {

/// The values that a compile's symbols had when it was compiled, as far as they are whole numbers.
[[nodiscard]] ir::SymbolValues symbolHints(const Compile& compile);

/// Names of the compile's symbols whose range, as PyTorch recorded it when it made them, has no upper bound,
/// and that no guard gave one (symbol_ranges.h).
[[nodiscard]] std::vector<std::string> unboundedSymbols(const Compile& compile);

/// "s0 became 12 at cap.py:4 (range_refined_to_singleton)"; empty where it stayed symbolic.
[[nodiscard]] std::string specialisation(const SymbolInfo& symbol);

} // namespace dynascope::session
