// SPDX-License-Identifier: BSD-3-Clause
//
// What becomes of a call to the engine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <tl/expected.hpp>

namespace dynascope::engine {

/// Why a call has no result.
struct CallError {
    enum class Kind {
        NotStarted, ///< the engine could not be started, or speaks another protocol
        EngineDied, ///< it ended while the call ran; the next call starts a new one
        Cancelled,  ///< `stop` was requested
        TimedOut,
        Refused, ///< the engine answered with an error
    };
    Kind kind = Kind::Refused;
    std::string message; ///< one line
    int code = 0;        ///< of a Refused call, as in ErrorCode
    nlohmann::json
        data; ///< of a Refused call: {"node", "target"} where one op failed; {"torch"}: which PyTorch is lacking

    /// The node where one op failed; else empty.
    [[nodiscard]] std::string node() const;
    /// It was not started for lack of its PyTorch; the message says what to do.
    [[nodiscard]] bool lacksTorch() const { return data.contains("torch"); }
};
template <typename T>
using Answer = tl::expected<T, CallError>;
using CallResult = Answer<nlohmann::json>;

} // namespace dynascope::engine
