// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/console.h"

#include "core/base/words.h"
#include "core/dynamo/blocks.h"
#include "core/dynamo/describe.h"
#include "core/ir/lines.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace dynascope::dynamo {

namespace {

struct Call {
    std::string name;
    std::string text; ///< the first argument, where it is a string
    std::size_t stackLevel = 0;
};

/// `name("text", stacklevel=1)`: what is in quotes is text, what is a number is the stack level.
Result<Call> parse(std::string_view text) {
    text = ir::trim(text);
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || !text.ends_with(')'))
        return failure("a call such as print_locals() is needed");
    Call call{std::string(ir::trim(text.substr(0, open))), {}, 0};
    std::string_view rest = text.substr(open + 1, text.size() - open - 2);
    for (rest = ir::trim(rest); !rest.empty();) {
        if (rest.front() == '"' || rest.front() == '\'') {
            const std::size_t end = rest.find(rest.front(), 1);
            if (end == std::string_view::npos) return failure("the quoted name has no end");
            call.text = rest.substr(1, end - 1);
            rest = ir::trim(rest.substr(end + 1));
        } else {
            if (rest.starts_with("stacklevel=")) rest.remove_prefix(11);
            const auto [end, error] =
                std::from_chars(rest.data(), rest.data() + rest.size(), call.stackLevel);
            if (error != std::errc()) return failure("an argument is a quoted name or stacklevel=N");
            rest = ir::trim(rest.substr(static_cast<std::size_t>(end - rest.data())));
        }
        if (rest.empty()) break;
        if (rest.front() != ',') return failure("arguments are parted by commas");
        rest = ir::trim(rest.substr(1));
    }
    return call;
}

/// One question about one step.
class Console {
public:
    Console(const Recording& recording, StepIndex step, const State& state, const Call& call)
        : m_recording(recording)
        , m_step(step)
        , m_state(state)
        , m_call(call) {}

    [[nodiscard]] Result<std::string> graph() { return graphText(m_recording, m_state); }

    [[nodiscard]] Result<std::string> locals() {
        return inFrame([&](const FrameState& frame) {
            std::string out;
            for (const Local& local : frame.locals)
                if (local.value != 0)
                    out += std::string(m_recording.text(local.name)) + " = " +
                           comptimeText(m_recording, m_state, local.value) + '\n';
            return out;
        });
    }

    [[nodiscard]] Result<std::string> valueStack() {
        return inFrame([&](const FrameState& frame) {
            std::string out;
            for (const ValueId value : frame.stack)
                out += "- " + comptimeText(m_recording, m_state, value) + '\n';
            return out;
        });
    }

    /// As traceback.format_list: the outermost frame first.
    [[nodiscard]] Result<std::string> backtrace() {
        const std::vector<const FrameState*> frames = callStack(m_state);
        std::string out;
        for (std::size_t i = frames.size(); i-- > std::min(m_call.stackLevel, frames.size());) {
            const Code* code = m_recording.code(frames[i]->code);
            if (!code) continue;
            const std::uint32_t line = lineOf(m_recording, *frames[i]);
            out +=
                "  File \"" + code->file + "\", line " + std::to_string(line) + ", in " + code->name + '\n';
            if (const std::string_view source = ir::trim(m_recording.sourceLine(code->file, line));
                !source.empty())
                out += "    " + std::string(source) + '\n';
        }
        return out;
    }

    [[nodiscard]] Result<std::string> guards() {
        std::set<std::string> lines;
        for (std::size_t i = 0; i < m_state.guards.size(); ++i)
            if (!m_state.guards[i].gone) lines.insert(guardText(m_recording, m_state.guards[i]));
        std::string out;
        for (const std::string& line : lines)
            out += line + '\n';
        return out;
    }

