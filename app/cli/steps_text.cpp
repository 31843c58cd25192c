// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/steps_state.h"
#include "app/cli/table.h"
#include "core/base/text.h"
#include "core/base/words.h"
#include "core/dynamo/blocks.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/recorded_breaks.h"
#include "core/dynamo/recorded_cache.h"

#include <array>
#include <cstdio>
#include <utility>

namespace dynascope::cli {

using namespace dynamo;

namespace {

std::string happeningsText(const StepInfo& step) {
    static constexpr std::array<std::pair<Happening, std::string_view>, 8> words{{
        {Happening::Node, "+node"},
        {Happening::Guard, "+guard"},
        {Happening::SideEffect, "side effect"},
        {Happening::GraphBreak, "graph break"},
        {Happening::Exception, "exception"},
        {Happening::GraphEnd, "graph ends"},
        {Happening::Comptime, "comptime"},
        {Happening::Symbol, "symbol"},
    }};
    std::string out;
    for (const auto& [what, word] : words)
        if (step.has(what)) out += (out.empty() ? "" : ", ") + std::string(word);
    return out;
}

std::string placeOf(const Code& code, std::uint32_t line) {
    return code.name + ' ' + std::string(baseName(code.file)) + ':' +
           std::to_string(line != 0 ? line : code.firstLine);
}

std::string instructionText(const Instruction* instruction) {
    if (instruction == nullptr) return "?";
    std::string out = instruction->offset >= 0 ? std::to_string(instruction->offset) + ' ' : std::string();
    out += instruction->op;
    if (!instruction->text.empty()) out += ' ' + std::string(instruction->text);
    return out;
}

std::string attemptText(const AttemptInfo& attempt) {
    return idText(attempt) + " attempt " + std::to_string(attempt.number);
}

void section(std::string& out, std::string_view title, const std::vector<std::string>& lines) {
    out += std::string(title) + (lines.empty() ? ": none\n" : "\n");
    for (const std::string& line : lines)
        out += "  " + line + '\n';
}

/// "exception", and who caught it.
std::string_view raisedText(const Recording& recording, const EventInfo& event) {
    if (event.handled) return "exception, handled by the program: ";
    return endsFrame(recording, event) ? "exception: " : "exception, caught by Dynamo: ";
}

std::string eventText(const Recording& recording, const EventInfo& event) {
    switch (event.tag) {
    case Tag::Break:
        return "graph break: " + std::string(firstLine(event.text));
    case Tag::GraphEnd:
        return (event.graphBreak ? "graph ends by a break: " : "graph ends: ") +
               std::string(firstLine(event.text));
    case Tag::Raised:
        return std::string(raisedText(recording, event)) + event.type + ' ' +
               std::string(firstLine(event.text));
    case Tag::Comptime:
        return "comptime." + event.type;
    default:
        return "the recorder failed: " + event.type + ' ' + std::string(firstLine(event.text));
    }
}

} // namespace

std::string summaryText(const Recording& recording) {
    std::string out = count(recording.steps().size(), "step") + ", " +
                      count(recording.attempts().size(), "attempt") + ", " +
                      count(recording.compiles().size(), "compile") + '\n';
    for (std::size_t i = 0; i < recording.compiles().size(); ++i) {
        const CompileInfo& compile = recording.compiles()[i];
        out += idText(compile) + ' ' + compile.function + ' ' + std::string(baseName(compile.file)) + ':' +
               std::to_string(compile.firstLine) + ' ' +
               (compile.status.empty() ? "cut off" : compile.status) + '\n';
        for (const FailedGuard& failed : recordedFailures(recording, i)) {
            out += "  recompiled: " + (failed.entry.empty() ? std::string() : failed.entry + ": ") +
                   std::string(firstLine(failed.check));
            if (!failed.actual.empty() && failed.check.find("actual") == std::string::npos)
                out += ", the call had " + failed.actual;
            if (failed.addedAt.line != 0)
                out += ", added at " + std::string(baseName(failed.addedAt.file)) + ':' +
                       std::to_string(failed.addedAt.line);
            out += '\n';
        }
        if (!compile.error.empty()) out += "  " + std::string(firstLine(compile.error)) + '\n';
    }
    for (const AttemptInfo& attempt : recording.attempts()) {
        out += attemptText(attempt);
        out += attempt.first == noStep
                   ? ": no steps"
                   : ": steps " + std::to_string(attempt.first) + " to " + std::to_string(attempt.last);
        out += attempt.damaged ? ", damaged\n" : attempt.ended ? "\n" : ", cut off\n";
    }
    for (const EventInfo& event : recording.events())
        out += "step " + (event.step == noStep ? std::string("-") : std::to_string(event.step)) + ' ' +
               eventText(recording, event) + '\n';
    return out;
}

std::string stepLines(const Recording& recording, StepIndex first, StepIndex count) {
    std::string out;
    std::uint32_t attempt = UINT32_MAX, line = 0, shown = UINT32_MAX;
    for (StepIndex i = first; i < recording.steps().size() && i - first < count; ++i) {
        const StepInfo& step = recording.steps()[i];
        const FrameInfo& frame = recording.frames()[step.frame];
        const Code& code = recording.codeOf(frame);
        const Instruction* instruction = recording.instructionAt(i);
        if (frame.attempt != attempt) out += attemptText(recording.attempts()[frame.attempt]) + '\n';
        attempt = frame.attempt;
        const std::string indent(2 * std::size_t(std::min(frame.depth, 40U)), ' ');
        if (const std::uint32_t now = instruction ? instruction->line : 0;
            now != line || step.frame != shown) {
            out += "        " + indent + placeOf(code, now);
            const std::string_view source = recording.sourceLine(code.file, now);
            const std::size_t begin = source.find_first_not_of(" \t");
            if (begin != std::string_view::npos) out += "  " + std::string(source.substr(begin));
            out += '\n';
            line = now;
            shown = step.frame;
        }
        std::array<char, 16> number{};
        std::snprintf(number.data(), number.size(), "%7u ", i);
        out += number.data() + indent + instructionText(instruction);
        if (const std::string what = happeningsText(step); !what.empty()) out += "    [" + what + ']';
        out += '\n';
    }
    return out;
}

std::string stateText(const Recording& recording, const State& state, StepIndex index) {
    const StepInfo& step = recording.steps()[index];
    const FrameInfo& frame = recording.frames()[step.frame];
    std::string out = "step " + std::to_string(index) + " of " + std::to_string(recording.steps().size()) +
                      ", " + attemptText(recording.attempts()[frame.attempt]) + '\n';
    out += instructionText(recording.instructionAt(index));
    if (const std::string what = happeningsText(step); !what.empty()) out += "    [" + what + ']';
    out += '\n';

    std::vector<std::string> lines;
    for (const FrameState* caller : callStack(state))
        if (const Code* code = recording.code(caller->code))
            lines.push_back(placeOf(*code, lineOf(recording, *caller)));
    section(out, "call stack", lines);

    const FrameState* now = state.frameState(state.frame);
    lines.clear();
    for (std::size_t i = now ? now->stack.size() : 0; i-- > 0;)
        lines.push_back(valueText(recording, state, now->stack[i]));
    section(out, "value stack, top first", lines);
    lines.clear();
    if (now != nullptr)
        for (const Local& local : now->locals)
            lines.push_back(std::string(recording.text(local.name)) + " = " +
                            valueText(recording, state, local.value));
    section(out, "locals and cells", lines);
    lines.clear();
    if (now != nullptr)
        for (const Block& block : blocksAt(recording, state, *now))
            lines.push_back(blockText(recording, state, *now, block));
    section(out, "blocks, outermost first", lines);

    out += graphText(recording, state) + '\n';
    lines.clear();
    for (std::size_t i = 0; i < state.guards.size(); ++i) {
        const GuardState& guard = state.guards[i];
        if (guard.gone) continue;
        std::string line = guardText(recording, guard);
        if (guard.step != noStep) line += ", step " + std::to_string(guard.step);
        if (guard.who != 0) line += ", " + std::string(recording.text(guard.who));
        lines.push_back(std::move(line));
    }
    section(out, "guards", lines);
    lines.clear();
    for (std::size_t i = 0; i < state.stores.size(); ++i) {
        const Store& store = state.stores[i];
        lines.push_back(valueText(recording, state, store.object) + '.' +
                        std::string(recording.text(store.name)) + " = " +
                        valueText(recording, state, store.value));
    }
    for (std::size_t i = 0; i < state.mutations.size(); ++i)
        lines.push_back("changed: " + changedText(recording, state, state.mutations[i]));
    section(out, "side effects", lines);
    lines.clear();
    for (const SymbolState& symbol : state.symbols)
        lines.push_back(std::string(recording.text(symbol.name)) + " = " +
                        std::string(recording.text(symbol.hint)) + " in " +
                        std::string(recording.text(symbol.range)) + ' ' +
                        std::string(recording.text(symbol.sources)));
    for (std::size_t i = 0; i < state.facts.size(); ++i)
        lines.push_back(std::string(recording.text(state.facts[i].kind)) + ": " +
                        std::string(recording.text(state.facts[i].text)));
    section(out, "symbols", lines);
    lines.clear();
    for (const EventInfo& event : recording.events())
        if (event.step == index) lines.push_back(eventText(recording, event));
    section(out, "in the course of this step", lines);
    return out;
}

} // namespace dynascope::cli
