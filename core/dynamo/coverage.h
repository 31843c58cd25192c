// SPDX-License-Identifier: BSD-3-Clause
//
// When an attempt first came to each line and each instruction.
#pragma once

#include "core/dynamo/recording.h"

#include <map>
#include <string_view>
#include <utility>

namespace dynascope::dynamo {

/// Made once an attempt; asking costs what the answer holds.
class StepCoverage {
public:
    StepCoverage() = default;
    StepCoverage(const Recording& recording, std::uint32_t attempt);

    using Firsts = std::map<std::uint32_t, StepIndex>;
    /// First step by line of a file.
    [[nodiscard]] const Firsts& lines(std::string_view file) const;
    /// First step by instruction of a code object.
    [[nodiscard]] const Firsts& instructions(std::uint32_t code) const;

private:
    std::map<std::string_view, Firsts> m_lines; ///< views into the recording's code
    std::map<std::uint32_t, Firsts> m_instructions;
    Firsts m_none;
};

} // namespace dynascope::dynamo
