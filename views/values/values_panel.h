// SPDX-License-Identifier: BSD-3-Clause
//
// What the selected node held when its graph ran: geometry, statistics, a histogram and a corner of the data;
// the value before a write; watched nodes, and the inputs after the call.
#pragma once

#include "views/base/panel.h"
#include "views/engine/passes.h"
#include "views/values/watch_model.h"

#include <deque>

class QTableView;

namespace dynascope::views {

class FactView;

/// GUI thread only.
class ValuesPanel : public Panel {
    Q_OBJECT
public:
    ValuesPanel(Workspace& workspace, Passes& passes, Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QString plainText() const;
    [[nodiscard]] WatchModel& watch() { return *m_watch; }
    /// Selects the node before or after the selected one in the order of the run.
    void step(int direction);
    void toggleWatch();
    /// Runs the stage that is shown, for its values.
    void run();

protected:
    void refresh() override;

private:
    [[nodiscard]] session::StagePtr stageShown() const;
    [[nodiscard]] const StageRun* runOf(const session::Stage* stage) const;
    void ask(const session::StagePtr& stage);
    void showRun(const StageRun& run);

    Passes& m_passes;
    FactView* m_view;
    WatchModel* m_watch;
    QTableView* m_watchView;
    std::deque<StageRun> m_runs; ///< the newest first
    session::StagePtr m_asked;
    QString m_text;
};

} // namespace dynascope::views
