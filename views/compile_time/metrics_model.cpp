// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/metrics_model.h"

#include "views/workspace/labels.h"

#include <QLocale>
#include <algorithm>
#include <array>
#include <cmath>

namespace dynascope::views {

namespace {

using session::Metric;

/// What the rows are named by.
constexpr std::array<std::string_view, 4> inRowName{"compile_id", "co_name", "co_filename", "co_firstlineno"};

QString shown(const Metric& value) {
    if (value.kind != Metric::Kind::Number || std::abs(value.number) >= 1e15) return toQString(value.text);
    const bool whole = value.number == std::floor(value.number);
    return whole ? QLocale(QLocale::English).toString(value.number, 'f', 0)
                 : QString::number(value.number, 'g', 7);
}

} // namespace

void MetricsModel::set(session::SessionPtr session, MetricTablePtr table) {
    beginResetModel();
    m_session = std::move(session);
    m_table = std::move(table);
    endResetModel();
}

bool MetricsModel::tellsApart(int column) const {
    if (column == 0) return true;
    const session::MetricColumn& c = m_table->columns[std::size_t(column - 1)];
    if (std::find(inRowName.begin(), inRowName.end(), c.name) != inRowName.end()) return false;
    // A lone row differs from none.
    return m_table->rows.size() > 1 ? c.differs && !c.moment : !c.empty && !c.moment;
}

int MetricsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_table->rows.size());
}

int MetricsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() || m_table->rows.empty() ? 0 : int(m_table->columns.size()) + 1;
}

QVariant MetricsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const session::MetricRow& row = m_table->rows[std::size_t(index.row())];
    if (role == CompileRole) return row.compile;
    if (role == RecordRole) return qulonglong(row.record);
    if (index.column() == 0) {
        if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != SortRole) return {};
        return row.compile < 0 ? QVariant() : frameText(m_session->compiles[std::size_t(row.compile)]);
    }
    const Metric& value = row.values[std::size_t(index.column() - 1)];
    switch (role) {
    case SortRole:
        return value.kind == Metric::Kind::Absent ? QVariant()
               : value.kind == Metric::Kind::Text ? QVariant(toQString(value.text))
                                                  : QVariant(value.number);
    case Qt::DisplayRole:
        return value.kind == Metric::Kind::Absent ? QString() : shown(value).left(120);
    case Qt::ToolTipRole:
        return value.kind == Metric::Kind::Absent
                   ? QVariant()
                   : toQString(m_table->columns[std::size_t(index.column() - 1)].name) +
                         QStringLiteral(" = ") + shown(value);
    case Qt::TextAlignmentRole:
        return int((value.kind == Metric::Kind::Number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    default:
        return {};
    }
}

QVariant MetricsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (section < 0) return {};
    if (orientation == Qt::Vertical) {
        if (role != Qt::DisplayRole || section >= rowCount()) return {};
        const session::MetricRow& row = m_table->rows[std::size_t(section)];
        if (row.compile < 0) return toQString(row.part);
        const session::Compile& compile = m_session->compiles[std::size_t(row.compile)];
        QString text = toQString(compile.id.toString());
        if (m_session->ranks.size() > 1) text.prepend(QString::number(compile.rank) + u':');
        return row.part == "forward" ? text : text + u' ' + toQString(row.part);
    }
    if (section >= columnCount()) return {};
    if (section == 0) return role == Qt::DisplayRole ? QVariant(tr("Function")) : QVariant();
    const session::MetricColumn& column = m_table->columns[std::size_t(section - 1)];
    if (role == Qt::DisplayRole) return toQString(column.name);
    if (role == Qt::ToolTipRole)
        return column.differs ? tr("%1: differs between the compiles").arg(toQString(column.name))
               : column.empty ? tr("%1: has no value").arg(toQString(column.name))
                              : tr("%1: the same for all").arg(toQString(column.name));
    return {};
}

MetricsFilter::MetricsFilter(QObject* parent)
    : QSortFilterProxyModel(parent) {
    setSortRole(MetricsModel::SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

void MetricsFilter::setText(const QString& text, std::vector<bool> hiddenColumns) {
    m_text = text;
    m_hidden = std::move(hiddenColumns);
    invalidateFilter();
}

bool MetricsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (m_text.isEmpty()) return true;
    if (sourceModel()->headerData(row, Qt::Vertical).toString().contains(m_text, Qt::CaseInsensitive))
        return true;
    for (int column = 0; column < sourceModel()->columnCount(parent); ++column) {
        if (std::size_t(column) < m_hidden.size() && m_hidden[std::size_t(column)]) continue;
        if (sourceModel()->index(row, column, parent).data().toString().contains(m_text, Qt::CaseInsensitive))
            return true;
    }
    return false;
}

} // namespace dynascope::views
