// SPDX-License-Identifier: BSD-3-Clause
//
// The centre of the window: stage A's graph beside stage B's, with the gutter that ties related nodes, or one
// merged canvas. Both canvases scroll, zoom and select together while the chain is on.
#pragma once

#include "core/ir/node_sets.h"
#include "core/session/program_names.h"
#include "views/theme/picture.h"
#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QPointF>
#include <QWidget>
#include <memory>

namespace dynascope::views {

/// GUI thread only. Lays out in a child process (`dynascope-cli layout`), newest request wins; shows folded
/// places at once.
class CompareView : public QWidget {
    Q_OBJECT
public:
    enum class Mode { SideBySide, Merged, Single };

    CompareView(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~CompareView() override;

    void setMode(Mode mode);
    [[nodiscard]] Mode mode() const;
    void setLinked(bool linked); ///< panes move together
    [[nodiscard]] bool isLinked() const;
    void setEdgeLabels(bool on);
    void setMinimap(bool on);
    void setBlockBytes(bool on); ///< blocks tell the bytes of their results instead of their nodes
    /// Where the generated code of a graph is known, blocks are its kernels, inside the modules that hold them.
    void setKernelBlocks(bool on);
    /// What names the inputs of the stages of A and of B, in place of the compile that is shown: for stages of two
    /// compiles. Null for what the compile itself tells; of the pictures that are made from now on.
    void setNaming(session::NamingPtr a, session::NamingPtr b);
    /// Tints cards by what their nodes took in the last run (Workspace::nodeTimes()).
    void setHeat(bool on);
    [[nodiscard]] bool hasHeat() const;
    [[nodiscard]] bool hasEdgeLabels() const;
    [[nodiscard]] bool hasMinimap() const;
    [[nodiscard]] double zoom() const;
    /// Where the canvases of A and B are looked at, to come back to.
    struct View {
        double zoom = 1;
        QPointF a, b; ///< what is at the middle of the top edge, from the middle of the graph
    };
    [[nodiscard]] View view() const;
    void setView(const View& view); ///< of the graphs that are shown now
    [[nodiscard]] bool hasMotion() const;
    void setMotion(bool on); ///< cards slide to their new places; on unless DYNASCOPE_REDUCE_MOTION is set
    /// The layout child; `dynascope-cli` beside the executable unless set. Empty: only our own layout is
    /// used.
    void setLayoutProgram(const QString& path);
    [[nodiscard]] bool isSettled() const; ///< no layout is running: for tests and --export

public slots:
    void zoomIn();
    void zoomOut();
    void zoomReset(); ///< 100 %
    void fitAll();
    void fitSelection(); ///< all, when nothing is selected
    void toggleFold();   ///< of the selected node's block
    void openAll();      ///< unfold everything
    void closeAll();
    void nextDifference(int direction); ///< +1 or -1
    /// Draws what is chosen alone, else the selected node or block, on the other canvas what belongs to it; with
    /// `neighbours` also what it reads and what reads it. Back brings the whole graph again.
    void drawChosen(bool neighbours);
    void drawAll();
    /// Draws these of the stages A and B alone; all of both where both are empty. Not remembered as a step back.
    void drawOnly(const ir::NodeSet& a, const ir::NodeSet& b);
    /// Makes the picture of two graphs that are likely to be shown next, and of those nodes alone as drawOnly() does:
    /// then showing them takes no more than drawing. `diff` is what the workspace has once they are shown.
    void preparePicture(const ir::GraphPtr& a, const ir::GraphPtr& b, const ir::NodeSet& onlyA,
                        const ir::NodeSet& onlyB, const DiffPtr& diff);
    [[nodiscard]] bool isPreparing() const;
    void cancelLayout();
    /// Both graphs whole, as they are folded now; empty where nothing is drawn. Of the scenes that are shown now.
    [[nodiscard]] Drawing picture() const;

signals:
    void menuRequested(const QPoint& globalPos); ///< where no node is
    void settled();                              ///< both canvases have their final layout
    void zoomChanged(double factor);
    void modeChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;

private:
    struct Private;
    std::unique_ptr<Private> d;
};

} // namespace dynascope::views
