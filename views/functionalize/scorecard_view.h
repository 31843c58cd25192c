// SPDX-License-Identifier: BSD-3-Clause
//
// The scorecard: storages as rows of cells, below them the tensors that look at each, with what is stale,
// written now, queued and regenerated.
#pragma once

#include "views/functionalize/stepper.h"
#include "views/theme/theme.h"

#include <QAbstractScrollArea>
#include <map>

namespace dynascope::views {

/// GUI thread only. Copies itself as text (Ctrl+C); rows can be walked with the arrow keys.
class ScorecardView : public QAbstractScrollArea {
    Q_OBJECT
public:
    ScorecardView(Stepper& stepper, Theme& theme, QWidget* parent = nullptr);

    /// Everything shown, as lines of text.
    [[nodiscard]] QString plainText() const;
    /// Where a cell of a storage or, with `value`, of a tensor is drawn, in the viewport; for tests.
    [[nodiscard]] QRect cellRect(int storage, std::int64_t cell) const;
    [[nodiscard]] QRect valueRect(const std::string& value) const; ///< the tensor's row
    [[nodiscard]] QString toolTipAt(QPoint viewportPoint) const;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void valueActivated(const QString& value); ///< a source node

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    /// Where things are for the current width; y in content coordinates.
    struct Place {
        int y = 0, height = 0;
        int storage = -1, view = -1; ///< into the scoreboard; both -1: the header of the tensors
    };
    struct Columns {
        int cells = 0, right = 0, cellWidth = 0;
        int first = 0, shown = 0; ///< which cells of the storage are in the window, and how many
        [[nodiscard]] int end() const { return first + shown; }
        int generation = 0, state = 0;
    };
    void refresh();
    void layOut();
    /// Brings what is written now into the window of cells.
    void followCells();
    [[nodiscard]] int fittingCells(int width) const; ///< of a storage that has more than fit
    void measureCells();
    [[nodiscard]] int narrowestOf(int storage) const; ///< what its cells' values need
    [[nodiscard]] Columns columnsOf(const computed::StorageState& storage) const;
    [[nodiscard]] const computed::StorageState* storageOf(int number) const;
    [[nodiscard]] bool isActive(const computed::StorageState& storage) const;
    /// Position among the shown cells of a storage; -1 where it is left out.
    [[nodiscard]] int slotOf(const computed::StorageState& storage, const Columns& columns,
                             std::int64_t cell) const;
    [[nodiscard]] int offset() const;
    void paintStorage(QPainter& painter, const Place& place, int y) const;
    void paintHeader(QPainter& painter, int y) const;
    void paintView(QPainter& painter, const Place& place, int y) const;
    void paintCell(QPainter& painter, const QRect& rect, const computed::Cell& cell, bool inStorage) const;
    void paintPending(QPainter& painter, const computed::StorageState& storage, const Columns& columns,
                      int y) const;
    void copy() const;

    Stepper& m_stepper;
    Theme& m_theme;
    std::vector<Place> m_places;
    std::map<int, int> m_narrowest; ///< by number of the storage
    int m_height = 0;
    int m_row = -1;
};

} // namespace dynascope::views
