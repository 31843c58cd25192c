// SPDX-License-Identifier: BSD-3-Clause
//
// ViewAndMutationMeta as a capture prints it: the repr() that PyTorch records as
// aot_forward_graph_fw_metadata. Its inputs are those of the traced graph, so indices are inner ones.
#pragma once

#include "core/passes/aot/metadata.h"

#include <string>
#include <string_view>
#include <vector>

namespace dynascope::passes::aot {

struct CapturedMetadata {
    ViewAndMutationMeta<InnerIndex> meta;
    std::vector<InnerIndex> staticInputs; ///< parameters and buffers, ascending
    /// As printed: "TangentAOTInput(output=PlainAOTOutput(idx=0))", or, where a version of PyTorch prints no
    /// such descriptions, the tensors themselves: "FakeTensor(..., size=(2, 5))".
    std::vector<std::string> tangents;
    bool keepInputMutations = false;
    /// Whether outputs say requires_grad_for_backward, as later versions of PyTorch do; else it is taken to
    /// be requires_grad.
    bool saysForBackward = true;
};

/// Reads what it knows and passes over the rest; linear, no recursion. Fails where the text is something
/// else, or an output aliases an input that there is not.
[[nodiscard]] Result<CapturedMetadata> readMetadataText(std::string_view text);

} // namespace dynascope::passes::aot
