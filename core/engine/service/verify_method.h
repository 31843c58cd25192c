// SPDX-License-Identifier: BSD-3-Clause
//
// The protocol's method "verify".
#pragma once

#include "core/base/task.h"
#include "core/engine/exec/interpreter.h"
#include "core/engine/server/server.h"
#include "core/engine/service/pass_runner.h"
#include "core/engine/wire/verify.h"

#include <functional>
#include <memory>

namespace dynascope::engine {

/// What the method needs from the service.
struct VerifyHost {
    using ProgramPtr = std::shared_ptr<const Program>;
    /// A loaded graph by its hash.
    std::function<tl::expected<ProgramPtr, Failure>(const std::string& hash)> program;
    /// Runs passes on the source.
    std::function<Reply(const PassRequest& request)> pass;
};

/// `inputs` have the form of a case's.
[[nodiscard]] tl::expected<wire::VerifyReply, Failure>
verifyMethod(const wire::VerifyRequest& said, std::shared_ptr<const Program> source,
             const nlohmann::json& inputs, const VerifyHost& host, const TaskContext& task);

} // namespace dynascope::engine
