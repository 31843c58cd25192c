// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/live_session.h"

#include "views/workspace/labels.h"

#include <QFile>
#include <QSocketNotifier>
#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace dynascope::views {

using dynamo::LiveBreakpoint;
using dynamo::LiveCommand;
using dynamo::LiveEvent;

struct LiveSession::Connection {
    explicit Connection(dynamo::LiveConnection connected)
        : peer(std::move(connected)) {}

    dynamo::LiveConnection peer;
    Program program;
    std::unique_ptr<QSocketNotifier> notifier;
    /// Breakpoints that the program has, by text; 0 until it said their numbers.
    std::map<std::string, int> breakpoints;
    std::deque<std::string> asked; ///< texts whose numbers are still to come
    bool lost = false;
};

Result<std::unique_ptr<LiveSession>> LiveSession::listen() {
    Result<dynamo::LiveListener> listener = dynamo::LiveListener::open();
    if (!listener) return tl::unexpected(listener.error());
    return std::unique_ptr<LiveSession>(new LiveSession(std::move(*listener)));
}

LiveSession::LiveSession(dynamo::LiveListener listener)
    : m_listener(std::move(listener))
    , m_path(QFile::decodeName(QByteArray::fromStdString(m_listener.path())))
    , m_notifier(std::make_unique<QSocketNotifier>(m_listener.descriptor(), QSocketNotifier::Read)) {
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &LiveSession::accept);
}

LiveSession::~LiveSession() {
    m_connections.clear(); // the programs run on
    m_notifier.reset();
}

std::vector<LiveSession::Program> LiveSession::programs() const {
    std::vector<Program> out;
    for (const auto& connection : m_connections)
        out.push_back(connection->program);
    return out;
}

LiveSession::Connection* LiveSession::find(int id) const {
    const auto found = std::find_if(m_connections.begin(), m_connections.end(),
                                    [id](const auto& connection) { return connection->program.id == id; });
    return found == m_connections.end() ? nullptr : found->get();
}

const LiveSession::Program* LiveSession::program(int id) const {
    const Connection* connection = find(id);
    return connection ? &connection->program : nullptr;
}

void LiveSession::accept() {
    std::optional<dynamo::LiveConnection> peer = m_listener.accept(m_connections.size());
    if (!peer) return;
    auto connection = std::make_unique<Connection>(std::move(*peer));
    connection->program.id = m_nextId++;
    connection->notifier =
        std::make_unique<QSocketNotifier>(connection->peer.descriptor(), QSocketNotifier::Read);
    connect(connection->notifier.get(), &QSocketNotifier::activated, this,
            [this, id = connection->program.id] { read(id); });
    m_connections.push_back(std::move(connection));
}

void LiveSession::read(int id) {
    Connection* connection = find(id);
    if (!connection) return;
    const dynamo::LiveConnection::Heard heard = connection->peer.hear();
    for (const LiveEvent& event : heard.events) {
        take(*connection, event);
        connection = find(id); // who heard of it may have let it go
        if (!connection) return;
        if (connection->lost) return drop(id);
    }
    if (!heard.isOpen) drop(id);
}

void LiveSession::take(Connection& connection, const LiveEvent& event) {
    Program& program = connection.program;
    switch (event.kind) {
    case LiveEvent::Kind::Hello:
        program.hello = event;
        break;
    case LiveEvent::Kind::Stopped:
        program.last = event;
        program.error.clear();
        if (event.stop == dynamo::LiveStop::Start) {
            sync(connection);
            if (!m_stopsAtStart) return write(connection, dynamo::liveCommand(LiveCommand::Continue));
        }
        break;
    case LiveEvent::Kind::Running:
        program.last = event;
        break;
    case LiveEvent::Kind::Breakpoint:
    case LiveEvent::Kind::Error:
        // Answers come in the order of the questions; an error may also be one to another command.
        if (event.kind == LiveEvent::Kind::Error) program.error = toQString(event.text);
        if (!connection.asked.empty()) {
            const std::string text = std::move(connection.asked.front());
            connection.asked.pop_front();
            if (event.kind == LiveEvent::Kind::Breakpoint)
                connection.breakpoints[text] = event.breakpoint;
            else
                connection.breakpoints.erase(text);
            if (connection.asked.empty()) sync(connection); // those that changed meanwhile
        }
        break;
    case LiveEvent::Kind::Other:
        return;
    }
    emit programChanged(program.id);
}

/// Tells a program of what changed among the breakpoints. One whose number is not known yet stays until it
/// is.
void LiveSession::sync(Connection& connection) {
    std::map<std::string, const LiveBreakpoint*> wanted;
    for (const LiveBreakpoint& breakpoint : m_breakpoints)
        wanted.emplace(dynamo::describe(breakpoint), &breakpoint);
    for (auto known = connection.breakpoints.begin(); known != connection.breakpoints.end();) {
        if (wanted.contains(known->first) || known->second == 0) {
            ++known;
            continue;
        }
        write(connection, dynamo::liveDelete(known->second));
        known = connection.breakpoints.erase(known);
    }
    for (const auto& [text, breakpoint] : wanted) {
        if (!connection.breakpoints.emplace(text, 0).second) continue;
        connection.asked.push_back(text);
        write(connection, dynamo::liveBreak(*breakpoint));
    }
}

void LiveSession::setBreakpoints(std::vector<LiveBreakpoint> breakpoints) {
    m_breakpoints = std::move(breakpoints);
    for (const auto& connection : m_connections)
        if (connection->program.hello.kind == LiveEvent::Kind::Hello) sync(*connection);
}

void LiveSession::send(int id, LiveCommand command) {
    if (Connection* connection = find(id)) write(*connection, dynamo::liveCommand(command));
}

void LiveSession::write(Connection& connection, const std::string& text) {
    if (connection.peer.send(text)) return;
    connection.lost = true;
    const int id = connection.program.id;
    QMetaObject::invokeMethod(
        this, [this, id] { drop(id); }, Qt::QueuedConnection);
}

void LiveSession::drop(int id) {
    const auto found = std::find_if(m_connections.begin(), m_connections.end(),
                                    [id](const auto& connection) { return connection->program.id == id; });
    if (found == m_connections.end()) return;
    const std::unique_ptr<Connection> gone = std::move(*found);
    m_connections.erase(found);
    // A notifier may not be deleted in its own signal.
    gone->notifier->setEnabled(false);
    gone->notifier.release()->deleteLater();
    emit programGone(id);
}

} // namespace dynascope::views
