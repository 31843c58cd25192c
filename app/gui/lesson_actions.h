// SPDX-License-Identifier: BSD-3-Clause
//
// Lessons in the window: Help > Lessons, the captures and places that steps name, and what was answered, between runs.
#pragma once

#include "app/gui/lessons.h"
#include "app/gui/window_part.h"
#include "views/lessons/lesson_run.h"

namespace dynascope::views {
class Passes;
class Stepper;
} // namespace dynascope::views

namespace dynascope::app {

class WindowDocks;

class LessonActions : public WindowPart {
    Q_OBJECT
public:
    LessonActions(const Shared& shared, WindowPages& pages, WindowDocks& docks, views::LessonRun& run,
                  views::Passes& passes, views::Stepper& stepper);

    void addActions();
    /// A bundled lesson by its name, or any by the path of its file. The message bar says what is wrong with it.
    void open(const QString& nameOrPath);

private:
    void goToPlace();
    void goOn(); ///< in the functionalization, once it is there
    [[nodiscard]] lessons::JudgedFacts facts() const;
    [[nodiscard]] int captureAt(const QString& path) const; ///< -1 where it is not open

    WindowPages* m_pages;
    WindowDocks* m_docks;
    views::LessonRun* m_run;
    views::Passes* m_passes;
    views::Stepper* m_stepper;
    LessonFile m_file;
    QString m_opening; ///< the capture that is waited for
};

} // namespace dynascope::app
