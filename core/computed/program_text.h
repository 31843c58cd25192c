// SPDX-License-Identifier: BSD-3-Clause
//
// The Python program of an oracle case beside its graph: which statement made which node. A case says nothing
// of that, so it is told by order and by the names of ops; what cannot be told stays with the statement
// before.
#pragma once

#include "core/ir/graph.h"
#include "core/session/session.h"

#include <map>
#include <string>
#include <vector>

namespace dynascope::computed {

struct ProgramText {
    struct Statement {
        int line = 0;     ///< of the source, from 1
        std::string text; ///< "r = b[0]"
    };
    std::vector<Statement> statements; ///< the def line first, the return last
    std::vector<int> statementOf;      ///< by node of the graph; -1 where unknown
    /// Variables by node: "r" for select, where the node is the last op of "r = b[0]".
    std::map<std::string, std::string> names;
};

/// `lines` are numbered source lines of one function.
[[nodiscard]] ProgramText matchProgram(const std::map<std::uint32_t, std::string>& lines,
                                       const ir::Graph& graph);
/// Of an oracle case's program; empty for other captures.
[[nodiscard]] ProgramText programOf(const session::Session& session, const session::Compile& compile,
                                    const ir::Graph& graph);

} // namespace dynascope::computed
