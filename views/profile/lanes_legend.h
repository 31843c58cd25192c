// SPDX-License-Identifier: BSD-3-Clause
//
// Which colour of the lanes is which use of time.
#pragma once

#include "core/profile/lanes.h"
#include "views/theme/theme.h"

#include <QWidget>
#include <vector>

namespace dynascope::views {

/// GUI thread only.
class LanesLegend : public QWidget {
    Q_OBJECT
public:
    explicit LanesLegend(Theme& theme, QWidget* parent = nullptr);
    /// Those that a profile has, in the order of profile::Spent.
    void setSpent(std::vector<profile::Spent> spent);
    [[nodiscard]] const std::vector<profile::Spent>& spent() const { return m_spent; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {0, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Theme& m_theme;
    std::vector<profile::Spent> m_spent;
};

} // namespace dynascope::views
