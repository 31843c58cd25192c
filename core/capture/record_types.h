// SPDX-License-Identifier: BSD-3-Clause
//
// What is known about the record types of a TORCH_TRACE log. Names are those given to trace_structured() in
// PyTorch.
#pragma once

#include "core/session/session.h"

#include <optional>
#include <string_view>

namespace dynascope::capture {

/// The artifact that begins a digest (digest_log.h), which PyTorch does not write.
inline constexpr std::string_view digestArtifact = "dynascope_digest";

/// True for a record type or, with `artifact`, an artifact name that PyTorch is known to write.
[[nodiscard]] bool isKnownType(std::string_view type);
[[nodiscard]] bool isKnownArtifact(std::string_view name);

/// Where a stage belongs.
enum class StagePlace : std::uint8_t {
    Dynamo,
    Export,
    PreGrad,
    Joint,
    JointOrInference,
    Inference,
    Forward,
    Backward,
    PostGrad,
    PreOrPostGrad, ///< post-grad once AOTAutograd has printed a graph
    Traced,        ///< by make_fx, wherever it was at work when it failed
    Code
};

/// The place of a record or artifact that holds a graph or generated code; nothing for the others.
[[nodiscard]] std::optional<StagePlace> stagePlace(std::string_view name);

/// True if a payload (tabs included) begins as print_readable or str(graph) text does.
[[nodiscard]] bool beginsLikeGraph(std::string_view payload);

} // namespace dynascope::capture
