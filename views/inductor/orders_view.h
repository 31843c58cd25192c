// SPDX-License-Identifier: BSD-3-Clause
//
// The memory of an order that PyTorch weighed, node by node, over that of the order it took.
#pragma once

#include "core/inductor/schedule.h"

#include <QWidget>

namespace dynascope::views {

class Theme;

/// GUI thread only.
class OrdersView : public QWidget {
    Q_OBJECT
public:
    explicit OrdersView(Theme& theme, QWidget* parent = nullptr);

    /// `schedule` may be null, and outlives what is shown; `order` is into its weighed orders, -1 for none.
    void setOrder(const inductor::Schedule* schedule, int order);
    [[nodiscard]] int order() const { return m_order; }
    /// Where the node at this place of the order stands in the curve.
    [[nodiscard]] QRectF rectOf(std::size_t place) const;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void chosen(const QString& node); ///< a scheduler's node, by a click

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] const inductor::WeighedOrder* shown() const;
    [[nodiscard]] std::size_t placeAt(QPointF point) const; ///< SIZE_MAX: none
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] QPainterPath curve(const inductor::WeighedOrder& order, bool closed) const;
    [[nodiscard]] QString head() const;

    Theme& m_theme;
    const inductor::Schedule* m_schedule = nullptr;
    int m_order = -1;
    std::uint64_t m_most = 1; ///< of all orders
};

} // namespace dynascope::views
