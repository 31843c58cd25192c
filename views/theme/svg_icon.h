// SPDX-License-Identifier: BSD-3-Clause
//
// Line icons: SVG drawn at the size and the pixel ratio asked for, in one colour a state.
#pragma once

#include <QByteArray>
#include <QColor>
#include <QIconEngine>

namespace dynascope::views {

struct IconColours {
    QColor normal, on, disabled;
};

/// Draws an SVG whose strokes are `currentColor`.
class SvgIconEngine final : public QIconEngine {
public:
    SvgIconEngine(QByteArray svg, IconColours colours);

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override;
    [[nodiscard]] QIconEngine* clone() const override;
    [[nodiscard]] QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override;
    [[nodiscard]] QString key() const override;
    [[nodiscard]] bool isNull() override { return m_svg.isEmpty(); }

private:
    QByteArray m_svg;
    IconColours m_colours;
};

} // namespace dynascope::views
