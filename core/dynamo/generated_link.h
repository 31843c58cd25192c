// SPDX-License-Identifier: BSD-3-Clause
//
// What became of a frame's instructions in the bytecode that Dynamo generated: side by side, with what is
// known to belong together.
#pragma once

#include "core/dynamo/generated_code.h"

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace dynascope::dynamo {

/// Instructions are indices: of the original code, and of the generated lines.
struct GeneratedLink {
    static constexpr std::uint32_t none = UINT32_MAX;

    std::uint32_t code = 0;             ///< Recording::code() of the original; 0 where it is not known
    std::vector<BytecodeLine> original; ///< empty where it was not recorded
    /// Of a frame that was compiled: the instruction at which its graph ends; none where nothing is known.
    std::uint32_t end = none;
    bool breaks = false;                   ///< the graph ends there by a break
    std::vector<std::uint32_t> originalOf; ///< by generated line: the instruction that it still is, or none
    /// Rows of both: those that belong together in one row, what stands between them side by side. Indices of
    /// an original instruction and of a generated line; -1 for none.
    std::vector<std::array<int, 2>> rows;

    /// The original instructions that a generated line stands for: itself where it is one, else all that were
    /// traced into the graph, or all that the resume function has to carry out. First and end; equal for
    /// none.
    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> standsFor(const GeneratedBytecode& code,
                                                                    std::uint32_t line) const;
    /// The generated lines that an original instruction became, likewise.
    [[nodiscard]] std::vector<std::uint32_t> became(const GeneratedBytecode& code,
                                                    std::uint32_t instruction) const;
};

/// The code that a generated one was made of; where the recording does not say, that of the frame which its
/// compile converted. 0 for none.
[[nodiscard]] std::uint32_t originalOf(const Recording& recording, const GeneratedBytecode& code);
[[nodiscard]] GeneratedLink linkGenerated(const Recording& recording, const GeneratedBytecode& code);

} // namespace dynascope::dynamo
