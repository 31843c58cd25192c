// SPDX-License-Identifier: BSD-3-Clause
#include "views/canvas/scene_painter.h"

#include "views/theme/elided_name.h"
#include "views/theme/note_sign.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QFontMetricsF>
#include <QPainterPath>
#include <algorithm>

namespace dynascope::views::canvas {

namespace {

double pixelsOf(FontRole role) {
    switch (role) {
    case FontRole::NodeName:
        return 12.5;
    case FontRole::CodeSmall:
        return 10.5;
    case FontRole::Section:
    case FontRole::Text:
        return 11;
    default:
        return 12;
    }
}

QColor faded(QColor colour, double opacity) {
    colour.setAlphaF(static_cast<float>(colour.alphaF() * opacity));
    return colour;
}

bool isQuiet(diff::Change change) {
    return change == diff::Change::Same || change == diff::Change::Respelled;
}

} // namespace

Detail detailFor(double zoom) {
    return zoom >= cardsFrom ? Detail::Card : zoom >= namesFrom ? Detail::Name : Detail::Bar;
}

ScenePainter::ScenePainter(const Theme& theme)
    : m_theme(theme) {}

const ScenePainter::Text& ScenePainter::text(FontRole role, double zoom, double smallest) {
    const double pixels = std::max(smallest, pixelsOf(role) * zoom);
    const std::pair key{static_cast<int>(role), static_cast<int>(std::lround(pixels * 2))};
    if (const auto at = m_fonts.find(key); at != m_fonts.end()) return at->second;
    // The canvas zooms on its own: the font size of the window does not count here.
    Text made;
    made.font = m_theme.font(role);
    const double themePixels = role == FontRole::Text ? 12 : pixelsOf(role);
    made.font.setPointSizeF(made.font.pointSizeF() * 12 / m_theme.fontSize() * (key.second / 2.0) /
                            themePixels);
    const QFontMetricsF metrics(made.font);
    made.advance = metrics.horizontalAdvance('m');
    made.ascent = metrics.ascent();
    made.descent = metrics.descent();
    return m_fonts.emplace(key, std::move(made)).first->second;
}

QString ScenePainter::elided(const QString& string, const Text& text, double width) const {
    if (width < text.advance) return {};
    const bool fixed = text.font.fixedPitch();
    // Names are ASCII nearly always, and then a fixed pitch tells the width without measuring.
    if (fixed && static_cast<double>(string.size()) * text.advance <= width) return string;
    if (fixed && std::all_of(string.begin(), string.end(), [](QChar ch) { return ch.unicode() < 128; })) {
        const auto fits = static_cast<qsizetype>(width / text.advance);
        if (isName(string)) return QChar(0x2026) + string.mid(shownEnd(string, fits - 1));
        return string.left(std::max<qsizetype>(0, fits - 1)) + QChar(0x2026);
    }
    return elidedName(QFontMetricsF(text.font), string, width);
}

double ScenePainter::line(const QString& string, FontRole role, double left, double right, double middle,
                          const QColor& colour, bool alignRight) {
    if (string.isEmpty() || right <= left) return 0;
    const Text& t =
        text(role, m_detail == Detail::Card ? m_view->zoom : std::min(1.0, m_view->zoom * 1.3), smallestText);
    const QString shown = elided(string, t, right - left);
    if (shown.isEmpty()) return 0;
    const double width = t.font.fixedPitch() ? static_cast<double>(shown.size()) * t.advance
                                             : QFontMetricsF(t.font).horizontalAdvance(shown);
    m_painter->setFont(t.font);
    m_painter->setPen(colour);
    m_painter->drawText(QPointF(alignRight ? right - width : left, middle + (t.ascent - t.descent) / 2),
                        shown);
    return width;
}

QRectF ScenePainter::placeOf(int index) const {
    QRectF rect = m_scene->items[static_cast<std::size_t>(index)].rect;
    if (m_view->startShift != nullptr) {
        if (const auto at = m_view->startShift->find(index); at != m_view->startShift->end())
            rect.translate(at->second * (1 - m_view->progress));
    }
    return m_view->toView(rect);
}

QRectF ScenePainter::cardRect(const SceneItem& item, const QRectF& rect) const {
    if (item.kind != layout::VisibleItem::Kind::Stack) return rect;
    const double o = layout::sheetOffset * m_view->zoom;
    return rect.adjusted(0, o, -o, 0);
}

PaintCounts ScenePainter::paint(QPainter& painter, const Scene& scene, const ViewState& view) {
    m_painter = &painter;
    m_scene = &scene;
    m_view = &view;
    m_detail = detailFor(view.zoom);
    PaintCounts counts;
    painter.setRenderHint(QPainter::Antialiasing, m_detail != Detail::Bar);
    paintBand();
    const QRectF visible = view.visible();
    std::vector<bool> hidden;
    for (std::size_t i = 0; i < scene.frames.size(); ++i) {
        const SceneFrame& frame = scene.frames[i];
        hidden.push_back(
            frame.parent >= 0 &&
            (hidden[static_cast<std::size_t>(frame.parent)] ||
             scene.frames[static_cast<std::size_t>(frame.parent)].rect.height() * view.zoom < smallestBlock));
        if (!hidden.back() && frame.rect.intersects(visible)) paintFrame(frame, static_cast<int>(i));
    }
    counts.edges = paintEdges();
    const std::vector<QRectF> titles = titleRows(scene, view);
    counts.labels = titles;
    paintEdgeLabels(counts.labels);
    counts.labels.erase(counts.labels.begin(),
                        counts.labels.begin() + static_cast<std::ptrdiff_t>(titles.size()));
    // After the edges, which would strike the titles through; those that are held in sight lie over the cards
    // as well.
    const auto paintTitles = [&](bool held) {
        for (std::size_t i = 0; i < titles.size(); ++i) {
            const bool isHeld = titles[i].top() > view.toView(scene.frames[i].rect.topLeft()).y() + 0.5;
            if (!titles[i].isEmpty() && isHeld == held)
                paintTitle(scene.frames[i], static_cast<int>(i), titles[i]);
        }
    };
    paintTitles(false);

    // What moves may come from outside of what is visible.
    const bool moving = view.startShift != nullptr && view.progress < 1;
    std::vector<std::uint32_t> items;
    if (moving) {
        for (std::size_t i = 0; i < scene.items.size(); ++i)
            items.push_back(static_cast<std::uint32_t>(i));
    } else {
        // Frames and chips reach past the card's rectangle.
        items = scene.itemIndex.query(visible.adjusted(-14 / view.zoom, -30, 14 / view.zoom, 14 / view.zoom));
    }
    for (const std::uint32_t i : items) {
        const SceneItem& item = scene.items[i];
        if (item.frame >= 0 && isBar(item.frame, hidden)) continue;
        const bool fading = view.progress < 1 && view.appearing != nullptr && (*view.appearing)[i];
        if (fading) painter.setOpacity(view.progress);
        paintItem(item, static_cast<int>(i));
        if (fading) painter.setOpacity(1);
        ++counts.items;
    }
    paintTitles(true);
    if (m_detail == Detail::Bar) counts.names = paintMapLabels(hidden, items);
    return counts;
}

bool ScenePainter::isBar(int frame, const std::vector<bool>& hidden) const {
    const auto f = static_cast<std::size_t>(frame);
    return hidden[f] || m_scene->frames[f].rect.height() * m_view->zoom < smallestBlock;
}

void ScenePainter::paintBand() {
    if (!m_view->band) return;
    const double top = m_view->toView(QPointF(0, m_view->band->first)).y();
    const double bottom = m_view->toView(QPointF(0, m_view->band->second)).y();
    m_painter->fillRect(QRectF(0, top, m_view->viewport.width(), bottom - top),
                        faded(m_theme.colours().accentBg, 0.62));
}

void ScenePainter::paintItem(const SceneItem& item, int index) {
    const QRectF rect = placeOf(index);
    m_mark = index == m_view->selected || std::ranges::binary_search(m_view->chosen, index) ? Mark::Selected
             : std::ranges::binary_search(m_view->related, index)                           ? Mark::Related
                                                                                            : Mark::None;
    switch (m_detail) {
    case Detail::Card:
        paintCard(item, rect);
        return;
    case Detail::Name:
        paintName(item, rect);
        return;
    case Detail::Bar:
        paintBar(item, rect);
        return;
    }
}

void ScenePainter::body(const SceneItem& item, const QRectF& rect, bool hovered, double radius) {
    const Colours& c = m_theme.colours();
    const DiffColours d = c.diff(item.change);
    const bool quiet = isQuiet(item.change);
    QColor fill = quiet ? (c.dark ? c.bg2 : c.bg1) : d.fill;
    if (hovered) fill = quiet ? c.bg3 : d.word;
    if (const double us = heatAt(item); us >= 0) fill = heatColour(c, us / m_view->heat->most);
    QPen pen(quiet ? c.line2 : d.line, quiet ? 1 : 1.25);
    if (item.change == diff::Change::Removed) {
        pen.setDashPattern({4 / pen.widthF(), 3 / pen.widthF()});
        pen.setCapStyle(Qt::FlatCap);
    }
    m_painter->setPen(pen);
    m_painter->setBrush(fill);
    m_painter->drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius);
    m_painter->setBrush(Qt::NoBrush);
}

