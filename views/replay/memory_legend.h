// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "core/replay/recording_memory.h"
#include "views/theme/theme.h"

#include <QWidget>
#include <vector>

namespace dynascope::views {

/// What the colours of a memory chart mean, in a line above it. GUI thread only.
class ReplayMemoryLegend : public QWidget {
    Q_OBJECT
public:
    explicit ReplayMemoryLegend(Theme& theme, QWidget* parent = nullptr);

    void setUses(std::vector<replay::MemoryUse> uses);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    /// Where each is drawn; those that do not fit are left out.
    [[nodiscard]] std::vector<QRect> places() const;

    Theme& m_theme;
    std::vector<replay::MemoryUse> m_uses;
};

} // namespace dynascope::views
