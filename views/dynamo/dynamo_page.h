// SPDX-License-Identifier: BSD-3-Clause
//
// Time travel through Dynamo: source, bytecode, the graph so far and what Dynamo held, at any step of a
// recording.
#pragma once

#include "core/dynamo/cursor.h"
#include "core/dynamo/recording.h"
#include "views/models/page_spec.h"
#include "views/text/panel.h"

#include <memory>
#include <optional>

class QHBoxLayout;
class QLineEdit;
class QMenu;
class QTabWidget;
class QTreeView;

namespace dynascope::views {

class BreakpointsView;
class CacheView;
class CodeView;
class ConsoleView;
class EffectsView;
class FactView;
class GeneratedView;
class KeyView;
class LiveBar;
class LiveSession;
class PartialGraph;
class RecordedBreaksView;
class RowTable;
class SearchView;
class StepsStrip;
class SymbolNamesView;

/// What moves the page to another step.
enum class StepCommand {
    First,
    Last,
    Over,
    BackOver,
    In,
    BackIn,
    Out,
    BackOut,
    Line,
    BackLine,
    Run,     ///< to the next breakpoint or graph break
    BackRun, ///< to the one before
};

/// GUI thread only. Conditions and text of long recordings are looked for on the TaskRunner (tag
/// "dynamo.run"); while that runs, steps of the same recording cannot be read here, so the page waits. Where
/// the reader is, is part of the workspace's Place, so that back and forward go over steps as well.
class DynamoPage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Dynamo;
    DynamoPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~DynamoPage() override;

    [[nodiscard]] dynamo::StepIndex step() const;
    [[nodiscard]] dynamo::RecordingPtr recording() const; ///< null where none is shown
    /// Goes to a step; one that does not exist is ignored. Walking from step to step is one entry of the
    /// history, anything else one each.
    void goToStep(dynamo::StepIndex step);
    void run(StepCommand command);
    /// To the next or previous step at which something happened.
    void runTo(dynamo::Happening what, dynamo::Direction direction);
    /// Whether a step can be taken: a recording is shown and not being searched.
    [[nodiscard]] bool canStep() const;
    /// Whether run() would do anything, as far as that is known without searching.
    [[nodiscard]] bool canRun(StepCommand command) const;
    /// Shows a frame of the call stack, 0 for the innermost; the step stays.
    void showFrame(std::size_t level);
    /// Of the line that the source pane's caret is in.
    void toggleBreakpoint();
    void focusFilter() override;
    void applyDefaultSizes(int windowWidth) override;
    /// Sizes, tabs, the graph's form and what was asked in the console, for restoreState() in another run.
    [[nodiscard]] QByteArray saveState() const override;
    void restoreState(const QByteArray& state) override;
    /// Programs that can be paused; null for none. The caller keeps it. Where one waits and the reader is at
    /// the end of its recording, steps forward are its steps.
    void setLive(LiveSession* session);
    /// Whether a file is what the recording that is shown was read from. Such a file is read on as it grows.
    [[nodiscard]] bool showsFile(const QString& path) const;

    [[nodiscard]] StepsStrip* strip() const;
    [[nodiscard]] CodeView* source() const;
    [[nodiscard]] CodeView* bytecode() const;
    [[nodiscard]] PartialGraph* graph() const;
    [[nodiscard]] QTreeView* state() const;
    [[nodiscard]] QTreeView* changes() const;
    [[nodiscard]] QTreeView* symbols() const;
    [[nodiscard]] QTabWidget* stateTabs() const;
    [[nodiscard]] QTabWidget* tools() const; ///< console, search, breakpoints
    [[nodiscard]] RowTable* callStack() const;
    [[nodiscard]] FactView* story() const; ///< how the graph will end
    [[nodiscard]] BreakpointsView* breakpoints() const;
    [[nodiscard]] SearchView* search() const;
    [[nodiscard]] QLineEdit* searchField() const;
    [[nodiscard]] QLineEdit* condition() const;
    [[nodiscard]] ConsoleView* console() const;
    [[nodiscard]] LiveBar* live() const;
    /// Steps, and what the whole recording says: breaks, guards and cache, side effects, symbol
    /// names.
    [[nodiscard]] QTabWidget* pages() const;
    [[nodiscard]] RecordedBreaksView* breaks() const;
    [[nodiscard]] CacheView* cache() const;
    [[nodiscard]] KeyView* keys() const;
    [[nodiscard]] EffectsView* effects() const;
    [[nodiscard]] GeneratedView* generated() const;
    [[nodiscard]] SymbolNamesView* symbolNames() const;
    /// What the header says of the step.
    [[nodiscard]] QString caption() const;
    /// What became of the last run or search.
    [[nodiscard]] QString answer() const;

signals:
    void stepped();           ///< another step, or whether steps can be taken, changed
    void breakpointsEdited(); ///< by the reader; for who keeps them
    /// A program waits in a recording that is not shown.
    void recordingWanted(const QString& path);

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    // dynamo_page_build.cpp
    void build();
    void buildHeader(QHBoxLayout* row);
    QWidget* buildSteps();
    QWidget* buildLeft();
    QWidget* buildRight();
    [[nodiscard]] QMenu* runMenu();
    // dynamo_page.cpp
    void showRecording(int index);
    void adopt(dynamo::StepIndex step);
    void showStep();
    void forgetShown();
    void showState();
    void widenColumns();
    void showSource();
    void showSourceMarks();
    void showBytecode();
    void showGraph();
    void showCalls();
    void showStory();
    [[nodiscard]] const dynamo::Code* shownFrame(std::uint32_t& code, std::uint32_t& instruction) const;
    // dynamo_page_live.cpp
    void connectLive();
    void tellBreakpoints();
    [[nodiscard]] bool isAtEnd() const;
    [[nodiscard]] bool waitsHere() const;
    [[nodiscard]] std::optional<dynamo::LiveCommand> liveCommand(StepCommand command) const;
    void watchFiles();
    /// Whether a program waits in what is shown; then its step is gone to once it is read.
    bool awaitLive();
    void lookForMore();
    void takeNewer(dynamo::RecordingPtr recording);
    // dynamo_page_run.cpp
    void connectParts();
    void runBreakpoints(std::vector<dynamo::Breakpoint> points, dynamo::StepIndex orElse,
                        dynamo::Direction direction, const QString& none);
    void runUntilCondition(bool back);
    void runSearch();
    void fillPage();
    void goToInstruction(std::uint32_t code, std::uint32_t instruction, std::uint32_t compile);
    void followStory(const QString& link);
    /// Asks something of the whole recording: at once where it is short, else on the TaskRunner.
    template <typename Answer, typename Work, typename Take>
    void ask(Work work, Take take);
    void setBusy(bool busy);
    void extendSourceMenu(QMenu& menu, int line);
    void extendBytecodeMenu(QMenu& menu, int line);
    void extendGraphMenu(QMenu& menu, dynamo::StepIndex step);
    void stateMenu(QTreeView* view, const QPoint& position);
    std::unique_ptr<Private> d;
};

[[nodiscard]] PageSpec dynamoPageSpec();

} // namespace dynascope::views
