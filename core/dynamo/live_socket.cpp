// SPDX-License-Identifier: BSD-3-Clause
#include "core/dynamo/live_socket.h"

#include "core/base/log.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace dynascope::dynamo {

namespace {

constexpr std::size_t readAtOnce = 65536; ///< bytes
constexpr std::size_t mostPrograms = 256;

} // namespace

LiveConnection::LiveConnection(LiveConnection&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1))
    , m_lines(std::move(other.m_lines)) {}

LiveConnection::~LiveConnection() {
    if (m_descriptor >= 0) ::close(m_descriptor);
}

LiveConnection::Heard LiveConnection::hear() {
    Heard out;
    const auto refused = [&out, this](std::string why) {
        log::write(log::Topic::Dynamo, "live: let a program go on connection ", m_descriptor, ": ", why);
        out.isOpen = false;
        out.why = std::move(why);
    };
    std::string bytes(readAtOnce, '\0');
    const ssize_t count = ::recv(m_descriptor, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return out;
    if (count <= 0) {
        log::write(log::Topic::Dynamo, "live: connection ", m_descriptor, " ended",
                   count < 0 ? std::string(": ") + std::strerror(errno) : std::string());
        out.isOpen = false;
        return out;
    }
    if (!m_lines.add(std::string_view(bytes).substr(0, static_cast<std::size_t>(count)))) {
        refused("it sends a line without an end");
        return out;
    }
    while (const std::optional<std::string> line = m_lines.take()) {
        Result<LiveEvent> event = readLiveEvent(*line);
        if (!event) {
            refused("it sends what is no event: " + event.error().toString());
            return out;
        }
        if (event->kind == LiveEvent::Kind::Hello && event->protocol != liveProtocol) {
            refused("it speaks protocol " + std::to_string(event->protocol) + " of live mode, not " +
                    std::to_string(liveProtocol));
            return out;
        }
        out.events.push_back(std::move(*event));
    }
    return out;
}

bool LiveConnection::send(std::string_view line) const {
    // Lines are short and a program reads them at once: what does not fit the socket's buffer has no reader.
    return ::send(m_descriptor, line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
           static_cast<ssize_t>(line.size());
}

Result<LiveListener> LiveListener::open() {
    LiveListener out;
    const char* temporary = std::getenv("TMPDIR");
    std::string folder = std::string(temporary && *temporary ? temporary : "/tmp") + "/dynascope-live-XXXXXX";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (folder.size() + 8 > sizeof address.sun_path) folder = "/tmp/dynascope-live-XXXXXX";
    const auto failed = [&folder] { return failure(std::strerror(errno), folder); };
    if (mkdtemp(folder.data()) == nullptr) return failed(); // of mode 0700
    out.m_folder = folder;
    out.m_path = folder + "/socket";
    std::copy(out.m_path.begin(), out.m_path.end(), std::begin(address.sun_path));
    out.m_descriptor = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (out.m_descriptor < 0 ||
        ::bind(out.m_descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        ::listen(out.m_descriptor, SOMAXCONN) != 0)
        return failed();
    log::write(log::Topic::Dynamo, "live: listening at ", out.m_path);
    return out;
}

LiveListener::LiveListener(LiveListener&& other) noexcept
    : m_folder(std::exchange(other.m_folder, {}))
    , m_path(std::exchange(other.m_path, {}))
    , m_descriptor(std::exchange(other.m_descriptor, -1)) {}

LiveListener::~LiveListener() {
    if (m_descriptor >= 0) ::close(m_descriptor);
    if (!m_path.empty()) ::unlink(m_path.c_str());
    if (!m_folder.empty()) ::rmdir(m_folder.c_str());
}

std::optional<LiveConnection> LiveListener::accept(std::size_t connected) const {
    const int descriptor = ::accept4(m_descriptor, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (descriptor < 0) return std::nullopt;
    LiveConnection out(descriptor);
    if (connected >= mostPrograms) {
        log::write(log::Topic::Dynamo, "live: turned a program away, ", connected, " are connected");
        return std::nullopt;
    }
    log::write(log::Topic::Dynamo, "live: a program connected, on connection ", descriptor);
    return out;
}

} // namespace dynascope::dynamo
