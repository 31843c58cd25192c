// SPDX-License-Identifier: BSD-3-Clause
#include "views/compare/pairs_model.h"

#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::views {

using compare::Comparison;
using compare::CompileComparison;
using compare::RankRow;

namespace {

/// "a" for the first group, as the command line prints it.
QString groupText(int group) {
    return group < 0    ? QStringLiteral("–")
           : group < 26 ? QString(QChar(char16_t('a' + group)))
                        : QString::number(group);
}

} // namespace

void PairsModel::set(ComparisonResultPtr result) {
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

int PairsModel::sides() const {
    return m_result && m_result->ofRanks() ? int(m_result->ranks.ranks.size()) : 2;
}

int PairsModel::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() || !m_result) return 0;
    return int(m_result->ofRanks() ? m_result->ranks.rows.size() : m_result->whole.compiles.size());
}

int PairsModel::columnCount(const QModelIndex& parent) const {
    if (parent.isValid()) return 0;
    return m_result && m_result->ofRanks() ? differenceColumn() + 1 : differenceColumn() + 3;
}

int PairsModel::rankOfRow(int row) const {
    if (!m_result || !m_result->ofRanks() || row < 0 || row >= rowCount()) return 0;
    return std::max(1, m_result->ranks.rows[std::size_t(row)].differing);
}

int PairsModel::pairOfRow(int row, int rank) const {
    if (!m_result || row < 0 || row >= rowCount()) return -1;
    if (!m_result->ofRanks()) return row;
    const Comparison& comparison = m_result->of(rank);
    const std::vector<std::size_t>& compiles = m_result->ranks.rows[std::size_t(row)].compiles;
    for (std::size_t i = 0; i < comparison.compiles.size(); ++i) {
        const CompileComparison& pair = comparison.compiles[i];
        const std::size_t compile = pair.a != compare::none ? pair.a : pair.b;
        if (std::ranges::find(compiles, compile) != compiles.end()) return int(i);
    }
    return -1;
}

int PairsModel::rowOfPair(int rank, int pair) const {
    if (!m_result) return -1;
    if (!m_result->ofRanks()) return pair < rowCount() ? pair : -1;
    for (int row = 0; row < rowCount(); ++row)
        if (pairOfRow(row, rank) == pair) return row;
    return -1;
}

const session::Compile* PairsModel::compileOfRow(int row) const {
    const int rank = rankOfRow(row), pair = pairOfRow(row, rank);
    if (pair < 0) return nullptr;
    const CompileComparison& entry = m_result->of(rank).compiles[std::size_t(pair)];
    return entry.a != compare::none ? &m_result->request.a->compiles[entry.a]
                                    : &m_result->request.b->compiles[entry.b];
}

compare::CompareVerdict PairsModel::verdictOfRow(int row) const {
    if (!m_result->ofRanks()) return m_result->whole.compiles[std::size_t(row)].verdict;
    return m_result->ranks.rows[std::size_t(row)].alike() ? compare::CompareVerdict::Same
                                                          : compare::CompareVerdict::Differs;
}

QString PairsModel::cell(int row, int column) const {
    if (column == 0) return toQString(compare::verdictName(verdictOfRow(row)));
    if (column == functionColumn()) {
        const session::Compile* compile = compileOfRow(row);
        return compile ? frameText(*compile) : QString();
    }
    if (m_result->ofRanks()) {
        const RankRow& entry = m_result->ranks.rows[std::size_t(row)];
        if (column < functionColumn()) {
            const int group = entry.group[std::size_t(column - 1)];
            if (group < 0) return groupText(group);
            const std::size_t own = entry.compiles[std::size_t(column - 1)];
            return toQString(m_result->request.a->compiles[own].id.toString()) + u' ' + groupText(group);
        }
        return toQString(entry.difference);
    }
    const CompileComparison& entry = m_result->whole.compiles[std::size_t(row)];
    const auto id = [](const session::Session& session, std::size_t compile) {
        return compile == compare::none ? QStringLiteral("–")
                                        : toQString(compileName(session, session.compiles[compile]));
    };
    if (column == 1) return id(*m_result->request.a, entry.a);
    if (column == 2) return id(*m_result->request.b, entry.b);
    if (column == differenceColumn()) return toQString(entry.difference);
    const bool isA = column == differenceColumn() + 1;
    const bool has = (isA ? entry.a : entry.b) != compare::none;
    return has ? secondsText(isA ? entry.secondsA : entry.secondsB) : QString();
}

QVariant PairsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const int row = index.row(), column = index.column();
    switch (role) {
    case VerdictRole:
        return int(verdictOfRow(row));
    case IndexRole:
        return row;
    case GroupRole:
        return m_result->ofRanks() && column > 0 && column < functionColumn()
                   ? m_result->ranks.rows[std::size_t(row)].group[std::size_t(column - 1)]
                   : 0;
    case Qt::TextAlignmentRole:
        return int((column > differenceColumn() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return cell(row, column);
    case CompareSortRole:
        if (column == 0) return int(verdictOfRow(row));
        if (column < functionColumn()) return row; // ids in the order of compilation
        if (column > differenceColumn()) {
            const CompileComparison& entry = m_result->whole.compiles[std::size_t(row)];
            return column == differenceColumn() + 1 ? entry.secondsA : entry.secondsB;
        }
        return cell(row, column);
    default:
        return {};
    }
}

QVariant PairsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    if (role == Qt::TextAlignmentRole)
        return int((section > differenceColumn() ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    const bool ofRanks = m_result && m_result->ofRanks();
    if (role == Qt::ToolTipRole && ofRanks && section > 0 && section < functionColumn())
        return tr("Ranks with the same letter compiled the same");
    if (role != Qt::DisplayRole) return {};
    if (section == 0) return tr("Verdict");
    if (section == functionColumn()) return tr("Function");
    if (section == differenceColumn()) return tr("First difference");
    if (ofRanks) return tr("Rank %1").arg(m_result->ranks.ranks[std::size_t(section - 1)]);
    return section == 1                        ? tr("A")
           : section == 2                      ? tr("B")
           : section == differenceColumn() + 1 ? tr("Time of A")
                                               : tr("Time of B");
}

PairsFilter::PairsFilter(QObject* parent)
    : QSortFilterProxyModel(parent) {
    setSortRole(CompareSortRole);
}

void PairsFilter::setText(const QString& text) {
    m_text = text;
    invalidateFilter();
}

void PairsFilter::setDifferingOnly(bool on) {
    m_differingOnly = on;
    invalidateFilter();
}

bool PairsFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    const auto cell = [&](int column) { return sourceModel()->index(row, column, parent); };
    if (m_differingOnly && cell(0).data(VerdictRole).toInt() == int(compare::CompareVerdict::Same))
        return false;
    if (m_text.isEmpty()) return true;
    for (int column = 0; column < sourceModel()->columnCount(parent); ++column)
        if (cell(column).data().toString().contains(m_text, Qt::CaseInsensitive)) return true;
    return false;
}

} // namespace dynascope::views
