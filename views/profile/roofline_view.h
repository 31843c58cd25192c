// SPDX-License-Identifier: BSD-3-Clause
//
// Rows of a profile by FLOP per byte and by what they achieved, below the roofs of the machine where those are known.
#pragma once

#include "core/profile/grouped.h"
#include "views/theme/theme.h"

#include <QWidget>
#include <optional>
#include <string>
#include <vector>

namespace dynascope::views {

/// One row; only those with FLOPs and bytes that are known have a place.
struct RooflinePoint {
    int row = -1; ///< of who gave it
    QString name;
    double intensity = 0;      ///< FLOP per byte
    double flopsPerSecond = 0; ///< achieved
    double share = 0;          ///< 0 to 1, of the time of all rows
    std::string type;          ///< profile::Work::type, whose roof binds it
};

/// GUI thread only. Both axes are logarithmic. A click selects, the arrow keys go from point to point by intensity.
class RooflineView : public QWidget {
    Q_OBJECT
public:
    explicit RooflineView(Theme& theme, QWidget* parent = nullptr);

    void setPoints(std::vector<RooflinePoint> points);
    [[nodiscard]] const std::vector<RooflinePoint>& points() const { return m_points; }
    void setPeaks(std::optional<profile::Peaks> peaks);
    /// RooflinePoint::row; -1 for none.
    void select(int row);
    [[nodiscard]] int selected() const { return m_selected; }
    /// Index into points(); -1 where there is none.
    [[nodiscard]] int pointAt(QPointF at) const;
    [[nodiscard]] QPointF placeOf(const RooflinePoint& point) const;
    [[nodiscard]] QString description(const RooflinePoint& point) const;

signals:
    void selectionChanged(int row);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] QRectF area() const;
    [[nodiscard]] QPointF placeOf(double intensity, double rate) const;
    void fit();
    void paintGrid(QPainter& painter) const;
    void paintRoofs(QPainter& painter) const;
    void paintPoints(QPainter& painter) const;
    void choose(int index);

    Theme& m_theme;
    std::vector<RooflinePoint> m_points; ///< by intensity
    std::optional<profile::Peaks> m_peaks;
    int m_selected = -1;
    double m_left = -1, m_right = 1, m_bottom = 8, m_top = 10; ///< logarithms of ten of what is shown
};

} // namespace dynascope::views
