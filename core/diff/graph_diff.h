// SPDX-License-Identifier: BSD-3-Clause
//
// Node-aligned diff of two graphs, as data: views only paint it.
#pragma once

#include "core/diff/origins.h"
#include "core/ir/graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynascope::diff {

enum class Change : std::uint8_t {
    Same,
    Respelled, ///< only names or the spelling of the target differ (operator.add and aten.add.Tensor): quiet
    Changed,   ///< an argument, the target or metadata differs
    Moved,     ///< same, but out of order with its neighbours
    Added,     ///< only in B
    Removed,   ///< only in A
};
[[nodiscard]] std::string_view changeName(Change change);
[[nodiscard]] char32_t changeSign(Change change); ///< '+', U+2212, '~', U+2195, U+2248, '='

/// What differs in a Changed node: "args[1]", "kwargs[dim]", "target", "dtype", "shape", "stride", "device",
/// "users".
struct FieldChange {
    std::string field;
    std::string a, b;
};

/// How a link was found, strongest first. Recorded: the pass that made B said so.
enum class Evidence : std::uint8_t { Recorded, SharedNode, Structure, Name, StackTrace, Neighbourhood };
[[nodiscard]] std::string_view evidenceName(Evidence evidence);

/// A node of A became a node of B. Many-to-many: a setitem may become select, copy and select_scatter.
struct Link {
    ir::NodeIndex a = 0, b = 0;
    Evidence evidence = Evidence::Structure;
};

/// One row of the aligned view; an index is ir::npos where that side has nothing.
struct Row {
    ir::NodeIndex a = ir::npos, b = ir::npos;
    Change change = Change::Same;
};

struct GraphDiff {
    std::vector<Change> a, b;                          ///< per node of each side
    std::vector<ir::NodeIndex> partnerOfA, partnerOfB; ///< one-to-one alignment; ir::npos where none
    std::vector<Row> rows;                             ///< both graphs in order, aligned
    std::vector<Link> links; ///< provenance: includes the one-to-one pairs; sorted by (a, b)
    /// By node of B: whether it is computed from a tangent or, in a joint graph behind the first that is, from saved values
    /// for such nodes alone. Empty where B has no tangents, or A has some too. Such a node belongs to backward: a node of A
    /// that it is linked to, and that it is no partner of, is the one whose gradient it has a part in.
    std::vector<bool> gradientB;
    /// By index in A, Changed nodes only, sorted
    std::vector<std::pair<ir::NodeIndex, std::vector<FieldChange>>> details;
    std::size_t same = 0, respelled = 0, changed = 0, moved = 0, added = 0, removed = 0;

    [[nodiscard]] bool identical() const { return changed + moved + added + removed == 0; }
    [[nodiscard]] std::vector<ir::NodeIndex> linksFromA(ir::NodeIndex a) const;
    [[nodiscard]] std::vector<ir::NodeIndex> linksFromB(ir::NodeIndex b) const;
    /// Whether `link` leads to what computes a gradient, rather than to what its node became.
    [[nodiscard]] bool toGradient(const Link& link) const {
        return link.b < gradientB.size() && gradientB[link.b] && partnerOfB[link.b] != link.a;
    }
    [[nodiscard]] const std::vector<FieldChange>* detail(ir::NodeIndex a) const;
};

struct DiffOptions {
    bool ignoreNames = true; ///< a node that is only renamed is Respelled
    bool ignoreStrides = false;
    bool ignoreMeta = false;
};

/// O((n + m) log(n + m)) for graphs that are mostly alike; bounded everywhere. Pure and thread-safe.
[[nodiscard]] GraphDiff diffGraphs(const ir::Graph& a, const ir::Graph& b, const DiffOptions& options = {});

/// With origins that are known, such as those that the pass recorded that made B of A: they decide for every
/// node that they speak of, the alignment for the others.
[[nodiscard]] GraphDiff diffGraphs(const ir::Graph& a, const ir::Graph& b, const Origins& known,
                                   const DiffOptions& options = {});

/// The diff as a unified text that ends with a one-line summary: "+3 -1 ~1 moved 0, 2 respelled, 2 same".
[[nodiscard]] std::string printDiff(const ir::Graph& a, const ir::Graph& b, const GraphDiff& diff);
/// The diff as a JSON document: {summary, rows: [{change, a, b, fields}], links}.
[[nodiscard]] std::string printDiffJson(const ir::Graph& a, const ir::Graph& b, const GraphDiff& diff);

} // namespace dynascope::diff
