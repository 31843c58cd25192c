// SPDX-License-Identifier: BSD-3-Clause
//
// The fusions of a schedule on a line, in their order, by rounds: where the reader is, and a click away from each.
#pragma once

#include "core/inductor/schedule.h"

#include <QWidget>
#include <cstdint>
#include <vector>

namespace dynascope::views {

class Theme;

/// GUI thread only.
class FusionStrip : public QWidget {
    Q_OBJECT
public:
    explicit FusionStrip(Theme& theme, QWidget* parent = nullptr);

    /// May be null.
    void setSchedule(const inductor::Schedule* schedule);
    void setFusions(int count);
    /// Of a fusion, from 1; of 0 the beginning.
    [[nodiscard]] QPointF pointOf(int fusion) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

signals:
    void chosen(int count); ///< by mouse or keyboard: so many fusions

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    struct Fused {
        QString name, score; ///< "op5 + op6"; bytes that both share
        std::uint32_t round = 0;
    };
    [[nodiscard]] int at(double x) const;
    [[nodiscard]] double step() const;
    void paintRounds(QPainter& painter) const;

    Theme& m_theme;
    std::vector<Fused> m_fusions;
    std::uint32_t m_rounds = 0;
    int m_count = 0;
};

} // namespace dynascope::views
