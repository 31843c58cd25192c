// SPDX-License-Identifier: BSD-3-Clause
//
// AOTAutograd's second layer: inputs that share memory while one of them is written become views of one
// "synthetic base", which the graph takes instead. Follows merge_view_inputs and AOTSyntheticBaseWrapper of
// torch/_functorch/_aot_autograd/runtime_wrappers.py, and create_synthetic_base_metadata beside them.
#pragma once

#include "core/base/result.h"
#include "core/passes/aot/call_arguments.h"
#include "core/passes/aot/metadata.h"

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

namespace dynascope::passes::aot {

/// One base. After the call its new content is copied back as a whole.
struct SyntheticBase {
    std::optional<ObjectId> object; ///< autograd's base of the members; none: made over the whole storage
    TensorGeometry geometry;
    std::string dtype;
    std::vector<KeptIndex> members; ///< ascending
    std::int64_t copiedBytes = 0;   ///< what writing the base back copies; 0 where the dtype is not known
    std::int64_t neededBytes = 0;   ///< what writing only the written members back would copy
};

/// A member: a view of an inner argument.
struct ViewOfBase {
    InnerIndex base;
    ObjectId member = 0; ///< its geometry is the view's
};

struct MergePlan {
    std::vector<SyntheticBase> bases; ///< the first inner arguments, by their earliest members
    std::vector<KeptIndex> others;    ///< the inner arguments that follow
    /// By kept argument: where it comes from.
    std::vector<std::variant<InnerIndex, ViewOfBase>> source;
};

/// Nothing where no base is needed. Fails with PyTorch's words where members cannot become views of one base.
[[nodiscard]] Result<std::optional<MergePlan>> mergeViewInputs(const TensorObjects& objects,
                                                               const CallArguments<KeptIndex>& arguments,
                                                               const ViewAndMutationMeta<KeptIndex>& meta,
                                                               const CallKind& kind);

struct MergedMetadata {
    ViewAndMutationMeta<InnerIndex> meta;
    /// Members whose own geometry the function changed, ascending. They are the last outputs; the caller
    /// takes these off and gives the inputs their geometry by as_strided_.
    std::vector<KeptIndex> geometryChanged;
};

/// As PyTorch does, an output that is an input object becomes an alias of it where that input has another
/// place now, though the object would be at hand.
[[nodiscard]] Result<MergedMetadata> mergedMetadata(const MergePlan& plan, const TensorObjects& objects,
                                                    const CallArguments<KeptIndex>& arguments,
                                                    const ViewAndMutationMeta<KeptIndex>& meta);

} // namespace dynascope::passes::aot
