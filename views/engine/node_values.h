// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/engine/client/client.h"
#include "views/engine/tensor_value.h"

#include <string>

namespace dynascope::views {

/// Runs a graph and returns what each node held right after it ran. Null inputs are seeded from the graph's
/// metadata. Blocks: for a thread of Engine::run.
[[nodiscard]] tl::expected<NodeValues, engine::CallError>
fetchNodeValues(engine::Client& client, const std::string& graphText, const nlohmann::json& inputs,
                const nlohmann::json& attributes, const engine::CallOptions& options);

/// The reply itself, for readNodeValues().
[[nodiscard]] engine::CallResult fetchNodeReply(engine::Client& client, const std::string& graphText,
                                                const nlohmann::json& inputs,
                                                const nlohmann::json& attributes,
                                                const engine::CallOptions& options);

/// The values of a reply to "execute".
[[nodiscard]] NodeValues readNodeValues(const nlohmann::json& reply);

} // namespace dynascope::views
