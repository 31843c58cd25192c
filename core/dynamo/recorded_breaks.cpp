// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/recorded_breaks.h"

#include "core/base/text.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/handover.h"
#include "core/session/break_reasons.h"
#include "core/torch_text/graph_break.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

namespace dynascope::dynamo {

namespace {

constexpr std::uint64_t mostBytes = std::uint64_t{1} << 50U; ///< of one tensor; more is nonsense

/// "f32", "bf16", "c64", "b8": the number says the bits.
std::uint64_t itemBytes(std::string_view dtype) {
    const std::size_t digit = dtype.find_first_of("0123456789");
    std::uint64_t bits = 0;
    if (digit != std::string_view::npos)
        std::from_chars(dtype.data() + digit, dtype.data() + dtype.size(), bits);
    return bits <= 128 ? bits / 8 : 0;
}

/// A number, or a symbol's hint; nothing for anything else.
std::optional<std::uint64_t> extent(const Recording& recording, const State& state, std::string_view text) {
    std::uint64_t out = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
    if (error == std::errc() && end == text.data() + text.size()) return out;
    for (const SymbolState& symbol : state.symbols) {
        if (recording.text(symbol.name) != text) continue;
        const std::string_view hint = recording.text(symbol.hint);
        if (std::from_chars(hint.data(), hint.data() + hint.size(), out).ec == std::errc()) return out;
    }
    return std::nullopt;
}

void readCost(const Recording& recording, RecordedBreak::Occurrence& out) {
    const State* state = recording.stateAt(out.step);
    if (state == nullptr) return;
    const GraphState* graph = state->graphs.empty() ? nullptr : &state->graphs.front();
    out.nodes = graph != nullptr ? graph->nodes : 0;
    const std::vector<const FrameState*> frames = callStack(*state);
    if (frames.empty()) return;
    const FrameState& root =
        *frames.back(); // a break in an inlined call is one of the frame that is compiled
    std::set<ValueId> counted;
    const auto count = [&](ValueId id) {
        const ValueInfo value = unwrapped(recording, *state, id);
        if (value.id != 0 && counted.insert(value.id).second)
            out.bytes += tensorBytes(recording, *state, value);
    };
    for (const ValueId value : root.stack)
        count(value);
    // What the broken instruction is called with is on the stack; locals are those that are read after it.
    const Handover handed = handoverAt(recording, *state, root, root.instruction + 1);
    for (const Handover::Input& input : handed.inputs)
        count(input.value);
    for (const Handover::Input& cell : handed.cells)
        count(cellContents(recording, *state, cell.value));
}

} // namespace

std::uint64_t tensorBytes(const Recording& recording, const State& state, const ValueInfo& value) {
    std::string_view shape = value.text("shape");
    if (shape.size() < 2 || shape.front() != '[') return 0;
    shape = shape.substr(1, shape.size() - 2);
    std::uint64_t out = itemBytes(value.text("dtype"));
    while (!shape.empty()) {
        const std::size_t comma = std::min(shape.find(','), shape.size());
        const auto size = extent(recording, state, trimmed(shape.substr(0, comma)));
        if (!size || (*size > 0 && out > mostBytes / *size)) return 0;
        out *= *size;
        shape.remove_prefix(std::min(comma + 1, shape.size()));
    }
    return out;
}

bool endsFrame(const Recording& recording, const EventInfo& event) {
    if (event.tag != Tag::Raised || event.handled || event.attempt >= recording.attempts().size())
        return false;
    return event.latest == recording.attempts()[event.attempt].last;
}

const EventInfo* endToldAt(const Recording& recording, StepIndex step) {
    const EventInfo* out = nullptr;
    for (const std::uint32_t index : recording.eventsAt(step)) {
        const EventInfo& event = recording.events()[index];
        if (event.tag != Tag::Break && event.tag != Tag::GraphEnd && !endsFrame(recording, event)) continue;
        if (out == nullptr || (event.tag == Tag::Break && out->tag != Tag::Break)) out = &event;
    }
    return out;
}

StepIndex endOfGraph(const Recording& recording, StepIndex step) {
    const auto attemptOf = [&](StepIndex at) {
        return recording.frames()[recording.steps()[at].frame].attempt;
    };
    const std::uint32_t attempt = attemptOf(step);
    for (const std::uint32_t index : recording.eventsFrom(step)) {
        const StepIndex at = recording.events()[index].step;
        if (at > recording.attempts()[attempt].last) break;
        if (attemptOf(at) == attempt && endToldAt(recording, at) != nullptr) return at;
    }
    return noStep;
}

session::GraphBreak breakOf(const EventInfo& event) {
    session::GraphBreak out = capture::parseGraphBreak(event.text);
    if (!event.gbType.empty() && out.explanation.empty()) out.title = event.gbType;
    out.userStack.clear();
    for (const StackEntry& entry : event.stack)
        out.userStack.push_back({entry.file, entry.line, entry.name, {}});
    capture::dropComptime(out.userStack);
    return out;
}

Result<std::vector<RecordedBreak>> recordedBreaks(const Recording& recording, const TaskContext& task) {
    /// Of each attempt, by its index, one that stands for its compile.
    const auto compileOf = [&](std::uint32_t attempt) {
        const AttemptInfo& info = recording.attempts()[attempt];
        return std::pair(info.compile,
                         info.compile == UINT32_MAX ? std::string_view(info.compileId) : std::string_view());
    };
    std::map<std::pair<std::uint32_t, std::string_view>, std::uint32_t> last;
    for (std::uint32_t i = 0; i < recording.attempts().size(); ++i)
        last[compileOf(i)] = i;
    std::map<std::tuple<std::string, std::string, std::uint32_t, bool>, std::size_t> known;
    std::set<std::pair<std::size_t, std::pair<std::uint32_t, std::string_view>>> counted;
    std::vector<RecordedBreak> out;
    for (const EventInfo& event : recording.events()) {
        if (event.step == noStep || event.attempt >= recording.attempts().size()) continue;
        const AttemptInfo& attempt = recording.attempts()[event.attempt];
        const bool ends = endsFrame(recording, event);
        if (!ends && event.tag != Tag::Break) continue;
        // An exception of an attempt that is made again is how Dynamo starts over, and comes as a break then.
        if (ends && last.at(compileOf(event.attempt)) != event.attempt) continue;
        if (task.cancelled()) return cancellation();
        RecordedBreak made;
        made.told = breakOf(event);
        made.failed = ends;
        const bool isBreak = !ends || !event.gbType.empty() || event.type == "Unsupported";
        made.reason = isBreak ? session::shortReason(made.told)
                              : event.type + ": " + std::string(firstLine(event.text));
        if (const ir::SourceLocation* place = made.told.location()) made.place = *place;
        const auto [at, isNew] =
            known.try_emplace({made.reason, made.place.file, made.place.line, made.failed}, out.size());
        if (isNew) {
            if (isBreak) made.waysOut = session::waysOut(made.told);
            out.push_back(std::move(made));
        }
        if (!counted.emplace(at->second, compileOf(event.attempt)).second) continue;
        RecordedBreak::Occurrence occurrence{event.step, event.attempt, idText(attempt), 0, 0};
        readCost(recording, occurrence);
        out[at->second].occurrences.push_back(std::move(occurrence));
    }
    std::stable_sort(out.begin(), out.end(), [](const RecordedBreak& a, const RecordedBreak& b) {
        return a.occurrences.size() > b.occurrences.size();
    });
    return out;
}

} // namespace dynascope::dynamo
