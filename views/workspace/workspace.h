// SPDX-License-Identifier: BSD-3-Clause
//
// What is open and what is selected: the one state that all panels share. A panel changes it by calling a
// setter and is told by a signal, like every other panel; panels never talk to each other.
#pragma once

#include "core/capture/disk_stamp.h"
#include "core/computed/node_times.h"
#include "core/computed/placed_stage.h"
#include "core/computed/stage_store.h"
#include "core/diff/graph_diff.h"
#include "core/session/breaks.h"
#include "core/session/session.h"
#include "core/store/session_file.h"
#include "views/workspace/diffs_ahead.h"
#include "views/workspace/panel_id.h"
#include "views/workspace/place.h"
#include "views/workspace/task_runner.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace dynascope::session {
class Renumbering;
}

namespace dynascope::views {

class JoinedProfiles;
class Trace;

/// Two captures, two compiles, or the ranks of one capture that somebody wants to see against each other.
struct ComparisonRequest {
    enum class What { Captures, Ranks, Compiles };
    What what = What::Captures;
    session::SessionPtr a, b; ///< may be one; both null once one of them was closed. Of ranks only `a` counts
    int rankA = -1, rankB = -1;       ///< of captures: one rank of each, by number; -1 for all
    int compileA = -1, compileB = -1; ///< of compiles: into Session::compiles

    [[nodiscard]] bool isOpen() const { return a != nullptr; }
    friend bool operator==(const ComparisonRequest&, const ComparisonRequest&) = default;
};

using computed::NodeTimes;

/// What the reader left at a place.
struct NoteMark {
    QString note; ///< its text; empty for a bookmark alone
    bool bookmark = false;
    friend bool operator==(const NoteMark&, const NoteMark&) = default;
};
using NoteMarks = std::map<ir::Address, NoteMark>;
/// Of a stage with its nodes.
struct StageMarks {
    NoteMark own;
    int notes = 0, bookmarks = 0; ///< of its nodes
    [[nodiscard]] bool hasNote() const { return !own.note.isEmpty() || notes > 0; }
    [[nodiscard]] bool isEmpty() const { return !hasNote() && !own.bookmark && bookmarks == 0; }
};

/// A graph stage that is ready to be drawn; graph is null while it is being read or where it cannot be (see
/// error).
struct StageView {
    session::StagePtr stage;
    ir::GraphPtr graph;
    QString error;
    bool loading = false;
};

/// One of Workspace::captures().
struct OpenCapture {
    session::SessionPtr session;
    session::BreakSummary breaks;
    std::shared_ptr<const store::SessionContents> saved{}; ///< of a session file, else null
    capture::DiskStamp disk{}; ///< of its files before they were read; empty where it has none
    bool followed = false;     ///< read on as its files grow
    std::vector<std::weak_ptr<const session::Session>> earlier{}; ///< that it took the place of
};

/// GUI thread only. Reading and diffing run on the TaskRunner (tags "stage.a", "stage.b", "diff"), except
/// that graphs of a few dozen KiB are read and compared at once, so that stepping through them does not
/// flicker.
class Workspace : public QObject {
    Q_OBJECT
public:
    using Capture = OpenCapture;

    explicit Workspace(TaskRunner& tasks, QObject* parent = nullptr);
    ~Workspace() override;

