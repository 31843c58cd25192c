// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/what_if.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/dynamo/blocks.h"
#include "core/dynamo/cursor.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/graph_window.h"
#include "core/dynamo/recorded_breaks.h"
#include "core/session/break_reasons.h"

#include <algorithm>
#include <set>

namespace dynascope::dynamo {

namespace {

constexpr std::size_t mostLines = 30; ///< of a graph

/// Nodes of the outermost graph that were made from `begin` on and before `end`.
std::vector<std::uint32_t> nodesMade(const State& state, StepIndex begin, StepIndex end) {
    std::vector<std::uint32_t> out;
    if (state.graphs.empty()) return out;
    std::uint32_t id = state.graphs.front().first;
    // The list is a chain; its length bounds the walk whatever the file says.
    for (std::size_t left = state.nodes.size(); id != 0 && id <= state.nodes.size() && left > 0; --left) {
        const NodeState& node = state.nodes[id - 1];
        const StepIndex made = node.step == noStep ? 0 : node.step;
        if (made >= begin && made < end) out.push_back(id);
        id = node.after;
    }
    return out;
}

std::string instructionText(const Recording& recording, StepIndex step) {
    const Instruction* instruction = recording.instructionAt(step);
    if (instruction == nullptr) return "an instruction that was not recorded";
    std::string out = std::to_string(instruction->offset) + ' ' + std::string(instruction->op);
    if (!instruction->text.empty()) out += ' ' + std::string(instruction->text);
    return out;
}

std::string placeText(const Recording& recording, StepIndex step) {
    return "step " + std::to_string(step) + ", " + instructionText(recording, step);
}

class Teller {
public:
    Teller(const Recording& recording, const State& end)
        : m_recording(recording)
        , m_end(end) {}

    void nodes(const std::vector<std::uint32_t>& ids) {
        const std::span<const std::uint32_t> all(ids);
        for (const GraphLine& line :
             graphLines(m_recording, m_end, all.first(std::min(all.size(), mostLines))))
            out += "  " + line.text + '\n';
        if (all.size() > mostLines) out += "      and " + std::to_string(all.size() - mostLines) + " more\n";
    }

    void inputs(const State& state, const std::vector<Handover::Input>& inputs) {
        for (const Handover::Input& input : inputs) {
            out += "    " + input.name + " = " + valueText(m_recording, state, input.value);
            if (const std::uint64_t bytes = bytesOf(state, input)) out += ", " + count(bytes, "byte");
            out += '\n';
        }
    }

    [[nodiscard]] std::uint64_t bytesOf(const State& state, const Handover::Input& input) const {
        return tensorBytes(m_recording, state, unwrapped(m_recording, state, input.value));
    }

    [[nodiscard]] std::string names(const std::vector<std::uint32_t>& ids) const {
        std::vector<std::string> words;
        for (const std::uint32_t id : ids)
            words.emplace_back(m_recording.text(m_end.nodes[id - 1].name));
        return joined(words, ", ");
    }

