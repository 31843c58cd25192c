// SPDX-License-Identifier: BSD-3-Clause
#include "views/memory/memory_lines_model.h"

#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <array>

namespace dynascope::views {

QString memoryLineText(const ir::SourceLocation& at) {
    if (at.file.empty()) return QObject::tr("stack not recorded");
    return at.function.empty() ? placeText(at)
                               : QObject::tr("%1 in %2").arg(placeText(at), toQString(at.function));
}

MemoryLinesModel::MemoryLinesModel(Theme& theme, QObject* parent)
    : QAbstractTableModel(parent)
    , m_theme(theme) {}

void MemoryLinesModel::setRows(std::vector<Row> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int MemoryLinesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int MemoryLinesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant MemoryLinesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const Row& row = m_rows[std::size_t(index.row())];
    if (role == Qt::TextAlignmentRole && index.column() != Line)
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::DecorationRole && index.column() == Bytes)
        return row.colour < 0 ? m_theme.colours().text3 : m_theme.colours().memory()[std::size_t(row.colour)];
    if (role == Qt::ToolTipRole && index.column() == Line) {
        QStringList frames;
        for (const ir::SourceLocation& frame : row.group.stack)
            frames << memoryLineText(frame);
        return frames.isEmpty() ? QVariant() : QVariant(plainToolTip(frames.join(u'\n')));
    }
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
    case Bytes:
        return bytesText(row.group.bytes);
    case Blocks:
        return numberText(row.group.blocks);
    default:
        return memoryLineText(row.group.at);
    }
}

QVariant MemoryLinesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Line ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const std::array<QString, ColumnCount> names{tr("Bytes"), tr("Blocks"), tr("Line that keeps it")};
    return names[std::size_t(section)];
}

} // namespace dynascope::views
