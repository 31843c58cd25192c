// SPDX-License-Identifier: BSD-3-Clause
//
// The one way to the engine for the command line and the window. The engine is a child process that starts
// with the first call and starts again after it died; a graph's text crosses once per process.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/engine/client/call_error.h"
#include "core/engine/wire/forward.h"
#include "core/engine/wire/protocol.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

/// What the engine said of itself.
struct EngineInfo {
    std::string engine; ///< its version
    std::string torch;  ///< PyTorch's version
    std::vector<std::string> devices;
    std::int64_t pid = 0; ///< of the child process (of ssh, where the engine is remote)
    /// What a graph that took over the engine could do, "read your files"; empty where the kernel denies all
    /// that it can be asked to.
    std::vector<std::string> unconfined = {};
};

struct CallOptions {
    std::chrono::milliseconds timeout = std::chrono::minutes(10);
    /// How long a cancelled or overdue engine may take to answer before it is killed.
    std::chrono::milliseconds grace = std::chrono::seconds(2);
    /// `onProgress` is called on the client's reader thread.
    TaskContext task;
    /// Takes the bulk data of the answer piece by piece, at most 1 MiB each, on the client's reader thread: a
    /// slow one slows the engine down. Without it the data is the answer's binary member "data".
    std::function<void(std::string_view piece)> onData;
    /// Pieces that may be under way at a time.
    unsigned credits = 8;
};

class Connection;

/// Thread-safe: calls may run on several threads at once; the engine carries them out in order, and answers
/// "status" at any time.
class Client {
public:
    /// `command` is an argument list, such as {"ssh", "host", "dynascope-engine"}. Nothing starts yet.
    explicit Client(std::vector<std::string> command);
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    /// Starts the engine if it does not run. Blocks for the handshake.
    [[nodiscard]] tl::expected<EngineInfo, CallError> start(const CallOptions& options = {});

    // The methods of the protocol (core/engine/wire). Those on a graph send its text first if this engine has
    // not seen it. An answer that is not what it should be is a Refused call that says where.
    [[nodiscard]] Answer<wire::PassesReply> passes(const CallOptions& options = {});
    [[nodiscard]] Answer<wire::PluginsReply> plugins(const CallOptions& options = {});
    [[nodiscard]] Answer<wire::EnvironmentReply> environment(const CallOptions& options = {});
    [[nodiscard]] Answer<wire::LoadReply> load(const wire::LoadRequest& request,
                                               const CallOptions& options = {});
    [[nodiscard]] Answer<wire::CoverageReply> coverage(std::string_view graphText,
                                                       const CallOptions& options = {});
    [[nodiscard]] Answer<wire::PassReply> pass(std::string_view graphText, const wire::PassRequest& request,
                                               const CallOptions& options = {});
    [[nodiscard]] Answer<wire::VerifyReply>
    verify(std::string_view graphText, const wire::VerifyRequest& request, const CallOptions& options = {});
    [[nodiscard]] Answer<wire::ExecuteReply>
    execute(std::string_view graphText, const wire::ExecuteRequest& request, const CallOptions& options = {});
    /// The elements go to `options.onData`, which must be set.
    [[nodiscard]] Answer<wire::TensorReply>
    tensor(std::string_view graphText, const wire::TensorRequest& request, const CallOptions& options);
    [[nodiscard]] Answer<wire::AotReply> aot(std::string_view graphText, const wire::AotRequest& request,
                                             const CallOptions& options = {});
    [[nodiscard]] Answer<wire::RecordReply>
    record(std::string_view graphText, const wire::RecordRequest& request, const CallOptions& options = {});
    [[nodiscard]] Answer<wire::ReplayReply> replay(const wire::ReplayRequest& request,
                                                   const CallOptions& options = {});
    [[nodiscard]] Answer<wire::DropReply> drop(const wire::DropRequest& request,
                                               const CallOptions& options = {});
    [[nodiscard]] Answer<wire::RanksReply> ranks(const wire::RanksRequest& request,
                                                 const CallOptions& options = {});
    [[nodiscard]] Answer<wire::TreeFunctionReply> treeFunction(std::string_view graphText,
                                                               const wire::TreeFunctionRequest& request,
                                                               const CallOptions& options = {});
    [[nodiscard]] Answer<wire::TreeReply> tree(const wire::TreeRequest& request,
                                               const CallOptions& options = {});
    [[nodiscard]] Answer<wire::TreeBeginReply> treeBegin(const wire::TreeRequest& request,
                                                         const CallOptions& options = {});
    [[nodiscard]] Answer<wire::TreeNextReply> treeNext(const wire::TreeNextRequest& request,
                                                       const CallOptions& options = {});
    /// Gives the run up; what the engine says of it is of no use any more.
    void treeDrop(const wire::TreeDropRequest& request);

    /// Any method as JSON crosses the wire: for tests of the protocol. Programs call the methods above.
    [[nodiscard]] CallResult call(const std::string& method,
                                  const nlohmann::json& params = nlohmann::json::object(),
                                  const CallOptions& options = {});
    /// Like call(), with `graph` added to the parameters; sends the text first if this engine has not seen
    /// it.
    [[nodiscard]] CallResult callOnGraph(const std::string& method, std::string_view graphText,
                                         nlohmann::json params = nlohmann::json::object(),
                                         const CallOptions& options = {});
    /// True while an engine runs.
    [[nodiscard]] bool running() const;

private:
    tl::expected<std::shared_ptr<Connection>, CallError> connect(const CallOptions& options);

    std::vector<std::string> m_command;
    mutable std::mutex m_mutex; ///< the two below
    std::shared_ptr<Connection> m_connection;
    EngineInfo m_info;
    std::mutex m_starting;
};

/// The engine that belongs to this program: dynascope-engine in the same folder as the executable, else on
/// PATH.
[[nodiscard]] std::vector<std::string> defaultEngineCommand();

} // namespace dynascope::engine
