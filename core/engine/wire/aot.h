// SPDX-License-Identifier: BSD-3-Clause
//
// The method "aot": what AOTAutograd traces of a function, and what the function does when it is called
// through that.
#pragma once

#include "core/engine/wire/execute.h"

#include <map>

namespace dynascope::wire {

struct AotRequest {
    RunOn on; ///< inputs that say requires_grad are differentiated
    bool keepInputMutations = true;
    std::optional<bool> gradMode;        ///< around the function; nothing: on where an input requires grad
    std::optional<std::string> autocast; ///< its dtype, "torch.bfloat16", where it is on around the function
    bool symbolicSizes = false;          ///< false: PyTorch's trace had numbers alone
    std::vector<std::string> unbounded;  ///< names of its symbols without an upper bound
    bool run = false;                    ///< call the function through the graph and its layers
};

/// What AOTAutograd made of the function.
struct AotTrace {
    bool joint = false;                        ///< the graph is of forward and backward, not of forward alone
    std::map<std::string, std::string> values; ///< "f32[4, 5][5, 1]cpu" by node, where that is a tensor
    std::uint64_t forwardOutputs = 0;          ///< of the results; one gradient (or None) an input follows
    /// ViewAndMutationMeta of the function, in the form of an oracle case's metadata_outer, for aot_case.h and
    /// metadata_compare.h: an earlier engine's, or a file's, may lack fields, and which ones is shown.
    Any metadataOuter;
    /// The same for the graph, after repeated inputs and synthetic bases; its outputs also have
    /// requires_grad_for_backward.
    Any metadata;
    /// What the function read out of tensors (_local_scalar_dense), in that order: numbers and truth values,
    /// nothing for others. Left out where it read nothing.
    std::vector<std::optional<Number>> numbersRead;
    std::optional<std::string> readable;    ///< the graph as readable code, where it keeps graphs of its own
    std::vector<std::string> graphWarnings; ///< where the graph itself, whoever calls it, may part from eager
    double microseconds = 0;                ///< of metadata and graph
};

/// What came of the call: one of the two.
struct AotRun {
    struct Failure {
        std::string message;
    };
    std::optional<ExecuteReply> done;
    std::optional<Failure> error;
};

struct AotReply {
    /// Its placeholders are the inner arguments and the tangents; dead nodes included. Of a function that is
    /// refused: of functionalization over cells, with the function's inputs.
    std::string graph;
    /// AOTAutograd's words where it makes nothing of the function, but eager runs it and no gradients are
    /// asked for.
    std::optional<std::string> refused;
    std::optional<AotTrace> trace;     ///< else
    std::vector<std::string> warnings; ///< where PyTorch, calling this, may part from eager
    /// With `run`. Where the graph fails or its warnings take effect, and no gradients are asked for, the call
    /// goes through functionalization over cells, as a warning says.
    std::optional<AotRun> run;
};

} // namespace dynascope::wire
