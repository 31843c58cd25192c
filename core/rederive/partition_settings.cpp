// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/partition_settings.h"

#include "core/passes/partition/config_json.h"

#include <nlohmann/json.hpp>

namespace dynascope::engine {

nlohmann::json functorchSettings(const session::Session& session, const session::Compile& compile,
                                 int attempt) {
    nlohmann::json out;
    for (const std::size_t index : compile.records) {
        const session::Record& record = session.records[index];
        if (record.attempt != attempt || record.type != "artifact:torch._functorch.config") continue;
        auto read = nlohmann::json::parse(record.payload.text(), nullptr, false);
        if (read.is_object()) out = std::move(read);
    }
    return out;
}

passes::partition::Config partitionSettings(const session::Session& session, const session::Compile& compile,
                                            int attempt) {
    return passes::partition::configOf(functorchSettings(session, compile, attempt));
}

} // namespace dynascope::engine
