// SPDX-License-Identifier: BSD-3-Clause
//
// What deriving a stage anew said, as JSON: for scripts and for session files.
#pragma once

#include "core/rederive/rederived_stage.h"

#include <nlohmann/json.hpp>
#include <optional>

namespace dynascope::engine {

/// "saved", "recomputed".
[[nodiscard]] std::string_view decisionName(passes::partition::Decision::Kind kind);

/// All but the derived graph.
[[nodiscard]] nlohmann::json rederivedJson(const RederivedStage& stage);

/// What rederivedJson() wrote; whatever is missing counts as not said. Nothing where it says no verdict. The
/// text may be a stranger's, but must not nest without limit.
[[nodiscard]] std::optional<RederivedStage> readRederived(const nlohmann::json& stage);

} // namespace dynascope::engine
