// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "views/functionalize/stepper.h"
#include "views/theme/theme.h"

#include <QWidget>

namespace dynascope::views {

/// What the colours of the scorecard mean, and what waits.
class ScorecardLegend : public QWidget {
    Q_OBJECT
public:
    ScorecardLegend(Stepper& stepper, Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QString note() const;
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Stepper& m_stepper;
    Theme& m_theme;
};

} // namespace dynascope::views