    [[nodiscard]] Result<std::string> disassembly() {
        return inFrame([&](const FrameState& frame) {
            std::string out;
            const Code* code = m_recording.code(frame.code);
            std::uint32_t line = 0;
            for (std::size_t i = 0; code && i < code->instructions.size(); ++i) {
                const Instruction& instruction = code->instructions[i];
                const std::string number =
                    instruction.line != line ? std::to_string(instruction.line) : std::string();
                line = instruction.line;
                out += std::string(number.size() < 4 ? 4 - number.size() : 0, ' ') + number +
                       (i == currentInstruction(frame) ? " --> " : "     ") +
                       std::to_string(instruction.offset) + ' ' + std::string(instruction.op);
                if (!instruction.text.empty()) out += ' ' + std::string(instruction.text);
                out += '\n';
            }
            return out;
        });
    }

    /// The outermost first.
    [[nodiscard]] Result<std::string> blocks() {
        return inFrame([&](const FrameState& frame) {
            std::string out;
            for (const Block& block : blocksAt(m_recording, m_state, frame))
                out += blockText(m_recording, m_state, frame, block) + '\n';
            return out;
        });
    }

    [[nodiscard]] Result<std::string> local() {
        const auto value = named();
        if (!value) return tl::unexpected(value.error());
        return valueText(m_recording, m_state, contentsOf(*value));
    }

    [[nodiscard]] Result<std::string> assertStatic() {
        const auto value = named();
        if (!value) return tl::unexpected(value.error());
        const ValueInfo info = unwrapped(m_recording, m_state, contentsOf(*value));
        if (info.kind == "SymNodeVariable")
            return "AssertionError: expected static but got dynamic " +
                   valueText(m_recording, m_state, info.id);
        return m_call.text + " is static: " + valueText(m_recording, m_state, info.id);
    }

    [[nodiscard]] Result<std::string> graphBreak() {
        const std::uint32_t attempt = m_recording.frames()[m_recording.steps()[m_step].frame].attempt;
        std::string out = "what if: " + names("the graph before it holds ", nodesOf(m_state, 0)) + '\n';
        std::vector<std::string> handed;
        if (const FrameState* frame = m_state.frameState(m_state.frame)) {
            for (const ValueId value : frame->stack)
                if (isTensor(value))
                    handed.push_back("the stack's " + valueText(m_recording, m_state, value));
            for (const Local& local : frame->locals)
                if (local.value != 0 && isTensor(local.value))
                    handed.push_back(std::string(m_recording.text(local.name)) + ", " +
                                     valueText(m_recording, m_state, local.value));
        }
        out += names("the resume function would be handed ", handed) + '\n';
        if (callStack(m_state).size() > 1)
            out += "the break lies in a function that is inlined: the caller's call would break as a whole\n";
        if (const std::string hindrance = breakHindrance(m_recording, m_state); !hindrance.empty())
            out += "it could not be resumed: " + hindrance + '\n';
        const std::size_t before = m_state.nodes.size();
        const State* after = m_recording.stateAfter(attempt);
        out +=
            after ? names("the graph after it would hold what is traced from here: ", nodesOf(*after, before))
                  : std::string("what comes after cannot be read");
        return out;
    }

private:
    template <typename Say>
    Result<std::string> inFrame(Say say) {
        const std::vector<const FrameState*> frames = callStack(m_state);
        if (m_call.stackLevel >= frames.size())
            return failure("there are " + count(frames.size(), "frame") + "; stacklevel counts from 0");
        return say(*frames[m_call.stackLevel]);
    }

    Result<ValueId> named() {
        const std::vector<const FrameState*> frames = callStack(m_state);
        if (m_call.stackLevel >= frames.size())
            return failure("there are " + count(frames.size(), "frame") + "; stacklevel counts from 0");
        const ValueId value = localNamed(m_recording, *frames[m_call.stackLevel], m_call.text);
        if (value == 0) return failure("no local is called \"" + m_call.text + '"');
        return value;
    }

    /// Of a cell what it holds, as comptime's get_local does.
    [[nodiscard]] ValueId contentsOf(ValueId value) const {
        const ValueId contents = cellContents(m_recording, m_state, value);
        return contents != 0 ? contents : value;
    }