double ScenePainter::heatAt(const SceneItem& item) const {
    const auto index = static_cast<std::size_t>(&item - m_scene->items.data());
    if (!m_view->heat || m_view->heat->most <= 0 || index >= m_view->heat->us.size()) return -1;
    return m_view->heat->us[index];
}

void ScenePainter::stripe(const SceneItem& item, const QRectF& rect, double width, double radius) {
    QPainterPath outline;
    outline.addRoundedRect(rect, radius, radius);
    QPainterPath left;
    left.addRect(QRectF(rect.left(), rect.top(), width, rect.height()));
    const QPainterPath shape = outline.intersected(left);
    const QColor colour = m_theme.colours().op(item.op);
    if (item.op == ir::OpKind::FunctionalWrite) {
        QPainterPath inner;
        inner.addRoundedRect(rect.adjusted(0.7, 0.7, -0.7, -0.7), radius, radius);
        left.clear();
        left.addRect(QRectF(rect.left(), rect.top(), width, rect.height()).adjusted(0.7, 0.7, -0.7, -0.7));
        m_painter->strokePath(inner.intersected(left), QPen(colour, 1.2));
    } else {
        m_painter->fillPath(shape, colour);
    }
}

void ScenePainter::sheets(const SceneItem& item, const QRectF& rect) {
    if (item.kind != layout::VisibleItem::Kind::Stack) return;
    const Colours& c = m_theme.colours();
    const double o = layout::sheetOffset * m_view->zoom;
    const QRectF card = cardRect(item, rect);
    for (const double share : {1.0, 0.5}) {
        m_painter->setPen(QPen(c.line2, 1));
        m_painter->setBrush(c.dark ? c.bg1 : c.bg0);
        m_painter->drawRoundedRect(card.translated(o * share, -o * share).adjusted(0.5, 0.5, -0.5, -0.5), 4,
                                   4);
    }
    m_painter->setBrush(Qt::NoBrush);
}

