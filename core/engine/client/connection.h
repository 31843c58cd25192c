// SPDX-License-Identifier: BSD-3-Clause
//
// One engine process from its start to its end; or another one that speaks as it does (core/remote).
#pragma once

#include "core/engine/client/client.h"
#include "core/engine/client/process.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace dynascope::engine {

/// Thread-safe. The destructor closes the engine's input, and kills it if it has not ended a moment later.
class Connection {
public:
    /// `name` stands for the process in messages.
    explicit Connection(Process process, std::string name = "the engine");
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] CallResult call(const std::string& method, const nlohmann::json& params,
                                  const CallOptions& options);
    [[nodiscard]] bool alive() const;
    [[nodiscard]] pid_t pid() const { return m_process.pid; }
    /// Whether this engine was sent the graph. It may have dropped it since.
    [[nodiscard]] bool knowsGraph(const std::string& hash) const;
    void rememberGraph(const std::string& hash);

private:
    struct Pending {
        std::optional<nlohmann::json> message;
        std::function<void(const Progress&)> onProgress;
        std::function<void(std::string_view)> onData;
        std::vector<std::uint8_t> data; ///< without onData
    };
    enum class Waited { Answered, Ended, Stopped, TimedOut };

    void read();
    [[nodiscard]] std::string readFrames(); ///< until there are none; what was wrong with the last one
    void receive(const std::string& body);
    void receivePiece(std::int64_t id, std::string_view piece);
    /// Runs what call m_telling was given to hear with; the call does not return meanwhile.
    template <typename Sink>
    void tell(const Sink& sink);
    /// Waits until nothing that call `id` was given is running any more.
    void settle(std::unique_lock<std::mutex>& lock, std::int64_t id);
    void lose(std::string why);
    [[nodiscard]] bool send(const nlohmann::json& message, std::chrono::steady_clock::time_point deadline,
                            const std::stop_token& stop);
    CallResult carryOut(const std::string& method, const nlohmann::json& params, const CallOptions& options);
    Waited wait(std::unique_lock<std::mutex>& lock, std::int64_t id, const CallOptions& options,
                std::chrono::steady_clock::time_point deadline);
    CallResult abandon(std::unique_lock<std::mutex>& lock, std::int64_t id, Waited why,
                       const CallOptions& options);
    void kill();

    Process m_process;
    std::string m_name;
    mutable std::mutex m_mutex; ///< everything below
    std::condition_variable_any m_changed;
    std::map<std::int64_t, Pending> m_pending;
    std::set<std::string> m_graphs;
    std::int64_t m_nextId = 1;
    std::int64_t m_telling = 0;       ///< the call whose sink is running, or 0
    std::optional<std::string> m_end; ///< why the engine is gone
    std::string m_lastWords;          ///< the end of what it wrote to stderr
    bool m_reaped = false;
    std::mutex m_writing;
    std::jthread m_reader;
};

} // namespace dynascope::engine
