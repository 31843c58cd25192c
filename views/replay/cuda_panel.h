// SPDX-License-Identifier: BSD-3-Clause
//
// The nodes of a CUDA graph beside the FX nodes that made them.
#pragma once

#include "views/base/panel.h"
#include "views/base/row_table.h"
#include "views/inspector/facts.h"
#include "views/replay/replay_runs.h"

#include <memory>

class QComboBox;

namespace dynascope::views {

class FactView;

/// A node of any of the graphs within a CUDA graph.
struct CudaNodeAt {
    std::size_t graph = 0; ///< into CudaGraph::graphs
    std::size_t node = 0;
    std::vector<std::uint32_t> after; ///< nodes of the same graph that it waits for, ascending
};
/// All of them, graph by graph. Linear, but for sorting.
[[nodiscard]] std::vector<CudaNodeAt> cudaNodes(const replay::CudaGraph& graph);

enum class CudaColumn { Number, Kind, What, Maker, After };
[[nodiscard]] std::vector<TableColumn> cudaColumns();
[[nodiscard]] std::vector<TableRow> cudaRows(const replay::ReplayRecording& recording,
                                             const std::vector<CudaNodeAt>& nodes);
enum class MakerColumn { Node, Target, Count };
[[nodiscard]] std::vector<TableColumn> makerColumns();
/// One row a node of the recording: what the driver made of it.
[[nodiscard]] std::vector<TableRow> makerRows(const replay::ReplayRecording& recording,
                                              const std::vector<CudaNodeAt>& nodes);
/// Of one node. Links: "cuda:ROW" into `nodes`, "node:NAME" to the graph.
[[nodiscard]] Facts cudaFacts(const replay::ReplayRecording& recording, const std::vector<CudaNodeAt>& nodes,
                              std::size_t row);

/// GUI thread only.
class CudaPanel : public Panel {
    Q_OBJECT
public:
    CudaPanel(Workspace& workspace, ReplayRuns& runs, Theme& theme, QWidget* parent = nullptr);
    ~CudaPanel() override;

protected:
    void refresh() override;

private:
    struct Private;
    void showGraph(int index);
    void showNode(int row);
    void showMaker(int node);
    void goToNode(const QString& name);
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
