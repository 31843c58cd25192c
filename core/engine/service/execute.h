// SPDX-License-Identifier: BSD-3-Clause
//
// The method "execute" (protocol.h): runs a program on inputs in a case's form and describes what came of it.
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/server/server.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::engine {

struct ExecuteRequest {
    nlohmann::json inputs;             ///< of a case, or with seeds (case_values.h)
    nlohmann::json attributes;         ///< of a case; what it lacks is seeded from the graph's metadata
    std::string until;                 ///< name of the last node to run; empty for all
    bool values = false;               ///< describe every node's value
    std::vector<std::string> watch;    ///< describe only these nodes' values
    bool data = true;                  ///< give the elements of outputs and inputs,
    std::int64_t elements = INT64_MAX; ///< the first of each
    bool grad = false;                 ///< track gradients even where no input requires one
};

/// Reads the parameters of a request. Throws nlohmann's exceptions.
[[nodiscard]] ExecuteRequest executeRequest(const nlohmann::json& params);

/// Fills in constants that were not given, of the shape that the graph's text shows; in subgraphs as well.
void seedAttributes(const Program& program, Attributes& attributes);

/// {outputs, post}, with grads where an input requires a gradient and the run was not cut short, values where
/// they were asked for.
[[nodiscard]] Reply execute(const Program& program, const ExecuteRequest& request, const TaskContext& task);
/// The same for a whole run without values.
[[nodiscard]] Reply execute(const Program& program, const nlohmann::json& inputs,
                            const nlohmann::json& attributes, const TaskContext& task);

/// The failure of a program that cannot run: names every such target.
[[nodiscard]] Failure unsupportedFailure(const Program& program);
[[nodiscard]] Failure runFailure(const Program& program, const RunError& error);

} // namespace dynascope::engine
