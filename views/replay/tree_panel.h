// SPDX-License-Identifier: BSD-3-Clause
//
// A run of CUDA-graph trees, stepped both ways: its events, the categories of written inputs, the tree, and
// the step in words.
#pragma once

#include "views/base/panel.h"
#include "views/replay/tree_walk.h"

#include <memory>

class QTabBar;

namespace dynascope::views {

class FactView;
class RowTable;
class LiveTreeBar;
class LiveTrees;
class PoolStrip;
class TreePicture;

/// GUI thread only. Runs Session::tree on the TaskRunner (tag "replay.tree").
class TreePanel : public Panel {
    Q_OBJECT
public:
    /// A run that the capture is, simulated; with `live` runs of the capture's graphs that the engine carries
    /// out.
    TreePanel(Workspace& workspace, Theme& theme, LiveTrees* live = nullptr, QWidget* parent = nullptr);
    ~TreePanel() override;

    [[nodiscard]] TreeWalk& walk() const;
    /// To the next event; at the end of a run that waits, the engine carries out the next call.
    void stepForward();
    [[nodiscard]] bool canStepForward() const;
    /// Likewise to the next mark.
    void nextMark();
    void applyDefaultSizes(int windowWidth);

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    [[nodiscard]] QWidget* makeLists();
    [[nodiscard]] QWidget* makeLowerLists();
    [[nodiscard]] QWidget* makeTree();
    void showLive();
    void showPosition();
    void showNote();
    void follow(const QString& target);
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
