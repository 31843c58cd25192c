// SPDX-License-Identifier: BSD-3-Clause
//
// What another number of ranks would change, estimated: a number to choose, and a table of collectives and sharded inputs.
#pragma once

#include "core/capture/ranks_reading.h"
#include "core/ranks/scaling.h"
#include "views/base/row_table.h"
#include "views/theme/theme.h"
#include "views/workspace/task_runner.h"

#include <QWidget>
#include <utility>
#include <vector>

class QLabel;
class QSpinBox;

namespace dynascope::views {

/// What the table lists: collectives of each compile, their sum, sharded inputs, then what is taken for granted. Pure.
struct EstimateRows {
    std::vector<TableRow> rows;
    /// Of each: into Report::rows, and the call of its first lane; ranks::none for none.
    std::vector<std::pair<std::size_t, std::size_t>> calls;
};
[[nodiscard]] EstimateRows estimatedRows(const ranks::ScaleEstimate& estimate, const ranks::Report& report);

/// GUI thread only. Estimates on the TaskRunner, tag "ranks.estimate".
class RankEstimate : public QWidget {
    Q_OBJECT
public:
    RankEstimate(Theme& theme, TaskRunner& tasks, QWidget* parent = nullptr);

    /// Estimates twice as many ranks at first; the same session again keeps the number.
    void setReading(capture::RanksReadingPtr reading);
    [[nodiscard]] RowTable* table() const { return m_table; }

signals:
    void callActivated(std::size_t row, std::size_t call, bool line); ///< `line`: the program's was clicked

private:
    void estimate();
    void activate(int row, bool line);

    TaskRunner& m_tasks;
    capture::RanksReadingPtr m_reading;
    QSpinBox* m_number = nullptr;
    QLabel* m_words = nullptr;
    RowTable* m_table = nullptr;
    std::vector<std::pair<std::size_t, std::size_t>> m_calls; ///< as EstimateRows::calls
};

} // namespace dynascope::views
