// SPDX-License-Identifier: BSD-3-Clause
#include "views/compare/compare_models.h"

#include "views/workspace/labels.h"

#include <array>
#include <cmath>

namespace dynascope::views {

namespace {

/// "+3 −1 ~2".
QString changesOf(const compare::StageComparison& stage) {
    QStringList parts;
    const auto add = [&parts](std::size_t n, diff::Change change) {
        if (n > 0) parts << QString(QChar(char16_t(diff::changeSign(change)))) + QString::number(n);
    };
    add(stage.added, diff::Change::Added);
    add(stage.removed, diff::Change::Removed);
    add(stage.changed, diff::Change::Changed);
    add(stage.moved, diff::Change::Moved);
    return parts.join(u' ');
}

compare::CompareVerdict verdictOf(const QString& a, const QString& b) {
    return a == b        ? compare::CompareVerdict::Same
           : b.isEmpty() ? compare::CompareVerdict::OnlyInA
           : a.isEmpty() ? compare::CompareVerdict::OnlyInB
                         : compare::CompareVerdict::Differs;
}

QString outcomeText(const std::optional<session::CacheEvent::Outcome>& outcome) {
    return outcome ? toQString(session::outcomeName(*outcome)) : Workspace::tr("not asked");
}

} // namespace

void StagePairsModel::set(std::vector<compare::StageComparison> stages) {
    beginResetModel();
    m_stages = std::move(stages);
    endResetModel();
}

int StagePairsModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_stages.size());
}

int StagePairsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant StagePairsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const compare::StageComparison& stage = m_stages[std::size_t(index.row())];
    if (role == VerdictRole) return int(stage.cached ? compare::CompareVerdict::Same : stage.verdict);
    if (role == IndexRole) return index.row();
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != CompareSortRole) return {};
    switch (index.column()) {
    case Verdict:
        if (role == CompareSortRole) return int(stage.verdict);
        return stage.cached ? tr("cached") : toQString(compare::verdictName(stage.verdict));
    case Stage:
        return role == CompareSortRole ? QVariant(index.row())
                                       : QVariant(toQString((stage.a ? stage.a : stage.b)->label()));
    case Changes:
        return changesOf(stage);
    case Difference:
        return toQString(stage.difference);
    default:
        return {};
    }
}

QVariant StagePairsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const std::array<QString, ColumnCount> names{tr("Verdict"), tr("Stage"), tr("Nodes"),
                                                 tr("First difference")};
    return names[std::size_t(section)];
}

std::vector<ComparedValue> guardRows(const compare::ListComparison& guards) {
    std::vector<ComparedValue> out;
    const auto add = [&out](const std::vector<std::string>& lines, bool inA) {
        for (const std::string& line : lines) {
            const QString text = toQString(line);
            const auto colon = text.indexOf(QLatin1String(": "));
            const QString name = colon > 0 ? text.left(colon) : QString(),
                          code = colon > 0 ? text.mid(colon + 2) : text;
            out.push_back({name,
                           inA ? code : QString(),
                           inA ? QString() : code,
                           {},
                           {},
                           inA ? compare::CompareVerdict::OnlyInA : compare::CompareVerdict::OnlyInB});
        }
    };
    add(guards.onlyA, true);
    add(guards.onlyB, false);
    return out;
}

std::vector<ComparedValue> valueRows(const std::vector<compare::ValueComparison>& values) {
    std::vector<ComparedValue> out;
    for (const compare::ValueComparison& value : values) {
        const QString a = toQString(value.a), b = toQString(value.b);
        out.push_back({toQString(value.name), a, b, {}, {}, verdictOf(a, b)});
    }
    return out;
}

std::vector<ComparedValue> cacheRows(const std::vector<compare::CacheComparison>& caches) {
    std::vector<ComparedValue> out;
    for (const compare::CacheComparison& cache : caches) {
        const QString name = toQString(cache.cache), a = outcomeText(cache.a), b = outcomeText(cache.b);
        out.push_back({name, a, b, {}, {}, verdictOf(a, b)});
        const QString keyA = toQString(cache.keyA), keyB = toQString(cache.keyB);
        if (!keyA.isEmpty() || !keyB.isEmpty())
            out.push_back({Workspace::tr("%1, key").arg(name), keyA, keyB, {}, {}, verdictOf(keyA, keyB)});
        for (const std::string& difference : cache.differences) {
            const QString text = toQString(difference);
            const auto colon = text.indexOf(QLatin1String(": ")),
                       slash = text.indexOf(QLatin1String(" / "), colon);
            if (colon < 0 || slash < 0)
                out.push_back({Workspace::tr("%1, key part").arg(name), text, {}, {}, {}});
            else
                out.push_back(
                    {text.left(colon), text.mid(colon + 2, slash - colon - 2), text.mid(slash + 3), {}, {}});
        }
    }
    return out;
}

std::vector<ComparedValue> timingRows(const std::vector<compare::TimingComparison>& timings) {
    std::vector<ComparedValue> out;
    for (const compare::TimingComparison& timing : timings) {
        const auto text = [](double seconds, std::size_t count) {
            if (count == 0) return QString();
            return count == 1 ? durationText(seconds * 1e6)
                              : Workspace::tr("%1 in %2").arg(durationText(seconds * 1e6)).arg(count);
        };
        const double most = std::max(timing.secondsA, timing.secondsB);
        // A tenth of the longer time and a hundredth of a second: less is noise.
        const bool near = std::abs(timing.secondsA - timing.secondsB) < std::max(0.1 * most, 0.01);
        out.push_back({toQString(timing.name), text(timing.secondsA, timing.countA),
                       text(timing.secondsB, timing.countB), timing.secondsA, timing.secondsB,
                       timing.countB == 0   ? compare::CompareVerdict::OnlyInA
                       : timing.countA == 0 ? compare::CompareVerdict::OnlyInB
                       : near               ? compare::CompareVerdict::Same
                                            : compare::CompareVerdict::Differs});
    }
    return out;
}

void ComparedValuesModel::set(std::vector<ComparedValue> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int ComparedValuesModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_rows.size());
}

int ComparedValuesModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ComparedValuesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const ComparedValue& row = m_rows[std::size_t(index.row())];
    if (role == VerdictRole) return int(row.verdict);
    if (role == IndexRole) return index.row();
    const bool sort = role == CompareSortRole;
    if (!sort && role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
    switch (index.column()) {
    case Verdict:
        return sort ? QVariant(int(row.verdict)) : QVariant(toQString(compare::verdictName(row.verdict)));
    case Name:
        return row.name;
    case A:
        return sort && row.sortA.isValid() ? row.sortA : QVariant(row.a);
    case B:
        return sort && row.sortB.isValid() ? row.sortB : QVariant(row.b);
    default:
        return {};
    }
}

QVariant ComparedValuesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount) return {};
    if (role == Qt::TextAlignmentRole) return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole) return {};
    const std::array<QString, ColumnCount> names{tr("Verdict"), tr("Name"), tr("A"), tr("B")};
    return names[std::size_t(section)];
}

} // namespace dynascope::views
