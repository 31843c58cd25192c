// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/session/spans.h"
#include "views/theme/theme.h"

#include <QWidget>
#include <utility>
#include <vector>

namespace dynascope::views {

/// Below a flame chart: what its colours mean, with the time of each part, and a line about what is selected.
class FlameLegend : public QWidget {
    Q_OBJECT
public:
    explicit FlameLegend(Theme& theme, QWidget* parent = nullptr);

    /// Of spans over time, not of merged ones: see session::partTimes().
    void setTree(const session::SpanTree& tree);
    void setNote(const QString& note); ///< the selected span; how to use the chart where it is empty
    [[nodiscard]] QString note() const;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
    std::vector<std::pair<session::CompilerPart, double>> m_parts; ///< with µs of the clock, most first
    QString m_note;
};

} // namespace dynascope::views
