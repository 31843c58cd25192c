// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/connection.h"

#include "core/base/log.h"
#include "core/engine/wire/framing.h"
#include "core/engine/wire/methods.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dynascope::engine {

namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;

CallResult failed(CallError::Kind kind, std::string message) {
    return tl::unexpected(CallError{kind, std::move(message), 0, {}});
}

std::string seconds(std::chrono::milliseconds time) {
    std::string text = std::to_string(static_cast<double>(time.count()) / 1000.0);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text + " s";
}

std::string lastLine(std::string_view text) {
    while (text.ends_with('\n') || text.ends_with('\r')) // ssh ends its lines as a terminal has them
        text.remove_suffix(1);
    const std::size_t start = text.rfind('\n');
    return std::string(start == std::string_view::npos ? text : text.substr(start + 1));
}

CallResult resultOf(const json& message) {
    if (const auto error = message.find("error"); error != message.end() && error->is_object()) {
        const json text = error->value("message", json());
        const json code = error->value("code", json());
        const int number = code.is_number_integer() ? code.get<int>() : 0;
        const auto kind = number == static_cast<int>(ErrorCode::Cancelled) ? CallError::Kind::Cancelled
                                                                           : CallError::Kind::Refused;
        return tl::unexpected(CallError{kind, text.is_string() ? text.get<std::string>() : "no reason given",
                                        number, error->value("data", json())});
    }
    return message.value("result", json());
}

} // namespace

Connection::Connection(Process process, std::string name)
    : m_process(std::move(process))
    , m_name(std::move(name))
    , m_reader([this] { read(); }) {}

Connection::~Connection() {
    ::shutdown(m_process.in.get(), SHUT_WR);
    {
        std::unique_lock lock(m_mutex);
        m_changed.wait_for(lock, std::chrono::milliseconds(500), [this] { return m_end.has_value(); });
    }
    kill();
    m_reader.join();
}

bool Connection::alive() const {
    const std::scoped_lock lock(m_mutex);
    return !m_end;
}

bool Connection::knowsGraph(const std::string& hash) const {
    const std::scoped_lock lock(m_mutex);
    return m_graphs.contains(hash);
}

void Connection::rememberGraph(const std::string& hash) {
    const std::scoped_lock lock(m_mutex);
    m_graphs.insert(hash);
}

void Connection::kill() {
    const std::scoped_lock lock(m_mutex);
    if (!m_reaped) ::kill(m_process.pid, SIGKILL);
}

/// Reads both of the engine's streams until it is gone. Descriptors that its children inherited may stay
/// open, so the end of descriptor 1 is the end.
void Connection::read() {
    std::string problem;
    // Memory that runs out, or who is told of progress, ends the connection and not the program.
    try {
        problem = readFrames();
    } catch (const std::exception& thrown) {
        problem = m_name + " sent what could not be taken: " + thrown.what();
    }
    lose(std::move(problem));
}

std::string Connection::readFrames() {
    FrameReader frames;
    std::array<char, 65536> buffer{};
    std::array<pollfd, 2> streams{{{m_process.out.get(), POLLIN, 0}, {m_process.err.get(), POLLIN, 0}}};
    std::string problem;
    while (problem.empty()) {
        if (::poll(streams.data(), streams.size(), -1) < 0) continue;
        if (streams[1].revents != 0) {
            const ssize_t got = ::read(m_process.err.get(), buffer.data(), buffer.size());
            if (got <= 0) {
                streams[1].fd = -1;
            } else {
                const std::scoped_lock lock(m_mutex);
                m_lastWords.append(buffer.data(), static_cast<std::size_t>(got));
                if (m_lastWords.size() > 8192) m_lastWords.erase(0, m_lastWords.size() - 4096);
            }
        }
        if (streams[0].revents == 0) continue;
        const ssize_t got = ::read(m_process.out.get(), buffer.data(), buffer.size());
        if (got <= 0) break;
        frames.append({buffer.data(), static_cast<std::size_t>(got)});
        for (;;) {
            Result<std::optional<Frame>> message = frames.nextFrame();
            if (!message) problem = m_name + " sent what is no message: " + message.error().message;
            if (!message || !*message) break;
            if ((*message)->stream) {
                receivePiece(*(*message)->stream, (*message)->body);
            } else {
                receive((*message)->body);
            }
        }
    }
    return problem;
}

