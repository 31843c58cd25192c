// SPDX-License-Identifier: BSD-3-Clause
//
// Tensors that a graph holds as attributes and writes in place, as Dynamo's graph of an optimizer's step does.
#pragma once

#include "core/engine/exec/program.h"
#include "core/engine/service/pass_runner.h"

#include <memory>
#include <string>
#include <vector>

namespace dynascope::engine {

struct LiftedWrites {
    std::shared_ptr<const Program>
        program;                         ///< with an input where the attribute stood: nodes keep their places
    PassRequest request;                 ///< whose inputs end with the attributes
    std::vector<std::string> attributes; ///< that are inputs now, in that order
    std::string declined; ///< why one that is written cannot be an input; nothing is changed then
};

/// AOTAutograd makes inputs of a graph's tensors before it functionalizes, so that a write to one is written back at the
/// end. Unlike passes::aot::liftAttributes(), which has its order of inputs, this leaves nodes where they are: steps name
/// them by place. Those that nothing writes stay, and all have the values that an eager run has. Linear. Writes are those
/// that the graph's text tells (ir::valuesWritten): not the running statistics of a batch norm.
[[nodiscard]] LiftedWrites liftWrittenAttributes(std::shared_ptr<const Program> program, PassRequest request);

} // namespace dynascope::engine
