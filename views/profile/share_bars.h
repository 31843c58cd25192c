// SPDX-License-Identifier: BSD-3-Clause
//
// Where the time of two profiles goes, a bar each, to one scale of shares.
#pragma once

#include "core/profile/grouped.h"
#include "views/theme/theme.h"

#include <QWidget>
#include <array>

namespace dynascope::views {

/// GUI thread only.
class ShareBars : public QWidget {
    Q_OBJECT
public:
    explicit ShareBars(Theme& theme, QWidget* parent = nullptr);

    struct Bar {
        QString name; ///< "A breaks"
        profile::Shares shares;
        double step = 0; ///< nanoseconds, the median; 0 where there are no steps
    };
    void setBars(std::array<Bar, 2> bars);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {200, sizeHint().height()}; }
    /// What is said of a place; empty for nothing.
    [[nodiscard]] QString wordsAt(QPoint at) const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Piece {
        QRectF area;
        std::size_t bar = 0;
        profile::Spent spent = profile::Spent::Other;
        double share = 0;
    };
    [[nodiscard]] std::vector<Piece> pieces() const;
    [[nodiscard]] int rowHeight() const;

    Theme& m_theme;
    std::array<Bar, 2> m_bars;
};

} // namespace dynascope::views
