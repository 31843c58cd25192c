// SPDX-License-Identifier: BSD-3-Clause
//
// What a frame that breaks hands to the frame that goes on: which results of its graph come back as inputs
// there. Told by the bytecode that Dynamo made for the frame, as far as that tells it. A trace lacks that of
// the frame that was called from outside; there the names of locals tell, by which Dynamo calls nodes.
#pragma once

#include "core/session/session.h"

#include <cstddef>
#include <string>
#include <vector>

namespace dynascope::session {

/// An input of a frame that goes on after a graph break.
struct HandedInput {
    std::string source;       ///< of the input: "L['h']"
    std::size_t compile = 0;  ///< that made the value: an index into Session::compiles
    std::size_t output = 0;   ///< among what its Dynamo graph returns
    std::string outputSource; ///< where it is no result: the input of that compile that it is; else empty
    [[nodiscard]] bool isResult() const { return outputSource.empty(); }
};

/// By compile; empty for those that begin by themselves, and where bytecode is missing or does not tell.
/// Values that pass through several frames are followed to the one that made them.
[[nodiscard]] std::vector<std::vector<HandedInput>> handedOver(const Session& session);

/// Where a result of a compile's Dynamo graph stands among what AOTAutograd's forward graph returns, by the
/// names that AOTAutograd gives its outputs. SIZE_MAX where the graph does not say.
[[nodiscard]] std::size_t forwardOutput(const ir::Graph& forward, std::size_t output);

} // namespace dynascope::session
