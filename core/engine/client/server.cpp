// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/client/server.h"

#include "core/engine/client/framing.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace dynascope::engine {

namespace {

using nlohmann::json;

struct Request {
    json id;
    std::string method;
    json params;
    std::stop_source stop;
};

class Server {
public:
    Server(int in, int out, const Handler& handler)
        : m_in(in)
        , m_out(out)
        , m_handler(handler) {}

    int run() {
        const std::jthread reader([this] { read(); });
        while (std::optional<Request> request = take()) {
            answer(*request);
            const std::scoped_lock lock(m_mutex);
            m_current.reset();
            m_changed.notify_all();
        }
        return m_exit;
    }

private:
    void read();
    /// False at the end of the service.
    bool accept(const std::string& body);
    void answerAtOnce(const json& id, const std::string& method, const json& params);
    json cancel(const json& params);
    json status();
    std::optional<Request> take();
    void answer(Request& request);
    void finish(int exitStatus);
    void send(const json& message);
    void sendResult(const json& id, json result) {
        send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
    }
    void sendError(const json& id, const Failure& failure) {
        json error{{"code", static_cast<int>(failure.code)}, {"message", failure.message}};
        if (!failure.data.is_null()) error["data"] = failure.data;
        send({{"jsonrpc", "2.0"}, {"id", id}, {"error", std::move(error)}});
    }

    int m_in;
    int m_out;
    const Handler& m_handler;
    std::mutex m_mutex; ///< everything below
    std::condition_variable m_changed;
    std::deque<Request> m_queue;
    std::optional<Request> m_current; ///< the one being carried out, without its parameters
    bool m_ended = false;
    int m_exit = 0;
    std::mutex m_writing;
};

void Server::read() {
    FrameReader frames;
    std::array<char, 65536> buffer{};
    for (;;) {
        const ssize_t got = ::read(m_in, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return finish(0);
        frames.append({buffer.data(), static_cast<std::size_t>(got)});
        for (;;) {
            Result<std::optional<std::string>> message = frames.next();
            if (!message) {
                std::fprintf(stderr, "dynascope-engine: %s\n", message.error().message.c_str());
                sendError(nullptr, {ErrorCode::ParseError, message.error().message, {}});
                return finish(1);
            }
            if (!*message) break;
            if (!accept(**message)) return finish(0);
        }
    }
}

bool Server::accept(const std::string& body) {
    const json message = json::parse(body, nullptr, false);
    if (message.is_discarded()) {
        sendError(nullptr, {ErrorCode::ParseError, "the message is not JSON", {}});
        return true;
    }
    const bool wellFormed = message.is_object() && message.contains("method") &&
                            message["method"].is_string() && message.value("jsonrpc", json()) == "2.0";
    const json id = message.is_object() ? message.value("id", json()) : json();
    if (!wellFormed) {
        sendError(id, {ErrorCode::InvalidRequest, "not a JSON-RPC 2.0 request", {}});
        return true;
    }
    const auto method = message["method"].get<std::string>();
    json params = message.value("params", json::object());
    if (method == "shutdown") {
        sendResult(id, json::object());
        return false;
    }
    if (method == "cancel" || method == "status") {
        answerAtOnce(id, method, params);
        return true;
    }
    const std::scoped_lock lock(m_mutex);
    m_queue.push_back({id, method, std::move(params), {}});
    m_changed.notify_all();
    return true;
}

void Server::answerAtOnce(const json& id, const std::string& method, const json& params) {
    json result = method == "cancel" ? cancel(params) : status();
    if (!id.is_null()) sendResult(id, std::move(result));
}

json Server::cancel(const json& params) {
    const json id = params.is_object() ? params.value("id", json()) : json();
    const std::scoped_lock lock(m_mutex);
    bool found = false;
    const auto stop = [&](Request& request) {
        if (request.id != id) return;
        request.stop.request_stop();
        found = true;
    };
    if (m_current) stop(*m_current);
    for (Request& request : m_queue)
        stop(request);
    return {{"cancelled", found}};
}

json Server::status() {
    const std::scoped_lock lock(m_mutex);
    json result{{"busy", m_current.has_value()}, {"queued", m_queue.size()}};
    if (m_current) result["method"] = m_current->method;
    return result;
}

std::optional<Request> Server::take() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_ended || !m_queue.empty(); });
    if (m_ended) return std::nullopt;
    Request request = std::move(m_queue.front());
    m_queue.pop_front();
    m_current = Request{request.id, request.method, {}, request.stop};
    return request;
}

void Server::answer(Request& request) {
    TaskContext task;
    task.stop = request.stop.get_token();
    std::chrono::steady_clock::time_point last{};
    task.onProgress = [&](const Progress& progress) {
        const auto now = std::chrono::steady_clock::now();
        if (now - last < std::chrono::milliseconds(33)) return;
        last = now;
        send({{"jsonrpc", "2.0"},
              {"method", "progress"},
              {"params",
               {{"id", request.id},
                {"phase", progress.phase},
                {"done", progress.done},
                {"total", progress.total}}}});
    };
    const Reply reply = task.cancelled() ? tl::unexpected(Failure{ErrorCode::Cancelled, "cancelled", {}})
                                         : m_handler(request.method, request.params, task);
    if (request.id.is_null()) return; // a notification
    if (reply) {
        sendResult(request.id, *reply);
    } else {
        sendError(request.id, reply.error());
    }
}

/// Ends the service. What is still running is asked to stop; a kernel that does not look up is not waited
/// for.
void Server::finish(int exitStatus) {
    std::unique_lock lock(m_mutex);
    m_ended = true;
    m_exit = exitStatus;
    if (m_current) m_current->stop.request_stop();
    m_changed.notify_all();
    if (!m_changed.wait_for(lock, std::chrono::seconds(3), [this] { return !m_current; }))
        std::_Exit(exitStatus);
}

void Server::send(const json& message) {
    const std::string bytes = frame(message.dump(-1, ' ', false, json::error_handler_t::replace));
    const std::scoped_lock lock(m_writing);
    for (std::string_view rest = bytes; !rest.empty();) {
        const ssize_t done = ::write(m_out, rest.data(), rest.size());
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return; // the client is gone; its end of `in` closes as well
        rest.remove_prefix(static_cast<std::size_t>(done));
    }
}

} // namespace

int serve(int in, int out, const Handler& handler) {
    return Server(in, out, handler).run();
}

} // namespace dynascope::engine
