// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/coverage.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace dynascope::dynamo {

StepCoverage::StepCoverage(const Recording& recording, std::uint32_t attempt) {
    const AttemptInfo& info = recording.attempts()[attempt];
    if (info.first == noStep) return;
    // A million steps go through a few thousand instructions: count in arrays, then sort.
    std::unordered_map<std::uint32_t, std::vector<StepIndex>> firsts;
    std::uint32_t current = UINT32_MAX;
    std::vector<StepIndex>* of = nullptr;
    for (StepIndex step = info.first; step <= info.last; ++step) {
        const StepInfo& at = recording.steps()[step];
        const FrameInfo& frame = recording.frames()[at.frame];
        if (frame.attempt != attempt) continue;
        if (frame.code != current) {
            const Code* code = recording.code(frame.code);
            current = frame.code;
            of = code ? &firsts[frame.code] : nullptr;
            if (of) of->resize(code->instructions.size(), noStep);
        }
        if (of && at.instruction < of->size() && (*of)[at.instruction] == noStep)
            (*of)[at.instruction] = step;
    }
    for (const auto& [id, steps] : firsts) {
        const Code& code = *recording.code(id);
        for (std::uint32_t i = 0; i < steps.size(); ++i) {
            if (steps[i] == noStep) continue;
            m_instructions[id].emplace(i, steps[i]);
            if (const std::uint32_t line = code.instructions[i].line; line > 0) {
                const auto [first, isNew] = m_lines[code.file].emplace(line, steps[i]);
                if (!isNew) first->second = std::min(first->second, steps[i]);
            }
        }
    }
}

const StepCoverage::Firsts& StepCoverage::lines(std::string_view file) const {
    const auto found = m_lines.find(file);
    return found == m_lines.end() ? m_none : found->second;
}

const StepCoverage::Firsts& StepCoverage::instructions(std::uint32_t code) const {
    const auto found = m_instructions.find(code);
    return found == m_instructions.end() ? m_none : found->second;
}

} // namespace dynascope::dynamo
