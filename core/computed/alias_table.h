// SPDX-License-Identifier: BSD-3-Clause
//
// What AOTAutograd found out about the inputs and outputs of a graph before it traced it, as a capture has it
// or as it was derived. Pure functions.
#pragma once

#include "core/engine/cases/metadata_compare.h"
#include "core/passes/aot/metadata_text.h"
#include "core/rederive/rederived_stage.h"
#include "core/session/session.h"

#include <optional>
#include <string>
#include <vector>

namespace dynascope::computed {

/// The metadata of a compile with the graph that it describes.
struct AliasTable {
    std::optional<passes::aot::CapturedMetadata> metadata;
    std::string problem;                ///< why there is none; empty where there is
    session::StagePtr stage;            ///< the traced graph, joint or inference; null where the log has none
    ir::GraphPtr graph;                 ///< null where it could not be read
    std::vector<ir::NodeIndex> inputs;  ///< by index of the metadata; npos where the graph has none
    std::vector<ir::NodeIndex> outputs; ///< the same of the user's outputs
};
/// Whether a capture has metadata of a compile at all; cheap.
[[nodiscard]] bool hasMetadata(const session::Session& session, const session::Compile& compile);
/// Of the compile's last attempt. Reads the graph: for a worker.
[[nodiscard]] AliasTable aliasTable(const session::Session& session, std::size_t compile);
/// The same of metadata that was derived, where the capture has none; `metadata` stays empty where it does not
/// fit together.
[[nodiscard]] AliasTable withDerivedMetadata(AliasTable table, const engine::RederivedStage& derived);

/// Captured metadata beside what was derived.
struct MetadataComparison {
    std::vector<engine::MetadataField> fields; ///< inputs, then outputs, then the graph's own
    /// What was derived; empty where it does not fit together.
    passes::aot::ViewAndMutationMeta<passes::aot::InnerIndex> derived;
};
/// `table` must have metadata.
[[nodiscard]] MetadataComparison compareMetadata(const AliasTable& table,
                                                 const engine::RederivedStage& derived);
/// Which inputs derived metadata says are written, in words; empty where the graph was not read.
[[nodiscard]] std::string mutationWords(const AliasTable& table, const engine::RederivedStage& derived);

} // namespace dynascope::computed
