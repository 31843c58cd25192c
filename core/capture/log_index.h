// SPDX-License-Identifier: BSD-3-Clause
//
// What of a TORCH_TRACE log must be there to open it, and what can stay where it lies until somebody looks: of a model
// with 24 layers nearly all of a log is graphs and generated code that nobody opens.
#pragma once

#include "core/base/task.h"
#include "core/session/session.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace dynascope::capture {

/// Whole lines of a payload that can stay away. How many line ends it has is what the lines of later records are
/// counted by.
struct StayingPiece {
    session::AwayPiece piece;
    std::uint64_t lineEnds = 0;
    bool isClosed = false; ///< its last byte is a line end; not so at the end of a payload
};

/// Payloads shorter than this come along with the rest of the log.
inline constexpr std::uint64_t shortestStaying = 1024;

/// The pieces of a log that opening it does not look at, in their order. Of a graph, source lines that its comments
/// quote are kept where the log quotes them first. Only of payloads that match their hash: a damaged one is looked at
/// whole. Nothing where it is cancelled; empty for any other text. Reads all of the log, on all cores.
[[nodiscard]] std::optional<std::vector<StayingPiece>> stayingPieces(std::string_view log,
                                                                     const TaskContext& task);

/// Writes into `room`, `piece.length` zero bytes, what stands in for a piece: its line ends, and the tabs before its
/// lines. False where so many lines do not fit.
[[nodiscard]] bool writeStandIn(char* room, const StayingPiece& piece);

} // namespace dynascope::capture
