// SPDX-License-Identifier: BSD-3-Clause
//
// The engine's side of the protocol: a reader thread that answers status and cancel at any time, and one
// worker, the calling thread, that carries out everything else in order.
#pragma once

#include "core/base/task.h"
#include "core/engine/wire/failure.h"

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <tl/expected.hpp>

namespace dynascope::engine {

/// A result whose member "data" is binary goes as bulk data: in pieces, as the client gives credits.
using Reply = tl::expected<nlohmann::json, Failure>;

/// What a request is carried out with.
struct RequestContext : TaskContext {
    /// Sends bulk data while the request is being carried out: one piece of at most maxPieceBytes. From any
    /// one thread at a time; blocks until the client has room; false once nobody takes any more.
    std::function<bool(std::string_view piece)> onData;
};

/// Carries out one request on the worker. A method it does not know gives Failure{MethodNotFound}.
using Handler =
    std::function<Reply(const std::string& method, const nlohmann::json& params, const RequestContext& task)>;

/// How long bulk data waits for a credit before its request fails and the next one has its turn.
inline constexpr std::chrono::milliseconds creditPatience = std::chrono::seconds(60);

/// Serves until "shutdown" or the end of `in`, and returns the exit status: 0, or 1 after bytes that are no
/// frame (said on stderr). Blocks. Progress is sent at most 30 times a second.
[[nodiscard]] int serve(int in, int out, const Handler& handler,
                        std::chrono::milliseconds patience = creditPatience);

} // namespace dynascope::engine
