// SPDX-License-Identifier: BSD-3-Clause
//
// Forward and backward of a split as one graph again, to be compared with the joint graph that was split.
#pragma once

#include "core/base/result.h"
#include "core/ir/graph.h"

namespace dynascope::passes::partition {

/// A graph that takes what `joint` takes and gives what it gives, in that order: forward's nodes, then backward's, which
/// read what forward gives back under their names, as PyTorch's partitioners name them. Nodes of backward whose names
/// forward or the inputs have get others. An Error where the parts do not fit together: backward reads what forward does
/// not give back, or there are more or fewer results than the joint graph has.
[[nodiscard]] Result<ir::GraphPtr> joinedParts(const ir::Graph& joint, const ir::Graph& forward,
                                               const ir::Graph& backward);

} // namespace dynascope::passes::partition
