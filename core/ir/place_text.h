// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/words.h"
#include "core/ir/node.h"

#include <string>

namespace dynascope::ir {

/// "cap.py:28"; without the line where that is 0, empty where no file is known.
[[nodiscard]] inline std::string placeText(const SourceLocation& at) {
    if (at.file.empty()) return {};
    return std::string(baseName(at.file)) + (at.line == 0 ? std::string() : ':' + std::to_string(at.line));
}

} // namespace dynascope::ir
