// SPDX-License-Identifier: BSD-3-Clause
//
// Live mode: the lines that a program under the recorder and its client send each other while Dynamo traces
// (docs/live-protocol.md). The client listens on the Unix socket that the program's DYNASCOPE_LIVE names and
// takes connections (live_socket.h), and answers with the texts made here. Nothing in this file does input or
// output.
//
// What a stop shows is in the recording that it names: open it, and look at its step.
#pragma once

#include "core/base/result.h"
#include "core/dynamo/state.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

inline constexpr int liveProtocol = 1;

/// Why a program stopped. Start comes before anything is traced, when breakpoints are to be set; only pid,
/// rank and the like of the connection's Hello are known then.
enum class LiveStop : std::uint8_t {
    Start,
    Breakpoint,
    Step,
    Pause,
    GraphBreak, ///< the step has been carried out in part, and the graph cannot be broken there again
    Exception,  ///< likewise
    Other,
};

/// A line of a program.
struct LiveEvent {
    enum class Kind : std::uint8_t { Hello, Stopped, Running, Breakpoint, Error, Other };
    Kind kind = Kind::Other;

    int protocol = 0;                   ///< of Hello
    std::int64_t pid = -1;              ///< of Hello
    int rank = -1;                      ///< of Hello; -1 for none
    std::vector<std::string> arguments; ///< of Hello: the program's command line

    LiveStop stop = LiveStop::Other; ///< of Stopped, as all below but text and breakpoint
    std::string recording;           ///< path; of Hello as well
    StepIndex step = noStep;         ///< its last one
    std::string compile;             ///< "0/0"
    int attempt = 0;                 ///< counts from 0 in a compile
    std::string file, function, op;
    std::uint32_t line = 0; ///< 0 if not known
    int depth = 0;          ///< of inlined calls
    int nodes = 0, guards = 0;

    int breakpoint = 0; ///< the one that was hit, or that was made; 0 for none
    std::string text;   ///< of Error; of Stopped at a graph break or exception
};

/// Errors for a line that is no JSON object.
[[nodiscard]] Result<LiveEvent> readLiveEvent(std::string_view line);

/// One of three: a line, alone or with a condition; a condition; an event.
struct LiveBreakpoint {
    std::string file;       ///< without folders it matches any with that name; empty: any
    std::uint32_t line = 0; ///< from 1; 0 for none
    std::string condition;  ///< Condition's language; empty for none
    std::string on;         ///< "graph break" or "exception"; empty for none
};

/// "model.py:12", "model.py:12 if nodes > 3", "graph break", "exception", or a condition. Errors are
/// Condition's.
[[nodiscard]] Result<LiveBreakpoint> readLiveBreakpoint(std::string_view text);
/// The same in words.
[[nodiscard]] std::string describe(const LiveBreakpoint& breakpoint);

enum class LiveCommand : std::uint8_t {
    Continue,
    Step,       ///< to the next instruction, as stepIn()
    Next,       ///< as stepOver()
    Line,       ///< as stepLine()
    Out,        ///< as stepOut()
    BreakGraph, ///< refuse the instruction as comptime.graph_break() would, and continue
    Pause,      ///< of a program that runs
    Detach,     ///< let it run without a client
};

/// Commands as lines, with their newline. A program that is stopped answers all but Pause, Delete and Detach.
[[nodiscard]] std::string liveCommand(LiveCommand command);
[[nodiscard]] std::string liveBreak(const LiveBreakpoint& breakpoint);
[[nodiscard]] std::string liveDelete(int breakpoint);

/// Cuts a stream into lines.
class LiveLines {
public:
    static constexpr std::size_t longest = std::size_t{1} << 20;

    /// False once a line is longer than `longest`: the other side is no recorder, close the connection.
    [[nodiscard]] bool add(std::string_view bytes);
    /// The next whole line without its end.
    [[nodiscard]] std::optional<std::string> take();

private:
    std::string m_bytes;
    std::size_t m_begin = 0;
};

} // namespace dynascope::dynamo
