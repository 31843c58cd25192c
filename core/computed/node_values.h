// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/computed/tensor_value.h"
#include "core/engine/client/client.h"
#include "core/engine/wire/execute.h"

#include <string>

namespace dynascope::computed {

/// Runs a graph and says what each node held right after it ran, and what came of the call. Null inputs are
/// seeded from the graph's metadata. Blocks: for a thread of Engine::run.
[[nodiscard]] engine::Answer<wire::ExecuteReply> fetchNodeValues(engine::Client& client,
                                                                 const std::string& graphText,
                                                                 const wire::RunOn& on,
                                                                 const engine::CallOptions& options);

/// Of the nodes whose value is a tensor.
[[nodiscard]] NodeValues nodeValues(const wire::ExecuteReply& reply);

} // namespace dynascope::computed
