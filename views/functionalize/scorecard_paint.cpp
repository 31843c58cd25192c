// SPDX-License-Identifier: BSD-3-Clause
//
// The scorecard drawn.
#include "views/functionalize/cell_frame.h"
#include "views/functionalize/scorecard_measures.h"
#include "views/functionalize/scorecard_view.h"
#include "views/theme/elided_name.h"
#include "views/theme/shown_text.h"
#include "views/values/value_text.h"
#include "views/workspace/labels.h"

#include <QPainter>
#include <algorithm>

namespace dynascope::views {

using namespace scorecard;

namespace {

/// A value with as many digits as fit: a rounded number says more than a cut one.
QString fittedText(double value, const QFontMetrics& metrics, int room) {
    const int digit = std::max(1, metrics.horizontalAdvance(u'0'));
    return toQString(computed::cellText(value, std::size_t(std::max(1, room / digit))));
}

} // namespace

void ScorecardView::paintCell(QPainter& painter, const QRect& rect, const computed::Cell& cell,
                              bool inStorage) const {
    const Colours& c = m_theme.colours();
    paintCellFrame(painter, rect, cell.state, c);
    QFont font = m_theme.font(FontRole::Code);
    font.setPixelSize(m_theme.scaled(11));
    const bool written = cell.state == computed::Cell::State::Written;
    if (written) font.setBold(true);
    QFontMetrics metrics(font);
    QString text = cellText(cell.value);
    if (metrics.horizontalAdvance(text) > rect.width() - 6) {
        font.setPixelSize(m_theme.scaled(smallDigits));
        metrics = QFontMetrics(font);
        text = fittedText(cell.value, metrics, rect.width() - cellMargin);
    }
    if (written && inStorage && cell.changed) {
        QFont old = m_theme.font(FontRole::CodeSmall);
        old.setPixelSize(m_theme.scaled(smallDigits));
        old.setStrikeOut(true);
        painter.setFont(old);
        painter.setPen(c.text2);
        const QRect top(rect.left(), rect.top() + 2, rect.width(), rect.height() / 2 - 1);
        painter.drawText(top, Qt::AlignCenter,
                         fittedText(cell.before, QFontMetrics(old), rect.width() - cellMargin));
        painter.setFont(font);
        painter.setPen(c.op(ir::OpKind::Write));
        painter.drawText(QRect(rect.left(), rect.center().y() - 1, rect.width(), rect.height() / 2),
                         Qt::AlignCenter, text);
        return;
    }
    painter.setFont(font);
    painter.setPen(written                                            ? c.op(ir::OpKind::Write)
                   : cell.state == computed::Cell::State::Regenerated ? c.added
                                                                      : c.text);
    painter.drawText(rect, Qt::AlignCenter, text);
}

void ScorecardView::paintPending(QPainter& painter, const computed::StorageState& storage,
                                 const Columns& columns, int y) const {
    const Colours& c = m_theme.colours();
    const QColor pink = c.op(ir::OpKind::Write);
    std::vector<int> middles;
    for (int i = columns.first; i < std::min(columns.end(), int(storage.cells.size())); ++i)
        if (storage.cells[std::size_t(i)].state == computed::Cell::State::Written)
            middles.push_back(columns.cells + (i - columns.first) * columns.cellWidth +
                              columns.cellWidth / 2);
    const QString text = tr("pending: %1").arg(toQString(storage.pendingText));
    QFont font = m_theme.font(FontRole::CodeSmall);
    font.setPixelSize(m_theme.scaled(11));
    const int width = QFontMetrics(font).horizontalAdvance(text) + m_theme.scaled(22);
    int left = columns.cells, right = columns.cells + width;
    if (!middles.empty()) {
        left = middles.front();
        right = middles.back();
    }
    const int bar = y + m_theme.scaled(15);
    const int room = columns.right - columns.cells - m_theme.scaled(padding);
    int pillLeft = std::clamp((left + right) / 2 - width / 2, columns.cells,
                              std::max(columns.cells, columns.cells + room - width));
    painter.setPen(QPen(pink, 1.5));
    painter.setBrush(Qt::NoBrush);
    for (const int x : middles)
        painter.drawLine(QPointF(x + 0.5, y), QPointF(x + 0.5, bar));
    if (!middles.empty())
        painter.drawLine(QPointF(std::min(left, pillLeft) + 0.5, bar),
                         QPointF(std::max(right, pillLeft) + 0.5, bar));
    const QRectF pill(pillLeft, bar - m_theme.scaled(10), std::min(width, room), m_theme.scaled(20));
    painter.setBrush(c.bg1);
    painter.drawRoundedRect(pill, pill.height() / 2, pill.height() / 2);
    painter.setFont(font);
    painter.setPen(c.text);
    painter.drawText(pill, Qt::AlignCenter,
                     elided(QFontMetrics(font), text, Qt::ElideRight, int(pill.width()) - 12));
}

void ScorecardView::paintStorage(QPainter& painter, const Place& place, int y) const {
    const Colours& c = m_theme.colours();
    const computed::StorageState& storage = m_stepper.scoreboard().storages[std::size_t(place.storage)];
    const Columns columns = columnsOf(storage);
    const int left = m_theme.scaled(padding), line = m_theme.scaled(18);
    const bool active = isActive(storage) && !storage.cells.empty();
    const int top = y + m_theme.scaled(8) + (active ? m_theme.scaled(axisHeight) : 0);
    const bool written =
        std::any_of(storage.cells.begin(), storage.cells.end(),
                    [](const computed::Cell& cell) { return cell.state == computed::Cell::State::Written; });
    const int height = m_theme.scaled(written ? writtenHeight : cellHeight);

    painter.setFont(m_theme.font(FontRole::Strong));
    painter.setPen(c.text);
    painter.drawText(QRect(left, top - m_theme.scaled(2), m_theme.scaled(nameWidth), line),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("Storage %1").arg(storage.group));
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text2);
    const bool flat = m_stepper.recording() && m_stepper.recording()->run().overCells;
    const QString base =
        m_stepper.recording() ? nameOf(*m_stepper.recording(), storage.base) : toQString(storage.base);
    const QString below = flat && storage.base == storage.origin       ? tr("memory under %1").arg(base)
                          : storage.isInput && storage.generation == 0 ? tr("base %1, input").arg(base)
                                                                       : tr("base %1").arg(base);
    painter.drawText(QRect(left, top + line - m_theme.scaled(4), m_theme.scaled(nameWidth - 8), line),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     elided(painter.fontMetrics(), below, Qt::ElideMiddle, m_theme.scaled(nameWidth - 8)));