    [[nodiscard]] const std::vector<Capture>& captures() const { return m_captures; }
    [[nodiscard]] const Place& place() const { return m_place; }
    [[nodiscard]] const Capture* capture() const;          ///< of the current place, or null
    [[nodiscard]] const session::Session* session() const; ///< or null
    [[nodiscard]] const session::Compile* compile() const; ///< or null
    [[nodiscard]] const StageView& stage(Side side) const { return side == Side::A ? m_a : m_b; }
    /// Stages of the current compile: the captured ones of Compile::stages, then those that were computed.
    /// One past the last; a computed stage that was removed leaves a gap, so that indices stay valid.
    [[nodiscard]] int stageCount() const;
    [[nodiscard]] session::StagePtr stageAt(int index) const; ///< or null
    /// Its number for the reader, gaps not counted: 1 for the first.
    [[nodiscard]] int stageNumber(int index) const;
    /// What the stage was made from: as predecessor() for captured ones. -1 for the first. Where that was
    /// removed, what it was made from in turn.
    [[nodiscard]] int madeFrom(int index) const;
    /// The index of a stage of the current compile, or -1. With `removed` also of a computed one that was
    /// removed.
    [[nodiscard]] int indexOf(const session::Stage* stage, bool removed = false) const;
    /// Adds a stage that was computed from stage `from` of the current compile, or puts it in the place of
    /// the computed stage `replaces`, which may have been removed. `origins` say which node of `from` became
    /// which of its own, as the pass recorded it. Returns its index. It lives until the capture is closed.
    int addComputed(session::StagePtr stage, int from, diff::Origins origins, int replaces = -1);
    /// Takes a computed stage away; goBack() brings it back. Stages made from it stay.
    void removeComputed(int index);

    [[nodiscard]] bool isComputed(int index) const;
    using Computed = computed::PlacedStage;
    /// Of any compile that is open, removed ones included; stageAt() counts them behind the captured ones.
    [[nodiscard]] const std::vector<Computed>& computedOf(const session::Compile& compile) const;
    /// Puts the computed stages of a saved session beside a compile that is open and has none yet.
    void restoreComputed(const session::Compile& compile, const std::vector<Computed>& stages);
    /// Which nodes of stage `a` became which of stage `b`, as the passes recorded it that made one of the
    /// other; empty where neither was computed from the other.
    [[nodiscard]] diff::Origins origins(int a, int b) const;
    void setVerdict(const session::StagePtr& stage, const computed::StageVerdict& verdict);
    /// What the reader left in a capture, for canvases and timelines to draw. Set by who keeps the notes.
    void setMarks(const session::Session& session, NoteMarks marks);
    [[nodiscard]] const NoteMarks& marks() const;                           ///< of the current capture
    [[nodiscard]] StageMarks stageMarks(const session::Stage& stage) const; ///< of the current compile
    /// Nodes of a side's stage that have a mark, by name.
    [[nodiscard]] std::map<std::string, NoteMark> nodeMarks(Side side) const;
    [[nodiscard]] computed::StageVerdict verdict(const session::Stage* stage) const;
    /// Of the last run of a stage's graph, or else of a profile, until its capture is closed.
    void setNodeTimes(const session::StagePtr& stage, NodeTimes times);
    [[nodiscard]] std::shared_ptr<const NodeTimes> nodeTimes(const session::Stage* stage) const; ///< or null
    /// Somebody shows times: who can say them and has not yet sets them.
    void wantTimes() { emit timesWanted(); }

    /// Diff of A and B, null until ready or where one side has no graph. Valid while both StageViews stay the
    /// same.
    [[nodiscard]] DiffPtr diff() const { return m_diff; }
    /// Reads and diffs what a reader is likely to look at next: pairs of stages of the current compile, the likeliest
    /// first, three at most. Then looking at them takes no more than drawing.
    void prepareDiffs(const std::vector<std::pair<int, int>>& stages);
    /// Of two stages of the current compile, as far as it was made or is kept; else null.
    [[nodiscard]] DiffPtr preparedDiff(int a, int b) const;
    [[nodiscard]] bool isPreparing() const { return !m_ahead.isIdle(); }
    [[nodiscard]] const ir::Node* selectedNode() const; ///< or null
    /// Nodes of the other side that the selected node became or came from.
    [[nodiscard]] std::vector<ir::NodeIndex> related() const;
    /// Nodes of a side to show beside the selection: related() on the other side of a selected node, else
    /// what the trace of the subject has there. Sorted.
    [[nodiscard]] std::vector<ir::NodeIndex> relatedOn(Side side) const;
    /// What is asked about across all stages: Place::subject, else the selected node.
    [[nodiscard]] Subject subject() const;
    [[nodiscard]] const Trace& trace() const { return *m_trace; }
    [[nodiscard]] Trace& trace() { return *m_trace; }
    [[nodiscard]] TaskRunner& tasks() { return m_tasks; }
    [[nodiscard]] JoinedProfiles& profiles() { return *m_profiles; }

