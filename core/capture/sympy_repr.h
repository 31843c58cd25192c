// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace dynascope::capture {

/// The usual spelling of a SymPy expression given as srepr() writes it, which is how torch.export stores
/// sizes: "2*s17 + 1" for "Add(Mul(Integer(2), Symbol('s17', positive=True, integer=True)), Integer(1))".
/// Text of another form comes back as it is; nothing is evaluated.
[[nodiscard]] std::string spellSympy(std::string_view repr);

} // namespace dynascope::capture
