// SPDX-License-Identifier: BSD-3-Clause
//
// The insides of CompileTimePanel: built in compile_time_panel.cpp, filled in compile_time_refresh.cpp.
#pragma once

#include "views/compile_time/compile_time_panel.h"
#include "views/compile_time/flame_chart.h"
#include "views/compile_time/metrics_view.h"
#include "views/compile_time/slowest_model.h"

#include <array>

class QLabel;
class QLineEdit;
class QSortFilterProxyModel;
class QStackedWidget;
class QToolButton;

namespace dynascope::views {

class EmptyMessage;
class FlameLegend;
class TimingModel;

struct CompileTimePanel::Private {
    QLineEdit* filter = nullptr;
    QLabel* total = nullptr;
    std::array<QToolButton*, 4> views{};
    std::array<QToolButton*, 3> scopes{};
    std::array<QToolButton*, 4> kinds{};
    QStackedWidget* pages = nullptr;
    FlameChart* chart = nullptr;
    FlameLegend* legend = nullptr;
    SlowestModel* slow = nullptr;
    SlowestFilter* slowFilter = nullptr;
    QTableView* slowTable = nullptr;
    EmptyMessage* noSlow = nullptr;
    TimingModel* model = nullptr;
    QSortFilterProxyModel* proxy = nullptr;
    QTreeView* tree = nullptr;
    MetricsView* metrics = nullptr;

    View view = View::Flame;
    Scope scope = Scope::Compile;
    session::SessionPtr session;
    std::vector<int> compiles; ///< shown; empty: all events
    SpanTreePtr spans, merged;
    session::SessionPtr metricsOf;
    std::vector<session::KernelTime> kernels; ///< of the whole session
};

} // namespace dynascope::views