void ScenePainter::disc(const SceneItem& item, const QRectF& rect, double size) {
    if (isQuiet(item.change)) return;
    const Colours& c = m_theme.colours();
    QRectF circle(0, 0, size, size);
    circle.moveCenter(rect.topRight() + QPointF(-size * 0.09, size * 0.12));
    m_painter->setPen(QPen(c.bg0, 1.5));
    m_painter->setBrush(c.diff(item.change).line);
    m_painter->drawEllipse(circle);
    m_painter->setBrush(Qt::NoBrush);
    // Plus and minus as strokes: crisp at any size.
    const QColor ink = c.dark ? c.bg0 : c.bg1;
    const QPointF m = circle.center();
    const double r = size * 0.22;
    m_painter->setPen(QPen(ink, std::max(1.2, size * 0.11), Qt::SolidLine, Qt::RoundCap));
    QPainterPath sign;
    switch (item.change) {
    case diff::Change::Added:
        sign.moveTo(m - QPointF(0, r));
        sign.lineTo(m + QPointF(0, r));
        [[fallthrough]];
    case diff::Change::Removed:
        sign.moveTo(m - QPointF(r, 0));
        sign.lineTo(m + QPointF(r, 0));
        break;
    case diff::Change::Moved:
        sign.moveTo(m - QPointF(0, r * 1.15));
        sign.lineTo(m + QPointF(0, r * 1.15));
        for (const double up : {-1.0, 1.0}) {
            sign.moveTo(m + QPointF(-r * 0.6, up * r * 0.55));
            sign.lineTo(m + QPointF(0, up * r * 1.15));
            sign.lineTo(m + QPointF(r * 0.6, up * r * 0.55));
        }
        break;
    default:
        sign.moveTo(m + QPointF(-r * 1.15, r * 0.3));
        sign.cubicTo(m + QPointF(-r * 0.45, -r * 1.3), m + QPointF(r * 0.45, r * 1.3),
                     m + QPointF(r * 1.15, -r * 0.3));
        break;
    }
    m_painter->drawPath(sign);
}

