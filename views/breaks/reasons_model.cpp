// SPDX-License-Identifier: BSD-3-Clause
#include "views/breaks/reasons_model.h"

#include "views/theme/shown_text.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QPainter>
#include <algorithm>
#include <array>

namespace dynascope::views {

namespace {

QString partsText(const BreakRunTime& us) {
    return ReasonsModel::tr(
               "In a step: eager code %1, the frame's own Python and bytecode %2, guards %3. Each is a "
               "median of its own, so that they need not add up to %4.")
        .arg(durationText(us.eager), durationText(us.frame), durationText(us.guards), durationText(us.all));
}

} // namespace

void ReasonsModel::setGroups(std::vector<session::BreakGroup> groups) {
    beginResetModel();
    m_groups = std::move(groups);
    m_runTimes.clear();
    m_most = 0;
    for (const session::BreakGroup& group : m_groups)
        m_most = std::max(m_most, group.secondsAfter);
    m_severalFiles = std::ranges::any_of(m_groups, [this](const session::BreakGroup& group) {
        return group.location.file != m_groups.front().location.file;
    });
    endResetModel();
}

void ReasonsModel::setRunTimes(std::vector<std::optional<BreakRunTime>> times) {
    if (times.size() != m_groups.size()) times.clear();
    m_runTimes = std::move(times);
    if (!m_groups.empty()) emit dataChanged(index(0, RunTime), index(rowCount() - 1, RunTime));
}

int ReasonsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_groups.size());
}

int ReasonsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ReasonsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const session::BreakGroup& group = m_groups[std::size_t(index.row())];
    const auto first = group.occurrences.empty() ? session::BreakOccurrence{} : group.occurrences.front();
    if (role == GroupRole) return index.row();
    if (role == ShareRole) return m_most > 0 ? group.secondsAfter / m_most : 0.0;
    if (role == Qt::TextAlignmentRole && (index.column() == Breaks || index.column() == Rank))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole && role != SortRole && role != Qt::ToolTipRole) return {};
    const bool sort = role == SortRole;
    switch (index.column()) {
    case Rank:
        // Sorted by this column the groups stand in the order in which the program met them.
        return sort ? QVariant(qulonglong(first.compile)) : QVariant(index.row() + 1);
    case Reason:
        return toQString(group.reason);
    case Line: {
        if (sort) return group.location.line;
        if (role == Qt::ToolTipRole)
            return toQString(group.location.file) + u':' + QString::number(group.location.line);
        if (m_severalFiles && !group.location.file.empty()) // the number first: a narrow column cuts the rest
            return tr("%1 in %2").arg(group.location.line).arg(fileName(group.location.file));
        return group.location.function.empty()
                   ? QString::number(group.location.line)
                   : tr("%1 in %2").arg(group.location.line).arg(toQString(group.location.function));
    }
    case Breaks:
        return qulonglong(group.occurrences.size());
    case Seconds:
        return sort ? QVariant(group.secondsAfter) : QVariant(secondsText(group.secondsAfter));
    case RunTime: {
        const std::optional<BreakRunTime> us =
            m_runTimes.empty() ? std::nullopt : m_runTimes[std::size_t(index.row())];
        if (sort) return us ? us->all : -1;
        if (us && role == Qt::ToolTipRole) return partsText(*us);
        if (us) return durationText(us->all);
        return role == Qt::ToolTipRole ? tr("No graph in the profile ended at this break") : QString();
    }
    case Bytes:
        return sort ? QVariant(qulonglong(group.bytesHandedOver))
                    : QVariant(bytesText(group.bytesHandedOver));
    case WayOut:
        if (role == Qt::ToolTipRole && !group.waysOut.empty())
            return toQString(group.waysOut.front().title) + u'\n' + toQString(group.waysOut.front().text);
        return group.waysOut.empty() ? QString() : toQString(group.waysOut.front().kind);
    default:
        return {};
    }
}

