// SPDX-License-Identifier: BSD-3-Clause
//
// The inside of CompareView, shared by its five sources: panes and modes (compare_view.cpp), pictures
// (compare_picture.cpp), kernels as blocks (compare_kernels.cpp), selection and keys (compare_selection.cpp), several
// nodes (compare_chosen.cpp).
#pragma once

#include "core/layout/align.h"
#include "views/canvas/chosen_nodes.h"
#include "views/canvas/compare_view.h"
#include "views/canvas/gutter.h"
#include "views/canvas/layout_process.h"
#include "views/canvas/pane_header.h"
#include "views/canvas/picture.h"
#include "views/canvas/pictures_ahead.h"

#include <QElapsedTimer>
#include <QTimer>
#include <deque>
#include <functional>

namespace dynascope::views {

struct CompareView::Private {
    using GraphCanvas = canvas::GraphCanvas;
    using PaneHeader = canvas::PaneHeader;

    /// A header above a canvas.
    struct PaneWidgets {
        QWidget* box = nullptr;
        PaneHeader* header = nullptr;
        GraphCanvas* canvas = nullptr;
    };
    enum class Slot { A, B, Merged };

    Private(CompareView& view, Workspace& workspace, Theme& theme);

    // Panes and modes.
    void build();
    PaneWidgets makePane(PaneHeader::Kind kind, const QString& name, Slot slot);
    void connectPane(const PaneWidgets& pane, Slot slot);
    void showMode();
    [[nodiscard]] bool isAlone() const;  ///< A and B are one stage
    [[nodiscard]] bool isNarrow() const; ///< two canvases have no room
    [[nodiscard]] Mode effectiveMode() const;
    [[nodiscard]] std::vector<GraphCanvas*> shown() const;
    [[nodiscard]] GraphCanvas& active() const;
    [[nodiscard]] GraphCanvas& canvasOf(Slot slot) const;
    void canvasMoved(Slot slot);
    void canvasPlaced(Slot slot);
    /// Brings the other canvas to the place that goes with the leader's.
    void follow(Slot leader, double sideways, bool keepMarks = false);
    /// The offset of the other canvas that goes with the leader's; with `keepMarks`, so that what belongs to
    /// the selection is in sight there if it is in sight here.
    [[nodiscard]] QPointF partnerOffset(Slot leader, QPointF leaderOffset, double sideways, bool keepMarks);
    [[nodiscard]] Slot slotOf(const GraphCanvas& canvas) const;
    void holdBeside();
    void rememberPlaces();
    void updateHeaders();

    // Pictures.
    void stagesChanged();
    void scheduleRebuild(GraphCanvas::Transition transition, const QString& anchor = {});
    void rebuild();
    [[nodiscard]] std::optional<canvas::PaneSource> sourceOf(Side side);
    [[nodiscard]] canvas::PaneSource sourceOf(Side side, const ir::GraphPtr& graph, ir::NodeSet only,
                                              int stage);
    /// Of the compile that is shown: always the same object.
    [[nodiscard]] session::NamingPtr naming(Side side);
    void forgetAhead();
    /// One stage on both sides, of which there is no picture yet: one serves both.
    [[nodiscard]] bool isBesideItself(const canvas::PictureRequest& request) const;
    [[nodiscard]] bool isCaptured(int stage) const;
    [[nodiscard]] QString kernelsText(const canvas::PaneSource& source) const;
    void remember(const canvas::PaneSource& source);
    [[nodiscard]] std::vector<QSizeF> roomShown() const; ///< of each canvas that is shown; empty while hidden
    /// Makes the first picture anew where its canvas got another size and nobody has looked around in it yet, and
    /// any where one canvas became two or two became one.
    void fitRoom();
    /// The picture's panes are as far apart as the mode that is shown wants them.
    [[nodiscard]] bool isSpaced() const;
    [[nodiscard]] QSizeF roomOf(Side side) const;
    /// `relaid`: the same graphs and blocks with another layout.
    void show(canvas::Picture picture, GraphCanvas::Transition transition, const QString& anchor,
              bool relaid = false);
    void keepShown(canvas::PictureRequest request, const canvas::Picture& made);
    void showMessages();
    void startProcesses();
    void processesDone();
    void stopAll();
    void tick();
    void checkSettled();
    [[nodiscard]] bool busy() const;
    using ScenePath = std::string;                                          ///< Group::path
    [[nodiscard]] ScenePath pathOf(Slot slot, layout::GroupId group) const; ///< empty for the root
    void fold(Slot slot, layout::GroupId group, bool open);
    void foldAll(bool open);

