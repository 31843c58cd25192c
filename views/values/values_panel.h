// SPDX-License-Identifier: BSD-3-Clause
//
// What the selected node held when its graph ran: geometry, statistics, a histogram and a corner of the data;
// the value before a write; watched nodes, and the inputs after the call.
#pragma once

#include "views/base/panel.h"
#include "views/engine/passes.h"

#include <QAbstractTableModel>
#include <deque>

class QTableView;

namespace dynascope::views {

class FactView;

/// A run of one stage. `values` has each node right after it ran.
struct StageRun {
    session::StagePtr stage;
    computed::NodeValues values;
    std::vector<computed::TensorValue> inputsBefore, inputsAfter;
    QString error;
};

/// Watched nodes by name with a summary of each in the run that is shown.
class WatchModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void toggle(const QString& node);
    void setRun(const StageRun* run);
    [[nodiscard]] const QStringList& nodes() const { return m_nodes; }
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_nodes;
    computed::NodeValues m_values; ///< of the watched nodes
};

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
