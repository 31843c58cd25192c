// SPDX-License-Identifier: BSD-3-Clause
//
// What core/computed knows of a stage, as the commands print it.
#pragma once

#include "core/computed/aot_convention.h"
#include "core/computed/calling_convention.h"
#include "core/computed/functional_recording.h"

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dynascope::cli {

/// Every phase of every op with the scoreboard after it.
[[nodiscard]] std::string scoreboardReport(const computed::FunctionalRecording& recording);
/// [{"op", "source", "phase", "emitted", "storages", "views", "hidden_storages"}]. A number that JSON does
/// not know is null.
[[nodiscard]] nlohmann::json scoreboardJson(const computed::FunctionalRecording& recording);

/// Arguments, outputs and write-backs of a functionalized graph.
[[nodiscard]] std::string conventionReport(const computed::CallingConvention& convention);
[[nodiscard]] nlohmann::json conventionJson(const computed::CallingConvention& convention);

/// How AOTAutograd's runtime calls the function: outer arguments, bases, inner arguments, outputs, epilogue.
[[nodiscard]] std::string conventionReport(const computed::AotConvention& convention);
[[nodiscard]] nlohmann::json conventionJson(const computed::AotConvention& convention);

} // namespace dynascope::cli
