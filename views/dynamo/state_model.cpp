// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/state_model.h"

#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

namespace {

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
    : SectionedModel(ColumnCount, parent)
    , m_theme(theme) {}

void StateModel::setSections(std::vector<StateSection> sections) {
    const bool same = std::equal(sections.begin(), sections.end(), m_sections.begin(), m_sections.end(),
                                 [](const auto& a, const auto& b) { return a.title == b.title; });
    if (!same) {
        beginResetModel();
        m_sections = std::move(sections);
        return endResetModel();
    }
    for (std::size_t i = 0; i < sections.size(); ++i)
        updateSection(int(i), std::move(sections[i]));
}

void StateModel::updateSection(int at, StateSection next) {
    StateSection& now = m_sections[std::size_t(at)];
    const QModelIndex parent = index(at, 0);
    const auto alike = [](const StateRow& a, const StateRow& b) {
        return a.name == b.name && a.from == b.from;
    };
    const std::size_t least = std::min(now.rows.size(), next.rows.size());
    std::size_t head = 0, tail = 0;
    while (head < least && alike(now.rows[head], next.rows[head]))
        ++head;
    while (tail < least - head && alike(now.rows.rbegin()[long(tail)], next.rows.rbegin()[long(tail)]))
        ++tail;
    const auto first = [head](auto& rows) { return rows.begin() + std::ptrdiff_t(head); };
    const auto end = [tail](auto& rows) { return rows.end() - std::ptrdiff_t(tail); };
    if (now.rows.size() > head + tail) {
        beginRemoveRows(parent, int(head), int(now.rows.size() - tail) - 1);
        now.rows.erase(first(now.rows), end(now.rows));
        endRemoveRows();
    }
    if (next.rows.size() > head + tail) {
        beginInsertRows(parent, int(head), int(next.rows.size() - tail) - 1);
        now.rows.insert(first(now.rows), first(next.rows), end(next.rows));
        endInsertRows();
    }
    for (std::size_t i = 0; i < now.rows.size(); ++i) {
        if (now.rows[i] == next.rows[i]) continue;
        now.rows[i] = std::move(next.rows[i]);
        emit dataChanged(index(int(i), 0, parent), index(int(i), ColumnCount - 1, parent));
    }
    now.none = next.none;
    now.earlier = next.earlier;
    emit dataChanged(parent, index(at, ColumnCount - 1));
}

const StateRow* StateModel::row(const QModelIndex& index) const {
    if (!index.isValid() || isSection(index)) return nullptr;
    return &m_sections[sectionOf(index)].rows[std::size_t(index.row())];
}

int StateModel::rowsIn(int section) const {
    return int(m_sections[std::size_t(section)].rows.size());
}

QVariant StateModel::sectionData(const StateSection& section, int column, int role) const {
    if (role == Qt::DisplayRole && column == Name) return section.title;
    if (role == Qt::DisplayRole && column == Kind)
        return section.rows.empty() ? section.none : numberText(section.count());
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
        return (column == Name || column == Text) && !row.more ? colours.text : colours.text2;
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
