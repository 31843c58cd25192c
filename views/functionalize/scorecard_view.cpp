// SPDX-License-Identifier: BSD-3-Clause
//
// Where things of the scorecard are, and what mouse and keys do there.
#include "views/functionalize/scorecard_view.h"

#include "core/computed/tensor_value.h"
#include "views/functionalize/scorecard_measures.h"
#include "views/theme/picture.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

namespace dynascope::views {

using namespace scorecard;

ScorecardView::ScorecardView(Stepper& stepper, Theme& theme, QWidget* parent)
    : QAbstractScrollArea(parent)
    , m_stepper(stepper)
    , m_theme(theme) {
    setObjectName(QStringLiteral("scorecard"));
    setAccessibleName(tr("Scorecard"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    horizontalScrollBar()->setToolTip(tr("Which cells of a large storage are shown"));
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
    const computed::Scoreboard& board = m_stepper.scoreboard();
    for (std::size_t i = 0; i < board.views.size() && m_row < 0; ++i)
        if (board.views[i].syncing) m_row = int(i);
    layOut();
    followCells();
    setAccessibleDescription(plainText());
}

void ScorecardView::followCells() {
    for (const computed::StorageState& storage : m_stepper.scoreboard().storages) {
        const Columns columns = columnsOf(storage);
        if (columns.shown >= int(storage.cells.size())) continue;
        const auto written =
            std::ranges::find(storage.cells, computed::Cell::State::Written, &computed::Cell::state);
        if (written == storage.cells.end()) continue;
        const int at = int(written - storage.cells.begin());
        if (at >= columns.first && at < columns.end()) return;
        horizontalScrollBar()->setValue(std::max(0, at - columns.shown / 4));
        return;
    }
}

const computed::StorageState* ScorecardView::storageOf(int number) const {
    for (const computed::StorageState& storage : m_stepper.scoreboard().storages)
        if (storage.group == number) return &storage;
    return nullptr;
}

bool ScorecardView::isActive(const computed::StorageState& storage) const {
    const auto& views = m_stepper.scoreboard().views;
    return storage.pending ||
           std::any_of(views.begin(), views.end(), [&](const computed::TensorViewState& view) {
               return view.group == storage.group && view.active;
           });
}

void ScorecardView::measureCells() {
    m_narrowest.clear();
    QFont font = m_theme.font(FontRole::Code);
    font.setPixelSize(m_theme.scaled(smallDigits));
    font.setBold(true); // as what is written
    const int digit = QFontMetrics(font).horizontalAdvance(u'0');
    const auto need = [&](int storage, const std::vector<computed::Cell>& cells) {
        int& widest = m_narrowest.try_emplace(storage, m_theme.scaled(narrowestCell)).first->second;
        for (const computed::Cell& cell : cells)
            for (const double value : {cell.value, cell.before})
                widest = std::max(widest, int(computed::leastCellRoom(value)) * digit + cellMargin);
    };
    for (const computed::StorageState& storage : m_stepper.scoreboard().storages)
        need(storage.group, storage.cells);
    for (const computed::TensorViewState& view : m_stepper.scoreboard().views)
        need(view.group, view.cells);
}

int ScorecardView::narrowestOf(int storage) const {
    const auto known = m_narrowest.find(storage);
    return known == m_narrowest.end() ? m_theme.scaled(narrowestCell) : known->second;
}

void ScorecardView::layOut() {
    m_places.clear();
    measureCells();
    const computed::Scoreboard& board = m_stepper.scoreboard();
    int y = m_theme.scaled(8);
    for (std::size_t i = 0; i < board.storages.size(); ++i) {
        const computed::StorageState& storage = board.storages[i];
        const bool active = isActive(storage) && !storage.cells.empty();
        const bool written =
            std::any_of(storage.cells.begin(), storage.cells.end(), [](const computed::Cell& cell) {
                return cell.state == computed::Cell::State::Written;
            });
        int height = (written ? writtenHeight : cellHeight) + 18;
        if (active) height += axisHeight;
        if (storage.pending) height += 26;
        m_places.push_back({y, m_theme.scaled(std::max(height, 46)), int(i), -1});
        y += m_places.back().height;
    }
    bool header = false;
    for (std::size_t i = 0; i < board.views.size(); ++i) {
        const computed::TensorViewState& view = board.views[i];
        // A tensor alone on a storage that was never written says nothing that the storage does not.
        const computed::StorageState* storage = storageOf(view.group);
        const auto sharing =
            std::count_if(board.views.begin(), board.views.end(),
                          [&](const computed::TensorViewState& v) { return v.group == view.group; });
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
    int most = 0, fit = fittingCells(m_theme.scaled(narrowestCell));
    for (const computed::StorageState& storage : board.storages) {
        const int shown = columnsOf(storage).shown, hidden = int(storage.cells.size()) - shown;
        if (hidden <= most) continue;
        most = hidden;
        fit = shown;
    }
    horizontalScrollBar()->setRange(0, most);
    horizontalScrollBar()->setPageStep(fit);
    horizontalScrollBar()->setSingleStep(4);
    viewport()->update();
}

void ScorecardView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    layOut();
}

int ScorecardView::offset() const {
    return verticalScrollBar()->value();
}

ScorecardView::Columns ScorecardView::columnsOf(const computed::StorageState& storage) const {
    Columns columns;
    columns.cells = m_theme.scaled(padding + nameWidth);
    columns.right = std::max(viewport()->width() - m_theme.scaled(rightWidth), columns.cells);
    columns.generation = columns.right + m_theme.scaled(94);
    columns.state = columns.right + m_theme.scaled(128);
    const int room = columns.right - columns.cells - m_theme.scaled(padding);
    const int count = std::max(1, int(storage.cells.size()));
    const int narrowest = narrowestOf(storage.group);
    columns.cellWidth = std::clamp(room / count, narrowest, std::max(narrowest, m_theme.scaled(widestCell)));
    const int fit = std::max(1, room / columns.cellWidth);
    const bool all = fit >= count && std::int64_t(storage.cells.size()) >= storage.count;
    columns.shown = all ? count : std::min(fittingCells(columns.cellWidth), count);
    columns.first = std::clamp(horizontalScrollBar()->value(), 0, count - columns.shown);
    return columns;
}

int ScorecardView::fittingCells(int width) const {
    const int beside = m_theme.scaled(4 * narrowestCell); // where stands which these are
    const int cells = viewport()->width() - m_theme.scaled(rightWidth + nameWidth + 2 * padding) - beside;
    return std::max(1, cells / std::max(1, width));
}

int ScorecardView::slotOf(const computed::StorageState& storage, const Columns& columns,
                          std::int64_t cell) const {
    // Cells are in logical order of the base: its index is not always its place.
    for (int i = columns.first; i < std::min(columns.end(), int(storage.cells.size())); ++i)
        if (storage.cells[std::size_t(i)].index == cell) return i - columns.first;
    return -1;
}

QRect ScorecardView::cellRect(int number, std::int64_t cell) const {
    for (const Place& place : m_places) {
        if (place.storage < 0) continue;
        const computed::StorageState& storage = m_stepper.scoreboard().storages[std::size_t(place.storage)];
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
    } else if (event->key() == Qt::Key_Left || event->key() == Qt::Key_Right) {
        horizontalScrollBar()->triggerAction(event->key() == Qt::Key_Right
                                                 ? QAbstractSlider::SliderSingleStepAdd
                                                 : QAbstractSlider::SliderSingleStepSub);
    } else if (event->key() == Qt::Key_Return && m_row >= 0 && m_row < int(views.size())) {
        emit valueActivated(toQString(views[std::size_t(m_row)].value));
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void ScorecardView::contextMenuEvent(QContextMenuEvent* event) {
    QMenu menu(this);
    menu.addAction(tr("Copy the scorecard"), this, [this] { copy(); });
    addPictureActions(menu, *this, QStringLiteral("scorecard"));
    menu.exec(event->globalPos());
}

bool ScorecardView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), plainToolTip(toolTipAt(help->pos())), viewport());
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

} // namespace dynascope::views