    std::string out;

private:
    const Recording& m_recording;
    const State& m_end;
};

} // namespace

BrokenGraph breakGraphAt(const Recording& recording, StepIndex step, const State& state) {
    BrokenGraph out;
    out.at = step;
    out.resumesAt = step;
    out.hindrance = breakHindrance(recording, state);
    const std::vector<const FrameState*> frames = callStack(state);
    if (frames.empty()) return out;
    const FrameState& root = *frames.back();
    out.inlined = frames.size() > 1;
    if (!out.inlined) {
        out.handover = handoverAt(recording, state, root, recording.steps()[step].instruction);
    } else {
        out.at = root.step;
        out.resumesAt = out.at == noStep ? noStep : stepOver(recording, out.at, Direction::Forward);
    }
    const std::uint32_t attempt = recording.frames()[recording.steps()[step].frame].attempt;
    const auto inAttempt = [&](StepIndex at) {
        return at < recording.steps().size() &&
               recording.frames()[recording.steps()[at].frame].attempt == attempt;
    };
    // The call may never have come back in this attempt.
    if (out.inlined && (!inAttempt(out.resumesAt) ||
                        recording.steps()[out.resumesAt].frame != recording.steps()[out.at].frame))
        out.resumesAt = noStep;
    if (out.inlined && out.resumesAt != noStep)
        if (const State* after = recording.stateAt(out.resumesAt))
            if (const std::vector<const FrameState*> now = callStack(*after); !now.empty())
                out.handover =
                    handoverAt(recording, *after, *now.back(), recording.steps()[out.resumesAt].instruction);
    out.ends = endOfGraph(recording, step);
    const State* end = recording.stateAfter(attempt);
    if (end == nullptr) return out;
    out.first = nodesMade(*end, 0, out.at);
    if (out.inlined) out.called = nodesMade(*end, out.at, out.resumesAt);
    if (out.resumesAt != noStep) out.second = nodesMade(*end, out.resumesAt, noStep);
    std::set<std::uint32_t> earlier(out.first.begin(), out.first.end());
    earlier.insert(out.called.begin(), out.called.end());
    std::set<std::uint32_t> taken;
    for (const std::uint32_t id : out.second)
        for (const std::uint32_t input : recording.nodeInputs(*end, id))
            if (earlier.find(input) != earlier.end() && taken.insert(input).second)
                out.taken.push_back(input);
    return out;
}

std::string graphBreakText(const Recording& recording, StepIndex step, const State& state) {
    const BrokenGraph broken = breakGraphAt(recording, step, state);
    const std::uint32_t attempt = recording.frames()[recording.steps()[step].frame].attempt;
    State handed = state;
    if (broken.inlined && broken.resumesAt != noStep)
        if (const State* after = recording.stateAt(broken.resumesAt)) handed = *after;
    const State* end = recording.stateAfter(attempt);
    if (end == nullptr) return "what comes after this step cannot be read";
    Teller teller(recording, *end);
    teller.out = "what if comptime.graph_break() stood here, before " + placeText(recording, step) + ":\n";
    if (broken.inlined)
        teller.out += "here is a function that was inlined: the call of " + placeText(recording, broken.at) +
                      ", would break as a whole\n";
    if (!broken.hindrance.empty()) teller.out += "it could not be resumed: " + broken.hindrance + '\n';
    teller.out += "graph 1, " + count(broken.first.size(), "node") + '\n';
    teller.nodes(broken.first);
    if (broken.inlined) {
        teller.out += "the function would be called as it is and compiled as a frame of its own, " +
                      count(broken.called.size(), "node") + '\n';
        teller.nodes(broken.called);
    }
    if (broken.resumesAt == noStep) {
        teller.out += "what comes after the call was not recorded in this attempt\n";
        return teller.out;
    }
    std::uint64_t bytes = 0;
    for (const Handover::Input& input : broken.handover.inputs)
        bytes += teller.bytesOf(handed, input);
    teller.out += "the resume function would be handed " + count(broken.handover.inputs.size(), "value");
    if (bytes > 0) teller.out += ", " + count(bytes, "byte") + " of tensors";
    teller.out += '\n';
    teller.inputs(handed, broken.handover.inputs);
    if (!broken.handover.cells.empty()) {
        teller.out += "and reach through its closure\n";
        teller.inputs(handed, broken.handover.cells);
    }
    if (!broken.handover.dropped.empty())
        teller.out += "not " + joined(broken.handover.dropped, ", ") + ", which nothing reads any more\n";
    teller.out += "graph 2 from " + placeText(recording, broken.resumesAt) + " on, " +
                  count(broken.second.size(), "node");
    if (!broken.taken.empty()) teller.out += ", with " + teller.names(broken.taken) + " as inputs";
    teller.out += '\n';
    teller.nodes(broken.second);
    if (broken.ends == noStep) return teller.out + "its end was not recorded\n";
    const EventInfo* told = endToldAt(recording, broken.ends);
    if (told == nullptr || (told->tag == Tag::GraphEnd && !told->graphBreak))
        return teller.out + "it ends whole at " + placeText(recording, broken.ends) + '\n';
    return teller.out + "it breaks again at " + placeText(recording, broken.ends) + ": " +
           session::shortReason(breakOf(*told)) + '\n';
}

} // namespace dynascope::dynamo