    /// Opens in the background; tag "open". Emits captureOpened or openFailed. Captures asked for while one
    /// is being read wait their turn; the best compile of the first of such a row is shown.
    void open(const QString& path);
    void openText(const QString& text, const QString& label);
    /// Stops reading and forgets what waits. What is open stays.
    void cancelOpen();
    [[nodiscard]] bool isOpening() const { return m_opening || !m_queue.empty(); }
    /// What a capture is shown on when it is opened; Page::Stages where nobody says.
    void setFirstPage(std::function<Page(const Capture&)> page) { m_firstPage = std::move(page); }
    /// Adds what was read elsewhere; shows it if `show`. Returns its index.
    int addCapture(Capture capture, bool show = true);
    void close(int capture);
    /// Puts what was read again in the place of a capture. Place, history, computed stages, marks and
    /// comparisons go on with it, as far as their compiles and stages are still there.
    void replaceCapture(int capture, Capture again);
    /// Says of a capture that it is read on as it grows; who does that sets it.
    void setFollowed(int capture, bool on);
    /// What is open now in the place of a session that was open: itself, or what it was read again as. Null
    /// once it is closed.
    [[nodiscard]] session::SessionPtr current(const session::SessionPtr& session) const;

    /// Shows a comparison, a new one or the same as before. Both sides must be open.
    void compare(ComparisonRequest request);
    /// In the order in which they were asked for; those of closed captures stay as gaps.
    [[nodiscard]] const std::vector<ComparisonRequest>& comparisons() const { return m_comparisons; }
    /// Of Place::comparison, or null.
    [[nodiscard]] const ComparisonRequest* comparison() const;

    /// Where in each page a reader begins who names no part of it.
    void setStarts(PagePlaces starts) { m_starts = std::move(starts); }
    /// Goes to a place; missing parts are completed (a compile without stages picks its first two graphs,
    /// ...). With another node or compile than now, that is what is asked about. `remember` adds the old
    /// place to the back history. Indices out of range count as missing.
    void go(Place place, bool remember = true);
    void selectCompile(int capture, int compile);
    void selectStages(int a, int b);
    void stepStage(int direction); ///< next or previous stage: moves B, and A to what B was made from
    void firstStage();             ///< B becomes the second stage
    void lastStage();
    void swapSides();
    void selectNode(NodeSelection node);
    /// The selected node was searched for: views open what hides it, and show it large enough to be read.
    void seekNode();
    /// Asks about a line of the program, and selects a node of it if there is one.
    void selectLine(const std::string& file, std::uint32_t line, NodeSelection with = {},
                    bool everyCompile = false);
    /// Asks about a line of a stage of generated code, counted from 1; of another compile if one is given.
    void selectCode(int stage, std::uint32_t line, int compile = -1);
    /// Asks what became of the line that is asked about, or of that of the selected node, in every compile.
    /// False where there is no such line.
    bool traceLine();
    /// Selects a node of any stage: where the stage is on screen, else as B, or as A where it comes before
    /// that. Of another compile if one is given.
    void showNode(int stage, ir::NodeIndex node, int compile = -1);
    void showBreak(int group);
    void clearSelection();
    /// Selects the next (+1) or previous (-1) write of the selected node's storage, in the same graph; false
    /// where there is none.
    bool stepWrite(int direction);
    /// Where stepWrite() would go; ir::npos for nowhere.
    [[nodiscard]] ir::NodeIndex neighbourWrite(int direction) const;

