// SPDX-License-Identifier: BSD-3-Clause
//
// Which graphs of a capture would be CUDA graphs, which not, why and what to change; and of the chosen one
// the category of each input.
#pragma once

#include "core/replay/coverage.h"
#include "core/replay/input_categories.h"
#include "views/base/panel.h"

#include <memory>

namespace dynascope::views {

class FactView;
class RowTable;

/// GUI thread only. Judges on the TaskRunner (tags "cudagraphs", "cudagraphs.inputs").
class CoveragePanel : public Panel {
    Q_OBJECT
public:
    CoveragePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~CoveragePanel() override;

    void setBackend(replay::GraphBackend backend);
    void selectGraph(int row);
    /// Shows the chosen graph on the stages page.
    void goToGraph();

protected:
    void refresh() override;

private:
    struct Private;
    struct Inputs;
    void forget();
    void judge();
    void showReport(replay::CoverageReport report);
    void showFigures();
    void showGraph(int row);
    void showInputs(Inputs inputs);
    void showFacts();
    void follow(const QString& target);
    void followGraphLine(int row);
    void followInput(int row, bool toLine);
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
