// SPDX-License-Identifier: BSD-3-Clause
//
// ViewAndMutationMeta as it was captured beside what deriving it anew gave, field by field, and as rows. Pure
// functions.
#pragma once

#include "views/autograd/alias_rows.h"

#include <vector>

namespace dynascope::views {

/// A fact of the metadata in both forms.
struct MetadataRow {
    enum class Part { Input, Output, Graph, Tangent, OutputOrder } part = Part::Graph;
    std::size_t index = 0;            ///< of the input, output, tangent or place among the graph's outputs
    QString field, captured, derived; ///< the last two empty where one of them has none
    ir::NodeIndex node = ir::npos;    ///< of the traced graph: the placeholder or the value that is returned
    bool alone = false;               ///< the capture has no metadata: `captured` says nothing
    [[nodiscard]] bool same() const { return captured == derived; }
};

/// Fields of inputs, outputs and the graph, then what follows from them: what each tangent is the gradient
/// of, and what stands where among the outputs of the graph. `compared` is of this table. Linear.
[[nodiscard]] std::vector<MetadataRow> metadataRows(const computed::AliasTable& table,
                                                    const computed::MetadataComparison& compared);

/// What a field says, in a sentence; empty for one that is not known.
[[nodiscard]] QString metadataMeaning(const MetadataRow& row);

enum class MetadataColumn { Same, Of, Node, Field, Captured, Derived, Meaning };
[[nodiscard]] std::vector<TableColumn> metadataColumns();
[[nodiscard]] std::vector<TableRow> metadataCells(const computed::AliasTable& table,
                                                  const std::vector<MetadataRow>& rows);

} // namespace dynascope::views
