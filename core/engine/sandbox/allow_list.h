// SPDX-License-Identifier: BSD-3-Clause
//
// Which operators a graph from a stranger may call, and why the others may not or cannot run here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dynascope::engine {

/// What stands between a target and running it.
enum class Obstacle : std::uint8_t {
    None,
    Unknown,    ///< the engine does not know it: a gap of the engine's own
    Malformed,  ///< the graph itself is wrong there: a wrong argument, a value that nobody makes
    Hardware,   ///< needs a device, or code for one, that is not here
    Collective, ///< talks to other processes
    Hook,       ///< calls Python that the capture does not hold
    Refused,    ///< reaches outside the graph: files, processes, the terminal, unchecked memory
};
/// "hardware", "collective", ...
[[nodiscard]] std::string_view obstacleName(Obstacle obstacle);

struct OperatorVerdict {
    Obstacle obstacle = Obstacle::None;
    std::string reason; ///< without the target
};

/// Judges an operator by its namespace ("aten") and name without overload ("add").
[[nodiscard]] OperatorVerdict judgeOperator(std::string_view space, std::string_view name);

/// Says why a target that nothing else knows cannot run. Never None.
[[nodiscard]] OperatorVerdict judgeUnknown(std::string_view target);

} // namespace dynascope::engine
