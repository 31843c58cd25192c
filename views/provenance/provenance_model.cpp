// SPDX-License-Identifier: BSD-3-Clause
#include "views/provenance/provenance_model.h"

#include "views/workspace/labels.h"

namespace dynascope::views {

using Kind = ProvenanceItem::Kind;

namespace {

bool isLink(const ProvenanceItem& item) {
    return item.kind != Kind::Heading && item.kind != Kind::Note;
}

} // namespace

ProvenanceModel::ProvenanceModel(QObject* parent)
    : QAbstractTableModel(parent) {}

void ProvenanceModel::setRows(std::vector<ProvenanceRow> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

const ProvenanceItem* ProvenanceModel::itemAt(const QModelIndex& index) const {
    if (!index.isValid() || !checkIndex(index)) return nullptr;
    const auto& item = m_rows[std::size_t(index.row())].items[std::size_t(index.column())];
    return item ? &*item : nullptr;
}

QModelIndex ProvenanceModel::askedIndex() const {
    for (std::size_t r = 0; r < m_rows.size(); ++r)
        for (std::size_t c = 0; c < levelCount; ++c)
            if (const auto& item = m_rows[r].items[c]; item && item->asked)
                return createIndex(int(r), int(c));
    return {};
}

QString ProvenanceModel::plainText() const {
    QStringList lines;
    QStringList head;
    for (int c = 0; c < columnCount(); ++c)
        head << headerData(c, Qt::Horizontal, Qt::DisplayRole).toString();
    lines << head.join(u'\t');
    for (const ProvenanceRow& row : m_rows) {
        if (!row.band.isEmpty()) {
            lines << row.band;
            continue;
        }
        QStringList cells;
        for (const std::optional<ProvenanceItem>& item : row.items)
            cells << (item ? item->text : QString());
        lines << cells.join(u'\t');
    }
    return lines.join(u'\n');
}

int ProvenanceModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int ProvenanceModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(levelCount);
}

QString ProvenanceModel::toolTip(const ProvenanceItem& item) {
    if (item.kind == Kind::Heading) return tr("These stages have the nodes below:\n%1").arg(item.detail);
    if (item.kind == Kind::Note) return {};
    QString out = item.text;
    if (!item.detail.isEmpty()) out += QStringLiteral("  ") + item.detail;
    const QString how = toQString(session::linkEvidenceName(item.evidence));
    if (item.asked)
        out += u'\n' + tr("What was asked about");
    else if (item.recorded)
        out += u'\n' + tr("Recorded by PyTorch: %1").arg(how);
    else
        out += u'\n' + tr("Aligned by Dynascope: %1. The weakest link on the way counts.").arg(how);
    return out;
}

QVariant ProvenanceModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const ProvenanceRow& row = m_rows[std::size_t(index.row())];
    if (role == BandRole) return !row.band.isEmpty();
    if (!row.band.isEmpty()) return role == Qt::DisplayRole && index.column() == 0 ? row.band : QVariant();
    const ProvenanceItem* item = itemAt(index);
    if (!item) return {};
    switch (role) {
    case Qt::DisplayRole:
        return item->text;
    case KindRole:
        return int(item->kind);
    case DetailRole:
        return item->kind == Kind::Heading ? QString() : item->detail;
    case RecordedRole:
        return isLink(*item) ? QVariant(item->recorded) : QVariant();
    case AskedRole:
        return item->asked;
    case OpKindRole:
        return item->kind == Kind::Node ? QVariant(int(item->opKind)) : QVariant();
    case Qt::ToolTipRole: {
        const QString tip = toolTip(*item);
        return tip.isEmpty() ? QVariant() : QVariant(plainToolTip(tip));
    }
    case Qt::AccessibleTextRole:
        if (!isLink(*item)) return item->text;
        return QString(item->text + QStringLiteral(", ") +
                       (item->asked      ? tr("asked about")
                        : item->recorded ? tr("recorded")
                                         : tr("aligned")));
    default:
        return {};
    }
}

QVariant ProvenanceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= int(levelCount)) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    static const std::array<std::pair<const char*, const char*>, levelCount> heads = {
        {{QT_TR_NOOP("Source"), QT_TR_NOOP("Lines of the program")},
         {QT_TR_NOOP("Dynamo"), QT_TR_NOOP("Nodes of Dynamo's graph, also after the pre-grad passes")},
         {QT_TR_NOOP("Joint and AOT"), QT_TR_NOOP("Nodes of the graphs that AOTAutograd made")},
         {QT_TR_NOOP("Post-grad"), QT_TR_NOOP("Nodes of the graphs that Inductor's post-grad passes made")},
         {QT_TR_NOOP("Kernels"), QT_TR_NOOP("Kernels of the generated code")},
         {QT_TR_NOOP("Code lines"), QT_TR_NOOP("Lines of the generated code: definitions and calls")}}};
    if (role == Qt::DisplayRole) return tr(heads[std::size_t(section)].first);
    if (role == Qt::ToolTipRole) return tr(heads[std::size_t(section)].second);
    return {};
}

Qt::ItemFlags ProvenanceModel::flags(const QModelIndex& index) const {
    const ProvenanceItem* item = itemAt(index);
    return item && isLink(*item) ? Qt::ItemIsEnabled | Qt::ItemIsSelectable : Qt::ItemFlags();
}

} // namespace dynascope::views
