// SPDX-License-Identifier: BSD-3-Clause
#include "views/compile_time/record_model.h"

#include "views/workspace/labels.h"

namespace dynascope::views {

void RecordModel::setSession(session::SessionPtr session) {
    if (session == m_session) return;
    beginResetModel();
    m_session = std::move(session);
    endResetModel();
}

int RecordModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_session ? 0 : int(m_session->records.size());
}

int RecordModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant RecordModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const session::Record& r = m_session->records[std::size_t(index.row())];
    if (role == KnownRole) return r.known;
    if (role == Qt::ToolTipRole && !r.known && index.column() == Type)
        return tr("No reader knows this type. It is kept raw.");
    if (role == Qt::TextAlignmentRole && (index.column() == Line || index.column() == Size))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
    case Line:
        return numberText(r.line);
    case Type:
        return r.known ? toQString(r.type) : toQString(r.type) + tr("  (unknown)");
    case CompileId: {
        const QString id = toQString(r.compileId.toString());
        return r.attempt > 0 ? tr("%1, attempt %2").arg(id).arg(r.attempt) : id;
    }
    case Size:
        return r.payload.empty() ? QString() : bytesText(r.payload.length);
    case Origin:
        return toQString(r.origin);
    default:
        return {};
    }
}

QVariant RecordModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole && (section == Line || section == Size))
        return int(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Line:
        return tr("Line");
    case Type:
        return tr("Type");
    case CompileId:
        return tr("Compile");
    case Size:
        return tr("Payload");
    case Origin:
        return tr("Written by");
    default:
        return {};
    }
}

void RecordFilter::setText(const QString& text) {
    m_text = text.trimmed();
    m_judged.clear();
    invalidateFilter();
}

void RecordFilter::setCompile(int compile) {
    m_compile = compile;
    m_ofCompile.clear();
    const auto* model = qobject_cast<const RecordModel*>(sourceModel());
    if (model && model->session() && compile >= 0 &&
        std::size_t(compile) < model->session()->compiles.size()) {
        m_ofCompile.assign(model->session()->records.size(), false);
        for (const std::size_t record : model->session()->compiles[std::size_t(compile)].records)
            if (record < m_ofCompile.size()) m_ofCompile[record] = true;
    }
    invalidateFilter();
}

bool RecordFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
    if (m_compile >= 0 && (std::size_t(row) >= m_ofCompile.size() || !m_ofCompile[std::size_t(row)]))
        return false;
    if (m_text.isEmpty()) return true;
    const auto matches = [&] {
        return sourceModel()
            ->index(row, RecordModel::Type, parent)
            .data()
            .toString()
            .contains(m_text, Qt::CaseInsensitive);
    };
    const auto* model = qobject_cast<const RecordModel*>(sourceModel());
    if (!model || !model->session()) return matches();
    // A million records have a hundred types: each is compared once.
    const session::RecordList& records = model->session()->records;
    if (m_judgedOf != model->session() || m_judged.size() != records.commonCount()) {
        m_judgedOf = model->session();
        m_judged.assign(records.commonCount(), Unjudged);
    }
    char& judged = m_judged[records.commonIndex(std::size_t(row))];
    if (judged == Unjudged) judged = matches() ? Matches : MatchesNot;
    return judged == Matches;
}

bool RecordFilter::lessThan(const QModelIndex& a, const QModelIndex& b) const {
    const auto* model = qobject_cast<const RecordModel*>(sourceModel());
    if (!model || !model->session()) return QSortFilterProxyModel::lessThan(a, b);
    const session::RecordList& records = model->session()->records;
    const std::size_t ra = std::size_t(a.row()), rb = std::size_t(b.row());
    switch (a.column()) {
    case RecordModel::Line:
        return records.line(ra) < records.line(rb);
    case RecordModel::Size:
        return records.payloadLength(ra) < records.payloadLength(rb);
    case RecordModel::CompileId:
        return records.compileId(ra) < records.compileId(rb);
    default:
        return QSortFilterProxyModel::lessThan(a, b);
    }
}

} // namespace dynascope::views
