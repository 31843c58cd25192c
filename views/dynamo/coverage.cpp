// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/coverage.h"

namespace dynascope::views {

StepCoverage::StepCoverage(const dynamo::Recording& recording, std::uint32_t attempt) {
    const dynamo::AttemptInfo& info = recording.attempts()[attempt];
    if (info.first == dynamo::noStep) return;
    for (dynamo::StepIndex step = info.first; step <= info.last; ++step) {
        const dynamo::StepInfo& at = recording.steps()[step];
        const dynamo::FrameInfo& frame = recording.frames()[at.frame];
        const dynamo::Code* code = recording.code(frame.code);
        if (!code || frame.attempt != attempt) continue;
        m_instructions[frame.code].emplace(at.instruction, step);
        if (const dynamo::Instruction* instruction = recording.instructionAt(step);
            instruction && instruction->line > 0)
            m_lines[code->file].emplace(instruction->line, step);
    }
}

const StepCoverage::Firsts& StepCoverage::lines(std::string_view file) const {
    const auto at = m_lines.find(file);
    return at == m_lines.end() ? m_none : at->second;
}

const StepCoverage::Firsts& StepCoverage::instructions(std::uint32_t code) const {
    const auto at = m_instructions.find(code);
    return at == m_instructions.end() ? m_none : at->second;
}

} // namespace dynascope::views
