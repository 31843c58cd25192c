// SPDX-License-Identifier: BSD-3-Clause
//
// Where PyTorch's functionalization is known to part from eager: what in a program and its inputs can cause
// it.
#pragma once

#include "core/engine/exec/interpreter.h"

#include <string>
#include <vector>

namespace dynascope::engine {

/// One sentence for each known cause that this program on these inputs has. Empty for a program that
/// functionalization gets right; a cause that is named need not have an effect.
[[nodiscard]] std::vector<std::string>
knownDeviations(const Program& program, const std::vector<c10::IValue>& inputs, bool viewsRemoved);

/// The same of what AOTAutograd traces: its layers take care of inputs that share memory with others or
/// change their geometry.
[[nodiscard]] std::vector<std::string> knownLayoutDeviations(const Program& program,
                                                             const std::vector<c10::IValue>& inputs);

} // namespace dynascope::engine
