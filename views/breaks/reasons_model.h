// SPDX-License-Identifier: BSD-3-Clause
//
// The break groups of a session as table rows.
#pragma once

#include "core/session/breaks.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>
#include <optional>

namespace dynascope::views {

class Theme;

/// What the breaks of a group cost when the program runs: microseconds in a step. Parts as in profile::BreakCost.
struct BreakRunTime {
    double all = 0, eager = 0, frame = 0, guards = 0;
};

/// GUI thread only. Keeps a copy of the groups.
class ReasonsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Rank, Reason, Line, Breaks, Seconds, RunTime, Bytes, WayOut, ColumnCount };
    enum Role { SortRole = Qt::UserRole, ShareRole, GroupRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setGroups(std::vector<session::BreakGroup> groups);
    /// By group, as breakRunTimes(); setGroups() forgets them.
    void setRunTimes(std::vector<std::optional<BreakRunTime>> times);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<session::BreakGroup> m_groups;
    std::vector<std::optional<BreakRunTime>> m_runTimes; ///< by group; empty while none is known
    double m_most = 0;
    bool m_severalFiles = false; ///< a line number alone would not say where
};

/// Words in any order, in any column.
class ReasonsFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    explicit ReasonsFilter(QObject* parent = nullptr);
    void setText(const QString& text);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    QStringList m_words;
};

/// Draws the bar beside the seconds and the way out as a chip.
class ReasonsDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    ReasonsDelegate(Theme& theme, QObject* parent);
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

private:
    Theme& m_theme;
};

} // namespace dynascope::views
