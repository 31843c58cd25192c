// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/sample_picture.h"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <array>

namespace dynascope::app {

using namespace views;

namespace {

/// Draws in units of a hundredth of the area's width, from its upper left.
class Sketch {
public:
    Sketch(QPainter& painter, const QRectF& area, const Theme& theme)
        : m_painter(painter)
        , m_area(area)
        , m_unit(area.width() / 100)
        , m_theme(theme)
        , m_c(theme.colours()) {}

    void box(double x, double y, double w, double h, const QColor& line, const QColor& fill) {
        m_painter.setPen(QPen(line, 1));
        m_painter.setBrush(fill);
        m_painter.drawRoundedRect(place(x, y, w, h), 2, 2);
    }
    void edge(double x1, double y1, double x2, double y2, const QColor& colour) {
        const QPointF a = at(x1, y1), b = at(x2, y2);
        QPainterPath path(a);
        path.cubicTo(QPointF(a.x(), (a.y() + b.y()) / 2), QPointF(b.x(), (a.y() + b.y()) / 2), b);
        m_painter.strokePath(path, QPen(colour, 1.2));
    }
    void bar(double x, double y, double w, const QColor& colour) {
        m_painter.setPen(Qt::NoPen);
        m_painter.setBrush(colour);
        m_painter.drawRoundedRect(place(x, y, w, 4), 2, 2);
    }
    void icon(const QString& name, double x, double y, double side, const QColor& colour) {
        m_theme.icon(name, colour).paint(&m_painter, place(x, y, side, side).toRect());
    }

    /// A function in pieces, cut where the graph breaks.
    void breaks() {
        double x = 4;
        for (const double width : {22.0, 14.0, 26.0, 10.0}) {
            box(x, 14, width, 12, m_c.added, m_c.diff(diff::Change::Added).fill);
            x += width;
            if (x < 80) icon(QStringLiteral("scissors"), x, 14, 8, m_c.removed);
            x += 8;
        }
    }
    /// Cells of a tensor, those of a view written.
    void cells(int views) {
        const auto row = [this](double y, int from, int count, int written) {
            for (int i = from; i < from + count; ++i) {
                const bool is = i % 3 == written;
                box(8 + i * 9.4, y, 8.4, 8, is ? m_c.op(ir::OpKind::Write) : m_c.line2,
                    is ? m_c.diff(diff::Change::Removed).fill : m_c.bg3);
            }
        };
        row(4, 0, 9, 0);
        if (views > 0) row(16, 0, 3, 0);
        if (views > 1) row(28, 3, 6, 1);
        if (views == 0) {
            icon(QStringLiteral("down"), 46, 13, 8, m_c.text2);
            row(23, 0, 9, 0);
        }
    }
    /// Lines of code, the one that is traced now, and the graph that grows beside them.
    void steps() {
        const std::array<double, 5> widths{34, 26, 40, 22, 30};
        for (std::size_t i = 0; i < widths.size(); ++i) {
            const double y = 4 + double(i) * 7;
            if (i == 2) box(2, y - 2, 52, 8, m_c.accentBg, m_c.accentBg);
            bar(i == 0 ? 8 : 12, y, widths[i], i <= 2 ? m_c.accent : m_c.line2);
        }
        icon(QStringLiteral("play"), 2, 17, 8, m_c.accent);
        graph(62, 2);
    }
    void tree() {
        const QColor line = m_c.edge, box = m_c.accent;
        const auto node = [&](double x, double y, const QColor& colour) {
            this->box(x, y, 16, 8, colour, m_c.bg2);
        };
        edge(24, 20, 36, 10, line);
        edge(24, 20, 36, 30, line);
        edge(52, 10, 64, 6, line);
        edge(52, 10, 64, 20, line);
        edge(52, 30, 64, 32, line);
        node(8, 16, box);
        node(36, 6, box);
        node(36, 26, m_c.changed);
        node(64, 2, box);
        node(64, 16, m_c.removed);
        node(64, 28, m_c.text3);
    }
    void graph(double x, double y) {
        edge(x + 8, y + 8, x + 18, y + 14, m_c.edge);
        edge(x + 28, y + 8, x + 18, y + 14, m_c.edge);
        edge(x + 18, y + 20, x + 18, y + 26, m_c.edge);
        box(x, y, 16, 7, m_c.op(ir::OpKind::InputOutput), m_c.bg2);
        box(x + 20, y, 16, 7, m_c.op(ir::OpKind::InputOutput), m_c.bg2);
        box(x + 10, y + 14, 16, 7, m_c.op(ir::OpKind::Linear), m_c.bg2);
        box(x + 10, y + 26, 16, 7, m_c.op(ir::OpKind::Compute), m_c.bg2);
    }
    /// Forward down, backward up, and what is saved between them.
    void training() {
        graph(6, 3);
        graph(58, 3);
        for (const double y : {20.0, 32.0}) {
            m_painter.setPen(QPen(m_c.memory().front(), 1.2, Qt::DashLine));
            m_painter.drawLine(at(33, y), at(67, y));
        }
    }

private:
    [[nodiscard]] QPointF at(double x, double y) const {
        return {m_area.left() + x * m_unit, m_area.top() + y * m_unit};
    }
    [[nodiscard]] QRectF place(double x, double y, double w, double h) const {
        return {at(x, y), QSizeF(w * m_unit, h * m_unit)};
    }

    QPainter& m_painter;
    QRectF m_area;
    double m_unit;
    const Theme& m_theme;
    const Colours& m_c;
};

} // namespace

void paintSample(QPainter& painter, const QRectF& area, const QString& name, const Theme& theme) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    Sketch sketch(painter, area, theme);
    if (name == QLatin1String("graph_breaks"))
        sketch.breaks();
    else if (name == QLatin1String("view_mutation"))
        sketch.cells(0);
    else if (name == QLatin1String("sibling_views"))
        sketch.cells(2);
    else if (name == QLatin1String("early_exit"))
        sketch.steps();
    else if (name == QLatin1String("recording_tree"))
        sketch.tree();
    else if (name.endsWith(QLatin1String("train")))
        sketch.training();
    else
        sketch.graph(32, 3);
    painter.restore();
}

} // namespace dynascope::app
