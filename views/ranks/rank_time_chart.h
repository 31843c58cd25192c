// SPDX-License-Identifier: BSD-3-Clause
//
// When each rank compiled what: a flame chart with a lane for each rank, or for each group of ranks whose times are
// near each other, and what it says in sentences.
#pragma once

#include "core/capture/ranks_reading.h"
#include "views/theme/theme.h"

#include <QWidget>

class QLabel;

namespace dynascope::views {

class FlameChart;

/// GUI thread only.
class RankTimeChart : public QWidget {
    Q_OBJECT
public:
    explicit RankTimeChart(Theme& theme, QWidget* parent = nullptr);

    void setReading(const capture::RanksReading& reading);

signals:
    void chosen(int compile);    ///< into Session::compiles
    void activated(int compile); ///< clicked twice, or Return was pressed

private:
    FlameChart* m_chart = nullptr;
    QLabel *m_summary = nullptr, *m_clock = nullptr;
};

} // namespace dynascope::views
