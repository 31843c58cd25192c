// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/server/server.h"

#include <nlohmann/json.hpp>

namespace dynascope::engine {

/// The method "aot" (protocol.h). Throws nlohmann's exceptions.
[[nodiscard]] Reply aotMethod(const nlohmann::json& params, const Program& program,
                              const nlohmann::json& inputs, const TaskContext& task);

} // namespace dynascope::engine
