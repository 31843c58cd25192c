// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/server/server.h"
#include "core/engine/wire/aot.h"

#include <nlohmann/json.hpp>

namespace dynascope::engine {

/// The method "aot". `inputs` have the form of a case's.
[[nodiscard]] tl::expected<wire::AotReply, Failure> aotMethod(const wire::AotRequest& said,
                                                              const Program& program,
                                                              const nlohmann::json& inputs,
                                                              const TaskContext& task);

} // namespace dynascope::engine
