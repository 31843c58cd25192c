// SPDX-License-Identifier: BSD-3-Clause
//
// The protocol's method "tensor": the whole value of a node.
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/server/server.h"
#include "core/engine/wire/execute.h"

namespace dynascope::engine {

/// {dtype, shape, data}, `data` being binary, of the value that node `params.node` has right after it ran on
/// `inputs` (of a case).
[[nodiscard]] Reply tensorMethod(const wire::TensorRequest& said, const Program& program,
                                 const nlohmann::json& inputs, const TaskContext& task);

} // namespace dynascope::engine
