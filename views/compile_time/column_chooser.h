// SPDX-License-Identifier: BSD-3-Clause
//
// A popup that chooses the columns of a wide table, with a field to find them.
#pragma once

#include <QFrame>
#include <functional>

class QLineEdit;
class QListView;
class QStandardItemModel;
class QTableView;

namespace dynascope::views {

class Theme;

/// Owned by its parent; GUI thread only. Hides and shows sections of `table`, which it must not outlive.
class ColumnChooser : public QFrame {
    Q_OBJECT
public:
    /// `isDefault` says which columns are shown at first, and after Reset. The first column always is.
    ColumnChooser(Theme& theme, QTableView& table, std::function<bool(int column)> isDefault,
                  QWidget* parent = nullptr);

    /// Reads names and states of the columns anew.
    void refill();
    /// Shows the default columns.
    void reset();
    void openBelow(QWidget* button);

signals:
    void columnsChanged();

private:
    void showAll(bool shown);

    QTableView& m_table;
    std::function<bool(int)> m_isDefault;
    QLineEdit* m_filter;
    QListView* m_list;
    QStandardItemModel* m_names;
    bool m_filling = false;
};

} // namespace dynascope::views
