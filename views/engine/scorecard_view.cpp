// SPDX-License-Identifier: BSD-3-Clause
#include "views/engine/scorecard_view.h"

#include "views/models/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr int padding = 16;
constexpr int nameWidth = 180;
constexpr int rightWidth = 244;
constexpr int widestCell = 54, narrowestCell = 30;
constexpr int cellHeight = 27, writtenHeight = 37;
constexpr int axisHeight = 15, viewRow = 52, headerRow = 30;

QString cellLabel(const Cell& cell) {
    return cellText(cell.value);
}

} // namespace

void paintCellFrame(QPainter& painter, const QRectF& rect, Cell::State state, const Colours& c) {
    const QRectF box = rect.adjusted(1, 1, -1, -1);
    const QColor pink = c.op(ir::OpKind::Write);
    switch (state) {
    case Cell::State::Current:
        painter.setPen(QPen(c.line2, 1));
        painter.setBrush(c.bg3);
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        break;
    case Cell::State::Stale: {
        painter.setPen(Qt::NoPen);
        painter.setBrush(c.diff(diff::Change::Changed).fill);
        painter.drawRoundedRect(box, 3, 3);
        // Lines of 45° by hand: a brush pattern does not scale with the screen.
        painter.save();
        QPainterPath clip;
        clip.addRoundedRect(box, 3, 3);
        painter.setClipPath(clip, Qt::IntersectClip);
        QColor line = c.changed;
        line.setAlphaF(c.dark ? 0.45F : 0.5F);
        painter.setPen(QPen(line, 1.2));
        for (double x = box.left() - box.height(); x < box.right(); x += 6)
            painter.drawLine(QPointF(x, box.bottom()), QPointF(x + box.height(), box.top()));
        painter.restore();
        painter.setPen(QPen(c.changed, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        break;
    }
    case Cell::State::Written:
        painter.setPen(QPen(pink, 2));
        painter.setBrush(c.bg3);
        painter.drawRoundedRect(box, 3, 3);
        break;
    case Cell::State::Regenerated: {
        painter.setBrush(c.diff(diff::Change::Added).fill);
        QPen pen(c.added, 1.4);
        pen.setDashPattern({3, 2});
        painter.setPen(pen);
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        break;
    }
    }
}

ScorecardView::ScorecardView(Stepper& stepper, Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_stepper(stepper)
    , m_theme(theme) {
    setObjectName(QStringLiteral("scorecard"));
    setAccessibleName(tr("Scorecard"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    viewport()->setMouseTracking(true);
    connect(&m_stepper, &Stepper::moved, this, &ScorecardView::refresh);
    connect(&m_theme, &Theme::changed, this, &ScorecardView::layOut);
    refresh();
}

QSize ScorecardView::sizeHint() const {
    return {m_theme.scaled(700), m_theme.scaled(320)};
}

void ScorecardView::refresh() {
    m_row = -1;
    const Scoreboard& board = m_stepper.scoreboard();
    for (std::size_t i = 0; i < board.views.size() && m_row < 0; ++i)
        if (board.views[i].syncing) m_row = int(i);
    layOut();
    setAccessibleDescription(plainText());
}

const StorageState* ScorecardView::storageOf(int number) const {
    for (const StorageState& storage : m_stepper.scoreboard().storages)
        if (storage.group == number) return &storage;
    return nullptr;
}

bool ScorecardView::isActive(const StorageState& storage) const {
    const auto& views = m_stepper.scoreboard().views;
    return storage.pending || std::any_of(views.begin(), views.end(), [&](const ViewState& view) {
               return view.group == storage.group && view.active;
           });
}

void ScorecardView::layOut() {
    m_places.clear();
    const Scoreboard& board = m_stepper.scoreboard();
    int y = m_theme.scaled(8);
    for (std::size_t i = 0; i < board.storages.size(); ++i) {
        const StorageState& storage = board.storages[i];
        const bool active = isActive(storage) && !storage.cells.empty();
        const bool written = std::any_of(storage.cells.begin(), storage.cells.end(),
                                         [](const Cell& cell) { return cell.state == Cell::State::Written; });
        int height = (written ? writtenHeight : cellHeight) + 18;
        if (active) height += axisHeight;
        if (storage.pending) height += 26;
        m_places.push_back({y, m_theme.scaled(std::max(height, 46)), int(i), -1});
        y += m_places.back().height;
    }
    bool header = false;
    for (std::size_t i = 0; i < board.views.size(); ++i) {
        const ViewState& view = board.views[i];
        // A tensor alone on a storage that was never written says nothing that the storage does not.
        const StorageState* storage = storageOf(view.group);
        const auto sharing = std::count_if(board.views.begin(), board.views.end(),
                                           [&](const ViewState& v) { return v.group == view.group; });
        if (storage && storage->lastGeneration == 0 && sharing < 2) continue;
        if (!header) {
            m_places.push_back({y, m_theme.scaled(headerRow), -1, -1});
            y += m_places.back().height;
            header = true;
        }
        m_places.push_back({y, m_theme.scaled(viewRow), -1, int(i)});
        y += m_places.back().height;
    }
    if (board.hiddenStorages > 0) y += m_theme.scaled(24);
    m_height = y;
    verticalScrollBar()->setRange(0, std::max(0, m_height - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(m_theme.scaled(24));
    viewport()->update();
}

void ScorecardView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

int ScorecardView::offset() const {
    return verticalScrollBar()->value();
}

ScorecardView::Columns ScorecardView::columnsOf(const StorageState& storage) const {
    Columns columns;
    columns.cells = m_theme.scaled(padding + nameWidth);
    columns.right = std::max(viewport()->width() - m_theme.scaled(rightWidth), columns.cells);
    columns.generation = columns.right + m_theme.scaled(94);
    columns.state = columns.right + m_theme.scaled(128);
    const int room = columns.right - columns.cells - m_theme.scaled(padding);
    const int count = std::max(1, int(storage.cells.size()));
    columns.cellWidth = std::clamp(room / count, m_theme.scaled(narrowestCell), m_theme.scaled(widestCell));
    const int fit = std::max(1, room / columns.cellWidth);
    const bool all = fit >= count && std::int64_t(storage.cells.size()) >= storage.count;
    columns.shown = all ? count : std::max(1, std::min(fit - 2, count));
    return columns;
}

int ScorecardView::slotOf(const StorageState& storage, const Columns& columns, std::int64_t cell) const {
    // Cells are in logical order of the base: its index is not always its place.
    for (int i = 0; i < std::min(columns.shown, int(storage.cells.size())); ++i)
        if (storage.cells[std::size_t(i)].index == cell) return i;
    return -1;
}

void ScorecardView::paintCell(QPainter& painter, const QRect& rect, const Cell& cell, bool inStorage) const {
    const Colours& c = m_theme.colours();
    paintCellFrame(painter, rect, cell.state, c);
    QFont font = m_theme.font(FontRole::Code);
    font.setPixelSize(m_theme.scaled(11));
    const bool written = cell.state == Cell::State::Written;
    if (written) font.setBold(true);
    QFontMetrics metrics(font);
    QString text = cellLabel(cell);
    if (metrics.horizontalAdvance(text) > rect.width() - 6) {
        font.setPixelSize(m_theme.scaled(10));
        metrics = QFontMetrics(font);
        text = metrics.elidedText(text, Qt::ElideRight, rect.width() - 4);
    }
    if (written && inStorage && cell.changed) {
        QFont old = m_theme.font(FontRole::CodeSmall);
        old.setPixelSize(m_theme.scaled(10));
        old.setStrikeOut(true);
        painter.setFont(old);
        painter.setPen(c.text2);
        const QRect top(rect.left(), rect.top() + 2, rect.width(), rect.height() / 2 - 1);
        painter.drawText(top, Qt::AlignCenter, cellText(cell.before));
        painter.setFont(font);
        painter.setPen(c.op(ir::OpKind::Write));
        painter.drawText(QRect(rect.left(), rect.center().y() - 1, rect.width(), rect.height() / 2),
                         Qt::AlignCenter, text);
        return;
    }
    painter.setFont(font);
    painter.setPen(written                                  ? c.op(ir::OpKind::Write)
                   : cell.state == Cell::State::Regenerated ? c.added
                                                            : c.text);
    painter.drawText(rect, Qt::AlignCenter, text);
}

void ScorecardView::paintPending(QPainter& painter, const StorageState& storage, const Columns& columns,
                                 int y) const {
    const Colours& c = m_theme.colours();
    const QColor pink = c.op(ir::OpKind::Write);
    std::vector<int> middles;
    for (int i = 0; i < std::min(columns.shown, int(storage.cells.size())); ++i)
        if (storage.cells[std::size_t(i)].state == Cell::State::Written)
            middles.push_back(columns.cells + i * columns.cellWidth + columns.cellWidth / 2);
    const QString text = tr("pending: %1").arg(storage.pendingText);
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
                     QFontMetrics(font).elidedText(text, Qt::ElideRight, int(pill.width()) - 12));
}

void ScorecardView::paintStorage(QPainter& painter, const Place& place, int y) const {
    const Colours& c = m_theme.colours();
    const StorageState& storage = m_stepper.scoreboard().storages[std::size_t(place.storage)];
    const Columns columns = columnsOf(storage);
    const int left = m_theme.scaled(padding), line = m_theme.scaled(18);
    const bool active = isActive(storage) && !storage.cells.empty();
    const int top = y + m_theme.scaled(8) + (active ? m_theme.scaled(axisHeight) : 0);
    const bool written = std::any_of(storage.cells.begin(), storage.cells.end(),
                                     [](const Cell& cell) { return cell.state == Cell::State::Written; });
    const int height = m_theme.scaled(written ? writtenHeight : cellHeight);

    painter.setFont(m_theme.font(FontRole::Strong));
    painter.setPen(c.text);
    painter.drawText(QRect(left, top - m_theme.scaled(2), m_theme.scaled(nameWidth), line),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("Storage %1").arg(storage.group));
    painter.setFont(m_theme.font(FontRole::Text));
    painter.setPen(c.text2);
    const QString below = storage.isInput && storage.generation == 0
                              ? tr("base %1, input").arg(toQString(storage.base))
                              : tr("base %1").arg(toQString(storage.base));
    painter.drawText(QRect(left, top + line - m_theme.scaled(4), m_theme.scaled(nameWidth - 8), line),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(below, Qt::ElideMiddle, m_theme.scaled(nameWidth - 8)));

    if (storage.cells.empty()) {
        painter.setPen(c.text3);
        painter.drawText(
            QRect(columns.cells, top, columns.right - columns.cells, height),
            Qt::AlignLeft | Qt::AlignVCenter,
            storage.count > 0
                ? tr("%1 cells: too many to show one by one").arg(numberText(qulonglong(storage.count)))
                : tr("its values are not known here"));
    }
    for (int i = 0; i < std::min(columns.shown, int(storage.cells.size())); ++i) {
        const QRect rect(columns.cells + i * columns.cellWidth, top, columns.cellWidth, height);
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
        QString more = tr("… %1 more").arg(numberText(qulonglong(storage.count - columns.shown)));
        const auto [least, most] =
            std::minmax_element(storage.cells.begin(), storage.cells.end(),
                                [](const Cell& a, const Cell& b) { return a.value < b.value; });
        more += QStringLiteral("\n%1 … %2").arg(cellText(least->value), cellText(most->value));
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
    const ViewState& view = m_stepper.scoreboard().views[std::size_t(place.view)];
    const StorageState* storage = storageOf(view.group);
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
    const QString node = toQString(view.value), own = m_stepper.recording()->nameOf(view.value);
    int x = left;
    painter.setPen(c.text);
    if (own != node) {
        painter.setFont(m_theme.font(FontRole::NodeName));
        const int room = m_theme.scaled(56);
        painter.drawText(QRect(left, textTop, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(own, Qt::ElideRight, room));
        x += std::min(
            std::max(painter.fontMetrics().horizontalAdvance(own) + m_theme.scaled(12), m_theme.scaled(20)),
            room);
        painter.setPen(c.text2);
    }
    painter.setFont(m_theme.font(own != node ? FontRole::CodeSmall : FontRole::NodeName));
    const int room = left + m_theme.scaled(nameWidth - 8) - x;
    painter.drawText(QRect(x, textTop, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(node, Qt::ElideMiddle, room));
    painter.setFont(m_theme.font(FontRole::CodeSmall));
    painter.setPen(c.text2);
    const QString chain = view.chain.isEmpty() ? tr("base of storage %1").arg(view.group) : view.chain;
    painter.drawText(QRect(x, textTop + line, room, line), Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(chain, Qt::ElideRight, room));

    const int height = m_theme.scaled(cellHeight), top = y + (place.height - height) / 2;
    int hidden = 0;
    std::vector<char> covered(std::size_t(std::max(columns.shown, 0)));
    for (const Cell& cell : view.cells) {
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
    for (int i = 0; i < std::min(columns.shown, int(storage->cells.size())); ++i)
        if (!covered[std::size_t(i)] && !view.cells.empty()) {
            const int x = columns.cells + i * columns.cellWidth, middle = top + height / 2;
            painter.drawLine(x + m_theme.scaled(12), middle, x + columns.cellWidth - m_theme.scaled(12),
                             middle);
        }
    if (hidden > 0 || (!view.cells.empty() && std::int64_t(view.cells.size()) < view.count)) {
        painter.setFont(m_theme.font(FontRole::CodeSmall));
        painter.setPen(c.text2);
        const auto stale = std::count_if(view.cells.begin(), view.cells.end(),
                                         [](const Cell& cell) { return cell.state == Cell::State::Stale; });
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
                     painter.fontMetrics().elidedText(toQString(view.current), Qt::ElideMiddle, valueRoom));
    QFont bold = m_theme.font(FontRole::NodeName);
    painter.setFont(bold);
    painter.setPen(view.behind > 0 && !view.syncing ? c.changed : c.accentText());
    painter.drawText(QRect(columns.generation, y, m_theme.scaled(30), place.height),
                     Qt::AlignLeft | Qt::AlignVCenter, QString::number(view.generation));

    const QString state = view.syncing      ? tr("syncing")
                          : view.behind > 0 ? tr("%1 behind").arg(view.behind)
                          : view.readNow    ? tr("read again")
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
                         tr("%1 that nothing writes or looks into: left out")
                             .arg(countText(qulonglong(hidden), tr("other storage"), tr("other storages"))));
    }
}

QRect ScorecardView::cellRect(int number, std::int64_t cell) const {
    for (const Place& place : m_places) {
        if (place.storage < 0) continue;
        const StorageState& storage = m_stepper.scoreboard().storages[std::size_t(place.storage)];
        if (storage.group != number) continue;
        const Columns columns = columnsOf(storage);
        const int slot = slotOf(storage, columns, cell);
        if (slot < 0) return {};
        const int top =
            place.y - offset() + m_theme.scaled(8) + (isActive(storage) ? m_theme.scaled(axisHeight) : 0);
        return {columns.cells + slot * columns.cellWidth, top, columns.cellWidth, m_theme.scaled(cellHeight)};
    }
    return {};
}

QRect ScorecardView::valueRect(const std::string& value) const {
    for (const Place& place : m_places)
        if (place.view >= 0 && m_stepper.scoreboard().views[std::size_t(place.view)].value == value)
            return {0, place.y - offset(), viewport()->width(), place.height};
    return {};
}

QString ScorecardView::toolTipAt(QPoint point) const {
    const Scoreboard& board = m_stepper.scoreboard();
    for (const Place& place : m_places) {
        const int y = place.y - offset();
        if (point.y() < y || point.y() >= y + place.height) continue;
        const ViewState* view = place.view >= 0 ? &board.views[std::size_t(place.view)] : nullptr;
        const StorageState* storage = view                 ? storageOf(view->group)
                                      : place.storage >= 0 ? &board.storages[std::size_t(place.storage)]
                                                           : nullptr;
        if (!storage) return tr("The tensors that look at these storages, and what each holds now");
        const Columns columns = columnsOf(*storage);
        const int slot = (point.x() - columns.cells) / std::max(1, columns.cellWidth);
        if (point.x() >= columns.cells && slot < std::min(columns.shown, int(storage->cells.size()))) {
            const Cell& at = storage->cells[std::size_t(slot)];
            QString text =
                tr("Cell %1 of storage %2: %3").arg(at.index).arg(storage->group).arg(cellText(at.value));
            if (at.state == Cell::State::Written && at.changed)
                text += tr(", was %1").arg(cellText(at.before));
            if (!view) return text;
            for (const Cell& cell : view->cells) {
                if (cell.index != at.index) continue;
                if (cell.state == Cell::State::Stale)
                    return text + u'\n' +
                           tr("%1 still holds %2: stale until something reads it")
                               .arg(toQString(view->value), cellText(cell.value));
                return text;
            }
            return text + u'\n' + tr("%1 does not look at it").arg(toQString(view->value));
        }
        if (!view)
            return tr("Storage %1 began as %2. A generation counts its writes; a tensor of an older "
                      "generation "
                      "is stale.")
                .arg(storage->group)
                .arg(toQString(storage->origin));
        QString text = view->chain.isEmpty()
                           ? tr("%1 is the base itself").arg(toQString(view->value))
                           : tr("%1 looks at the base through %2").arg(toQString(view->value), view->chain);
        if (view->behind > 0) {
            text += u'\n' + (view->changedBy.empty()
                                 ? tr("Behind its storage")
                                 : tr("Behind since %1 wrote the storage").arg(toQString(view->changedBy)));
            text += view->nextRead.empty()
                        ? tr("; nothing reads it any more")
                        : tr("; made again when %1 reads it").arg(toQString(view->nextRead));
        }
        return text;
    }
    return {};
}

QString ScorecardView::plainText() const {
    QStringList lines;
    const Scoreboard& board = m_stepper.scoreboard();
    for (const StorageState& storage : board.storages) {
        QStringList cells;
        for (const Cell& cell : storage.cells)
            cells << (cell.changed ? QStringLiteral("%1→%2").arg(cellText(cell.before), cellText(cell.value))
                                   : cellText(cell.value));
        lines << tr("storage %1, base %2, generation %3 of %4: %5")
                     .arg(storage.group)
                     .arg(toQString(storage.base))
                     .arg(storage.generation)
                     .arg(storage.lastGeneration)
                     .arg(cells.join(u' '));
        if (storage.pending) lines << tr("  pending: %1").arg(storage.pendingText);
    }
    for (const ViewState& view : board.views) {
        QStringList cells;
        for (const Cell& cell : view.cells)
            cells << cellText(cell.value) +
                         (cell.state == Cell::State::Stale ? QStringLiteral("!") : QString());
        lines << tr("%1 (storage %2, %3) is %4, generation %5, %6: %7")
                     .arg(toQString(view.value))
                     .arg(view.group)
                     .arg(view.chain.isEmpty() ? tr("base") : view.chain)
                     .arg(toQString(view.current))
                     .arg(view.generation)
                     .arg(view.behind > 0 ? tr("%1 behind").arg(view.behind) : tr("current"))
                     .arg(cells.join(u' '));
    }
    return lines.join(u'\n');
}

void ScorecardView::copy() const {
    QApplication::clipboard()->setText(plainText());
}

void ScorecardView::mousePressEvent(QMouseEvent* event) {
    for (const Place& place : m_places)
        if (place.view >= 0 && event->position().y() >= place.y - offset() &&
            event->position().y() < place.y - offset() + place.height)
            m_row = place.view;
    viewport()->update();
}

void ScorecardView::mouseDoubleClickEvent(QMouseEvent* event) {
    mousePressEvent(event);
    const auto& views = m_stepper.scoreboard().views;
    if (m_row >= 0 && m_row < int(views.size()))
        emit valueActivated(toQString(views[std::size_t(m_row)].value));
}

void ScorecardView::keyPressEvent(QKeyEvent* event) {
    const auto& views = m_stepper.scoreboard().views;
    if (event->matches(QKeySequence::Copy)) {
        copy();
    } else if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
        std::vector<int> rows;
        for (const Place& place : m_places)
            if (place.view >= 0) rows.push_back(place.view);
        if (rows.empty()) return;
        const auto at = std::find(rows.begin(), rows.end(), m_row);
        const auto last = std::ptrdiff_t(rows.size()) - 1;
        const auto next = at == rows.end()
                              ? 0
                              : std::clamp<std::ptrdiff_t>(
                                    at - rows.begin() + (event->key() == Qt::Key_Down ? 1 : -1), 0, last);
        m_row = rows[std::size_t(next)];
        const QRect rect = valueRect(views[std::size_t(m_row)].value);
        if (rect.top() < 0) verticalScrollBar()->setValue(offset() + rect.top());
        if (rect.bottom() > viewport()->height())
            verticalScrollBar()->setValue(offset() + rect.bottom() - viewport()->height());
        viewport()->update();
    } else if (event->key() == Qt::Key_Return && m_row >= 0 && m_row < int(views.size())) {
        emit valueActivated(toQString(views[std::size_t(m_row)].value));
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void ScorecardView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy the scorecard"), this, [this] { copy(); });
    menu.exec(event->globalPos());
}

bool ScorecardView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(
            help->globalPos(),
            QStringLiteral("<span>%1</span>")
                .arg(toolTipAt(help->pos()).toHtmlEscaped().replace(u'\n', QStringLiteral("<br>"))),
            viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

ScorecardLegend::ScorecardLegend(Stepper& stepper, Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_stepper(stepper)
    , m_theme(theme) {
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&m_stepper, &Stepper::moved, this, [this] {
        setAccessibleDescription(note());
        update();
    });
}

QSize ScorecardLegend::sizeHint() const {
    return {m_theme.scaled(500), m_theme.scaled(50)};
}

QString ScorecardLegend::note() const {
    QStringList behind;
    for (const ViewState& view : m_stepper.scoreboard().views)
        if (view.behind > 0 && !view.syncing) behind << m_stepper.recording()->nameOf(view.value);
    if (behind.isEmpty()) return tr("Every tensor that is still read holds what its storage holds.");
    const bool one = behind.size() == 1;
    if (behind.size() > 4) {
        const qsizetype more = behind.size() - 3;
        behind = behind.mid(0, 3);
        behind << tr("%1 more").arg(more);
    }
    const QString last = behind.takeLast();
    const QString who =
        behind.isEmpty() ? last : tr("%1 and %2").arg(behind.join(QStringLiteral(", ")), last);
    return one ? tr("%1 keeps its old values. It is rebuilt from the base when something reads it, not "
                    "before.")
                     .arg(who)
               : tr("%1 keep their old values. They are rebuilt from the base when something reads them, not "
                    "before.")
                     .arg(who);
}

void ScorecardLegend::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Colours& c = m_theme.colours();
    painter.fillRect(rect(), c.bg0);
    painter.setPen(c.line);
    painter.drawLine(0, 0, width(), 0);
    painter.setFont(m_theme.font(FontRole::Text));
    int x = m_theme.scaled(padding);
    const int y = m_theme.scaled(8), side = m_theme.scaled(16);
    const std::pair<Cell::State, QString> entries[] = {
        {Cell::State::Written, tr("written by this op")},
        {Cell::State::Stale, tr("stale: differs from the storage")},
        {Cell::State::Current, tr("current")},
        {Cell::State::Regenerated, tr("regenerated by this read")}};
    for (const auto& [state, text] : entries) {
        paintCellFrame(painter, QRectF(x, y, side, side), state, c);
        painter.setPen(c.text2);
        const int wide = painter.fontMetrics().horizontalAdvance(text);
        painter.drawText(QRect(x + side + m_theme.scaled(6), y - 1, wide + 4, side + 2),
                         Qt::AlignLeft | Qt::AlignVCenter, text);
        x += side + wide + m_theme.scaled(36);
    }
    painter.setPen(c.text2);
    const QRect line(m_theme.scaled(padding), y + side + m_theme.scaled(4),
                     width() - m_theme.scaled(2 * padding), m_theme.scaled(18));
    painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(note(), Qt::ElideRight, line.width()));
}

} // namespace dynascope::views
