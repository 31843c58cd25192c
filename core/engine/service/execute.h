// SPDX-License-Identifier: BSD-3-Clause
//
// The method "execute" (protocol.h): runs a program on inputs in a case's form and describes what came of it.
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/server/server.h"
#include "core/engine/wire/execute.h"

#include <nlohmann/json.hpp>

namespace dynascope::engine {

/// Constants as a case has them: those that are given, and the others with seeds, in the shapes that the graph's text
/// shows; in subgraphs as well. What has no shape in numbers is left out.
[[nodiscard]] nlohmann::json withSeeded(const Program& program, nlohmann::json attributes);
/// Fills in constants that were not given, of the shape that the graph's text shows; in subgraphs as well.
void seedAttributes(const Program& program, Attributes& attributes);

/// With grads where an input requires a gradient and the run was not cut short. Inputs of the request are a
/// case's, or with seeds (case_values.h); constants that it lacks are seeded from the graph's metadata.
[[nodiscard]] tl::expected<wire::ExecuteReply, Failure>
execute(const Program& program, const wire::ExecuteRequest& request, const TaskContext& task);
/// The same for a whole run without values.
[[nodiscard]] tl::expected<wire::ExecuteReply, Failure> execute(const Program& program,
                                                                const nlohmann::json& inputs,
                                                                const nlohmann::json& attributes,
                                                                const TaskContext& task);

/// Differentiates the results and says the gradients of inputs that require one.
void describeGradients(const std::vector<c10::IValue>& results, const std::vector<at::Tensor>& inputs,
                       std::int64_t elements, wire::ExecuteReply& answer);

/// The failure of a program that cannot run: names every such target.
[[nodiscard]] Failure unsupportedFailure(const Program& program);
[[nodiscard]] Failure runFailure(const Program& program, const RunError& error);

} // namespace dynascope::engine
