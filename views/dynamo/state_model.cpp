// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/state_model.h"

#include "views/models/labels.h"
#include "views/theme/theme.h"

namespace dynascope::views {

namespace {

constexpr quintptr isSection = 0; ///< internal id of a section; of a row, one more than its section's number

QString sign(diff::Change change) {
    switch (change) {
    case diff::Change::Added:
        return QStringLiteral("+ ");
    case diff::Change::Changed:
        return QStringLiteral("~ ");
    case diff::Change::Removed:
        return QStringLiteral("\u2212 ");
    default:
        return {};
    }
}

} // namespace

StateModel::StateModel(Theme& theme, QObject* parent)
    : QAbstractItemModel(parent)
    , m_theme(theme) {}

void StateModel::setSections(std::vector<StateSection> sections) {
    beginResetModel();
    m_sections = std::move(sections);
    endResetModel();
}

const StateRow* StateModel::row(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == isSection) return nullptr;
    return &m_sections[index.internalId() - 1].rows[std::size_t(index.row())];
}

QModelIndex StateModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) + 1 : isSection);
}

QModelIndex StateModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == isSection) return {};
    return createIndex(int(index.internalId() - 1), 0, isSection);
}

int StateModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return int(m_sections.size());
    if (parent.column() > 0 || parent.internalId() != isSection) return 0;
    return int(m_sections[std::size_t(parent.row())].rows.size());
}

int StateModel::columnCount(const QModelIndex&) const {
    return ColumnCount;
}

QVariant StateModel::sectionData(const StateSection& section, int column, int role) const {
    if (role == Qt::DisplayRole && column == Name) return section.title;
    if (role == Qt::DisplayRole && column == Kind)
        return section.rows.empty() ? section.none : QString::number(section.rows.size());
    if (role == Qt::FontRole) return m_theme.font(FontRole::Section);
    if (role == Qt::ForegroundRole) return m_theme.colours().text2;
    if (role == Qt::BackgroundRole) return m_theme.colours().bg2;
    return {};
}

QVariant StateModel::rowData(const StateRow& row, int column, int role) const {
    const Colours& colours = m_theme.colours();
    switch (role) {
    case Qt::DisplayRole:
        if (column == Name) return sign(row.change) + row.name;
        return column == Kind ? row.kind : column == Text ? row.text : row.note;
    case Qt::ToolTipRole:
        return plainToolTip(QStringList{row.name, row.kind, row.text, row.note}.join(u'\n').trimmed());
    case Qt::FontRole: {
        QFont font = m_theme.font(FontRole::CodeSmall);
        font.setStrikeOut(row.change == diff::Change::Removed && column != Name);
        return font;
    }
    case Qt::ForegroundRole:
        return column == Name || column == Text ? colours.text : colours.text2;
    case Qt::BackgroundRole:
        if (row.change != diff::Change::Same) return colours.diff(row.change).fill;
        break;
    default:
        break;
    }
    return {};
}

QVariant StateModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    if (const StateRow* at = row(index)) return rowData(*at, index.column(), role);
    return sectionData(m_sections[std::size_t(index.row())], index.column(), role);
}

QVariant StateModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    const char* const titles[] = {QT_TR_NOOP("Name"), QT_TR_NOOP("Tracker"), QT_TR_NOOP("Value"),
                                  QT_TR_NOOP("From")};
    return section >= 0 && section < ColumnCount ? tr(titles[section]) : QVariant();
}

} // namespace dynascope::views