void ScenePainter::pill(const QString& string, QPointF centre, const QColor& border, const QColor& colour) {
    const Text& t = text(FontRole::Section, m_view->zoom, smallestText);
    const double width = QFontMetricsF(t.font).horizontalAdvance(string);
    QRectF rect(0, 0, width + 14 * m_view->zoom, 17 * std::max(m_view->zoom, 0.85));
    rect.moveCenter(centre);
    const Colours& c = m_theme.colours();
    m_painter->setPen(QPen(border, 1));
    m_painter->setBrush(c.bg3);
    m_painter->drawRoundedRect(rect, rect.height() / 2, rect.height() / 2);
    m_painter->setBrush(Qt::NoBrush);
    m_painter->setFont(t.font);
    m_painter->setPen(colour);
    m_painter->drawText(
        QPointF(rect.center().x() - width / 2, rect.center().y() + (t.ascent - t.descent) / 2), string);
}

void ScenePainter::inputChips(const SceneItem& item, const QRectF& rect) {
    if (item.shared.isEmpty() && item.gathered == 0) return;
    const Colours& c = m_theme.colours();
    const double z = m_view->zoom;
    const bool many = item.gathered > 0;
    const QColor colour = many ? c.edge : c.op(ir::OpKind::Factory);
    const QString label = many ? QStringLiteral("%1 inputs").arg(item.gathered) : item.shared;
    const Text& t = text(FontRole::Section, z, smallestText);
    const QString shown = elided(label, t, 120 * z);
    const double width = QFontMetricsF(t.font).horizontalAdvance(shown) + 14 * z;
    const QPointF tip(many ? rect.center().x() : rect.left() + 10 * z + width / 2, rect.top());
    const double height = 17 * std::max(z, 0.85);
    const QPointF centre(tip.x(), tip.y() - 12 * z - height / 2);
    QPen pen(colour, many ? 4 : 1.5);
    if (!many) pen.setDashPattern({5 / 1.5, 3 / 1.5});
    pen.setCapStyle(Qt::FlatCap);
    m_painter->setPen(pen);
    m_painter->drawLine(QPointF(tip.x(), centre.y() + height / 2), tip - QPointF(0, 5 * z));
    arrowHead(tip, tip - QPointF(0, 10), colour);
    pill(shown, centre, colour, c.text);
}

void ScenePainter::paintCard(const SceneItem& item, const QRectF& whole) {
    const Colours& c = m_theme.colours();
    const double z = m_view->zoom;
    const QRectF rect = cardRect(item, whole);
    const bool hovered =
        m_view->hovered != noItem && &m_scene->items[static_cast<std::size_t>(m_view->hovered)] == &item;
    inputChips(item, whole);
    sheets(item, whole);
    body(item, rect, hovered, 5 * z);
    stripe(item, rect, 4 * z, 5 * z);

    // Only the text's own colour can be read on heat, and on the fill of a change that the pointer is over.
    const bool loud = heatAt(item) >= 0 || (hovered && !isQuiet(item.change));
    const QColor quiet = loud ? c.text : c.text2;
    const double left = rect.left() + 13 * z;
    const double right = rect.right() - 9 * z;
    const bool single = item.target.isEmpty() && item.args.isEmpty();
    const double first = single ? rect.center().y() : rect.top() + (item.isNode() ? 15 : 14.5) * z;
    // The name has the first claim on the line, what stands at the right gets the rest.
    const double nameWidth = line(item.name, FontRole::NodeName, left, right, first, c.text);
    const double rest = right - left - nameWidth - 10 * z;
    const double advance = text(FontRole::CodeSmall, z, smallestText).advance;
    const QString number = numberOnCard(item, m_view->measure, rest / advance);
    // A shape that does not fit may fit without its blanks.
    const bool tight = item.isNode() && static_cast<double>(number.size()) * advance > rest;
    line(tight ? QString(number).remove(' ') : number, FontRole::CodeSmall, right - rest, right, first, quiet,
         true);
    double timeWidth = 0; // the colour in numbers
    if (const double us = heatAt(item); us >= 0)
        timeWidth = 8 * z + line(durationText(us), FontRole::CodeSmall, left, right,
                                 rect.top() + (item.isNode() ? 44.5 : 31) * z, c.text, true);
    if (item.isNode()) {
        const bool neutral = item.op == ir::OpKind::InputOutput;
        line(item.target, FontRole::CodeSmall, left, right, rect.top() + 30.5 * z,
             neutral || loud ? quiet : c.op(item.op));
        line(item.args, FontRole::CodeSmall, left, right - timeWidth, rect.top() + 44.5 * z, quiet);
    } else {
        line(item.target, FontRole::Text, left, right - timeWidth, rect.top() + 31 * z, quiet);
        shareBar(item, rect, 3 * z);
    }
    focusFrame(rect);
    disc(item, rect, 16 * z);
    if (!item.chip.isEmpty()) {
        const Text& t = text(FontRole::Section, z, smallestText);
        const double width = QFontMetricsF(t.font).horizontalAdvance(item.chip) + 14 * z;
        // Low enough to leave the last line of the card to be read.
        pill(item.chip, QPointF(rect.right() - 12 * z - width / 2, rect.bottom() + 4 * z), c.line2, c.text);
    }
    noteSign(item, rect, 12 * z);
}

