// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/console.h"

#include "core/base/text.h"
#include "core/base/words.h"
#include "core/dynamo/blocks.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/what_if.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace dynascope::dynamo {

namespace {

struct Call {
    std::string name;
    std::string text;   ///< the first argument: what is in quotes, or a plain name
    bool plain = false; ///< it is a plain name
    std::size_t stackLevel = 0;
};

bool isName(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               static_cast<unsigned char>(c) >= 128;
    });
}

/// As programs write them: "comptime.print_bt()", "ctx.parent().print_locals()" of the caller.
std::string_view withoutContext(std::string_view text, std::size_t& parents) {
    for (const std::string_view context : {"comptime.", "ctx."})
        if (text.starts_with(context)) text.remove_prefix(context.size());
    for (; text.starts_with("parent()."); ++parents)
        text.remove_prefix(9);
    return text;
}

/// `name("text", stacklevel=1)`: what is in quotes is text, what is a number is the stack level. The value
/// that get_local() gives may stand for the name.
Result<Call> parse(std::string_view text, int depth = 0) {
    std::size_t parents = 0;
    text = withoutContext(trimmed(text), parents);
    const std::size_t open = text.find('(');
    if (open == std::string_view::npos || !text.ends_with(')'))
        return failure("a call such as print_locals() is needed");
    Call call{std::string(trimmed(text.substr(0, open))), {}, false, parents};
    std::string_view rest = trimmed(text.substr(open + 1, text.size() - open - 2));
    if (std::size_t more = 0; depth == 0 && withoutContext(rest, more).starts_with("get_local(")) {
        Result<Call> inner = parse(rest, depth + 1);
        if (!inner) return inner;
        call.text = inner->text;
        call.plain = true; // a value, as a plain name
        call.stackLevel = inner->stackLevel;
        return call;
    }
    while (!rest.empty()) {
        if (rest.starts_with("msg=")) rest.remove_prefix(4);
        const std::size_t end = std::min(rest.find_first_of(", "), rest.size());
        if (rest.front() == '"' || rest.front() == '\'') {
            const std::size_t close = rest.find(rest.front(), 1);
            if (close == std::string_view::npos) return failure("the quoted name has no end");
            call.text = rest.substr(1, close - 1);
            rest = trimmed(rest.substr(close + 1));
        } else if (const std::string_view word = rest.substr(0, end);
                   isName(word) && (word.front() < '0' || word.front() > '9')) {
            call.text = word;
            call.plain = true;
            rest = trimmed(rest.substr(end));
        } else {
            if (rest.starts_with("stacklevel=")) rest.remove_prefix(11);
            std::size_t level = 0;
            const auto [after, error] = std::from_chars(rest.data(), rest.data() + rest.size(), level);
            if (error != std::errc()) return failure("an argument is a quoted name or stacklevel=N");
            call.stackLevel = parents + std::min<std::size_t>(level, UINT32_MAX);
            rest = trimmed(rest.substr(static_cast<std::size_t>(after - rest.data())));
        }
        if (rest.empty()) break;
        if (rest.front() != ',') return failure("arguments are separated by commas");
        rest = trimmed(rest.substr(1));
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
            if (const std::string_view source = trimmed(m_recording.sourceLine(code->file, line));
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

    [[nodiscard]] Result<std::string> graphBreak() { return graphBreakText(m_recording, m_step, m_state); }

    /// comptime.print of a value.
    [[nodiscard]] Result<std::string> value() {
        const auto value = named();
        if (!value) return tl::unexpected(value.error());
        return comptimeText(m_recording, m_state, contentsOf(*value));
    }

    [[nodiscard]] Result<std::string> forceStatic() {
        const auto value = named();
        if (!value) return tl::unexpected(value.error());
        const ValueInfo info = unwrapped(m_recording, m_state, contentsOf(*value));
        const std::string text = valueText(m_recording, m_state, info.id);
        if (info.kind == "ConstantVariable") return m_call.text + " is static: " + text;
        if (info.kind != "SymNodeVariable") return "AssertionError: cannot force " + text + " static";
        for (const SymbolState& symbol : m_state.symbols)
            if (m_recording.text(symbol.name) == info.text("value") && symbol.hint != 0)
                return "what if: " + m_call.text + " would be specialized to " +
                       std::string(m_recording.text(symbol.hint)) + ", with a guard on it, in place of " +
                       text;
        return "what if: " + m_call.text + " would be specialized, with a guard on it, in place of " + text;
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

    /// The step's own instruction in its frame; a caller's is the call it carries out.
    [[nodiscard]] std::size_t currentInstruction(const FrameState& frame) const {
        const FrameInfo& mine = m_recording.frames()[m_recording.steps()[m_step].frame];
        return m_state.frameState(mine.id) == &frame ? m_recording.steps()[m_step].instruction
                                                     : frame.instruction;
    }

    const Recording& m_recording;
    StepIndex m_step;
    const State& m_state;
    const Call& m_call;
};

using Answer = Result<std::string> (Console::*)();
enum class Takes { Nothing, Name, Value, Message };
struct Known {
    std::string_view name;
    Answer answer;
    Takes takes;
};
constexpr std::array<Known, 13> known = {{{"print_graph", &Console::graph, Takes::Nothing},
                                          {"print_value_stack", &Console::valueStack, Takes::Nothing},
                                          {"print_locals", &Console::locals, Takes::Nothing},
                                          {"print_bt", &Console::backtrace, Takes::Nothing},
                                          {"print_guards", &Console::guards, Takes::Nothing},
                                          {"print_disas", &Console::disassembly, Takes::Nothing},
                                          {"print", &Console::value, Takes::Value},
                                          {"get_local", &Console::local, Takes::Name},
                                          {"assert_static", &Console::assertStatic, Takes::Value},
                                          {"force_static", &Console::forceStatic, Takes::Value},
                                          {"graph", &Console::graph, Takes::Nothing},
                                          {"graph_break", &Console::graphBreak, Takes::Message},
                                          {"print_blocks", &Console::blocks, Takes::Nothing}}};

bool takesName(const Known& call) {
    return call.takes == Takes::Name || call.takes == Takes::Value;
}

/// Empty if the call's arguments are right.
std::string wrongArgument(const Known& known, const Call& call) {
    if (takesName(known) && call.text.empty()) return call.name + " needs the name of a local in quotes";
    if (known.takes == Takes::Nothing && !call.text.empty())
        return call.name + " takes no argument but stacklevel=N";
    if (known.takes == Takes::Name && call.plain) return "get_local needs the name in quotes";
    return {};
}

std::string helpText() {
    std::string out;
    for (const Known& call : known)
        out += std::string(call.name) + (takesName(call) ? "(\"name\")" : "()") + '\n';
    return out + "stacklevel=1 or parent(). before a call asks about the caller";
}

} // namespace

Result<std::string> answerComptime(const Recording& recording, StepIndex step, std::string_view text) {
    const Result<Call> call = parse(text);
    if (!call) return tl::unexpected(call.error());
    if (call->name == "help") return helpText();
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const Known& k) { return k.name == call->name; });
    if (found == known.end()) return failure("no call is named " + call->name + "; help() lists them");
    if (std::string wrong = wrongArgument(*found, *call); !wrong.empty()) return failure(std::move(wrong));
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
    std::size_t level = 0;
    const std::string_view context = prefix.substr(0, prefix.size() - withoutContext(prefix, level).size());
    prefix.remove_prefix(context.size());
    for (const Known& call : known) {
        const std::string begin = std::string(call.name) + (takesName(call) ? "(\"" : "()");
        if (!prefix.starts_with(begin) || !takesName(call)) {
            if (begin.starts_with(prefix)) out.push_back(begin);
            continue;
        }
        const State* state = step < recording.steps().size() ? recording.stateAt(step) : nullptr;
        const std::vector<const FrameState*> frames =
            state ? callStack(*state) : std::vector<const FrameState*>();
        const FrameState* frame = level < frames.size() ? frames[level] : nullptr;
        for (std::size_t i = 0; frame && i < frame->locals.size(); ++i)
            if (std::string whole = begin + std::string(recording.text(frame->locals[i].name)) + "\")";
                whole.starts_with(prefix))
                out.push_back(std::move(whole));
    }
    if (std::string_view("help()").starts_with(prefix)) out.emplace_back("help()");
    for (std::string& one : out)
        one.insert(0, context);
    return out;
}

} // namespace dynascope::dynamo
