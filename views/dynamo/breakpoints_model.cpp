// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/breakpoints_model.h"

#include "core/base/words.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

namespace {

constexpr qsizetype most = 1000; ///< that restore() takes

bool isOf(const dynamo::Breakpoint& breakpoint, std::string_view file) {
    const dynamo::LiveBreakpoint& where = breakpoint.where();
    return where.line > 0 && (where.file.empty() || where.file == file || where.file == baseName(file));
}

} // namespace

BreakpointsModel::BreakpointsModel(Theme& theme, QObject* parent)
    : QAbstractListModel(parent)
    , m_theme(theme) {}

BreakpointsModel::Row BreakpointsModel::rowOf(const QString& text, bool on) {
    Row out{text.simplified(), on, {}, {}};
    auto parsed = dynamo::Breakpoint::parse(out.text.toStdString());
    if (parsed)
        out.breakpoint = std::move(*parsed);
    else
        out.error = toQString(parsed.error().toString());
    return out;
}

QString BreakpointsModel::add(const QString& text) {
    Row row = rowOf(text, true);
    if (!row.error.isEmpty()) return row.error;
    const auto same =
        std::find_if(m_rows.begin(), m_rows.end(), [&](const Row& other) { return other.text == row.text; });
    if (same != m_rows.end()) {
        setData(index(int(same - m_rows.begin())), Qt::Checked, Qt::CheckStateRole);
        return {};
    }
    const int at = int(m_rows.size());
    beginInsertRows({}, at, at);
    m_rows.push_back(std::move(row));
    endInsertRows();
    emit edited();
    return {};
}

void BreakpointsModel::remove(int row) {
    if (row < 0 || std::size_t(row) >= m_rows.size()) return;
    beginRemoveRows({}, row, row);
    m_rows.erase(m_rows.begin() + row);
    endRemoveRows();
    emit edited();
}

void BreakpointsModel::toggleLine(const QString& file, std::uint32_t line) {
    const std::string path = file.toStdString();
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].breakpoint && m_rows[i].breakpoint->where().line == line &&
            isOf(*m_rows[i].breakpoint, path))
            return remove(int(i));
    add(toQString(baseName(path)) + u':' + QString::number(line));
}

std::vector<dynamo::Breakpoint> BreakpointsModel::enabled(std::vector<int>* rows) const {
    std::vector<dynamo::Breakpoint> out;
    for (std::size_t i = 0; i < m_rows.size(); ++i) {
        if (!m_rows[i].on || !m_rows[i].breakpoint) continue;
        out.push_back(*m_rows[i].breakpoint);
        if (rows) rows->push_back(int(i));
    }
    return out;
}

std::set<std::uint32_t> BreakpointsModel::linesOf(std::string_view file, std::set<std::uint32_t>* off) const {
    std::set<std::uint32_t> out;
    for (const Row& row : m_rows)
        if (row.breakpoint && isOf(*row.breakpoint, file)) {
            out.insert(row.breakpoint->where().line);
            if (!row.on && off) off->insert(row.breakpoint->where().line);
        }
    return out;
}

QStringList BreakpointsModel::saved() const {
    QStringList out;
    for (const Row& row : m_rows)
        out << (row.on ? u'+' : u'-') + row.text;
    return out;
}

void BreakpointsModel::restore(const QStringList& saved) {
    beginResetModel();
    m_rows.clear();
    for (const QString& line : saved.mid(0, most))
        if (line.size() > 1) m_rows.push_back(rowOf(line.mid(1), line.front() != u'-'));
    endResetModel();
}

int BreakpointsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

QVariant BreakpointsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || std::size_t(index.row()) >= m_rows.size()) return {};
    const Row& row = m_rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return row.error.isEmpty() ? row.text : row.text + QStringLiteral("  ") + row.error;
    case Qt::EditRole:
        return row.text;
    case Qt::CheckStateRole:
        return row.on ? Qt::Checked : Qt::Unchecked;
    case Qt::ToolTipRole: {
        const QString what = !row.error.isEmpty()                  ? row.error
                             : !row.breakpoint->where().on.empty() ? tr("Halts where one happens")
                             : row.breakpoint->where().line > 0
                                 ? tr("Halts where the line begins")
                                 : tr("Halts where the condition comes to hold");
        return plainToolTip(tr("%1. F2 edits it, Delete removes it, Space switches it.").arg(what));
    }
    case Qt::FontRole:
        return m_theme.font(FontRole::CodeSmall);
    case Qt::ForegroundRole:
        if (!row.error.isEmpty()) return m_theme.colours().removed;
        return row.on ? m_theme.colours().text : m_theme.colours().text3;
    default:
        return {};
    }
}

bool BreakpointsModel::setData(const QModelIndex& index, const QVariant& value, int role) {
    if (!index.isValid() || std::size_t(index.row()) >= m_rows.size()) return false;
    Row& row = m_rows[std::size_t(index.row())];
    if (role == Qt::CheckStateRole)
        row.on = value.toInt() == Qt::Checked;
    else if (role == Qt::EditRole && !value.toString().trimmed().isEmpty())
        row = rowOf(value.toString(), row.on);
    else
        return false;
    emit dataChanged(index, index);
    emit edited();
    return true;
}

Qt::ItemFlags BreakpointsModel::flags(const QModelIndex& index) const {
    const Qt::ItemFlags out = QAbstractListModel::flags(index);
    return index.isValid() ? out | Qt::ItemIsEditable | Qt::ItemIsUserCheckable : out;
}

} // namespace dynascope::views
