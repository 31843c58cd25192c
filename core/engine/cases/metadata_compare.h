// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/ir/graph.h"
#include "core/passes/aot/metadata_text.h"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::engine {

/// The graph's metadata as the method "aot" answers it (protocol.h).
[[nodiscard]] nlohmann::json
graphMetadataJson(const passes::aot::ViewAndMutationMeta<passes::aot::InnerIndex>& meta);

/// What graphMetadataJson() wrote; nothing where it does not fit together.
[[nodiscard]] std::optional<passes::aot::ViewAndMutationMeta<passes::aot::InnerIndex>>
readGraphMetadata(const nlohmann::json& meta);

/// One field of captured metadata beside the derived one.
struct MetadataField {
    enum class Of : std::uint8_t { Input, Output, Graph } of = Of::Graph;
    std::size_t index = 0;         ///< of the input or output
    std::string name;              ///< "mutates_data"
    std::string captured, derived; ///< as JSON; empty for what one of the two lacks
    [[nodiscard]] bool same() const { return captured == derived; }
};
/// All that was captured, inputs first, then outputs, then the graph's own; `derived` is a graphMetadataJson.
/// Inputs or outputs that only one of both has count as one field more, "input_info" or "output_info".
[[nodiscard]] std::vector<MetadataField> metadataFields(const passes::aot::CapturedMetadata& captured,
                                                        const nlohmann::json& derived);

/// Those that differ, in words: "output 0: output_type is "is_input", captured "non_alias"".
[[nodiscard]] std::vector<std::string> metadataDifferences(const std::vector<MetadataField>& fields);

/// Which inputs derived metadata says are written, in words: "input 0 (x): data and metadata mutated; ...";
/// names are those of the traced graph's placeholders.
[[nodiscard]] std::string mutationWords(const nlohmann::json& derived, const ir::Graph& traced);

} // namespace dynascope::engine
