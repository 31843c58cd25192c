// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of a replayed graph: places in the arena against nodes or time, what is alive when, what it
// would be without a plan, and another recording beside it.
#pragma once

#include "views/base/panel.h"
#include "views/replay/memory_rows.h"

#include <memory>

class QComboBox;

namespace dynascope::views {

class FactView;

/// GUI thread only. Works on the TaskRunner (tags "replay.memory", "replay.other").
class ReplayMemoryPanel : public Panel {
    Q_OBJECT
public:
    ReplayMemoryPanel(Workspace& workspace, ReplayRuns& runs, Theme& theme, QWidget* parent = nullptr);
    ~ReplayMemoryPanel() override;

    [[nodiscard]] const ReplayMemory* memory() const; ///< null until there is one
    void applyDefaultSizes(int windowWidth);

signals:
    void runRequested(); ///< nothing was replayed yet, and the reader wants to

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    [[nodiscard]] QWidget* makeSide();
    void forget();
    void fillGraphs();
    void fillOthers();
    void showGraph(int index);
    void showMemory(ReplayMemoryPtr memory);
    void compareWith(int index);
    void showChart();
    void showFigures();
    void showLive();
    void showMoment(std::size_t moment);
    void showDetail();
    void goToLife(std::size_t life, bool line);
    void follow(const QString& target);
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
