// SPDX-License-Identifier: BSD-3-Clause
//
// Notes and bookmarks of everything that is open, as rows: a note that stands at a bookmark is one row.
#pragma once

#include "views/notes/notebook.h"

#include <QAbstractTableModel>

namespace dynascope::views {

class NotesModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Place, Text, Frame, Changed, CaptureName, ColumnCount };
    enum Role { BookmarkedRole = Qt::UserRole, NoteRole, SortRole };
    struct Row {
        int capture = -1;
        ir::Address address;
        QString place, frame, captureName;
        QString note;
        qint64 changed = 0; ///< seconds since 1970 UTC; 0 where not known
        bool bookmarked = false;
        session::SessionPtr session; ///< that `capture` names
        friend bool operator==(const Row&, const Row&) = default;
    };

    NotesModel(Workspace& workspace, Notebook& notebook, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    [[nodiscard]] const std::vector<Row>& rows() const { return m_rows; }

private:
    [[nodiscard]] std::vector<Row> collect() const;
    /// Rows that only changed stay selected.
    void follow();

    Workspace& m_workspace;
    Notebook& m_notebook;
    std::vector<Row> m_rows;
};

} // namespace dynascope::views