    [[nodiscard]] bool canGoBack() const { return !m_back.empty(); }
    [[nodiscard]] bool canGoForward() const { return !m_forward.empty(); }
    void goBack();
    void goForward();

signals:
    void captureOpened(int capture);
    void captureClosed(int capture); ///< indices above it moved down by one
    void followedChanged(int capture);
    void captureReplacing(int capture); ///< it is about to be, and is still there
    /// The capture at this place was read again: whoever holds something by its session, or by compiles and
    /// stages of that, finds them anew. Followed by placeChanged().
    void captureReplaced(int capture, const dynascope::session::SessionPtr& before);
    void openFailed(const QString& message);
    void placeChanged(const dynascope::views::Place& now, const dynascope::views::Place& before);
    void computedChanged(); ///< other computed stages of the current compile, or another verdict
    void stagesChanged();   ///< a StageView changed (loaded, failed, another stage)
    void diffChanged();
    /// A diff that prepareDiffs() asked for is made.
    void diffPrepared(const dynascope::session::StagePtr& a, const dynascope::session::StagePtr& b,
                      const dynascope::views::DiffPtr& diff);
    void marksChanged();
    void timesWanted();
    void timesChanged(); ///< of some stage's nodes
    void nodeSelected(dynascope::views::NodeSelection node);
    void nodeSought();
    void panelRequested(dynascope::views::PanelId panel); ///< someone asks for it to be raised
    void wholeTimeRequested(); ///< the compile time of the whole capture, after its panel was asked for
    /// Record the program of the current capture again, with a setting as session::settingToTry() has it or none,
    /// and compare.
    void trialRequested(const QString& setting);
    /// Show one record raw.
    void recordRequested(int capture, int record);
    /// Show a line of the user's program.
    void sourceRequested(const QString& file, int line);

private:
    /// A step of the history. Going over it in either direction takes a removal back, or makes it again.
    struct Visit {
        Place place;
        session::StagePtr removed = nullptr;
    };
    struct Request {
        QString path, text;
        bool isText = false;
        bool show = false;
    };
    void dropComparisons(const session::SessionPtr& session);
    /// A place in a capture that was read again.
    [[nodiscard]] static Place moved(Place old, const session::Renumbering& to, const Capture& before,
                                     const Capture& now);
    void showAgain();
    void completeComparison(Place& place) const;
    void enqueue(Request request);
    void openNext();
    void visit(Place place, bool remember = true);
    [[nodiscard]] Place placeIn(int compile) const; ///< the current one where it is of that compile
    void remember(Visit visit);
    void travel(std::vector<Visit>& from, std::vector<Visit>& to, bool removes);
    [[nodiscard]] Place completed(Place place) const;
    void setPlace(Place place);
    void loadStages();
    void loadStage(Side side, const session::StagePtr& stage, const StageView& oldA, const StageView& oldB);
    void dropStaleSelection();
    void computeDiff();
    void showStages(int a, int b);
    /// Where the selected node is once the stages are `a` and `b`: the same stage's other side, else nothing.
    [[nodiscard]] NodeSelection carriedNode(int a, int b) const;

    TaskRunner& m_tasks;
    std::function<Page(const Capture&)> m_firstPage;
    std::deque<Request> m_queue;
    bool m_opening = false;
    std::vector<Capture> m_captures;
    std::vector<ComparisonRequest> m_comparisons;
    computed::StageStore m_stages;
    QHash<const session::Session*, NoteMarks> m_marks;
    Place m_place;
    PagePlaces m_starts;
    std::vector<Visit> m_back, m_forward;
    StageView m_a, m_b;
    DiffPtr m_diff;
    DiffsAhead m_ahead;
    std::unique_ptr<Trace> m_trace;
    std::unique_ptr<JoinedProfiles> m_profiles;
};

} // namespace dynascope::views

Q_DECLARE_METATYPE(dynascope::views::Place)
Q_DECLARE_METATYPE(dynascope::views::NodeSelection)
