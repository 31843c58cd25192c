// SPDX-License-Identifier: BSD-3-Clause
//
// The summary of a capture, for people and for programs. `dynascope --export` prints the same text.
#pragma once

#include "core/session/session.h"

#include <string>

namespace dynascope::cli {

/// Frames, compile ids, stages, graph breaks ranked by cost, recompiles, caches, warnings; lines of about 100
/// columns.
[[nodiscard]] std::string infoText(const session::Session& session);

/// The same as one JSON document; README lists its fields.
[[nodiscard]] std::string infoJson(const session::Session& session);

} // namespace dynascope::cli