template <typename Sink>
void Connection::tell(const Sink& sink) {
    const auto told = [this] {
        const std::scoped_lock lock(m_mutex);
        m_telling = 0;
        m_changed.notify_all();
    };
    try {
        sink();
    } catch (...) {
        told(); // who gives up the call waits for this
        throw;
    }
    told();
}

void Connection::receive(const std::string& body) {
    json message = json::parse(body, nullptr, false);
    if (!message.is_object()) return;
    if (message.value("method", json()) == "progress") {
        const json params = message.value("params", json::object());
        const json id = params.is_object() ? params.value("id", json()) : json();
        if (!id.is_number_integer()) return;
        std::function<void(const Progress&)> sink;
        {
            const std::scoped_lock lock(m_mutex);
            const auto found = m_pending.find(id.get<std::int64_t>());
            if (found != m_pending.end()) sink = found->second.onProgress;
            if (sink) m_telling = id.get<std::int64_t>();
        }
        const auto number = [&](const char* key) {
            const json value = params.value(key, json());
            return value.is_number_unsigned() ? value.get<std::uint64_t>() : 0;
        };
        const json phase = params.value("phase", json());
        if (sink)
            tell([&] {
                sink({phase.is_string() ? phase.get_ref<const std::string&>() : std::string_view(),
                      number("done"), number("total")});
            });
        return;
    }
    const json id = message.value("id", json());
    if (!id.is_number_integer()) return;
    const std::scoped_lock lock(m_mutex);
    const auto found = m_pending.find(id.get<std::int64_t>());
    if (found == m_pending.end()) return; // the answer to a call that was given up
    found->second.message = std::move(message);
    m_changed.notify_all();
}

void Connection::settle(std::unique_lock<std::mutex>& lock, std::int64_t id) {
    m_changed.wait(lock, [&] { return m_telling != id; });
}

void Connection::receivePiece(std::int64_t id, std::string_view piece) {
    std::function<void(std::string_view)> sink;
    {
        const std::scoped_lock lock(m_mutex);
        const auto found = m_pending.find(id);
        if (found == m_pending.end()) return; // of a call that was given up: no credit, so no more
        sink = found->second.onData;
        if (sink) m_telling = id;
        if (!sink) found->second.data.insert(found->second.data.end(), piece.begin(), piece.end());
    }
    if (sink) tell([&] { sink(piece); });
    (void)send(
        {{"jsonrpc", "2.0"}, {"method", "credit"}, {"params", wire::encode(wire::CreditRequest{id, 1})}},
        Clock::now() + std::chrono::seconds(10), {});
}

