// SPDX-License-Identifier: BSD-3-Clause
//
// What deriving a stage anew said, as JSON: for scripts and for session files.
#pragma once

#include "core/base/document.h"
#include "core/rederive/rederived_stage.h"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace dynascope::engine {

/// "saved", "recomputed".
[[nodiscard]] std::string_view decisionName(passes::partition::Decision::Kind kind);

/// All but the derived graph.
[[nodiscard]] nlohmann::json rederivedJson(const RederivedStage& stage);
/// What rederivedJson() wrote. Total; the verdict must be there in any case.
[[nodiscard]] Result<RederivedStage> readRederived(const nlohmann::json& stage);

/// Of a session file's document: rises when an older reader would misread one. Version 0 had no number, and
/// left fields out that were not there yet.
inline constexpr int rederivationVersion = 1;

/// As session files keep it: all but the derived graphs.
[[nodiscard]] std::string writeRederivation(const Rederivation& said);
/// Reads every version, from a stranger's file too. An Error for one that a newer program wrote, and for one
/// that is damaged.
[[nodiscard]] Result<Rederivation> readRederivation(const std::string& text);

} // namespace dynascope::engine
