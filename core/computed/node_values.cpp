// SPDX-License-Identifier: BSD-3-Clause
#include "core/computed/node_values.h"

namespace dynascope::computed {

NodeValues nodeValues(const wire::ExecuteReply& reply) {
    NodeValues out;
    if (!reply.values) return out;
    for (const wire::NodeValue& value : *reply.values)
        if (value.held.tensor)
            if (std::optional<TensorValue> read = tensorValue(*value.held.tensor))
                out.insert_or_assign(value.node, std::move(*read));
    return out;
}

engine::Answer<wire::ExecuteReply> fetchNodeValues(engine::Client& client, const std::string& graphText,
                                                   const wire::RunOn& on,
                                                   const engine::CallOptions& options) {
    wire::ExecuteRequest request;
    request.values = true;
    request.on = on;
    auto reply = client.execute(graphText, request, options);
    if (reply && !reply->values)
        return tl::unexpected(engine::CallError{engine::CallError::Kind::Refused,
                                                "this engine does not tell what nodes held; a newer one does",
                                                0,
                                                {}});
    return reply;
}

} // namespace dynascope::computed