    [[nodiscard]] bool isTensor(ValueId value) const {
        return !unwrapped(m_recording, m_state, value).text("dtype").empty();
    }

    /// The step's own instruction in its frame; a caller's is the call it carries out.
    [[nodiscard]] std::size_t currentInstruction(const FrameState& frame) const {
        const FrameInfo& mine = m_recording.frames()[m_recording.steps()[m_step].frame];
        return m_state.frameState(mine.id) == &frame ? m_recording.steps()[m_step].instruction
                                                     : frame.instruction;
    }

    [[nodiscard]] std::vector<std::string> nodesOf(const State& state, std::size_t from) const {
        std::vector<std::string> out;
        for (std::size_t i = from; i < state.nodes.size(); ++i)
            if (!state.nodes[i].gone && state.nodes[i].name != 0)
                out.emplace_back(m_recording.text(state.nodes[i].name));
        return out;
    }

    static std::string names(std::string_view what, const std::vector<std::string>& list) {
        std::string out(what);
        if (list.empty()) return out + "nothing";
        for (std::size_t i = 0; i < list.size(); ++i)
            out += (i == 0 ? "" : "; ") + list[i];
        return out;
    }

    const Recording& m_recording;
    StepIndex m_step;
    const State& m_state;
    const Call& m_call;
};

using Answer = Result<std::string> (Console::*)();
struct Known {
    std::string_view name;
    Answer answer;
    bool takesName;
};
constexpr std::array<Known, 10> known = {{{"print_graph", &Console::graph, false},
                                          {"print_value_stack", &Console::valueStack, false},
                                          {"print_locals", &Console::locals, false},
                                          {"print_bt", &Console::backtrace, false},
                                          {"print_guards", &Console::guards, false},
                                          {"print_disas", &Console::disassembly, false},
                                          {"get_local", &Console::local, true},
                                          {"assert_static", &Console::assertStatic, true},
                                          {"graph_break", &Console::graphBreak, false},
                                          {"print_blocks", &Console::blocks, false}}};

std::string helpText() {
    std::string out;
    for (const Known& call : known)
        out += std::string(call.name) + (call.takesName ? "(\"name\")" : "()") + '\n';
    return out + "stacklevel=1 asks about the caller";
}

} // namespace

Result<std::string> answerComptime(const Recording& recording, StepIndex step, std::string_view text) {
    const Result<Call> call = parse(text);
    if (!call) return tl::unexpected(call.error());
    if (call->name == "help") return helpText();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Known& k) { return k.name == call->name; });
    if (found == known.end()) return failure("no call is named " + call->name + "; help() lists them");
    if (found->takesName && call->text.empty())
        return failure(call->name + " needs the name of a local in quotes");
    if (step >= recording.steps().size()) return failure("there is no such step");
    const State* now = recording.stateAt(step);
    if (!now) return failure("the state at this step cannot be read");
    const State state = *now; // asking for another state takes this one away
    Result<std::string> answer = (Console(recording, step, state, *call).*found->answer)();
    if (answer && answer->ends_with('\n')) answer->pop_back();
    return answer;
}

std::vector<std::string> completeComptime(const Recording& recording, StepIndex step,
                                          std::string_view prefix) {
    std::vector<std::string> out;
    for (const Known& call : known) {
        const std::string begin = std::string(call.name) + (call.takesName ? "(\"" : "()");
        if (!prefix.starts_with(begin) || !call.takesName) {
            if (begin.starts_with(prefix)) out.push_back(begin);
            continue;
        }
        const State* state = step < recording.steps().size() ? recording.stateAt(step) : nullptr;
        const FrameState* frame = state ? state->frameState(state->frame) : nullptr;
        for (std::size_t i = 0; frame && i < frame->locals.size(); ++i)
            if (std::string whole = begin + std::string(recording.text(frame->locals[i].name)) + "\")";
                whole.starts_with(prefix))
                out.push_back(std::move(whole));
    }
    if (std::string_view("help()").starts_with(prefix)) out.emplace_back("help()");
    return out;
}

} // namespace dynascope::dynamo
