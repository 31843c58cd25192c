// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/engine/wire/methods.h"

#include <optional>
#include <string>
#include <vector>

namespace dynascope::engine {

/// What a graph that took over the engine could do: "read your files". Empty: nothing of what is asked for.
/// An engine that does not say is taken for one that is not confined.
[[nodiscard]] std::vector<std::string> unconfined(const std::optional<wire::Confinement>& confinement);

} // namespace dynascope::engine
