// SPDX-License-Identifier: BSD-3-Clause
//
// What the program calls the inputs that graphs of AOTAutograd and Inductor only number.
#pragma once

#include "core/session/session.h"

#include <memory>
#include <string>
#include <vector>

namespace dynascope::session {

/// What names the inputs of a compile's graphs. Immutable; share it.
struct Naming {
    /// Dynamo's or export's graph, or one given as text, which names parameters. Null where there is none, or where
    /// several graphs were made of parts of it, whose inputs are not its own.
    StagePtr program;
    StagePtr aot; ///< of AOTAutograd, says which input of `program` each of its own is; or null
    std::vector<std::string> sources; ///< of the compile's inputs (describedSources())
};
using NamingPtr = std::shared_ptr<const Naming>;
[[nodiscard]] NamingPtr namingOf(const Compile& compile);

/// By placeholder of a graph of the compile the parameter or buffer that it holds (layout::moduleHints()), else empty. One
/// whose graph does not say which input it is, as Inductor's do not, has the name of AOTAutograd's of the same name and
/// type. `naming` may be null. Reads the graphs of `naming`.
[[nodiscard]] std::vector<std::string> parameterNames(const NamingPtr& naming, const ir::Graph& graph);
/// By node of a graph what the program calls the tensor that it passes (inputNames()), found alike.
[[nodiscard]] std::vector<std::string> inputNamesByNode(const NamingPtr& naming, const ir::Graph& graph);
/// By node: the parameter or buffer, else what the program passes, else empty.
[[nodiscard]] std::vector<std::string> programNames(const NamingPtr& naming, const ir::Graph& graph);

} // namespace dynascope::session
