// SPDX-License-Identifier: BSD-3-Clause
//
// Runs passes over a program, times and checks them, and puts what they did into JSON.
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/service/execute.h"
#include "core/engine/wire/methods.h"
#include "core/engine/wire/pass.h"
#include "core/passes/registry.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::engine {

struct PassRequest {
    std::vector<std::string> passes; ///< run in this order
    /// What the passes read (PassContext::options): remove, write_back, faithful, cells, ...
    std::map<std::string, std::string, std::less<>> options;
    nlohmann::json inputs;          ///< of a case
    nlohmann::json attributes;      ///< of a case
    int runs = 1;                   ///< for the median time
    bool scorecard = false;         ///< give the alias state after each step
    bool verify = false;            ///< run source and result on the same inputs and compare
    std::vector<std::string> notes; ///< that the reply has after those of the passes
    bool shapes = false;            ///< say shape, strides and dtype of the result's nodes
};

/// As passes read them (PassContext::options): those by name, and `remove`, `write_back`, `faithful` and
/// `cells`, which requests say apart.
[[nodiscard]] std::map<std::string, std::string, std::less<>> passOptions(const wire::PassOptions& said);

/// The passes of this engine.
[[nodiscard]] passes::Registry enginePasses();

[[nodiscard]] wire::PassesReply passList(const passes::Registry& registry, std::vector<std::string> problems);

/// Why a pass of that name is not verified (Pass::keepsValues).
[[nodiscard]] std::string otherValuesWords(const std::string& pass);

/// A wire::PassReply. As JSON, since a plugin's pass may say more of its steps than this engine knows
/// (passes::StepDetails).
[[nodiscard]] Reply runPasses(const passes::Registry& registry, const std::shared_ptr<const Program>& source,
                              const PassRequest& request, const TaskContext& task);

} // namespace dynascope::engine
