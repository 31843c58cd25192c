// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/live_console.h"

#include "app/cli/command.h"
#include "app/cli/steps_state.h"
#include "core/base/text.h"
#include "core/dynamo/console.h"
#include "core/dynamo/describe.h"
#include "core/dynamo/recording.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <unistd.h>
#include <utility>

namespace dynascope::cli {

using namespace dynamo;

namespace {

constexpr std::size_t received = 65536; ///< bytes read at once

constexpr std::string_view help =
    "c, continue          run to the next breakpoint\n"
    "s, step              to the next instruction, into calls\n"
    "n, next              to the next instruction of this frame\n"
    "l, line              to the next line of this frame\n"
    "o, out               to the caller's next instruction\n"
    "break graph          refuse this instruction, as comptime.graph_break() would\n"
    "b, break WHERE       stop at FILE:LINE, FILE:LINE if CONDITION, CONDITION, graph break, exception\n"
    "d, delete N          remove a breakpoint\n"
    "w, where             the call stack\n"
    "p, print             all that Dynamo holds; print NAME a local; print print_graph() as comptime would\n"
    "detach               let the program run without us\n";

struct Move {
    std::string_view name, letter;
    LiveCommand command;
};
constexpr std::array<Move, 5> moves{{
    {"continue", "c", LiveCommand::Continue},
    {"step", "s", LiveCommand::Step},
    {"next", "n", LiveCommand::Next},
    {"line", "l", LiveCommand::Line},
    {"out", "o", LiveCommand::Out},
}};

void say(std::string_view text) {
    std::fputs(withoutControlCodes(text).c_str(), stderr);
}

/// The first word, and what follows it.
std::pair<std::string_view, std::string_view> split(std::string_view text) {
    text = trimmed(text);
    const std::size_t end = std::min(text.find(' '), text.size());
    return {text.substr(0, end), trimmed(text.substr(end))};
}

std::string stackText(const Recording& recording, const State& state) {
    std::string out;
    for (const FrameState* frame : callStack(state)) {
        const Code* code = recording.code(frame->code);
        if (code == nullptr) continue;
        const std::uint32_t line = lineOf(recording, *frame);
        out += code->name + " at " + code->file + ':' + std::to_string(line) + '\n';
        const std::string_view source = recording.sourceLine(code->file, line);
        if (const std::size_t begin = source.find_first_not_of(" \t"); begin != std::string_view::npos)
            out += "    " + std::string(source.substr(begin)) + '\n';
    }
    return out;
}

/// What a stop looks like in the recording.
std::string look(const LiveEvent& at, std::string_view command, std::string_view argument) {
    const Result<RecordingPtr> opened = Recording::open(at.recording);
    if (!opened) return opened.error().toString() + '\n';
    const Recording& recording = **opened;
    const State* state = at.step < recording.steps().size() ? recording.stateAt(at.step) : nullptr;
    if (state == nullptr) return "the recording does not hold step " + std::to_string(at.step) + " yet\n";
    if (command == "where") return stackText(recording, *state);
    if (argument.empty()) return stateText(recording, *state, at.step);
    if (argument.find('(') != std::string_view::npos) {
        const Result<std::string> out = answerComptime(recording, at.step, argument);
        return (out ? *out : out.error().toString()) + '\n';
    }
    const FrameState* frame = state->frameState(state->frame);
    const ValueId value = frame ? localNamed(recording, *frame, argument) : 0;
    return value == 0 ? "no local " + std::string(argument) + '\n'
                      : valueText(recording, *state, value) + '\n';
}

std::string reasonText(const LiveEvent& event) {
    switch (event.stop) {
    case LiveStop::Breakpoint:
        return ", breakpoint " + std::to_string(event.breakpoint);
    case LiveStop::GraphBreak:
        return ", graph break";
    case LiveStop::Exception:
        return ", exception";
    default:
        return {};
    }
}

std::string stopText(const LiveEvent& event) {
    std::string out = event.function + " at " + event.file + ':' + std::to_string(event.line) +
                      reasonText(event) + "\n  " + event.compile + " attempt " +
                      std::to_string(event.attempt) + ", step " + std::to_string(event.step) + ' ' +
                      event.op + ", " + count(static_cast<std::size_t>(std::max(event.nodes, 0)), "node") +
                      ", " + count(static_cast<std::size_t>(std::max(event.guards, 0)), "guard") + '\n';
    if (!event.text.empty()) out += "  " + event.text.substr(0, event.text.find("\n\n ")) + '\n';
    return out;
}

} // namespace

struct LiveConsole::Program {
    enum class State { Running, Stopped, Asked };

    explicit Program(LiveConnection connected)
        : connection(std::move(connected)) {}

