// SPDX-License-Identifier: BSD-3-Clause
#include "views/notes/notes_model.h"

#include "views/notes/note_places.h"
#include "views/workspace/labels.h"

#include <QDateTime>
#include <algorithm>
#include <map>

namespace dynascope::views {

NotesModel::NotesModel(Workspace& workspace, Notebook& notebook, QObject* parent)
    : QAbstractTableModel(parent)
    , m_workspace(workspace)
    , m_notebook(notebook)
    , m_rows(collect()) {
    connect(&m_notebook, &Notebook::changed, this, &NotesModel::follow);
}

std::vector<NotesModel::Row> NotesModel::collect() const {
    std::vector<Row> out;
    for (int capture = 0; capture < int(m_workspace.captures().size()); ++capture) {
        const session::SessionPtr& session = m_workspace.captures()[std::size_t(capture)].session;
        // What a place is called was looked up when its row was made, and a session does not change.
        std::map<ir::Address, const Row*> known;
        for (const Row& row : m_rows)
            if (row.session == session) known.emplace(row.address, &row);
        std::map<ir::Address, Row> rows;
        for (const store::Note& note : m_notebook.notes(capture)) {
            Row& row = rows[note.address];
            row.note = toQString(note.text);
            row.changed = note.changed;
        }
        for (const store::Bookmark& bookmark : m_notebook.bookmarks(capture))
            rows[bookmark.address].bookmarked = true;
        for (auto& [address, row] : rows) {
            row.capture = capture;
            row.address = address;
            row.session = session;
            const auto before = known.find(address);
            row.place = before != known.end() ? before->second->place : addressText(*session, address);
            row.frame = before != known.end() ? before->second->frame : compileText(*session, address);
            row.captureName = toQString(session->title);
            out.push_back(std::move(row));
        }
    }
    return out;
}

void NotesModel::follow() {
    std::vector<Row> now = collect();
    const bool same =
        std::equal(now.begin(), now.end(), m_rows.begin(), m_rows.end(), [](const Row& a, const Row& b) {
            return a.capture == b.capture && a.address == b.address;
        });
    if (!same) {
        beginResetModel();
        m_rows = std::move(now);
        endResetModel();
        return;
    }
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (now[i] == m_rows[i]) continue;
        m_rows[i] = std::move(now[i]);
        emit dataChanged(index(int(i), 0), index(int(i), ColumnCount - 1));
    }
}

int NotesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}
int NotesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant NotesModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Row& row = m_rows[std::size_t(index.row())];
    switch (role) {
    case BookmarkedRole:
        return row.bookmarked;
    case NoteRole:
        return row.note;
    case Qt::ToolTipRole: {
        const QString text = index.column() == Text ? row.note : data(index, Qt::DisplayRole).toString();
        return text.isEmpty() ? QVariant() : plainToolTip(text);
    }
    case Qt::AccessibleTextRole:
        if (index.column() == Place && row.bookmarked) return tr("Bookmark: %1").arg(row.place);
        break;
    case SortRole:
        if (index.column() == Changed) return row.changed;
        break;
    default:
        break;
    }
    if (role != Qt::DisplayRole && role != SortRole) return {};
    switch (index.column()) {
    case Place:
        return row.place;
    case Text:
        return row.note.simplified();
    case Frame:
        return row.frame;
    case Changed:
        return row.changed > 0
                   ? QDateTime::fromSecsSinceEpoch(row.changed).toString(QStringLiteral("yyyy-MM-dd hh:mm"))
                   : QString();
    case CaptureName:
        return row.captureName;
    default:
        return {};
    }
}

QVariant NotesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case Place:
        return tr("Place");
    case Text:
        return tr("Note");
    case Frame:
        return tr("Frame");
    case Changed:
        return tr("Written");
    case CaptureName:
        return tr("Capture");
    default:
        return {};
    }
}

} // namespace dynascope::views