QVariant ReasonsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section == Breaks || section == Rank ? Qt::AlignRight : Qt::AlignLeft) |
                   Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Seconds)
        return tr("Compile time of the frames that exist only because of these breaks: an upper bound");
    if (role == Qt::ToolTipRole && section == RunTime)
        return tr(
            "In a step of the profile, the median: eager code, bytecode and guards in the frame, behind the "
            "graph that the break ended");
    if (role == Qt::ToolTipRole && section == Bytes)
        return tr("Bytes of the tensors that the resumed frames take in");
    if (role != Qt::DisplayRole) return {};
    const std::array<QString, ColumnCount> names{QString(),         tr("Reason"),        tr("Line"),
                                                 tr("Breaks"),      tr("Time after it"), tr("Run time"),
                                                 tr("Handed over"), tr("Way out")};
    return names[std::size_t(section)];
}

ReasonsFilter::ReasonsFilter(QObject* parent)
    : QSortFilterProxyModel(parent) {
    setSortRole(ReasonsModel::SortRole);
}

void ReasonsFilter::setText(const QString& text) {
    m_words = text.split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

bool ReasonsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    QString all;
    for (const int column : {ReasonsModel::Reason, ReasonsModel::Line, ReasonsModel::WayOut})
        all += sourceModel()->index(row, column, parent).data().toString() + u' ';
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

ReasonsDelegate::ReasonsDelegate(Theme& theme, QObject* parent)
    : QStyledItemDelegate(parent)
    , m_theme(theme) {}

void ReasonsDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                            const QModelIndex& index) const {
    const Colours& c = m_theme.colours();
    const bool selected = option.state & QStyle::State_Selected;
    painter->fillRect(option.rect, selected ? c.row : c.bg1);
    painter->setPen(c.line);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    const QRect area = option.rect.adjusted(8, 0, -8, 0);
    const QString text = index.data().toString();
    const int column = index.column();
    if (column == ReasonsModel::Seconds) {
        const int textWidth = m_theme.scaled(52);
        painter->setFont(m_theme.font(FontRole::CodeSmall));
        painter->setPen(c.text);
        painter->drawText(QRect(area.left(), area.top(), textWidth, area.height()),
                          Qt::AlignRight | Qt::AlignVCenter, text);
        const int room = area.width() - textWidth - 8;
        if (room > 0)
            painter->fillRect(QRect(area.left() + textWidth + 8, area.center().y() - 4,
                                    std::max(2, int(room * index.data(ReasonsModel::ShareRole).toDouble())),
                                    9),
                              c.removed);
    } else if (column == ReasonsModel::WayOut && !text.isEmpty()) {
        painter->setFont(m_theme.font(FontRole::Section));
        const bool isSetting = text == QLatin1String("setting") || text == QLatin1String("remove");
        const DiffColours tone = c.diff(isSetting ? diff::Change::Added : diff::Change::Changed);
        const int width = painter->fontMetrics().horizontalAdvance(text) + 12;
        const QRect chip(area.left(), area.center().y() - m_theme.scaled(8), std::min(width, area.width()),
                         m_theme.scaled(17));
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(tone.fill);
        painter->drawRoundedRect(chip, 3, 3);
        painter->setPen(tone.line);
        painter->drawText(chip, Qt::AlignCenter, text);
        painter->setRenderHint(QPainter::Antialiasing, false);
    } else {
        const bool isMono = column == ReasonsModel::Bytes;
        painter->setFont(m_theme.font(isMono ? FontRole::CodeSmall : FontRole::Text));
        painter->setPen(column == ReasonsModel::Reason || column == ReasonsModel::Breaks ? c.text : c.text2);
        const int align =
            column == ReasonsModel::Breaks || column == ReasonsModel::Rank ? Qt::AlignRight : Qt::AlignLeft;
        painter->drawText(area, align | Qt::AlignVCenter,
                          elided(painter->fontMetrics(), text, Qt::ElideRight, area.width()));
    }
}

} // namespace dynascope::views
