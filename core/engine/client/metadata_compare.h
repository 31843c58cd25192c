// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/passes/aot/metadata_text.h"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::engine {

/// The graph's metadata as the method "aot" answers it (protocol.h).
[[nodiscard]] nlohmann::json
graphMetadataJson(const passes::aot::ViewAndMutationMeta<passes::aot::InnerIndex>& meta);

/// Fields of what was captured that `derived` (a graphMetadataJson) lacks or has otherwise: "output 0:
/// output_type is "is_input", captured "non_alias"". `fields` counts those that were compared.
[[nodiscard]] std::vector<std::string> metadataDifferences(const passes::aot::CapturedMetadata& captured,
                                                           const nlohmann::json& derived,
                                                           std::size_t& fields);

} // namespace dynascope::engine
