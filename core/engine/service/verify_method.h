// SPDX-License-Identifier: BSD-3-Clause
//
// The protocol's method "verify".
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/server/server.h"

#include <functional>
#include <memory>

namespace dynascope::engine {

/// What the method needs from the service.
struct VerifyHost {
    using ProgramPtr = std::shared_ptr<const Program>;
    /// A loaded graph by its hash.
    std::function<tl::expected<ProgramPtr, Failure>(const std::string& hash)> program;
    /// The answer to "pass" with these parameters.
    std::function<Reply(const nlohmann::json& params)> pass;
};

/// `inputs` have the form of a case's. Throws json::exception on parameters of the wrong form.
[[nodiscard]] Reply verifyMethod(const nlohmann::json& params, std::shared_ptr<const Program> source,
                                 const nlohmann::json& inputs, const VerifyHost& host,
                                 const TaskContext& task);

} // namespace dynascope::engine
