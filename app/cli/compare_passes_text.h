// SPDX-License-Identifier: BSD-3-Clause
//
// Two compiles compared pass by pass, for `compare`.
#pragma once

#include "core/compare/passes.h"

#include <nlohmann/json.hpp>
#include <string>

namespace dynascope::cli {

/// What differs, with the kernels and the decisions behind them; one line where nothing does.
[[nodiscard]] std::string passesReport(const compare::PassesComparison& passes);

/// {"first", "phases": [{"name", "start", "passes": [...]}], "schedules": [{"graph", "same", "kernels": [...]}]}
[[nodiscard]] nlohmann::ordered_json passesDocument(const compare::PassesComparison& passes);

} // namespace dynascope::cli
