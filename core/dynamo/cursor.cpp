// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/cursor.h"

#include "core/base/words.h"
#include "core/dynamo/describe.h"

#include <algorithm>

namespace dynascope::dynamo {

namespace {

const FrameInfo& frameAt(const Recording& recording, StepIndex step) {
    return recording.frames()[recording.steps()[step].frame];
}

std::uint32_t lineAt(const Recording& recording, StepIndex step) {
    const Instruction* instruction = recording.instructionAt(step);
    return instruction ? instruction->line : 0;
}

/// The first step from `from` on, itself left out, that `good` accepts.
template <typename Good>
StepIndex find(const Recording& recording, StepIndex from, Direction direction, Good good) {
    const auto size = static_cast<StepIndex>(recording.steps().size());
    if (direction == Direction::Forward) {
        for (StepIndex i = from + 1; i < size; ++i)
            if (good(i)) return i;
    } else {
        for (StepIndex i = std::min(from, size); i-- > 0;)
            if (good(i)) return i;
    }
    return noStep;
}

/// Among steps that things came to be at, the nearest to `from`.
StepIndex nearest(std::vector<StepIndex> steps, StepIndex from, Direction direction) {
    std::sort(steps.begin(), steps.end());
    if (direction == Direction::Forward) {
        if (from == noStep) return steps.empty() ? noStep : steps.front();
        const auto after = std::upper_bound(steps.begin(), steps.end(), from);
        return after == steps.end() ? noStep : *after;
    }
    const auto before = std::lower_bound(steps.begin(), steps.end(), from);
    return before == steps.begin() ? noStep : *(before - 1);
}

bool sameFile(std::string_view path, std::string_view wanted) {
    return wanted.empty() || path == wanted ||
           (wanted.find('/') == std::string_view::npos && baseName(path) == wanted);
}

/// A condition that a run waits for, and its number.
struct Waiting {
    const Condition* condition;
    std::size_t number;
};

/// The next step at which one of them comes to hold, looking no further than `limit` where that is a step.
Result<Halt> runUntilAny(const Recording& recording, StepIndex from, const std::vector<Waiting>& conditions,
                         Direction direction, StepIndex limit, const TaskContext& task) {
    const auto size = static_cast<StepIndex>(recording.steps().size());
    std::vector<bool> before(conditions.size());
    /// Whether each holds; answers the number of one that did not before, or SIZE_MAX.
    const auto advance = [&](StepIndex step) {
        const State* state = recording.stateAt(step);
        std::size_t out = SIZE_MAX;
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            const bool now = state != nullptr && conditions[i].condition->holds(recording, *state, step);
            if (now && !before[i] && out == SIZE_MAX) out = conditions[i].number;
            before[i] = now;
        }
        return out;
    };
    // Replays go forward: back from a step, stretch by stretch, the last hit of each.
    constexpr StepIndex stretch = 4096;
    const auto search = [&](StepIndex first, StepIndex end) -> Result<Halt> {
        Halt found;
        std::fill(before.begin(), before.end(), false);
        if (first > 0 && frameAt(recording, first - 1).attempt == frameAt(recording, first).attempt)
            advance(first - 1);
        for (StepIndex i = first; i < end; ++i) {
            if (i % 256 == 0 && task.cancelled()) return cancellation();
            if (i > first && frameAt(recording, i - 1).attempt != frameAt(recording, i).attempt)
                std::fill(before.begin(), before.end(), false);
            const std::size_t hit = advance(i);
            if (hit == SIZE_MAX) continue;
            found = {i, hit};
            if (direction == Direction::Forward) return found;
        }
        return found;
    };
    if (direction == Direction::Forward) {
        const StepIndex end = limit == noStep ? size : std::min(size, limit);
        return from + 1 < end ? search(from + 1, end) : Result<Halt>(Halt{});
    }
    const StepIndex lowest = limit == noStep ? 0 : limit + 1;
    for (StepIndex end = std::min(from, size); end > lowest;) {
        const StepIndex first = end - lowest > stretch ? end - stretch : lowest;
        Result<Halt> found = search(first, end);
        if (!found || found->step != noStep) return found;
        end = first;
    }
    return Halt{};
}

/// As runToLine(), but only where the breakpoint's condition holds.
Result<StepIndex> runToLineIf(const Recording& recording, StepIndex from, const Breakpoint& breakpoint,
                              Direction direction, const TaskContext& task) {
    const LiveBreakpoint& where = breakpoint.where();
    for (StepIndex at = from;;) {
        at = runToLine(recording, at, where.file, where.line, direction);
        if (at == noStep || !breakpoint.condition()) return at;
        if (task.cancelled()) return cancellation();
        const State* state = recording.stateAt(at);
        if (state != nullptr && breakpoint.condition()->holds(recording, *state, at)) return at;
    }
}

} // namespace

StepIndex stepIn(const Recording& recording, StepIndex from, Direction direction) {
    return find(recording, from, direction, [](StepIndex) { return true; });
}

