// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/server/server.h"

#include "core/engine/wire/framing.h"
#include "core/engine/wire/methods.h"

#include <algorithm>
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
#include <vector>

namespace dynascope::engine {

namespace {

using nlohmann::json;

struct Request {
    json id;
    std::string method;
    json params;
    std::stop_source stop;
    std::uint64_t credits = 0; ///< pieces of bulk data that the client has room for
};

class Server {
public:
    Server(int in, int out, const Handler& handler, std::chrono::milliseconds patience)
        : m_in(in)
        , m_out(out)
        , m_handler(handler)
        , m_patience(patience) {}

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
    json credit(const json& params);
    json status();
    /// Sends the bulk data of the request that is being carried out.
    tl::expected<void, Failure> stream(const json& id, std::string_view data);
    /// One piece of it, once the client has room.
    tl::expected<void, Failure> sendPiece(const json& id, std::string_view piece);
    std::optional<Request> take();
    void answer(Request& request);
    void finish(int exitStatus);
    void send(const json& message);
    void sendBytes(std::string_view bytes);
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
    std::chrono::milliseconds m_patience;
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
    if (method == "cancel" || method == "status" || method == "credit") {
        answerAtOnce(id, method, params);
        return true;
    }
    const json credits = params.is_object() ? params.value("credits", json()) : json();
    const std::scoped_lock lock(m_mutex);
    m_queue.push_back(
        {id, method, std::move(params), {}, credits.is_number_unsigned() ? credits.get<std::uint64_t>() : 0});
    m_changed.notify_all();
    return true;
}

void Server::answerAtOnce(const json& id, const std::string& method, const json& params) {
    json result = method == "cancel" ? cancel(params) : method == "credit" ? credit(params) : status();
    if (!id.is_null()) sendResult(id, std::move(result));
}

json Server::cancel(const json& params) {
    const auto said = wire::decode<wire::CancelRequest>(params);
    const std::scoped_lock lock(m_mutex);
    bool found = false;
    const auto stop = [&](Request& request) {
        if (!said || request.id != said->id) return;
        request.stop.request_stop();
        found = true;
    };
    if (m_current) stop(*m_current);
    for (Request& request : m_queue)
        stop(request);
    m_changed.notify_all();
    return wire::encode(wire::CancelReply{found});
}

json Server::credit(const json& params) {
    const auto said = wire::decode<wire::CreditRequest>(params);
    if (!said) return json::object();
    constexpr std::uint64_t most = std::uint64_t{1} << 32; // keeps the sum from wrapping
    const std::uint64_t more = std::min(said->count, most);
    const std::scoped_lock lock(m_mutex);
    const auto add = [&](Request& request) {
        if (request.id == said->id) request.credits = std::min(request.credits + more, most);
    };
    if (m_current) add(*m_current);
    for (Request& request : m_queue)
        add(request);
    m_changed.notify_all();
    return json::object();
}

tl::expected<void, Failure> Server::stream(const json& id, std::string_view data) {
    for (; !data.empty(); data.remove_prefix(std::min(maxPieceBytes, data.size())))
        if (auto sent = sendPiece(id, data.substr(0, maxPieceBytes)); !sent) return sent;
    return {};
}

tl::expected<void, Failure> Server::sendPiece(const json& id, std::string_view piece) {
    if (!id.is_number_integer())
        return tl::unexpected(Failure{ErrorCode::InvalidRequest, "bulk data needs an integer id", {}});
    {
        std::unique_lock lock(m_mutex);
        const auto ready = [this] {
            return m_ended || m_current->credits > 0 || m_current->stop.stop_requested();
        };
        if (!m_changed.wait_for(lock, m_patience, ready))
            return tl::unexpected(Failure{ErrorCode::Failed, "the client gave no credit for bulk data", {}});
        if (m_ended || m_current->stop.stop_requested())
            return tl::unexpected(Failure{ErrorCode::Cancelled, "cancelled", {}});
        --m_current->credits;
    }
    sendBytes(streamFrame(id.get<std::int64_t>(), piece));
    return {};
}

json Server::status() {
    const std::scoped_lock lock(m_mutex);
    return wire::encode(wire::StatusReply{m_current.has_value(),
                                          m_current ? m_current->method : std::string(), m_queue.size()});
}

std::optional<Request> Server::take() {
    std::unique_lock lock(m_mutex);
    m_changed.wait(lock, [this] { return m_ended || !m_queue.empty(); });
    if (m_ended) return std::nullopt;
    Request request = std::move(m_queue.front());
    m_queue.pop_front();
    m_current = Request{request.id, request.method, {}, request.stop, request.credits};
    return request;
}

void Server::answer(Request& request) {
    RequestContext task;
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
    task.onData = [&](std::string_view piece) {
        return piece.size() <= maxPieceBytes && sendPiece(request.id, piece).has_value();
    };
    Reply reply = task.cancelled() ? tl::unexpected(Failure{ErrorCode::Cancelled, "cancelled", {}})
                                   : m_handler(request.method, request.params, task);
    if (request.id.is_null()) return; // a notification
    if (reply && reply->is_object() && reply->contains("data") && (*reply)["data"].is_binary()) {
        const std::vector<std::uint8_t>& data = (*reply)["data"].get_binary();
        const auto sent = stream(request.id, {reinterpret_cast<const char*>(data.data()), data.size()});
        const std::size_t size = data.size();
        reply->erase("data");
        (*reply)["bytes"] = size;
        if (!sent) reply = tl::unexpected(sent.error());
    }
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
    sendBytes(frame(message.dump(-1, ' ', false, json::error_handler_t::replace)));
}

void Server::sendBytes(std::string_view bytes) {
    const std::scoped_lock lock(m_writing);
    for (std::string_view rest = bytes; !rest.empty();) {
        const ssize_t done = ::write(m_out, rest.data(), rest.size());
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) return; // the client is gone; its end of `in` closes as well
        rest.remove_prefix(static_cast<std::size_t>(done));
    }
}

} // namespace

int serve(int in, int out, const Handler& handler, std::chrono::milliseconds patience) {
    return Server(in, out, handler, patience).run();
}

} // namespace dynascope::engine
