// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/engine/aot/autograd_level.h"
#include "core/passes/aot/metadata.h"

#include <vector>

namespace dynascope::engine {

/// An input before and after the function ran on it.
struct RanInput {
    at::Tensor given; ///< the real one; undefined for a number
    at::Tensor outer; ///< what the function was given: its outer tensor, or a clone of that
    std::vector<std::int64_t> sizes, strides; ///< of `outer` before the run
    std::int64_t offset = 0;
    c10::Storage storage; ///< of its functional wrapper before the run; set_ gives that another one
};

/// What the run says of inputs and outputs. Follows run_functionalized_fw_and_collect_metadata of
/// torch/_functorch/_aot_autograd/collect_metadata_analysis.py. Pending writes of the inputs were applied.
[[nodiscard]] passes::aot::ViewAndMutationMeta<passes::aot::OuterIndex>
collectMetadata(const std::vector<RanInput>& inputs, const std::vector<c10::IValue>& outputs,
                bool keepInputMutations);

} // namespace dynascope::engine
