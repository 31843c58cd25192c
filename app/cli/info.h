// SPDX-License-Identifier: BSD-3-Clause
//
// The summary of a capture, for people and for programs. `dynascope --export` prints the same text.
#pragma once

#include "core/answers/answer.h"
#include "core/session/session.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::cli {

/// Compile ids, graph breaks ranked by cost, stages, caches, timings, unknown records, warnings.
[[nodiscard]] std::string infoText(const session::Session& session);

/// The same as one JSON document; README lists its fields.
[[nodiscard]] std::string infoJson(const session::Session& session);

/// Every question of core/answers, the most urgent first. What would read more than 32 MiB of graphs is
/// left to the command that does.
[[nodiscard]] std::vector<answers::Answer> infoAnswers(const session::Session& session);
/// The last part of infoText(), and of infoJson().
[[nodiscard]] std::string answersText(const session::Session& session);
[[nodiscard]] nlohmann::ordered_json answersJson(const session::Session& session);

/// Prints a line for each compile, graph break and recompile of a log as it is written, until Ctrl-C or until
/// nobody reads. Returns the exit status.
[[nodiscard]] int followInfo(const std::string& path);

/// Whether AOTAutograd traced a graph of Dynamo's in this compile and the log lacks its ViewAndMutationMeta,
/// so that only the engine can tell which inputs are written, in data or in metadata.
[[nodiscard]] bool writesAreUnknown(const session::Session& session, const session::Compile& compile);

using session::compileName;
using session::outcomeName;

/// Time spent in timing events of one name, longest first. Events nest, so the sum of all is more than the
/// whole.
struct PhaseTime {
    std::string name;
    double seconds = 0;
    std::size_t count = 0;
};
[[nodiscard]] std::vector<PhaseTime> phaseTimes(const session::Session& session);

} // namespace dynascope::cli
