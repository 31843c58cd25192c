// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/node_values.h"

namespace dynascope::views {

using nlohmann::json;

NodeValues readNodeValues(const json& reply) {
    NodeValues out;
    if (!reply.is_object()) return out;
    const auto values = reply.find("values");
    if (values == reply.end() || !values->is_array()) return out;
    for (const json& item : *values) {
        if (!item.is_object() || !item.contains("node") || !item["node"].is_string()) continue;
        if (std::optional<TensorValue> read = readTensorValue(item))
            out.insert_or_assign(item["node"].get<std::string>(), std::move(*read));
    }
    return out;
}

engine::CallResult fetchNodeReply(engine::Client& client, const std::string& graphText, const json& inputs,
                                  const json& attributes, const engine::CallOptions& options) {
    json params{{"values", true}};
    if (inputs.is_object()) params["inputs"] = inputs;
    if (attributes.is_object()) params["attrs"] = attributes;
    engine::CallResult reply = client.callOnGraph("execute", graphText, params, options);
    if (reply && !reply->contains("values"))
        return tl::unexpected(engine::CallError{engine::CallError::Kind::Refused,
                                                "this engine does not tell what nodes held; a newer one does",
                                                0,
                                                {}});
    return reply;
}

tl::expected<NodeValues, engine::CallError> fetchNodeValues(engine::Client& client,
                                                            const std::string& graphText, const json& inputs,
                                                            const json& attributes,
                                                            const engine::CallOptions& options) {
    return fetchNodeReply(client, graphText, inputs, attributes, options).map(readNodeValues);
}

} // namespace dynascope::views
