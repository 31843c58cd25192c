// SPDX-License-Identifier: BSD-3-Clause
//
// Python tracebacks as text: `  File "cap.py", line 30, in f` and, below each, the code line.
#pragma once

#include "core/ir/node.h"

#include <string>
#include <string_view>

namespace dynascope::capture {

/// Every frame named in `text`, in order; other lines are skipped.
[[nodiscard]] ir::StackTrace parseTraceback(std::string_view text);

/// The exception that ends a printed traceback.
struct PythonError {
    std::string type;    ///< "TorchRuntimeError", without its module
    std::string message; ///< to the end of the paragraph
};
[[nodiscard]] PythonError parsePythonError(std::string_view traceback);

} // namespace dynascope::capture
