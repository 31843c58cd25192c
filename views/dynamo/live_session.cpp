// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/live_session.h"

#include "views/models/labels.h"

#include <QDir>
#include <QFile>
#include <QSocketNotifier>
#include <QTemporaryDir>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <map>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace dynascope::views {

using dynamo::LiveBreakpoint;
using dynamo::LiveCommand;
using dynamo::LiveEvent;

namespace {

constexpr std::size_t mostPrograms = 256;

Error failure(const QString& path) {
    return Error{std::strerror(errno), path.toStdString(), 0, 0};
}

} // namespace

struct LiveSession::Connection {
    int socket = -1;
    Program program;
    dynamo::LiveLines lines;
    std::unique_ptr<QSocketNotifier> notifier;
    /// Breakpoints that the program has, by text; 0 until it said their numbers.
    std::map<std::string, int> breakpoints;
    std::deque<std::string> asked; ///< texts whose numbers are still to come
    bool lost = false;

    ~Connection() {
        notifier.reset();
        if (socket >= 0) ::close(socket);
    }
};

Result<std::unique_ptr<LiveSession>> LiveSession::listen() {
    QTemporaryDir folder(QDir::tempPath() + QStringLiteral("/dynascope-live-XXXXXX")); // of mode 0700
    if (!folder.isValid())
        return tl::unexpected(Error{folder.errorString().toStdString(), folder.path().toStdString(), 0, 0});
    const QString path = folder.filePath(QStringLiteral("socket"));
    const QByteArray name = QFile::encodeName(path);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (std::size_t(name.size()) >= sizeof(address.sun_path))
        return tl::unexpected(Error{"the path is too long for a socket", path.toStdString(), 0, 0});
    std::memcpy(address.sun_path, name.constData(), std::size_t(name.size()));
    const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (socket < 0) return tl::unexpected(failure(path));
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
        ::listen(socket, SOMAXCONN) != 0) {
        const Error error = failure(path);
        ::close(socket);
        return tl::unexpected(error);
    }
    folder.setAutoRemove(false);
    return std::unique_ptr<LiveSession>(new LiveSession(folder.path(), path, socket));
}

LiveSession::LiveSession(QString folder, QString path, int socket)
    : m_folder(std::move(folder))
    , m_path(std::move(path))
    , m_socket(socket)
    , m_notifier(std::make_unique<QSocketNotifier>(socket, QSocketNotifier::Read)) {
    connect(m_notifier.get(), &QSocketNotifier::activated, this, &LiveSession::accept);
}

LiveSession::~LiveSession() {
    m_connections.clear(); // the programs run on
    m_notifier.reset();
    ::close(m_socket);
    QFile::remove(m_path);
    QDir().rmdir(m_folder);
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
    const int socket = ::accept4(m_socket, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) return;
    if (m_connections.size() >= mostPrograms) {
        ::close(socket);
        return;
    }
    auto connection = std::make_unique<Connection>();
    connection->socket = socket;
    connection->program.id = m_nextId++;
    connection->notifier = std::make_unique<QSocketNotifier>(socket, QSocketNotifier::Read);
    connect(connection->notifier.get(), &QSocketNotifier::activated, this,
            [this, id = connection->program.id] { read(id); });
    m_connections.push_back(std::move(connection));
}

void LiveSession::read(int id) {
    Connection* connection = find(id);
    if (!connection) return;
    char bytes[65536];
    const ssize_t count = ::recv(connection->socket, bytes, sizeof(bytes), 0);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (count <= 0 || !connection->lines.add({bytes, std::size_t(count)})) return drop(id);
    while (const std::optional<std::string> line = connection->lines.take()) {
        const Result<LiveEvent> event = dynamo::readLiveEvent(*line);
        if (!event) return drop(id);
        take(*connection, *event);
        connection = find(id); // who heard of it may have let it go
        if (!connection) return;
        if (connection->lost) return drop(id);
    }
}

void LiveSession::take(Connection& connection, const LiveEvent& event) {
    Program& program = connection.program;
    switch (event.kind) {
    case LiveEvent::Kind::Hello:
        if (event.protocol != dynamo::liveProtocol) {
            connection.lost = true;
            return;
        }
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
    // Lines are short and a program reads them at once: what does not fit the socket's buffer has no reader.
    const ssize_t written = ::send(connection.socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (written == ssize_t(text.size())) return;
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
