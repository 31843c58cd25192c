// SPDX-License-Identifier: BSD-3-Clause
//
// What commands about recordings of passes begin with.
#pragma once

#include "core/base/result.h"
#include "core/inductor/compile_passes.h"
#include "core/ir/symbol_value.h"

#include <string>
#include <vector>

namespace dynascope::cli {

/// A compile that a recording of passes holds.
struct RecordedCompile {
    std::string name;  ///< "0/0"
    std::string title; ///< a line: its name and function
    inductor::CompilePasses passes;
    ir::SymbolValues hints; ///< of its symbols, as the trace has them
};

/// Those of a capture that somebody means by `frame`, see matchesFrame(). An Error where it cannot be opened, or has
/// no recording of passes: then it says how to make one.
[[nodiscard]] Result<std::vector<RecordedCompile>> recordedCompiles(const std::string& path,
                                                                    const std::string& frame);

/// "joint", "post_grad, forward": what ran over which graph.
[[nodiscard]] std::string phaseName(const inductor::PassPhase& phase);

} // namespace dynascope::cli
