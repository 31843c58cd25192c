// SPDX-License-Identifier: BSD-3-Clause
//
// Which nodes of a graph share a storage, and which write it, as far as its text tells: views and in-place
// writes are followed to the node that made the storage. In a functionalized graph the ops that
// functionalization puts in the place of writes (select_scatter, copy, index_put, ...) make the next version
// of what they are given, and count as its writes. Inputs that alias each other are told apart, since only
// the capture's tensor descriptions know of them.
#pragma once

#include "core/ir/graph.h"

#include <optional>
#include <vector>

namespace dynascope::ir {

/// Whether a functional form counts as a later version of what it is given, or as the new tensor it is.
enum class FunctionalForms : unsigned char { SameStorage, NewStorage };

/// Per node: the node whose storage it holds; itself where it makes a new one. Linear.
[[nodiscard]] std::vector<NodeIndex> storageRoots(const Graph& graph,
                                                  FunctionalForms forms = FunctionalForms::SameStorage);

/// The values that a node writes: the target of an in-place op, setitem or copy_, what out= names, each
/// tensor of a list (_foreach_add_), the base of a functional form. Empty for any other node.
[[nodiscard]] std::vector<NodeIndex> valuesWritten(const Graph& graph, NodeIndex node);

/// Where the storage of a node was written before and after it.
struct WritesAround {
    NodeIndex root = npos;     ///< what made the storage
    NodeIndex previous = npos; ///< the last write before the node, else the root; npos at the root
    NodeIndex next = npos;     ///< the first write after the node; npos where there is none
    std::size_t writes = 0;    ///< writes of the storage in the whole graph
};
/// Linear. Nothing for a node that the graph does not have.
[[nodiscard]] WritesAround writesAround(const Graph& graph, NodeIndex node);

/// A copy_ at the end of a graph that is functional but for such copies: where its value goes.
struct WriteBackCopy {
    NodeIndex input = npos; ///< the placeholder in whose memory it is put
    NodeIndex value = npos; ///< what is put there; npos where it is no node
    bool inPlace = true;    ///< into the very input; else through a view of it, as of its whole storage
};
/// Nothing for any other node, and where something before it writes in place too. Linear.
[[nodiscard]] std::optional<WriteBackCopy> writeBackCopy(const Graph& graph, NodeIndex node);

} // namespace dynascope::ir