void Connection::lose(std::string why) {
    if (!why.empty()) kill();
    int status = 0;
    // An engine that closed its output is of no use, though it may not have ended; one that was killed ends
    // at once.
    for (int i = 0; ::waitpid(m_process.pid, &status, WNOHANG) == 0; ++i) {
        if (i == 200) kill();
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    const std::scoped_lock lock(m_mutex);
    m_reaped = true;
    std::array<pollfd, 1> rest{{{m_process.err.get(), POLLIN, 0}}};
    std::array<char, 4096> buffer{};
    while (::poll(rest.data(), 1, 0) > 0) {
        const ssize_t got = ::read(m_process.err.get(), buffer.data(), buffer.size());
        if (got <= 0) break;
        m_lastWords.append(buffer.data(), static_cast<std::size_t>(got));
    }
    if (why.empty()) {
        why = m_name + " ended by " + describeEnd(status);
        if (const std::string last = lastLine(m_lastWords); !last.empty()) why += ": " + last;
    }
    log::write(log::Topic::Engine, "process ", m_process.pid, " is gone: ", why);
    m_end = std::move(why);
    m_changed.notify_all();
}

/// False once the engine is gone, or takes nothing until the deadline.
bool Connection::send(const json& message, Clock::time_point deadline, const std::stop_token& stop) {
    const std::string bytes = frame(message.dump(-1, ' ', false, json::error_handler_t::replace));
    const std::scoped_lock lock(m_writing);
    for (std::string_view rest = bytes; !rest.empty();) {
        const ssize_t done =
            ::send(m_process.in.get(), rest.data(), rest.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (done > 0) {
            rest.remove_prefix(static_cast<std::size_t>(done));
            continue;
        }
        if (done < 0 && errno != EAGAIN && errno != EINTR) return false;
        // Half a message was sent: nothing sensible can follow it, so a stop here costs the engine.
        if (Clock::now() >= deadline || (stop.stop_requested() && rest.size() == bytes.size())) return false;
        pollfd writable{m_process.in.get(), POLLOUT, 0};
        ::poll(&writable, 1, 50);
    }
    return true;
}

Connection::Waited Connection::wait(std::unique_lock<std::mutex>& lock, std::int64_t id,
                                    const CallOptions& options, Clock::time_point deadline) {
    const auto answered = [&] { return m_pending.at(id).message.has_value() || m_end; };
    m_changed.wait_until(lock, options.task.stop, deadline, answered);
    if (m_pending.at(id).message) return Waited::Answered;
    if (m_end) return Waited::Ended;
    return options.task.cancelled() ? Waited::Stopped : Waited::TimedOut;
}

/// Asks the engine to stop request `id`; kills it when it does not answer within the grace.
CallResult Connection::abandon(std::unique_lock<std::mutex>& lock, std::int64_t id, Waited why,
                               const CallOptions& options) {
    lock.unlock();
    const Clock::time_point deadline = Clock::now() + options.grace;
    const bool asked =
        send({{"jsonrpc", "2.0"}, {"method", "cancel"}, {"params", wire::encode(wire::CancelRequest{id})}},
             deadline, {});
    lock.lock();
    const auto answered = [&] { return m_pending.at(id).message.has_value() || m_end; };
    const bool stopped = asked && m_changed.wait_until(lock, deadline, answered);
    std::string message =
        why == Waited::Stopped ? "cancelled" : "no answer within " + seconds(options.timeout);
    if (!stopped) {
        log::write(log::Topic::Engine, "call ", id, " was cancelled or overdue and did not stop within ",
                   options.grace.count(), " ms: killing process ", m_process.pid);
        lock.unlock();
        kill();
        lock.lock();
        // The next call starts a new engine once the end of this one is known.
        m_changed.wait_for(lock, std::chrono::seconds(2), [this] { return m_end.has_value(); });
        message += "; " + m_name + " did not stop and was killed";
    }
    settle(lock, id);
    m_pending.erase(id);
    return failed(why == Waited::Stopped ? CallError::Kind::Cancelled : CallError::Kind::TimedOut,
                  std::move(message));
}

CallResult Connection::call(const std::string& method, const json& params, const CallOptions& options) {
    const log::Stopwatch watch;
    log::write(log::Topic::Engine, method, " begins");
    CallResult result = carryOut(method, params, options);
    log::write(log::Topic::Engine, method, " ended after ", watch.ms(), " ms",
               result ? std::string() : ": " + result.error().message);
    return result;
}

CallResult Connection::carryOut(const std::string& method, const json& params, const CallOptions& options) {
    const Clock::time_point deadline = Clock::now() + options.timeout;
    std::unique_lock lock(m_mutex);
    if (m_end) return failed(CallError::Kind::EngineDied, *m_end);
    const std::int64_t id = m_nextId++;
    m_pending[id].onProgress = options.task.onProgress;
    m_pending[id].onData = options.onData;
    lock.unlock();
    json message{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}};
    if (message["params"].is_object()) message["params"]["credits"] = options.credits;
    const bool sent = send(message, deadline, options.task.stop);
    lock.lock();
    Waited how = Waited::TimedOut;
    if (sent || Clock::now() < deadline)
        how = wait(lock, id, options, sent ? deadline : Clock::now() + options.grace);
    if (how == Waited::Stopped || how == Waited::TimedOut) return abandon(lock, id, how, options);
    settle(lock, id);
    auto pending = m_pending.extract(id);
    if (how == Waited::Ended) return failed(CallError::Kind::EngineDied, *m_end);
    CallResult result = resultOf(*pending.mapped().message);
    std::vector<std::uint8_t>& data = pending.mapped().data;
    if (result && result->is_object() && !pending.mapped().onData &&
        result->value("bytes", json()) == data.size())
        (*result)["data"] = json::binary(std::move(data));
    return result;
}

} // namespace dynascope::engine