    // Several nodes: what is chosen of one stage, and whether that alone is drawn (compare_chosen.cpp).
    [[nodiscard]] canvas::ChosenNodes chosen() const; ///< of a stage that is shown, else none
    [[nodiscard]] Side sideOf(const canvas::ChosenNodes::Of& part) const;
    [[nodiscard]] int stageOf(Side side) const;
    /// What is drawn of a side's graph: empty for all.
    [[nodiscard]] ir::NodeSet drawnOf(Side side) const;
    [[nodiscard]] std::pair<Side, ir::NodeSet> nodesOf(Slot slot, int item) const;
    void change(const std::function<void(canvas::ChosenNodes&)>& change, bool remember);
    void choose(Side side, ir::NodeSet nodes);
    void toggle(Slot slot, int item);
    void chooseBetween(Slot slot, int item);
    /// What a command is about: what is chosen, else the selected node or block of the canvas.
    [[nodiscard]] std::pair<Side, ir::NodeSet> chosenOrSelected() const;
    void drawChosen(bool neighbours);
    void drawAll();
    void chosenChanged();
    void showChosen();
    void fillMenu(QMenu& menu, Slot slot, int item);

    // Selection and keys.
    void selectionChanged(bool reveal);
    void traceChanged();
    void selectInPanes(const NodeSelection& node, bool reveal);
    void revealInPanes(Side own);
    /// The scenes are those of the workspace's stages; else a picture of those is being made.
    [[nodiscard]] bool isUpToDate() const;
    [[nodiscard]] bool looksAtSelection() const;
    /// Signs of notes and bookmarks at the items that stand for their nodes.
    void showHeat();
    void showMarks();
    /// Opens the blocks that hide the node searched for, in every pane, and then goes to it.
    void seek();
    [[nodiscard]] ir::NodeIndex inMerged(Side side, ir::NodeIndex node) const;
    void selectInMerged(const NodeSelection& node, bool reveal);
    void itemClicked(Slot slot, int item);
    [[nodiscard]] NodeSelection nodeAt(Slot slot, int item) const;
    void showInOtherPane(Slot slot, int item);
    void goToSource(Slot slot, int item);
    void keyTyped(int key);
    void nextDifference(int direction);

    CompareView& q;
    Workspace& workspace;
    Theme& theme;
    Mode mode = Mode::SideBySide;
    Side single = Side::B;
    bool linked = true;
    bool heat = false;         ///< cards are tinted by time
    bool kernelBlocks = false; ///< kernels are blocks where they are known
    bool syncing = false;
    double lastZoom = 1;
    QString program;

    PaneWidgets a, b, merged;
    QWidget* gutterBox = nullptr;
    canvas::Gutter* gutter = nullptr;
    QToolButton* chain = nullptr;
    std::vector<QToolButton*> buttonsOfSingle;
    GraphCanvas* lastActive = nullptr;
    QPointF placeA, placeB;   ///< as of the last move: linked panes follow by the difference
    layout::Anchors anchors;  ///< of the picture, held at the selection where that is needed
    bool seeking = false;     ///< the selected node was searched for and is not shown yet
    bool lookedAt = false;    ///< the selection was in sight when the stages changed
    bool revealLater = false; ///< a node was selected that only the next picture has
    std::pair<const ir::Graph*, ir::NodeIndex> shownNode{nullptr, ir::npos}; ///< the selected one
    std::vector<QRectF> marksA, marksB; ///< what is selected, then what belongs to it, by pane
    Subject tracedSubject;              ///< the last one whose answer was shown
    canvas::ChosenNodes::Of drawn;      ///< alone, in the picture that was asked for last
    canvas::ChosenNodes::Of beside;     ///< those of the other stage

    session::NamingPtr namingA, namingB;                              ///< null: of the compile that is shown
    std::pair<const session::Compile*, session::NamingPtr> ownNaming; ///< of the compile that was shown last
    canvas::PicturesAhead ahead;
    canvas::Picture picture;
    std::deque<canvas::PaneSource> known; ///< trees and open blocks of graphs seen lately
    std::optional<canvas::PaneSource> knownMerged;
    std::pair<const ir::Graph*, const ir::Graph*> mergedOf{nullptr, nullptr};
    std::pair<int, int> shownCompile{-1, -1}; ///< capture and compile of the picture
    QTimer rebuildTimer, progressTimer, roomTimer;
    QElapsedTimer busySince;
    bool working = false;         ///< a worker makes a picture
    bool roomless = false;        ///< blocks were opened while the view was hidden and had no size
    bool untouched = false;       ///< the picture is as it opened: nobody moved, zoomed or folded
    std::vector<QSizeF> askedIn;  ///< roomShown() when the last picture was asked for
    std::vector<QSizeF> openedIn; ///< and when the one that opened was
    bool reported = true;         ///< settled() was emitted since the last start
    GraphCanvas::Transition transition = GraphCanvas::Transition::None;
    QString anchor;
    canvas::LayoutProcess processA, processB;
    QByteArray answerA, answerB;
};

} // namespace dynascope::views
