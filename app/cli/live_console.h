// SPDX-License-Identifier: BSD-3-Clause
//
// Live mode at the terminal: where a program stops while Dynamo traces it, what it holds there, and how to
// go on. Commands are lines of standard input, answers go to standard error.
#pragma once

#include "core/base/result.h"
#include "core/dynamo/live_socket.h"

#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::cli {

/// The programs' side of it: a socket that they connect to, a connection a process. For one thread.
class LiveConsole {
public:
    /// `where` are breakpoints as dynamo::readLiveBreakpoint reads them, or "start", for which a program
    /// waits for commands before anything is traced.
    [[nodiscard]] static Result<std::unique_ptr<LiveConsole>> open(const std::vector<std::string>& where);
    ~LiveConsole();
    LiveConsole(const LiveConsole&) = delete;
    LiveConsole& operator=(const LiveConsole&) = delete;

    /// For DYNASCOPE_LIVE.
    [[nodiscard]] const std::string& socketPath() const { return m_listener.path(); }

    /// What to wait for; then takes in what came. Descriptors hold until the next call.
    void addDescriptors(std::vector<pollfd>& out) const;
    void serve();

private:
    struct Program;

    explicit LiveConsole(dynamo::LiveListener listener);
    [[nodiscard]] Program* stopped() const;
    void accept();
    /// False once the program closed the connection.
    [[nodiscard]] bool read(Program& program);
    void take(Program& program, const dynamo::LiveEvent& event);
    void readInput();
    void answer(Program& program, std::string_view command);
    [[nodiscard]] bool move(Program& program, std::string_view word);
    void tell(Program& program, const std::string& line, bool reply = true);
    void prompt() const;

    dynamo::LiveListener m_listener;
    std::vector<dynamo::LiveBreakpoint> m_breakpoints;
    bool m_askAtStart = false;
    bool m_inputEnded = false;
    bool m_terminal = false;
    dynamo::LiveLines m_input;
    std::vector<std::unique_ptr<Program>> m_programs;
};

} // namespace dynascope::cli
