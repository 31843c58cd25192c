// SPDX-License-Identifier: BSD-3-Clause
//
// What a graph break hands to the rest of the function: the value stack, and the locals that are read again.
//
// Source: livevars_analysis of torch/_dynamo/bytecode_analysis.py, create_resume of
// torch/_dynamo/symbolic_convert.py, PyTorch 2.13.
#pragma once

#include "core/dynamo/recording.h"

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

/// Names that are read, or deleted, at `instruction` or after it, as Dynamo judges: a write hides a later
/// read where no jump lies between. The names are owned by the code.
[[nodiscard]] std::set<std::string_view> liveNames(const Code& code, std::uint32_t instruction);

struct Handover {
    struct Input {
        std::string name; ///< "___stack0", or the local's
        ValueId value = 0;
    };
    std::vector<Input> inputs;        ///< the stack from its bottom, then locals in their order
    std::vector<Input> cells;         ///< which the resume function reaches through its closure
    std::vector<std::string> dropped; ///< locals that nothing reads any more
};

/// What a resume function is handed that begins at `instruction` with the stack and locals that the frame has
/// at this state. NULLs on the stack are not handed over, but made anew.
[[nodiscard]] Handover handoverAt(const Recording& recording, const State& state, const FrameState& frame,
                                  std::uint32_t instruction);

} // namespace dynascope::dynamo
