// SPDX-License-Identifier: BSD-3-Clause
//
// One capture on another machine: `dynascope-cli serve` there, over ssh, from its opening until its last file is let
// go. A connection that is lost is made anew when something is asked for.
#pragma once

#include "core/base/task.h"
#include "core/engine/client/call_error.h"
#include "core/remote/address.h"
#include "core/remote/protocol.h"
#include "core/session/session.h"

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dynascope::engine {
class Connection;
}

namespace dynascope::remote {

/// Thread-safe. Errors name the address.
class Host : public std::enable_shared_from_this<Host> {
public:
    /// Logs in, and opens the path there. Blocks.
    [[nodiscard]] static Result<std::shared_ptr<Host>> open(const std::string& address,
                                                            const TaskContext& task);
    ~Host();
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    [[nodiscard]] const OpenReply& opened() const { return m_opened; }
    /// A file of it, whose pieces that stay there come when they are needed. Blocks until the rest is here.
    [[nodiscard]] Result<session::ByteSourcePtr> file(std::size_t index, const TaskContext& task);
    /// Pieces of a file, one after the other, unpacked; together at most mostPieceBytes. Blocks; after half a minute
    /// without an answer an Error, or one and a half where it has to log in again first. An address that did not answer
    /// is not asked again for three seconds.
    [[nodiscard]] Result<std::string> pieces(std::size_t file, std::span<const session::AwayPiece> wanted);

private:
    using Take = std::function<Result<void>(std::string_view)>;

    Host(std::string address, Address parsed);
    struct Patience {
        std::chrono::milliseconds login, open;
    };
    [[nodiscard]] Result<std::shared_ptr<engine::Connection>>
    connect(const TaskContext& task, OpenReply* opened, const Patience& patience);
    /// The connection, made again where it is lost, and the same capture opened on it.
    [[nodiscard]] Result<std::shared_ptr<engine::Connection>> connected(const TaskContext& task);
    /// Where the file is among those that are open there now.
    [[nodiscard]] Result<std::size_t> placeOf(std::size_t file);
    /// Calls a method whose bulk data is unpacked into `take`.
    template <typename Answer, typename Request>
    [[nodiscard]] Result<Answer> callFor(const char* method, Request request,
                                         std::chrono::milliseconds timeout, const TaskContext& task,
                                         const Take& take);
    [[nodiscard]] Error errorOf(const engine::CallError& error) const;
    [[nodiscard]] Error errorOf(std::string message) const { return {std::move(message), m_address}; }

    std::string m_address;
    Address m_parsed;
    OpenReply m_opened;
    std::mutex m_mutex; ///< what is below; held while it connects again
    std::shared_ptr<engine::Connection> m_connection;
    OpenReply m_openNow;                                ///< as of the latest connection
    std::optional<Error> m_failure;                     ///< of the latest try to connect again,
    std::chrono::steady_clock::time_point m_tryAgainAt; ///< which is not made before then
};

} // namespace dynascope::remote
