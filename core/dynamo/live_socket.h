// SPDX-License-Identifier: BSD-3-Clause
//
// The client's end of live mode (live.h, docs/live-protocol.md): a socket that programs under the recorder
// connect to, and a connection a program. Window and command line wait for its descriptors, each in its own
// way. For one thread; nothing here blocks.
#pragma once

#include "core/dynamo/live.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::dynamo {

/// A program; closing the connection lets it run on without a client.
class LiveConnection {
public:
    explicit LiveConnection(int descriptor)
        : m_descriptor(descriptor) {}
    LiveConnection(LiveConnection&& other) noexcept;
    LiveConnection& operator=(LiveConnection&&) = delete;
    LiveConnection(const LiveConnection&) = delete;
    LiveConnection& operator=(const LiveConnection&) = delete;
    ~LiveConnection();

    /// Readable when there is something to hear.
    [[nodiscard]] int descriptor() const { return m_descriptor; }

    struct Heard {
        std::vector<LiveEvent> events;
        bool isOpen = true; ///< false: nothing comes after these, let the program go
        std::string why;    ///< where it is no program that can be understood; empty where it ended
    };
    /// What came since. A program that speaks another protocol, or sends nonsense, is not to be listened to.
    [[nodiscard]] Heard hear();
    /// False where the program is gone, or reads nothing.
    [[nodiscard]] bool send(std::string_view line) const;

private:
    int m_descriptor;
    LiveLines m_lines;
};

/// Its folder, which only this user can enter, goes with it.
class LiveListener {
public:
    /// In $TMPDIR, or in /tmp where that is not set or too long for a socket's path.
    [[nodiscard]] static Result<LiveListener> open();
    LiveListener(LiveListener&& other) noexcept;
    LiveListener& operator=(LiveListener&&) = delete;
    LiveListener(const LiveListener&) = delete;
    LiveListener& operator=(const LiveListener&) = delete;
    ~LiveListener();

    /// For DYNASCOPE_LIVE.
    [[nodiscard]] const std::string& path() const { return m_path; }
    /// Readable when a program wants to connect.
    [[nodiscard]] int descriptor() const { return m_descriptor; }
    /// A program that connected; nothing where there is none, or where `connected` are enough.
    [[nodiscard]] std::optional<LiveConnection> accept(std::size_t connected) const;

private:
    LiveListener() = default;

    std::string m_folder, m_path;
    int m_descriptor = -1;
};

} // namespace dynascope::dynamo
