// SPDX-License-Identifier: BSD-3-Clause
//
// The window's actions, menu by menu, and which of them can be used now. Only what works is here.
#pragma once

#include "app/gui/window_part.h"

#include <QStringList>

namespace dynascope::app {

class CanvasActions;
class Comparing;
class EngineActions;
class FlightActions;
class Following;
class HelpActions;
class LessonActions;
class NoteActions;
class ProfileActions;
class RecordPrograms;
class RunsActions;
class SessionKeeper;
class StepActions;
class WindowDocks;
class WindowLayout;

class WindowActions : public WindowPart {
    Q_OBJECT
public:
    /// Who does what the actions say.
    struct Parts {
        WindowPages& pages;
        WindowDocks& docks;
        WindowLayout& layout;
        SessionKeeper& session;
        CanvasActions& canvas;
        Comparing& comparing;
        EngineActions& engine;
        StepActions& steps;
        NoteActions& notes;
        Following& following;
        RecordPrograms& programs;
        HelpActions& help;
        LessonActions& lessons;
        ProfileActions& profiles;
        FlightActions& flight;
        RunsActions& runs;
    };
    WindowActions(const Shared& shared, const Parts& parts)
        : WindowPart(shared)
        , m_parts(parts) {}

    void add();
    /// Enables and checks all of them for what is shown.
    void update();
    void openDialog();
    void openElsewhere();
    /// What openDialog() offers to filter files by.
    [[nodiscard]] static QString fileKinds();
    void pasteGraph();
    void raisePanel(views::PanelId panel); ///< a dock, or a text on the page Stages

signals:
    void pathsChosen(const QStringList& paths);
    void searchAsked(const QString& text);

private:
    void addFileActions();
    void addViewActions();
    void addGoActions();
    void addWindowActions();
    void openFolder();
    void closeCapture(int capture);
    void filterFocused();
    void stepCompile(int direction);
    void traceLine();
    void setFontSize(int pixels);
    void openWindow();

    Parts m_parts;
};

} // namespace dynascope::app
