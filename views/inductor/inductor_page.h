// SPDX-License-Identifier: BSD-3-Clause
//
// What Inductor's passes did to the graphs of a compile: the list of passes, the graph before and after each, the
// patterns that fitted, and who made or removed a node; and what its scheduler made of the last of them.
#pragma once

#include "core/base/step_command.h"
#include "core/inductor/compile_passes.h"
#include "core/inductor/pass_walk.h"
#include "views/base/panel.h"
#include "views/workspace/page_spec.h"

#include <memory>

namespace dynascope::engine {
struct PassVerdict;
}

namespace dynascope::views {

struct ListedPass;
class CompareView;
class Engine;
class FactView;
class LivesView;
class PassChecks;
class RowTable;
class ScheduleView;

/// The graphs between passes are shown by a workspace of the page's own, whose one compile has them for its stages.
/// GUI thread only.
class InductorPage : public Panel, public CentrePage {
    Q_OBJECT
public:
    static constexpr Page id = Page::Inductor;
    /// Below the canvases, then below the schedule, in this order; Scheduler is the schedule itself.
    enum class Tab {
        TextDiff,
        Patterns,
        SourceLine,
        Buffers,
        Kernels,
        Fusions,
        Fallbacks,
        Autotuning,
        Orders,
        Steps,
        Scheduler
    };
    InductorPage(Workspace& workspace, Theme& theme, QWidget* parent = nullptr);
    ~InductorPage() override;

    [[nodiscard]] bool showsScheduler() const;
    [[nodiscard]] CompareView* canvases() const;
    /// What the engine said of passes; null without an engine.
    [[nodiscard]] const PassChecks* checks() const;
    /// The workspace of the graphs between passes.
    [[nodiscard]] Workspace& graphs() const;
    /// Into CompilePasses::rows; -1 while nothing is shown.
    [[nodiscard]] int row() const;

    /// Whom *Verify all passes* asks; without it the page has no such button. It outlives the page.
    void setEngine(Engine& engine);
    void showTab(Tab tab);
    /// To the next pass at which a condition (core/inductor/pass_condition.h) holds, or the one before.
    void runUntil(const QString& condition, bool back);
    /// Verifies all passes, or stops that.
    void verifyAll();
    /// What became of a line of the program: "train.py:40".
    void showLine(const QString& text);

    /// Moves to another pass, as the window's actions for steps ask: In and Out go by what runs within a pass, Run and
    /// BackRun to passes that changed a graph. In the schedule to another fusion, Run and BackRun to the last and the
    /// beginning.
    void run(StepCommand command);
    [[nodiscard]] bool canRun(StepCommand command) const;

    [[nodiscard]] bool isSettled() const override;
    void applyDefaultSizes(int windowWidth) override;

public slots:
    bool exportTo(const QString& path); ///< CSV; false where it could not be written

protected:
    void refresh() override;
    void restyle() override;

private:
    struct Private;
    void build();
    [[nodiscard]] QWidget* questionBar();
    [[nodiscard]] QWidget* lineTab();
    void buildPasses();
    void buildScheduler();
    void connectParts();
    void connectScheduler();
    void showView(bool scheduler);
    void showReason(int reason);
    void choosePair(int pair);
    void fillFallbacks();
    void read();
    void fillList();
    [[nodiscard]] const engine::PassVerdict* verdictOf(const ListedPass& listed) const;
    void showPass(int row);
    void showNode();
    void drawChanged();
    void prepareNeighbours();
    void preparePictures();
    /// What is drawn of a row's graphs: empty for all.
    [[nodiscard]] inductor::ChangedPart drawnPart(const inductor::PassRow& row, const ir::Graph& a,
                                                  const ir::Graph& b) const;
    void showMatch(int match);
    void showFitted();
    void showSchedule();
    void fillSchedule(const inductor::Schedule* schedule);
    void showOrders();
    void showSteps();
    void showChecks();
    void offerLine(const ir::Node& node);
    void say(const QString& text);
    void goTo(int row);
    void goToFusion(int count);
    [[nodiscard]] int target(StepCommand command) const; ///< a row or a fusion; -1 where it leads nowhere
    void follow(const QString& target);
    std::unique_ptr<Private> d;
};

[[nodiscard]] PageSpec inductorPageSpec();

} // namespace dynascope::views
