// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/runs_model.h"

#include "core/base/words.h"
#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

/// Of the three figures that a summary has; nothing for another column.
std::optional<std::size_t> figure(const runs::RunSummary& summary, int column) {
    switch (column) {
    case RunsModel::Compiles:
        return summary.compiles;
    case RunsModel::Recompiles:
        return summary.recompiles;
    case RunsModel::Breaks:
        return summary.breaks;
    default:
        return std::nullopt;
    }
}

bool isNumber(int column) {
    return column == RunsModel::Took || column == RunsModel::Size ||
           figure(runs::RunSummary(), column).has_value();
}

QString heldText(const cli::CaptureFiles& files) {
    QStringList parts{files.traces == 0
                          ? RunsModel::tr("no trace")
                          : countText(files.traces, RunsModel::tr("trace"), RunsModel::tr("traces"))};
    if (const std::string beside = cli::besideText(files); !beside.empty()) parts << toQString(beside);
    return parts.join(RunsModel::tr(", "));
}

} // namespace

RunsModel::RunsModel(Theme& theme, QObject* parent)
    : QAbstractTableModel(parent)
    , m_theme(theme) {}

void RunsModel::setRows(std::vector<RunRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

void RunsModel::setSummary(const std::string& path, runs::RunSummary summary) {
    const auto at = std::ranges::find(m_rows, path, [](const RunRow& row) { return row.run.path; });
    if (at == m_rows.end()) return;
    at->summary = std::move(summary);
    const int row = int(at - m_rows.begin());
    emit dataChanged(index(row, 0), index(row, ColumnCount - 1));
}

int RunsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int RunsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QString RunsModel::text(const RunRow& row, int column) const {
    if (column == Name) return toQString(row.run.name);
    if (column == Holds) return heldText(row.files);
    if (column == Size) return bytesText(row.files.bytes);
    if (!row.run.record) return column == End ? tr("cannot be read") : QString();
    const runs::RunRecord& record = *row.run.record;
    switch (column) {
    case Command:
        return toQString(runs::commandText(record));
    case Started:
        return toQString(runs::localTime(record.started, "%Y-%m-%d %H:%M:%S"));
    case End:
        return toQString(runs::endText(record));
    case Took:
        return record.seconds ? toQString(formatSeconds(*record.seconds)) : QString();
    default:
        if (!row.summary) return QString(QChar(0x2026)); // being read
        return row.summary->problem.empty() ? numberText(figure(*row.summary, column).value_or(0))
                                            : QStringLiteral("?");
    }
}

QVariant RunsModel::order(const RunRow& row, int column) const {
    switch (column) {
    case Started:
        return row.run.record ? qlonglong(row.run.record->started) : -1;
    case Took:
        return row.run.record ? row.run.record->seconds.value_or(-1) : -1;
    case Size:
        return qulonglong(row.files.bytes);
    case Compiles:
    case Recompiles:
    case Breaks:
        return row.summary && row.summary->problem.empty()
                   ? qlonglong(figure(*row.summary, column).value_or(0))
                   : -1;
    default:
        return text(row, column);
    }
}

QVariant RunsModel::colour(const RunRow& row, int column) const {
    const Colours& c = m_theme.colours();
    if (column != End) return column == Command || column == Name ? QVariant() : QVariant(c.text2);
    if (!row.run.record) return c.removed;
    if (!row.run.record->exitStatus) return c.changed;
    return *row.run.record->exitStatus == 0 ? QVariant(c.text2) : QVariant(c.removed);
}

QVariant RunsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || std::size_t(index.row()) >= m_rows.size()) return {};
    const RunRow& row = m_rows[std::size_t(index.row())];
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(row, column);
    case SortRole:
        return order(row, column);
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter | (isNumber(column) ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ForegroundRole:
        return colour(row, column);
    case Qt::ToolTipRole:
        if (column == Name) return plainToolTip(toQString(row.run.path));
        if (column == End && !row.run.record) return plainToolTip(toQString(row.run.record.error().message));
        if (column == End && !row.run.record->exitStatus)
            return plainToolTip(tr("It runs still, or was killed together with dynascope-cli"));
        if (figure(runs::RunSummary(), column) && row.summary && !row.summary->problem.empty())
            return plainToolTip(toQString(row.summary->problem));
        return plainToolTip(text(row, column));
    default:
        return {};
    }
}

QVariant RunsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter | (isNumber(section) ? Qt::AlignRight : Qt::AlignLeft));
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Name:
        return tr("Run");
    case Command:
        return tr("Command");
    case Started:
        return tr("Started");
    case End:
        return tr("End");
    case Took:
        return tr("Took");
    case Compiles:
        return tr("Compiles");
    case Recompiles:
        return tr("Recompiles");
    case Breaks:
        return tr("Breaks");
    case Holds:
        return tr("Holds");
    case Size:
        return tr("Size");
    default:
        return {};
    }
}

} // namespace dynascope::app
