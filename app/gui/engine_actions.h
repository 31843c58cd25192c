// SPDX-License-Identifier: BSD-3-Clause
//
// The engine and what is asked of it: its actions, the page Functionalize, and what a verdict leads to.
#pragma once

#include "app/gui/window_part.h"

#include <string>
#include <vector>

class QMenu;

namespace dynascope::views {
class Engine;
class Passes;
class Rederivations;
class ReplayRuns;
class Stepper;
class TimelineView;
} // namespace dynascope::views

namespace dynascope::app {

class EngineActions : public WindowPart {
    Q_OBJECT
public:
    /// Starts nothing yet. An empty command is that of the engine beside the program.
    EngineActions(const Shared& shared, std::vector<std::string> command);
    /// Before anything else is called.
    void connectTo(WindowPages& pages, views::ReplayRuns& replays);

    [[nodiscard]] views::Engine& engine() { return *m_engine; }
    [[nodiscard]] views::Passes& passes() { return *m_passes; }
    [[nodiscard]] views::Stepper& stepper() { return *m_stepper; }
    [[nodiscard]] views::Rederivations& rederived() { return *m_rederived; }

    void addActions();
    void updateActions();
    void connectTimeline(views::TimelineView* timeline);
    /// A banner about a request; where the engine stopped it goes when that runs again.
    void showMessage(const QString& message, const QString& cause);
    void openFunctionalize();

signals:
    void passesListed(); ///< there may be more actions
    void checksStagesChanged(bool on);

private:
    void addPasses();
    void verifyStage();
    /// Shows the stage against what it was made from, at the node where values part, and says both values.
    void showFirstDifference(int stage);
    /// Opens the form for the inputs of what `from` goes back to; then runs `pass`, if one is named.
    void askInputs(const QString& pass, int from, const QString& why);
    /// The metadata behind a captured graph beside what was derived.
    void showMetadata(int stage);
    /// A captured stage against what was derived anew for it, at the first difference.
    void showRederived(int stage);
    void removeStage(int stage);
    // stage_menu.cpp; nothing where there is no such stage.
    void fillStageMenu(QMenu& menu, int stage);
    /// What made a computed stage is run once more: its last pass, or deriving the graphs anew.
    void computeAgain(int stage);
    [[nodiscard]] int stageForPass(const QString& pass) const;

    views::Engine* m_engine;
    views::Passes* m_passes;
    views::Stepper* m_stepper;
    views::Rederivations* m_rederived;
    views::ReplayRuns* m_replays = nullptr;
    WindowPages* m_pages = nullptr;
};

} // namespace dynascope::app
