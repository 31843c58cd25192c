// SPDX-License-Identifier: BSD-3-Clause
//
// Time travel through Dynamo: source, bytecode, the graph so far and what Dynamo held, at any step of a
// recording. The page knows which step is shown and goes to others; what is on it are parts with a header
// each: step_controls.h, code_panes.h, graph_pane.h, call_panes.h, state_panes.h, step_tools.h,
// recording_tabs.h; recording_watch.h and live_control.h for recordings that grow.
#pragma once

#include "core/base/step_command.h"
#include "core/dynamo/cursor.h"
#include "core/dynamo/live.h"
#include "core/dynamo/recording.h"
#include "views/base/panel.h"
#include "views/workspace/page_spec.h"

#include <memory>
#include <optional>

namespace dynascope::views {

class BreakpointsModel;
class LiveBar;
class LiveSession;

/// GUI thread only. Conditions and text of long recordings are looked for on the TaskRunner (tag
/// "dynamo.run"); while that runs, steps of the same recording cannot be read here, so the page waits. Where
/// the reader is, is the page's own place (dynamo_place.h), so that back and forward go over steps as well.
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
    void focusFilter() override;
    void applyDefaultSizes(int windowWidth) override;
    /// Sizes, tabs, the graph's form and what was asked in the console, for restoreState() in another run.
    [[nodiscard]] QByteArray saveState() const override;
    void restoreState(const QByteArray& state) override;
    /// Programs that can be paused; null for none. The caller keeps it. Where one waits and the reader is at
    /// the end of its recording, steps forward are its steps.
    void setLive(LiveSession* session);
    [[nodiscard]] LiveBar& live() const;
    [[nodiscard]] BreakpointsModel& breakpoints() const;

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
    void build();
    [[nodiscard]] QWidget* buildSteps();
    void connectParts();
    void connectLive();
    void showRecording(int index);
    void adopt(dynamo::StepIndex step);
    void showStep();
    void showFrame(std::size_t level);
    void forgetShown();
    void takeNewer(const dynamo::RecordingPtr& recording);
    void setOwnPlace(dynamo::StepIndex step, bool remember);
    [[nodiscard]] bool isAtEnd() const;
    [[nodiscard]] std::optional<dynamo::LiveCommand> liveCommand(StepCommand command) const;
    void follow(const QString& link);
    std::unique_ptr<Private> d;
};

[[nodiscard]] PageSpec dynamoPageSpec();

} // namespace dynascope::views
