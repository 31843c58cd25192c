// SPDX-License-Identifier: BSD-3-Clause
#include "core/rederive/partition_settings.h"

#include "core/passes/partition/config_json.h"
#include "core/session/release.h"

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
    passes::partition::Config out = passes::partition::configOf(functorchSettings(session, compile, attempt));
    out.cseApart = session::isSince(session.torchVersion, 14, false);
    return out;
}

} // namespace dynascope::engine
