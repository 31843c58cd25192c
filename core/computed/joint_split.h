// SPDX-License-Identifier: BSD-3-Clause
//
// A captured joint graph cut into forward and backward: what stands on which side, what crosses the cut, with
// how many bytes and why. Data only; made on a worker.
#pragma once

#include "core/base/task.h"
#include "core/passes/partition/joint.h"
#include "core/session/session.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::computed {

/// A value of forward that backward needs: saved, or computed again.
struct CutValue {
    std::string node;
    std::int64_t bytes = 0;
    std::string why; ///< a few words
    bool recomputed = false;
    bool input = false;   ///< an input of forward, which costs no memory of its own
    bool donated = false; ///< backward may reuse its memory
    std::string packed;   ///< "f8e4m3fn[4, 6]": what a saved-tensors hook makes of it, which is kept instead
    std::size_t forwardRow = SIZE_MAX;
    std::vector<std::size_t> backwardRows; ///< that read it, ascending
};

/// One side of the cut: the nodes of its graph that are more than inputs nobody saves.
struct CutSide {
    ir::GraphPtr graph;
    session::StagePtr captured;      ///< PyTorch's own graph of this side; null where the log has none
    std::vector<ir::NodeIndex> rows; ///< into `graph`, in order
    std::vector<std::string>
        names;               ///< by node of `graph`: what the program calls an input; empty where unknown
    std::vector<bool> again; ///< by row of backward: also computed in forward
    std::optional<bool> isomorphic; ///< with `captured`
    std::string difference;         ///< where they are not, the first one
    std::uint64_t peakBytes = 0;    ///< planned, without what the caller holds
};

struct JointSplit {
    std::size_t compile = 0;
    session::StagePtr joint; ///< that was split; null where there is none
    std::string declined;    ///< why there is no split; empty where there is one
    CutSide forward, backward;
    std::vector<CutValue> values; ///< saved ones in their order, then recomputed ones
    bool byInductor = false;      ///< whose passes changed the joint graph before PyTorch split it
    std::string hooks;            ///< one sentence where saved-tensors hooks packed nothing; else empty
    bool hooked = false;          ///< saved-tensors hooks were inlined: bytes and peaks are those with them
    std::vector<std::string> warnings;
    std::uint64_t jointPeakBytes = 0; ///< if the joint graph ran as one
    std::int64_t savedBytes = 0;      ///< of all saved values
    std::int64_t inputBytes = 0;      ///< of those that are inputs
    std::int64_t recomputedBytes = 0; ///< that are not kept, since they are computed again
};

/// Compiles that have a joint graph, and with it a forward and a backward.
[[nodiscard]] std::vector<std::size_t> trainingCompiles(const session::Session& session);

/// Splits as PyTorch's min-cut partitioner does, and compares with the graphs that it made.
[[nodiscard]] JointSplit splitJoint(const session::Session& session, std::size_t compile,
                                    const TaskContext& task);

} // namespace dynascope::computed