    if (storage.cells.empty()) {
        painter.setPen(c.text3);
        painter.drawText(
            QRect(columns.cells, top, columns.right - columns.cells, height),
            Qt::AlignLeft | Qt::AlignVCenter,
            storage.count > 0
                ? tr("%1 cells: too many to show one by one").arg(numberText(qulonglong(storage.count)))
                : tr("its values are not known here"));
    }
    for (int i = columns.first; i < std::min(columns.end(), int(storage.cells.size())); ++i) {
        const QRect rect(columns.cells + (i - columns.first) * columns.cellWidth, top, columns.cellWidth,
                         height);
        if (active) {
            painter.setFont(m_theme.font(FontRole::CodeSmall));
            painter.setPen(c.text3);
            painter.drawText(QRect(rect.left(), top - m_theme.scaled(axisHeight), rect.width(),
                                   m_theme.scaled(axisHeight)),
                             Qt::AlignCenter, QString::number(storage.cells[std::size_t(i)].index));
        }
        paintCell(painter, rect, storage.cells[std::size_t(i)], true);
    }
    if (!storage.cells.empty() && columns.shown < storage.count) {
        painter.setFont(m_theme.font(FontRole::CodeSmall));
        painter.setPen(c.text2);
        const int x = columns.cells + columns.shown * columns.cellWidth + m_theme.scaled(6);
        const QString more =
            tr("%1 to %2\nof %3")
                .arg(numberText(qulonglong(columns.first)), numberText(qulonglong(columns.end() - 1)),
                     numberText(qulonglong(storage.count)));
        painter.drawText(QRect(x, top - 2, columns.right - x, height + 4), Qt::AlignLeft | Qt::AlignVCenter,
                         more);
    }
    if (storage.pending) paintPending(painter, storage, columns, top + height);

    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text2);
    const QRect first(columns.right, top - m_theme.scaled(2), m_theme.scaled(rightWidth), line);
    if (storage.lastGeneration == 0) {
        painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, tr("generation 0"));
        painter.setPen(c.text3);
        painter.drawText(first.translated(0, line - m_theme.scaled(4)), Qt::AlignLeft | Qt::AlignVCenter,
                         tr("never written"));
        return;
    }
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, tr("generation"));
    const int side = m_theme.scaled(20), gap = m_theme.scaled(4);
    const int fits = std::max(1, (m_theme.scaled(rightWidth - 72 - padding)) / (side + gap));
    const int from =
        std::clamp(storage.generation - fits / 2, 0, std::max(0, storage.lastGeneration + 1 - fits));
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    for (int g = from; g <= storage.lastGeneration && g < from + fits; ++g) {
        const QRectF box(columns.right + m_theme.scaled(70) + (g - from) * (side + gap), first.top(), side,
                         m_theme.scaled(18));
        const bool here = g == storage.generation;
        painter.setPen(QPen(here ? c.accent : c.line2, here ? 1.5 : 1,
                            g > storage.generation ? Qt::DashLine : Qt::SolidLine));
        painter.setBrush(here ? c.accentBg : g < storage.generation ? c.bg3 : c.bg1);
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        painter.setPen(here ? c.accentText() : g < storage.generation ? c.text2 : c.text3);
        painter.drawText(box, Qt::AlignCenter, QString::number(g));
    }
    QFont strong = m_theme.font(FontRole::Strong);
    painter.setFont(storage.pending ? strong : m_theme.font(FontRole::Text));
    painter.setPen(storage.pending ? c.op(ir::OpKind::Write) : c.text3);
    painter.drawText(first.translated(0, line), Qt::AlignLeft | Qt::AlignVCenter,
                     storage.pending ? tr("1 update pending") : tr("nothing pending"));
}

