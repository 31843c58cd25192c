// SPDX-License-Identifier: BSD-3-Clause
//
// DOT, the language of Graphviz, read statement by statement. A small reader of its own: Graphviz's parser is
// not made for files of strangers.
#pragma once

#include "core/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::ir {

/// A node "a [..]", or edges "a -> b -> c [..]". Ports are left out.
struct DotStatement {
    std::vector<std::string> chain; ///< names, at least one; of a node just that
    std::string label;              ///< the attribute of that name; of its escapes only \" is undone
    [[nodiscard]] bool isNode() const { return chain.size() == 1; }
};

/// Is told what a text holds, in its order.
class DotListener {
public:
    virtual ~DotListener() = default;
    /// A subgraph, which may have no name, or a group in braces begins; it ends after what is told until the
    /// end that belongs to it.
    virtual void onBegin(const std::string& name) = 0;
    virtual void onEnd() = 0;
    /// Not of attributes of the graph, nor of what nodes and edges have by default.
    virtual void onStatement(DotStatement statement) = 0;
};

struct DotText {
    std::string name;     ///< of the digraph; empty where it has none
    std::size_t line = 0; ///< where it ends, from 1
};

/// Reads one digraph. An Error names the line. Linear, and no deeper for subgraphs within subgraphs.
[[nodiscard]] Result<DotText> readDot(std::string_view text, DotListener& listener);

} // namespace dynascope::ir
