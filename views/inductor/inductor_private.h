// SPDX-License-Identifier: BSD-3-Clause
//
// The insides of InductorPage: built in inductor_page_build.cpp, filled in inductor_page.cpp and inductor_schedule.cpp; what
// a reader asks of all passes is in inductor_questions.cpp.
#pragma once

#include "core/inductor/fallbacks.h"
#include "core/inductor/line_history.h"
#include "views/base/page_parts.h"
#include "views/inductor/inductor_page.h"
#include "views/inductor/pass_checks.h"
#include "views/inductor/pass_texts.h"
#include "views/inductor/schedule_view.h"
#include "views/workspace/task_runner.h"
#include "views/workspace/workspace.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QComboBox;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QTabWidget;

namespace dynascope::views {

class LivesView;
class OrdersView;
class PatternView;
class Splitter;
class TextDiffPanel;

struct InductorPage::Private {
    explicit Private()
        : graphs(tasks) {}

    // The page's graphs are read and compared apart from those of the window, under the same tags.
    TaskRunner tasks;
    Workspace graphs;
    FigureRow* figures = nullptr;
    RowTable *table = nullptr, *matches = nullptr, *kernels = nullptr, *fusions = nullptr, *lines = nullptr,
             *reasons = nullptr, *pairs = nullptr, *fallbacks = nullptr, *tunings = nullptr,
             *orders = nullptr, *scheduleSteps = nullptr;
    QLineEdit *filter = nullptr, *condition = nullptr, *line = nullptr;
    QCheckBox *folds = nullptr, *part = nullptr;
    QPushButton *previous = nullptr, *next = nullptr, *verify = nullptr;
    QLabel *said = nullptr, *verified = nullptr; ///< of a condition; of the engine
    CompareView* canvases = nullptr;
    TextDiffPanel* text = nullptr;
    QTabWidget *tabs = nullptr, *below = nullptr; ///< of the passes; of the schedule
    QTabBar* views = nullptr;                     ///< passes or scheduler
    QComboBox* which = nullptr;                   ///< of the schedules
    QStackedWidget *lists = nullptr, *centres = nullptr;
    ScheduleView* operations = nullptr;
    LivesView* lives = nullptr;
    OrdersView* order = nullptr;    ///< the one chosen in `orders`
    PatternView* pattern = nullptr; ///< of `match`
    FactView* detail = nullptr;
    Splitter *columns = nullptr, *centre = nullptr, *schedulePart = nullptr;
    QList<int> sizes; ///< of the columns in the view that is not shown; empty: as they are
    TitledBox list, about, byReason, ofReason;
    std::unique_ptr<PassChecks> checks; ///< null without an engine

    session::SessionPtr session;
    int compile = -1;
    inductor::CompilePasses passes;
    std::vector<ListedPass> listed;
    int row = -1, match = -1;    ///< of the row's matches the one that is lit
    std::vector<int> neighbours; ///< rows that a step leads to
    std::vector<const inductor::Schedule*> schedules;
    const inductor::Schedule* schedule = nullptr; ///< whose tables are shown
    std::vector<RefusedReason> refused;           ///< rows of `reasons`
    int reason = -1;                              ///< whose pairs are shown
    std::vector<inductor::FallbackCost> costs;    ///< rows of `fallbacks`
    std::vector<inductor::LineStep> lineSteps;    ///< rows of `lines`
    bool reading = false;

    [[nodiscard]] int listedOf(int wanted) const {
        for (std::size_t i = 0; i < listed.size(); ++i)
            if (listed[i].row >= 0 && wanted >= listed[i].row &&
                wanted < listed[i].row + int(listed[i].count))
                return int(i);
        return -1;
    }
};

} // namespace dynascope::views
