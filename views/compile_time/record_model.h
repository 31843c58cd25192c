// SPDX-License-Identifier: BSD-3-Clause
//
// All records of a trace in file order, and a proxy that narrows them to a type or a compile.
#pragma once

#include "core/session/session.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <vector>

namespace dynascope::views {

class RecordModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Line, Type, CompileId, Size, Origin, ColumnCount };
    enum Role { KnownRole = Qt::UserRole };

    using QAbstractTableModel::QAbstractTableModel;
    void setSession(session::SessionPtr session);
    [[nodiscard]] const session::SessionPtr& session() const { return m_session; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    session::SessionPtr m_session;
};

class RecordFilter : public QSortFilterProxyModel {
    Q_OBJECT
public:
    using QSortFilterProxyModel::QSortFilterProxyModel;
    void setText(const QString& text);
    /// -1 shows the records of every compile.
    void setCompile(int compile);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex& a, const QModelIndex& b) const override;

private:
    QString m_text;
    int m_compile = -1;
    std::vector<bool> m_ofCompile;
    enum : char { Unjudged, Matches, MatchesNot };
    mutable std::vector<char> m_judged; // by RecordList::commonIndex(), of m_text
    mutable session::SessionPtr m_judgedOf;
};

} // namespace dynascope::views
