// SPDX-License-Identifier: BSD-3-Clause
//
// The captured stages of the current compile on a line, below them those that the engine computed, with the
// two discs A and B that choose what is compared. Where passes were recorded, a stage unfolds into those that led to it.
#pragma once

#include "views/theme/theme.h"
#include "views/workspace/workspace.h"

#include <QAbstractScrollArea>
#include <QHash>
#include <map>
#include <optional>
#include <vector>

namespace dynascope::views {

class Rederivations;

/// Stages as a track of circles: hollow where the graph equals the one it was made from, filled where it
/// changed. Sizes and changes are worked out on the TaskRunner, tag "timeline", one stage after the other.
/// GUI thread only.
class TimelineView : public QAbstractScrollArea {
    Q_OBJECT
public:
    TimelineView(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);

    /// Names of A and B only, for narrow windows.
    void setCompact(bool compact);
    /// Centre of a stage's circle in the viewport; for tests and popups.
    [[nodiscard]] QPoint stagePoint(int stage) const;
    [[nodiscard]] int stageAt(QPoint viewportPoint) const; ///< -1 where there is none
    /// Where a stage's name is drawn in the viewport; empty where it is not drawn. For tests.
    [[nodiscard]] QRect nameRect(int stage) const;
    /// What is drawn there of the stage's name, and of a computed one's size where there is room for both.
    [[nodiscard]] QString caption(int stage) const;
    /// "1,684 nodes" of a captured stage, or the number alone where the next stage's words would run into it.
    [[nodiscard]] QString shownSize(int stage) const;
    /// Where that is drawn in the viewport.
    [[nodiscard]] QRect sizeRect(int stage) const;
    /// "+3 −1 ~1", "=", or empty while it is not known.
    [[nodiscard]] QString changeText(int stage) const;
    [[nodiscard]] bool isSettled() const; ///< nothing left to work out
    /// Badges of captured stages come from there; it outlives the view.
    void setRederived(const Rederivations* rederived);
    /// The words beside a computed stage: "equal", "isomorphic", ...; of a captured one what deriving it anew
    /// said, empty where that was not asked.
    [[nodiscard]] QString verdictText(int stage) const;
    /// The badge with those words, in the viewport.
    [[nodiscard]] QRect badgeRect(int stage) const;
    /// Beside it what deriving the metadata of that graph said; empty where it was not asked.
    [[nodiscard]] QRect metadataRect(int stage) const;
    /// The chip on the line before a stage that unfolds it, in the viewport; empty where no pass was recorded.
    [[nodiscard]] QRect passesRect(int stage) const;
    /// Shows the passes that led to a stage on a track of their own; -1 folds. Another compile folds.
    void unfold(int stage);
    /// Of those on that track: the circle's centre, and the row of the page Inductor.
    [[nodiscard]] QPoint passPoint(int pass) const;
    [[nodiscard]] std::vector<int> passRows() const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void menuRequested(int stage, QPoint globalPosition); ///< -1 for the timeline itself
    void verdictClicked(int stage);
    void metadataClicked(int stage); ///< a captured one
    void removeRequested(int stage); ///< a computed one
    void passRequested(int row);     ///< on the page Inductor

protected:
    void contextMenuEvent(QContextMenuEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;

private:
    /// What is known about a stage against the one it was made from.
    struct Fact {
        QString size;
        QString change;
        bool same = true;
        bool isHere = true; ///< false: it lies on another machine, which does not answer
    };
    /// A recorded pass, or a change between passes, that changed a graph.
    struct PassTick {
        int row = -1;
        QString name, change;
    };
    using PassTicks = std::map<int, std::vector<PassTick>>; ///< by the stage that they led to
    struct Drag {
        Side side = Side::A;
        int stage = -1;
    };

    void refresh();
    void layOut();
    void askNext();
    void ensureVisible(int stage);
    void choose(Side side, int stage);
    [[nodiscard]] const session::Stage* stage(int index) const;
    [[nodiscard]] int stageCount() const;
    [[nodiscard]] int shown(Side side) const;
    [[nodiscard]] int trackY() const;
    [[nodiscard]] int computedY() const;
    [[nodiscard]] int capturedCount() const;
    [[nodiscard]] QPoint centre(int index) const;
    void askPasses();
    [[nodiscard]] int passesY() const;
    [[nodiscard]] int passAt(QPoint point) const; ///< on the track; -1 for none
    [[nodiscard]] bool clickPasses(QPoint point);
    [[nodiscard]] QString passesTip(QPoint point) const; ///< empty where there is nothing of passes
    void drawPasses(QPainter& painter) const;
    void drawPassTrack(QPainter& painter) const;
    void drawComputedTrack(QPainter& painter) const;
    void drawVerdict(QPainter& painter, int index) const;
    void drawMetadata(QPainter& painter, int index) const;
    [[nodiscard]] QString metadataText() const;
    /// Added, removed or changed, as the verdict is good, bad or neither; Same for no verdict.
    [[nodiscard]] diff::Change verdictTone(int index) const;
    [[nodiscard]] int stageX(int index) const; ///< in the viewport
    [[nodiscard]] const Fact* fact(int index) const;
    [[nodiscard]] QString stageName(int index) const; ///< of a computed stage with its size
    [[nodiscard]] QFont nameFont(int index) const;
    [[nodiscard]] int nameRoom() const;
    void drawPhases(QPainter& painter) const;
    void drawTrack(QPainter& painter) const;
    void drawStages(QPainter& painter) const;
    void drawCaption(QPainter& painter, int index) const; ///< name, and size below
    void drawChange(QPainter& painter, int index) const;  ///< against the stage before
    void drawDiscs(QPainter& painter, int index) const;   ///< A, B or both
    void drawCircle(QPainter& painter, int index) const;
    void drawLabel(QPainter& painter) const;
    [[nodiscard]] QFont countFont() const;
    [[nodiscard]] bool isChosen(int index) const {
        return index == shown(Side::A) || index == shown(Side::B);
    }

    static constexpr int labelWidth = 88, discRadius = 9, rowHeight = 17;

    Workspace& m_workspace;
    Theme& m_theme;
    const Rederivations* m_rederived = nullptr;
    bool m_compact = false;
    double m_step = 100;
    int m_hover = -1;
    std::optional<Drag> m_drag;
    const session::Compile* m_compile = nullptr;
    std::vector<double> m_slots; ///< place of each stage along the line, in steps
    QHash<session::StageId, Fact> m_facts;
    PassTicks m_passes;
    int m_unfolded = -1; ///< a stage of m_passes
};

} // namespace dynascope::views
