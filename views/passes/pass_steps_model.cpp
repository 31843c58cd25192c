// SPDX-License-Identifier: BSD-3-Clause
#include "views/passes/pass_steps_model.h"

#include "views/theme/shown_text.h"
#include "views/workspace/labels.h"

#include <QBrush>
#include <algorithm>

namespace dynascope::views {

namespace {

using What = computed::PassStepRow::What;

bool matters(const computed::PassStepRow& step) {
    return step.what != What::Stays || step.writeStays;
}

QString resultText(const computed::PassStepRow& step) {
    if (step.results.empty()) return toQString(stepWord(step.what));
    QStringList names;
    for (const std::string& name : step.results)
        names << toQString(name);
    return names.join(QStringLiteral(", "));
}

QString whyText(const computed::PassStepRow& step) {
    const char* between = step.why.empty() || step.memory.empty() ? "" : "; ";
    return toQString(step.why + between + step.memory);
}

} // namespace

PassStepsModel::PassStepsModel(Theme& theme, QObject* parent)
    : QAbstractTableModel(parent)
    , m_theme(theme) {}

void PassStepsModel::setSteps(ShownPassStepsPtr shown) {
    beginResetModel();
    m_shown = std::move(shown);
    endResetModel();
}

const computed::PassStepRow* PassStepsModel::step(int row) const {
    return row >= 0 && row < rowCount() ? &m_shown->steps.rows[std::size_t(row)] : nullptr;
}

int PassStepsModel::rowOf(const std::string& node, bool ofResult) const {
    for (int row = 0; row < rowCount(); ++row) {
        const computed::PassStepRow& step = m_shown->steps.rows[std::size_t(row)];
        if (!ofResult ? step.source == node : std::ranges::find(step.results, node) != step.results.end())
            return row;
    }
    return ofResult ? rowOf(node, false) : -1; // what stays has its name in the result too
}

int PassStepsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_shown ? 0 : int(m_shown->steps.rows.size());
}

int PassStepsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PassStepsModel::data(const QModelIndex& index, int role) const {
    const computed::PassStepRow* step = this->step(index.row());
    if (!step) return {};
    const Colours& c = m_theme.colours();
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case Number:
            return index.row() + 1;
        case Op:
            if (step->source.empty()) return tr("the graph as a whole");
            return toQString(step->source + (step->call.empty() ? "" : " = " + step->call));
        case Became:
            return resultText(*step);
        case Why:
            return whyText(*step);
        default:
            return {};
        }
    case Qt::ToolTipRole: {
        QStringList lines{toQString(step->call), resultText(*step), whyText(*step)};
        lines.removeAll(QString());
        return plainToolTip(lines.join(u'\n'));
    }
    case Qt::ForegroundRole:
        if (index.column() == Number || !matters(*step)) return QBrush(c.text3);
        if (index.column() != Became) return {};
        return QBrush(step->what == What::Removed ? c.removed
                      : step->what == What::Made  ? c.added
                                                  : c.changed);
    case MattersRole:
        return matters(*step);
    default:
        return {};
    }
}

QVariant PassStepsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case Number:
        return tr("#");
    case Op:
        return tr("Op");
    case Became:
        return tr("In the result");
    case Why:
        return tr("Why");
    default:
        return {};
    }
}

ResultSoFarModel::ResultSoFarModel(Theme& theme, QObject* parent)
    : QAbstractListModel(parent)
    , m_theme(theme) {}

void ResultSoFarModel::setSteps(ShownPassStepsPtr shown) {
    beginResetModel();
    m_shown = std::move(shown);
    m_begin = m_end = 0;
    endResetModel();
}

std::size_t ResultSoFarModel::endAfter(int row) const {
    if (!m_shown || row < 0 || m_shown->steps.rows.empty()) return 0;
    const auto& rows = m_shown->steps.rows;
    return std::min(rows[std::min(std::size_t(row), rows.size() - 1)].end, m_shown->lines.size());
}

void ResultSoFarModel::setStep(int row) {
    const std::size_t end = endAfter(row);
    if (end > m_end) {
        beginInsertRows({}, int(m_end), int(end) - 1);
        m_end = end;
        endInsertRows();
    } else if (end < m_end) {
        beginRemoveRows({}, int(end), int(m_end) - 1);
        m_end = end;
        endRemoveRows();
    }
    m_begin = std::min(endAfter(row - 1), m_end);
    if (m_end > 0)
        emit dataChanged(index(0), index(int(m_end) - 1), {Qt::ForegroundRole, Qt::BackgroundRole});
}

int ResultSoFarModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_end);
}

QVariant ResultSoFarModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || std::size_t(index.row()) >= m_end) return {};
    const bool isNew = std::size_t(index.row()) >= m_begin;
    const Colours& c = m_theme.colours();
    switch (role) {
    case Qt::DisplayRole:
        return toQString(m_shown->lines[std::size_t(index.row())]);
    case Qt::ToolTipRole:
        return plainToolTip(toQString(m_shown->lines[std::size_t(index.row())]));
    case Qt::BackgroundRole:
        return isNew ? QVariant(QBrush(c.accentBg)) : QVariant();
    case Qt::ForegroundRole:
        return QBrush(isNew ? c.text : c.text2);
    default:
        return {};
    }
}

} // namespace dynascope::views
