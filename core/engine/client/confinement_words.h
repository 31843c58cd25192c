// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::engine {

/// What a graph that took over the engine could do, of `confinement` in the answer of the method environment
/// (protocol.h): "read your files". Empty: nothing of what is asked for. An engine that does not say is taken
/// for one that is not confined.
[[nodiscard]] std::vector<std::string> unconfined(const nlohmann::json& confinement);

} // namespace dynascope::engine
