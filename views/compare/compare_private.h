// SPDX-License-Identifier: BSD-3-Clause
//
// The insides of ComparePage: built in compare_page_build.cpp, filled in compare_page.cpp.
#pragma once

#include "views/compare/compare_delegate.h"
#include "views/compare/compare_models.h"
#include "views/compare/compare_page.h"
#include "views/compare/pair_graphs.h"
#include "views/compare/pairs_model.h"

#include <QHash>
#include <array>

class QCheckBox;
class QLabel;
class QLineEdit;
class QSplitter;
class QStackedLayout;
class QToolButton;

namespace dynascope::views {

/// A tab with a table of values.
struct ValuesTab {
    QString title;
    ComparedValuesModel* model = nullptr;
    QTableView* table = nullptr;
    QLabel* nothing = nullptr; ///< stands in for an empty table
    QWidget* page = nullptr;
};

struct ComparePage::Private {
    QLabel* sides = nullptr;
    QToolButton *swap = nullptr, *open = nullptr;
    struct Figure {
        QLabel *value = nullptr, *label = nullptr;
    };
    std::array<Figure, 4> figures{};
    QLabel *summary = nullptr, *points = nullptr;
    QLineEdit* filter = nullptr;
    QCheckBox* differing = nullptr;
    PairsModel* model = nullptr;
    PairsFilter* proxy = nullptr;
    QTableView* pairs = nullptr;
    CompareDelegate* pairsDelegate = nullptr;
    StagePairsModel* stageModel = nullptr;
    QTableView* stages = nullptr;
    QLabel* noStages = nullptr; ///< stands in for an empty table
    QStackedLayout* stagesStack = nullptr;
    QTabWidget* details = nullptr;
    std::array<ValuesTab, 7> values{}; ///< inputs, guards, symbols, caches, timings, settings, passes
    PairGraphs* graphs = nullptr;
    QSplitter *columns = nullptr, *rows = nullptr;

    QHash<int, ComparisonResultPtr> results; ///< by Place::comparison
    ComparisonResultPtr shown;
    int running = -1;                     ///< a comparison
    int rank = -1, pair = -1, stage = -1; ///< shown
    bool choosing = false;                ///< rows are being selected to follow the place
};

} // namespace dynascope::views