void ScorecardView::paintHeader(QPainter& painter, int y) const {
    const Colours& c = m_theme.colours();
    const Columns columns = columnsOf({});
    painter.setFont(m_theme.font(FontRole::Section));
    painter.setPen(c.text2);
    const int height = m_theme.scaled(headerRow);
    const auto head = [&](int x, const QString& text) {
        painter.drawText(QRect(x, y, m_theme.scaled(200), height), Qt::AlignLeft | Qt::AlignVCenter, text);
    };
    head(m_theme.scaled(padding), tr("View"));
    head(columns.cells, tr("Cells it sees"));
    head(columns.right, tr("Value"));
    head(columns.generation, tr("Gen"));
    head(columns.state, tr("State"));
    painter.setPen(c.line);
    painter.drawLine(0, y + height - 1, viewport()->width(), y + height - 1);
}

void ScorecardView::paintView(QPainter& painter, const Place& place, int y) const {
    const Colours& c = m_theme.colours();
    const computed::TensorViewState& view = m_stepper.scoreboard().views[std::size_t(place.view)];
    const computed::StorageState* storage = storageOf(view.group);
    if (!storage) return;
    const Columns columns = columnsOf(*storage);
    if (view.syncing || (view.active && m_row < 0))
        painter.fillRect(QRect(0, y, viewport()->width(), place.height), c.row);
    if (hasFocus() && place.view == m_row) {
        painter.setPen(QPen(c.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRect(0, y, viewport()->width() - 1, place.height - 1));
    }
    const int left = m_theme.scaled(padding), line = m_theme.scaled(17);
    const int textTop = y + (place.height - 2 * line) / 2;
    // "r" of the program and beside it what the graph calls it; without a program the latter alone.
    const QString node = toQString(view.value), own = nameOf(*m_stepper.recording(), view.value);
    const bool isState = m_stepper.recording()->isState(view.value);
    int x = left;
    painter.setPen(c.text);
    if (own != node && !isState) {
        painter.setFont(m_theme.font(FontRole::NodeName));
        const int room = m_theme.scaled(56);
        painter.drawText(QRect(left, textTop, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                         elided(painter.fontMetrics(), own, Qt::ElideRight, room));
        x += std::min(
            std::max(painter.fontMetrics().horizontalAdvance(own) + m_theme.scaled(12), m_theme.scaled(20)),
            room);
        painter.setPen(c.text2);
    }
    painter.setFont(m_theme.font(x != left ? FontRole::CodeSmall : FontRole::NodeName));
    const int room = left + m_theme.scaled(nameWidth - 8) - x;
    painter.drawText(QRect(x, textTop, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(painter.fontMetrics(), isState ? own : node, room));
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setPen(c.text2);
    const QString chain =
        view.chain.empty() ? tr("base of storage %1").arg(view.group) : toQString(view.chain);
    painter.drawText(QRect(x, textTop + line, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                     elided(painter.fontMetrics(), chain, Qt::ElideRight, room));

    const int height = m_theme.scaled(cellHeight), top = y + (place.height - height) / 2;
    int hidden = 0;
    std::vector<char> covered(std::size_t(std::max(columns.shown, 0)));
    for (const computed::Cell& cell : view.cells) {
        const int slot = slotOf(*storage, columns, cell.index);
        if (slot < 0) {
            ++hidden;
            continue;
        }
        covered[std::size_t(slot)] = 1;
        paintCell(painter, QRect(columns.cells + slot * columns.cellWidth, top, columns.cellWidth, height),
                  cell, false);
    }
    painter.setPen(QPen(c.line, 1, Qt::DashLine));
    for (int i = 0; i < std::min(columns.shown, int(storage->cells.size()) - columns.first); ++i)
        if (!covered[std::size_t(i)] && !view.cells.empty()) {
            const int x = columns.cells + i * columns.cellWidth, middle = top + height / 2;
            painter.drawLine(x + m_theme.scaled(12), middle, x + columns.cellWidth - m_theme.scaled(12),
                             middle);
        }
    if (hidden > 0 || (!view.cells.empty() && std::int64_t(view.cells.size()) < view.count)) {
        painter.setFont(m_theme.font(FontRole::CodeSmall));
        painter.setPen(c.text2);
        const auto stale =
            std::count_if(view.cells.begin(), view.cells.end(), [](const computed::Cell& cell) {
                return cell.state == computed::Cell::State::Stale;
            });
        QString text = tr("… %1 cells").arg(numberText(qulonglong(view.count)));
        if (stale > 0) text += tr("\n%1 stale").arg(stale);
        const int x = columns.cells + columns.shown * columns.cellWidth + m_theme.scaled(6);
        painter.drawText(QRect(x, top - 2, columns.right - x, height + 4), Qt::AlignLeft | Qt::AlignVCenter,
                         text);
    } else if (view.cells.empty()) {
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(c.text3);
        painter.drawText(QRect(columns.cells, top, columns.right - columns.cells, height),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         view.count > 0 ? tr("%1 cells, between %2 and %3 of the memory")
                                              .arg(numberText(qulonglong(view.count)))
                                              .arg(numberText(qulonglong(view.firstCell)),
                                                   numberText(qulonglong(view.lastCell)))
                                        : QString());
    }

    painter.setFont(m_theme.font(FontRole::Code));
    painter.setPen(c.text);
    const int valueRoom = columns.generation - columns.right - m_theme.scaled(6);
    painter.drawText(QRect(columns.right, y, valueRoom, place.height), Qt::AlignLeft | Qt::AlignVCenter,
                     elidedName(painter.fontMetrics(), toQString(view.current), valueRoom));
    QFont bold = m_theme.font(FontRole::NodeName);
    painter.setFont(bold);
    painter.setPen(view.behind > 0 && !view.syncing ? c.changed : c.accentText());
    painter.drawText(QRect(columns.generation, y, m_theme.scaled(30), place.height),
                     Qt::AlignLeft | Qt::AlignVCenter, QString::number(view.generation));

    const QString state = view.syncing      ? tr("syncing")
                          : view.behind > 0 ? tr("%1 behind").arg(view.behind)
                          : view.readNow    ? tr("regenerated")
                                            : tr("current");
    QFont chip = m_theme.font(FontRole::Strong);
    chip.setPixelSize(m_theme.scaled(11));
    const int width =
        std::max(QFontMetrics(chip).horizontalAdvance(state) + m_theme.scaled(16), m_theme.scaled(60));
    const QRectF box(columns.state, y + (place.height - m_theme.scaled(18)) / 2.0, width, m_theme.scaled(18));
    painter.setPen(Qt::NoPen);
    painter.setBrush(view.syncing      ? c.accentBg
                     : view.behind > 0 ? c.diff(diff::Change::Changed).fill
                     : view.readNow    ? c.diff(diff::Change::Added).fill
                                       : c.bg3);
    painter.drawRoundedRect(box, 3, 3);
    painter.setFont(chip);
    painter.setPen(view.syncing      ? c.accentText()
                   : view.behind > 0 ? c.changed
                   : view.readNow    ? c.added
                                     : c.text2);
    painter.drawText(box, Qt::AlignCenter, state);
}

void ScorecardView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    painter.fillRect(viewport()->rect(), c.bg0);
    for (const Place& place : m_places) {
        const int y = place.y - offset();
        if (y > viewport()->height() || y + place.height < 0) continue;
        if (place.storage >= 0) {
            paintStorage(painter, place, y);
            painter.setPen(c.line);
            painter.drawLine(0, y + place.height - 1, viewport()->width(), y + place.height - 1);
        } else if (place.view >= 0) {
            paintView(painter, place, y);
        } else {
            paintHeader(painter, y);
        }
    }
    if (const int hidden = m_stepper.scoreboard().hiddenStorages; hidden > 0) {
        painter.setFont(m_theme.font(FontRole::Text));
        painter.setPen(c.text3);
        painter.drawText(QRect(m_theme.scaled(padding), m_height - offset() - m_theme.scaled(24),
                               viewport()->width(), m_theme.scaled(22)),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         tr("%1 that nothing writes or views: left out")
                             .arg(countText(qulonglong(hidden), tr("other storage"), tr("other storages"))));
    }
}

} // namespace dynascope::views
