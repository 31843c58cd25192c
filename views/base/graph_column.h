// SPDX-License-Identifier: BSD-3-Clause
//
// A graph printed as a column of code, line by line, and those that were printed last: a graph that a step made is what the
// next one begins with.
#pragma once

#include "core/ir/graph.h"
#include "views/base/code_document.h"

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::views {

struct AlignOptions {
    bool quietRespelled = true; ///< a node that is only renamed or spelled otherwise is no difference
    bool shortNames = true;     ///< aten.add.Tensor, cap.py:43
    bool strides = false;
    bool clears = false; ///< ";  x = None"
    friend bool operator==(const AlignOptions&, const AlignOptions&) = default;
};

struct GraphColumn {
    std::vector<std::string> lines;
    std::vector<ir::NodeIndex> nodeOfLine;
    std::vector<int> firstLine, lastLine; ///< by node; -1 where it has no line of its own
    CodeDocumentPtr document;             ///< the lines
};
using GraphColumnPtr = std::shared_ptr<const GraphColumn>;

/// Linear in the printed text.
[[nodiscard]] GraphColumnPtr printColumn(const ir::Graph& graph, const AlignOptions& options);

/// Any thread. Two that ask for the same column at once may both print it.
class ColumnCache {
public:
    static constexpr std::size_t mostKept = 16;

    [[nodiscard]] GraphColumnPtr of(const ir::GraphPtr& graph, const AlignOptions& options);
    /// Forgets all, since graphs live as long as what is kept here.
    void clear();

private:
    struct Kept {
        ir::GraphPtr graph;
        AlignOptions options; ///< those that the column depends on
        GraphColumnPtr column;
    };
    [[nodiscard]] GraphColumnPtr find(const ir::GraphPtr& graph, const AlignOptions& options);

    std::mutex m_mutex;
    std::deque<Kept> m_kept; ///< the last one asked for in front
};

} // namespace dynascope::views
