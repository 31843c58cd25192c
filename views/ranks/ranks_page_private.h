// SPDX-License-Identifier: BSD-3-Clause
//
// The widgets of the page Ranks. Used by its own files only.
#pragma once

#include "views/ranks/collective_lanes.h"
#include "views/ranks/rank_estimate.h"
#include "views/ranks/rank_time_chart.h"
#include "views/ranks/ranks_facts.h"
#include "views/ranks/ranks_page.h"
#include "views/ranks/ranks_rows.h"
#include "views/theme/splitter.h"

class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTabBar;
class QVBoxLayout;

namespace dynascope::views {

class FactView;

struct RanksPage::Private {
    QLabel *icon = nullptr, *verdict = nullptr, *evidence = nullptr;
    FigureRow* figures = nullptr;
    QLineEdit* filter = nullptr;
    QPushButton *attach = nullptr, *stop = nullptr;
    RowTable *reasons = nullptr, *matrix = nullptr, *waiting = nullptr, *alone = nullptr, *caches = nullptr,
             *measured = nullptr, *estimates = nullptr, *notes = nullptr;
    QVBoxLayout* matrixColumn =
        nullptr; ///< holds `matrix`, which is made for each report: groups are its columns
    CollectiveLanes* lanes = nullptr;
    RankTimeChart* times = nullptr;
    RankEstimate* scaling = nullptr;
    QTabBar* tabs = nullptr;
    QStackedWidget* pages = nullptr;
    FactView* detail = nullptr;
    Splitter *across = nullptr, *down = nullptr;

    session::SessionPtr session;        ///< that is being read, or was
    std::string flight;                 ///< attached, as `reading` or the task that makes it has it
    capture::RanksReadingPtr reading;   ///< null while it is being read
    std::vector<std::size_t> rows;      ///< of the matrix: into Report::rows
    std::vector<std::size_t> aloneRows; ///< of `alone`: into Session::compiles
    RanksChoice choice;
};

} // namespace dynascope::views
