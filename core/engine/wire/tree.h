// SPDX-License-Identifier: BSD-3-Clause
//
// The methods "tree_function", "tree", "tree_begin", "tree_next" and "tree_drop": a program of several graphs
// under CUDA-graph trees.
#pragma once

#include "core/engine/wire/wire.h"
#include "core/replay/tree_log.h"
#include "core/replay/tree_report.h"

namespace dynascope::wire {

/// Adds the graph as a function to a program.
struct TreeFunctionRequest {
    RunOn on;
    std::string name; ///< as reports call it; empty: "f0", "f1", ...
    std::string tree; ///< that an earlier reply named; empty: a new one
};

struct TreeFunctionReply {
    std::string tree;           ///< how requests name the program
    std::uint64_t function = 0; ///< its position there
};

/// Of "tree" and "tree_begin": runs the program, which is none any more then. A fresh argument is a copy of
/// the function's own input.
struct TreeRequest {
    std::string tree;
    /// Functions and events, as an oracle case of kind cudagraph_tree_trace has them
    /// (core/replay/tree_simulator.h).
    Any program;
    std::string backend = "cpu"; ///< "cpu", "cuda", "cuda:N"
    bool verify = true;          ///< every call is held against an eager run
};

struct TreeReply {
    replay::TreeReport report;
};

/// A run that goes on as its client asks. Four are kept.
struct TreeBeginReply {
    std::string run; ///< how requests name it
};

struct TreeNextRequest {
    std::string run;
    std::uint64_t steps = 1; ///< events to carry out
};

/// What was done: fewer events at the end, or where it was cancelled.
struct TreeNextReply {
    replay::TreeLogPart part;
};

/// Gives a run up; one that is not there is no error. The reply is empty.
struct TreeDropRequest {
    std::string run;
};

} // namespace dynascope::wire
