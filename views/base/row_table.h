// SPDX-License-Identifier: BSD-3-Clause
//
// A table whose rows are written out: text, a look and a meaning for each cell. For panels that list facts of
// many kinds and change them as a whole.
#pragma once

#include "views/theme/theme.h"

#include <QAbstractTableModel>
#include <QTableView>
#include <QVariant>
#include <cstdint>
#include <functional>
#include <vector>

class QSortFilterProxyModel;

namespace dynascope::views {

/// What a chip, a bar or a word means, and by that its colour.
enum class Tone : std::uint8_t {
    None,
    Good,
    Bad,
    Warn,
    Accent,
    Write,
    View,
    NotWritten, ///< the four mutation categories
    Static,
    Recorded,
    Other,
    Saved, ///< kinds of memory; pink is Write
    Temporary,
    Output,
    Gradient,
};
[[nodiscard]] QColor toneColour(Tone tone, const Colours& colours);

struct TableCell {
    enum class Look : std::uint8_t { Text, Quiet, Strong, Mono, MonoQuiet, Link, Chip };
    QString text;
    Look look = Look::Text;
    Tone tone = Tone::None;
    QString toolTip = {};   ///< plain text
    QVariant sort = {};     ///< where the text does not sort
    double share = -1;      ///< 0 to 1: a bar behind the text; negative for none
    bool cutMiddle = false; ///< where it does not fit: both ends tell more than the middle does
};
using TableRow = std::vector<TableCell>;

struct TableColumn {
    QString title;
    QString toolTip = {}; ///< teaches what the column means
    int most = 200;       ///< pixels at font size 12; the widest content decides below that
    bool right = false;   ///< numbers
    int least =
        0; ///< pixels at font size 12, as far as the content has them; rather than below, the table scrolls
};

/// GUI thread only.
class RowTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role { SortRole = Qt::UserRole, LookRole, ToneRole, ShareRole, CutMiddleRole };

    explicit RowTableModel(std::vector<TableColumn> columns, QObject* parent = nullptr);
    /// Rows have as many cells as there are columns; missing ones are empty.
    void setRows(std::vector<TableRow> rows);
    [[nodiscard]] const std::vector<TableRow>& rows() const { return m_rows; }
    [[nodiscard]] const std::vector<TableColumn>& columns() const { return m_columns; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<TableColumn> m_columns;
    std::vector<TableRow> m_rows;
};

/// Shows a RowTableModel: columns as wide as they need to be, the last one takes the rest. Rows are numbered
/// as they were given to the model, however they are sorted. A column that is hidden, before setRows(), takes no room.
/// GUI thread only.
class RowTable : public QTableView {
    Q_OBJECT
public:
    RowTable(const QString& name, std::vector<TableColumn> columns, Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] RowTableModel& rows() const { return *m_model; }
    /// Keeps the selected row where its number still exists.
    void setRows(std::vector<TableRow> rows);
    [[nodiscard]] int selected() const; ///< -1 for none
    /// Selects without telling; -1 for none.
    void select(int row);
    /// Stands where the rows would, as long as there is none: why, and what would bring some.
    void setEmptyText(const QString& text);
    [[nodiscard]] const QString& emptyText() const { return m_emptyText; }
    /// Where a cell is drawn, in the viewport.
    [[nodiscard]] QRect cellRect(int row, int column) const;
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void rowSelected(int row);  ///< by mouse or keyboard
    void rowActivated(int row); ///< Return or a double click
    void linkActivated(int row, int column);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void fit();
    void restyle();

    Theme& m_theme;
    RowTableModel* m_model;
    QSortFilterProxyModel* m_sorted;
    std::vector<int> m_natural; ///< by column: as wide as its content, up to what the column asks for at most
    std::vector<int> m_whole;   ///< by column: as wide as its content
    std::vector<int> m_least;   ///< by column: what it keeps where there is not room for all
    QString m_emptyText;
    bool m_quiet = false;
};

} // namespace dynascope::views
