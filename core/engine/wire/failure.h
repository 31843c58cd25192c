// SPDX-License-Identifier: BSD-3-Clause
//
// Why the engine did not carry out a request.
#pragma once

#include "core/engine/wire/protocol.h"

#include <nlohmann/json.hpp>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace dynascope::engine {

/// Why a request failed. `data` goes to the client as it is (the node that failed, ...).
struct Failure {
    ErrorCode code = ErrorCode::Failed;
    std::string message;
    nlohmann::json data;
};

/// The answer to a request whose parameters cannot be right.
[[nodiscard]] inline tl::unexpected<Failure> invalid(std::string message) {
    return tl::unexpected(Failure{ErrorCode::InvalidParams, std::move(message), {}});
}

} // namespace dynascope::engine
