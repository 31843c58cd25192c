// SPDX-License-Identifier: BSD-3-Clause
#include "views/inputs/inputs_model.h"

#include "core/session/metrics.h"
#include "core/session/module_names.h"
#include "views/workspace/labels.h"

#include <algorithm>
#include <array>
#include <map>

namespace dynascope::views {

std::vector<QString> inputNames(const session::Compile& compile) {
    std::vector<std::string> names;
    std::map<std::string, int> count;
    for (const session::TensorInput& input : compile.inputs)
        ++count[names.emplace_back(session::withModuleNames(input.source))];
    std::vector<QString> out;
    for (std::size_t i = 0; i < names.size(); ++i)
        out.push_back(toQString(count[names[i]] == 1 ? names[i] : compile.inputs[i].source));
    return out;
}

void InputsModel::setCompile(session::SessionPtr session, std::size_t compile) {
    beginResetModel();
    m_session = std::move(session);
    m_compile = compile;
    m_rows.clear();
    m_names.clear();
    if (m_session) {
        m_names = inputNames(m_session->compiles[compile]);
        const auto& inputs = m_session->compiles[compile].inputs;
        for (std::size_t i = 0; i < inputs.size(); ++i)
            m_rows.push_back(i);
        std::stable_partition(m_rows.begin(), m_rows.end(),
                              [&](std::size_t i) { return !inputs[i].source.empty(); });
    }
    endResetModel();
}

int InputsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int InputsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

int InputsModel::inputOfRow(int row) const {
    return row >= 0 && row < int(m_rows.size()) ? int(m_rows[std::size_t(row)]) : -1;
}

int InputsModel::rowOfInput(int input) const {
    const auto at = std::find(m_rows.begin(), m_rows.end(), std::size_t(input));
    return at == m_rows.end() ? -1 : int(at - m_rows.begin());
}

QString InputsModel::toolTip(std::size_t at) const {
    const session::TensorInput& input = m_session->compiles[m_compile].inputs[at];
    std::string json = input.raw;
    if (json.empty() && input.record < m_session->records.size())
        json = session::bodyJson(m_session->records[input.record].header, "describe_tensor");
    QStringList lines;
    if (m_names[at] != toQString(input.source)) lines << m_names[at];
    for (const std::string& line : {input.source, json.substr(0, 1500)})
        if (!line.empty()) lines << toQString(line);
    return lines.join(u'\n');
}

QString InputsModel::cellText(std::size_t at, int column) const {
    const session::TensorInput& input = m_session->compiles[m_compile].inputs[at];
    switch (column) {
    case Source:
        return input.source.empty() ? tr("(base, tensor %1)").arg(input.id) : m_names[at];
    case Shape:
        return toQString(input.meta.shortForm());
    case Stride: {
        if (!input.meta.strides) return tr("not recorded");
        QStringList strides;
        for (const std::string& stride : *input.meta.strides)
            strides << toQString(stride);
        return u'(' + strides.join(QStringLiteral(", ")) + u')';
    }
    case Storage:
        return input.storage < 0 ? QString() : QString::number(input.storage);
    case Offset:
        return toQString(input.storageOffset);
    case Flags: {
        QStringList flags;
        if (input.isParameter) flags << tr("parameter");
        if (input.requiresGrad) flags << tr("grad");
        if (input.isLeaf) flags << tr("leaf");
        if (input.isView) flags << (input.base >= 0 ? tr("view of %1").arg(input.base) : tr("view"));
        return flags.join(QStringLiteral(", "));
    }
    default:
        return {};
    }
}

QVariant InputsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const std::size_t at = m_rows[std::size_t(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        return cellText(at, index.column());
    case Qt::ToolTipRole:
        return toolTip(at);
    case NameRole:
        return m_names[at];
    case SourceRole:
        return toQString(m_session->compiles[m_compile].inputs[at].source);
    case SearchRole: {
        QStringList cells{data(index, SourceRole).toString()};
        for (int column = 0; column < ColumnCount; ++column)
            cells << cellText(at, column);
        return cells.join(u'\n');
    }
    default:
        return {};
    }
}

QVariant InputsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && section == Storage) return tr("Inputs with the same number share memory");
    if (role == Qt::ToolTipRole && section == Offset)
        return tr("First element within the storage, in elements");
    if (role == Qt::ToolTipRole && section == Stride)
        return tr("Elements to step in memory for each dimension");
    if (role != Qt::DisplayRole) return {};
    const std::array<QString, ColumnCount> names{tr("Source"),  tr("Shape"),  tr("Stride"),
                                                 tr("Storage"), tr("Offset"), tr("Flags")};
    return names[std::size_t(section)];
}

} // namespace dynascope::views