    LiveConnection connection;
    LiveEvent hello, at;
    State state = State::Running; ///< Asked: stopped, and a reply is to come
    std::size_t setUp = 0;        ///< breakpoints that were sent at the start
    bool starting = true;
    LiveBreakpoint asked; ///< the breakpoint that a reply is to come for
};

Result<std::unique_ptr<LiveConsole>> LiveConsole::open(const std::vector<std::string>& where) {
    Result<LiveListener> listener = LiveListener::open();
    if (!listener) return tl::unexpected(listener.error());
    std::unique_ptr<LiveConsole> out(new LiveConsole(std::move(*listener)));
    for (const std::string& text : where) {
        if (text == "start") {
            out->m_askAtStart = true;
            continue;
        }
        Result<LiveBreakpoint> read = readLiveBreakpoint(text);
        if (!read) return tl::unexpected(read.error());
        out->m_breakpoints.push_back(std::move(*read));
    }
    out->m_terminal = isatty(STDIN_FILENO) == 1;
    return out;
}

LiveConsole::LiveConsole(LiveListener listener)
    : m_listener(std::move(listener)) {}

LiveConsole::~LiveConsole() = default;

LiveConsole::Program* LiveConsole::stopped() const {
    const auto found = std::find_if(m_programs.begin(), m_programs.end(), [](const auto& program) {
        return program->state != Program::State::Running;
    });
    return found == m_programs.end() ? nullptr : found->get();
}

void LiveConsole::addDescriptors(std::vector<pollfd>& out) const {
    out.push_back({m_listener.descriptor(), POLLIN, 0});
    for (const auto& program : m_programs)
        out.push_back({program->connection.descriptor(), POLLIN, 0});
    const Program* program = stopped();
    if (program != nullptr && program->state == Program::State::Stopped && !m_inputEnded)
        out.push_back({STDIN_FILENO, POLLIN, 0});
}

void LiveConsole::serve() {
    const auto readable = [](int descriptor) {
        pollfd one{descriptor, POLLIN, 0};
        return ::poll(&one, 1, 0) > 0;
    };
    if (readable(m_listener.descriptor())) accept();
    for (std::size_t i = 0; i < m_programs.size();) {
        if (readable(m_programs[i]->connection.descriptor()) && !read(*m_programs[i]))
            m_programs.erase(m_programs.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
    }
    while (Program* program = stopped()) {
        if (program->state != Program::State::Stopped) break;
        std::optional<std::string> command = m_input.take();
        if (!command && m_inputEnded) {
            tell(*program, liveCommand(LiveCommand::Detach), false);
            program->state = Program::State::Running;
            continue;
        }
        if (!command && readable(STDIN_FILENO)) {
            readInput();
            continue;
        }
        if (!command) break;
        answer(*program, *command);
    }
}

void LiveConsole::accept() {
    if (std::optional<LiveConnection> connection = m_listener.accept(m_programs.size()))
        m_programs.push_back(std::make_unique<Program>(std::move(*connection)));
}

bool LiveConsole::read(Program& program) {
    const LiveConnection::Heard heard = program.connection.hear();
    for (const LiveEvent& event : heard.events)
        take(program, event);
    if (!heard.why.empty()) say("a program runs on without us: " + heard.why + '\n');
    return heard.isOpen;
}

void LiveConsole::take(Program& program, const LiveEvent& event) {
    using Kind = LiveEvent::Kind;
    switch (event.kind) {
    case Kind::Hello:
        program.hello = event;
        return;
    case Kind::Running:
        program.state = Program::State::Running;
        return;
    case Kind::Breakpoint:
        say("breakpoint " + std::to_string(event.breakpoint) + ": " + describe(program.asked) + '\n');
        break;
    case Kind::Error:
        say(event.text + '\n');
        break;
    case Kind::Stopped:
        program.at = event;
        if (event.stop != LiveStop::Start) {
            program.starting = false;
            if (program.hello.rank >= 0) say("rank " + std::to_string(program.hello.rank) + ": ");
            say(stopText(event));
        }
        break;
    case Kind::Other:
        return;
    }
    program.state = Program::State::Stopped;
    if (program.starting && program.setUp < m_breakpoints.size()) {
        program.asked = m_breakpoints[program.setUp++];
        tell(program, liveBreak(program.asked));
    } else if (program.starting && !std::exchange(m_askAtStart, false)) {
        program.starting = false;
        tell(program, liveCommand(LiveCommand::Continue));
    } else {
        program.starting = false;
        prompt();
    }
}

void LiveConsole::prompt() const {
    if (m_terminal) say("(dynamo) ");
}

void LiveConsole::tell(Program& program, const std::string& line, bool reply) {
    if (reply) program.state = Program::State::Asked;
    // A program that is gone shows when its end of the connection is read.
    static_cast<void>(program.connection.send(line));
}

void LiveConsole::readInput() {
    std::string bytes(received, '\0');
    const ssize_t got = ::read(STDIN_FILENO, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) return;
    if (got > 0 && m_input.add(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)))) return;
    static_cast<void>(m_input.add("\n")); // a last line without an end
    m_inputEnded = true;
}

bool LiveConsole::move(Program& program, std::string_view word) {
    for (const Move& known : moves) {
        if (word != known.name && word != known.letter) continue;
        tell(program, liveCommand(known.command));
        return true;
    }
    return false;
}

void LiveConsole::answer(Program& program, std::string_view command) {
    const auto [word, argument] = split(command);
    if (word.empty() || move(program, word)) {
        if (word.empty()) prompt();
        return;
    }
    if (word == "break" && argument == "graph") {
        tell(program, liveCommand(LiveCommand::BreakGraph));
        return;
    }
    if (word == "detach") {
        tell(program, liveCommand(LiveCommand::Detach), false);
        program.state = Program::State::Running;
        return;
    }
    if (word == "b" || word == "break") {
        if (Result<LiveBreakpoint> read = readLiveBreakpoint(argument)) {
            program.asked = std::move(*read);
            tell(program, liveBreak(program.asked));
            return;
        } else {
            say(read.error().toString() + '\n');
        }
    } else if (word == "d" || word == "delete") {
        int number = 0;
        std::from_chars(argument.data(), argument.data() + argument.size(), number);
        tell(program, liveDelete(number), false);
    } else if (word == "w" || word == "where" || word == "p" || word == "print") {
        if (program.at.stop == LiveStop::Start)
            say("nothing has been traced yet\n");
        else
            say(look(program.at, word.front() == 'w' ? "where" : "print", argument));
    } else {
        say(help);
    }
    prompt();
}

} // namespace dynascope::cli