void ScenePainter::paintName(const SceneItem& item, const QRectF& whole) {
    const Colours& c = m_theme.colours();
    const QRectF rect = cardRect(item, whole);
    const bool hovered =
        m_view->hovered != noItem && &m_scene->items[static_cast<std::size_t>(m_view->hovered)] == &item;
    sheets(item, whole);
    body(item, rect, hovered, 4);
    stripe(item, rect, 3.5, 4);
    if (!item.isNode()) shareBar(item, rect, 2);
    const double left = rect.left() + 8;
    const double right = rect.right() - 5;
    QString name = item.module.isEmpty() ? item.name : item.module;
    // "layers.0…23": a stack's two ends, which is what tells it.
    if (item.kind == layout::VisibleItem::Kind::Stack)
        name.replace(QStringLiteral(" … "), QStringLiteral("…"));
    const double used = line(name, FontRole::NodeName, left, right, rect.center().y(), c.text);
    // A number only where the whole name leaves it room: half a name and half a number tell nothing.
    const double advance = text(FontRole::CodeSmall, std::min(1.0, m_view->zoom * 1.3), smallestText).advance;
    const QString number = !item.isNode() || hovered
                               ? numberOnCard(item, m_view->measure, (right - left - used - 5) / advance)
                               : QString();
    const double wanted = static_cast<double>(number.size()) * advance;
    if (left + used + 5 + wanted <= right)
        line(number, FontRole::CodeSmall, left + used + 5, right, rect.center().y(),
             heatAt(item) >= 0 || (hovered && !isQuiet(item.change)) ? c.text : c.text2, true);
    focusFrame(rect);
    disc(item, rect, 12);
    noteSign(item, rect, 9);
}

void ScenePainter::paintBar(const SceneItem& item, const QRectF& rect) {
    const Colours& c = m_theme.colours();
    const QRectF bar(rect.left(), rect.top(), std::max(rect.width(), 1.0), std::max(rect.height(), 1.0));
    const double us = heatAt(item);
    m_painter->fillRect(bar, us >= 0                ? heatColour(c, us / m_view->heat->most)
                             : isQuiet(item.change) ? c.op(item.op)
                                                    : c.diff(item.change).line);
    focusFrame(bar);
}

/// On the lower edge at the left: the chip is at the right, the diff's sign above.
void ScenePainter::noteSign(const SceneItem& item, const QRectF& rect, double size) {
    const auto index = static_cast<int>(&item - m_scene->items.data());
    if (const auto at = m_view->noted.find(index); at != m_view->noted.end())
        drawNoteSign(*m_painter, m_theme.colours(), rect.bottomLeft() + QPointF(size * 1.2, -size * 0.1),
                     size, !at->second.isEmpty());
}

void ScenePainter::focusFrame(const QRectF& rect) {
    if (m_mark == Mark::None) return;
    const Colours& c = m_theme.colours();
    const bool dashed = m_mark == Mark::Related;
    m_painter->setRenderHint(QPainter::Antialiasing, true);
    QPen pen(c.accent, dashed ? 1.6 : 2);
    if (dashed) {
        pen.setDashPattern({3, 2});
        pen.setCapStyle(Qt::FlatCap);
    }
    m_painter->setPen(pen);
    m_painter->setBrush(Qt::NoBrush);
    m_painter->drawRoundedRect(rect.adjusted(-4, -4, 4, 4), 8, 8);
    m_painter->setRenderHint(QPainter::Antialiasing, m_detail != Detail::Bar);
}

} // namespace dynascope::views::canvas
