// SPDX-License-Identifier: BSD-3-Clause
//
// A pass of the engine, op by op: what became of each op of its source, why, and the result as it stands
// there. Moving through the rows is stepping, both ways; a row selects its node on the canvases, and the
// other way round.
#pragma once

#include "views/base/panel.h"
#include "views/engine/passes.h"

#include <memory>

class QListView;
class QTableView;

namespace dynascope::views {

/// GUI thread only. The rows are made on the TaskRunner (tag "pass steps").
class PassStepsPanel : public Panel {
    Q_OBJECT
public:
    PassStepsPanel(Workspace& workspace, Passes& passes, Theme& theme, QWidget* parent = nullptr);
    ~PassStepsPanel() override;

    void step(int direction); ///< to the next or previous row that is listed
    void setOnlyMatters(bool only);

protected:
    void refresh() override;
    void restyle() override;
    /// The result stands beside the steps where the panel is low, else below them.
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
