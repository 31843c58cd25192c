// SPDX-License-Identifier: BSD-3-Clause
//
// Where compile time went: the timing events of a compile, a frame or the whole capture as a flame chart,
// over time or merged, with what was slowest; as a tree; and the compile metrics as a table.
#pragma once

#include "views/base/panel.h"

#include <memory>

class QTableView;
class QTreeView;
class QVBoxLayout;

namespace dynascope::views {

class FlameChart;
class MetricsView;

/// GUI thread only. Metrics are read on the TaskRunner (tag "metrics").
class CompileTimePanel : public Panel {
    Q_OBJECT
public:
    enum class View { Flame, LeftHeavy, Tree, Metrics };
    enum class Scope { Compile, Frame, Capture };

    CompileTimePanel(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~CompileTimePanel() override;

    void setView(View view);
    [[nodiscard]] View view() const;
    void setScope(Scope scope);

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    void buildBar(QVBoxLayout* column);
    void buildFlame();
    void buildTree();
    void buildMetrics();
    void search(const QString& text);
    void saySlow();
    void rebuild();
    void showTotal();
    void readMetrics();
    void showSpan(int span);
    void showSlow(const QModelIndex& row);
    void showRecord(int record);
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