StepIndex stepOver(const Recording& recording, StepIndex from, Direction direction) {
    const FrameInfo& frame = frameAt(recording, from);
    return find(recording, from, direction, [&](StepIndex i) {
        const FrameInfo& other = frameAt(recording, i);
        return other.attempt != frame.attempt ? other.depth == 0 : other.depth <= frame.depth;
    });
}

StepIndex stepOut(const Recording& recording, StepIndex from, Direction direction) {
    const FrameInfo& frame = frameAt(recording, from);
    return find(recording, from, direction, [&](StepIndex i) {
        const FrameInfo& other = frameAt(recording, i);
        return other.attempt != frame.attempt ? other.depth == 0 : other.depth < frame.depth;
    });
}

StepIndex stepLine(const Recording& recording, StepIndex from, Direction direction) {
    const std::uint32_t frame = recording.steps()[from].frame;
    const std::uint32_t line = lineAt(recording, from);
    StepIndex at = stepOver(recording, from, direction);
    while (at != noStep && recording.steps()[at].frame == frame && lineAt(recording, at) == line)
        at = stepOver(recording, at, direction);
    return at;
}

StepIndex runTo(const Recording& recording, StepIndex from, Happening what, Direction direction) {
    return find(recording, from, direction, [&](StepIndex i) { return recording.steps()[i].has(what); });
}

StepIndex runToLine(const Recording& recording, StepIndex from, std::string_view file, std::uint32_t line,
                    Direction direction) {
    return find(recording, from, direction, [&](StepIndex i) {
        if (lineAt(recording, i) != line) return false;
        const FrameInfo& frame = frameAt(recording, i);
        if (!sameFile(recording.codeOf(frame).file, file)) return false;
        // Where the frame came from another line, or began.
        const std::uint32_t index = recording.steps()[i].frame;
        StepIndex before = i;
        while (before > frame.first && recording.steps()[--before].frame != index) {
        }
        return i == frame.first || lineAt(recording, before) != line;
    });
}

StepIndex runToInstruction(const Recording& recording, StepIndex from, std::uint32_t code,
                           std::uint32_t instruction, Direction direction) {
    return find(recording, from, direction, [&](StepIndex i) {
        return recording.steps()[i].instruction == instruction && frameAt(recording, i).code == code;
    });
}

StepIndex runToNode(const Recording& recording, StepIndex from, std::string_view name, Direction direction) {
    std::vector<StepIndex> steps;
    std::uint32_t attempt = UINT32_MAX;
    const State* last = nullptr;
    for (const Birth& birth : recording.nodeBirths()) {
        if (birth.step >= recording.steps().size()) continue;
        if (birth.attempt != attempt) last = recording.stateAfter(attempt = birth.attempt);
        if (last != nullptr && birth.id <= last->nodes.size() &&
            recording.text(last->nodes[birth.id - 1].name) == name)
            steps.push_back(birth.step);
    }
    return nearest(std::move(steps), from, direction);
}

StepIndex runToGuard(const Recording& recording, StepIndex from, std::string_view source,
                     Direction direction) {
    std::vector<StepIndex> steps;
    std::uint32_t attempt = UINT32_MAX;
    const State* last = nullptr;
    for (const Birth& birth : recording.guardBirths()) {
        if (birth.step >= recording.steps().size()) continue;
        if (birth.attempt != attempt) last = recording.stateAfter(attempt = birth.attempt);
        if (last != nullptr && birth.id <= last->guards.size() &&
            recording.text(last->guards[birth.id - 1].name) == source)
            steps.push_back(birth.step);
    }
    return nearest(std::move(steps), from, direction);
}

Result<StepIndex> runUntil(const Recording& recording, StepIndex from, const Condition& condition,
                           Direction direction, const TaskContext& task) {
    const std::vector<Waiting> one{{&condition, 0}};
    Result<Halt> found = runUntilAny(recording, from, one, direction, noStep, task);
    if (!found) return tl::unexpected(found.error());
    return found->step;
}

Result<Halt> runToBreakpoint(const Recording& recording, StepIndex from,
                             std::span<const Breakpoint> breakpoints, Direction direction,
                             const TaskContext& task) {
    Halt best;
    const auto nearer = [&](StepIndex step) {
        if (step == noStep) return false;
        return best.step == noStep || (direction == Direction::Forward ? step < best.step : step > best.step);
    };
    std::vector<Waiting> conditions;
    for (std::size_t i = 0; i < breakpoints.size(); ++i) {
        const LiveBreakpoint& where = breakpoints[i].where();
        StepIndex step = noStep;
        if (!where.on.empty()) {
            step = runTo(recording, from,
                         where.on == "exception" ? Happening::Exception : Happening::GraphBreak, direction);
        } else if (where.line > 0) {
            const Result<StepIndex> found = runToLineIf(recording, from, breakpoints[i], direction, task);
            if (!found) return tl::unexpected(found.error());
            step = *found;
        } else {
            conditions.push_back({breakpoints[i].condition(), i});
        }
        if (nearer(step)) best = {step, i};
    }
    if (conditions.empty()) return best;
    Result<Halt> found = runUntilAny(recording, from, conditions, direction, best.step, task);
    if (!found) return found;
    return nearer(found->step) ? *found : best;
}

} // namespace dynascope::dynamo
