// SPDX-License-Identifier: BSD-3-Clause
#include "views/problems/problem_model.h"

#include "views/base/panel_turns.h"
#include "views/workspace/labels.h"

#include <algorithm>
#include <map>

namespace dynascope::views {

namespace {

using Severity = Problem::Severity;

void addCompiles(std::vector<Problem>& out, const session::Session& session, int capture) {
    for (std::size_t i = 0; i < session.compiles.size(); ++i) {
        const session::Compile& c = session.compiles[i];
        const bool failed = c.status == session::Status::Failed;
        if (!failed && c.status != session::Status::Incomplete) continue;
        Problem p;
        p.severity = failed ? Severity::Error : Severity::Warning;
        p.capture = capture;
        p.compile = int(i);
        const QString id = toQString(c.id.toString());
        if (failed) {
            const QString reason = statusDetail(c);
            p.text = ProblemModel::tr("%1 failed: %2")
                         .arg(id, reason.isEmpty() ? ProblemModel::tr("no reason recorded") : reason);
        } else {
            p.text = ProblemModel::tr("%1 is incomplete: the trace ends before its compile does").arg(id);
        }
        p.place = c.failAt.line > 0 ? placeText(c.failAt) : placeText(c);
        out.push_back(std::move(p));
    }
}

void addBreaks(std::vector<Problem>& out, const session::BreakSummary& breaks, int capture) {
    for (std::size_t i = 0; i < breaks.groups.size(); ++i) {
        const session::BreakGroup& group = breaks.groups[i];
        Problem p;
        p.severity = Severity::Break;
        p.capture = capture;
        p.breakGroup = int(i);
        p.text = countText(group.occurrences.size(), ProblemModel::tr("graph break"),
                           ProblemModel::tr("graph breaks")) +
                 QStringLiteral(": ") + toQString(group.reason);
        p.place = placeText(group.location);
        out.push_back(std::move(p));
    }
}

void addWarnings(std::vector<Problem>& out, const session::Session& session, int capture) {
    for (const session::Warning& warning : session.warnings) {
        Problem p;
        p.capture = capture;
        p.text = toQString(warning.error.message).simplified();
        if (warning.error.line > 0) p.place = ProblemModel::tr("line %1").arg(warning.error.line);
        if (warning.record < session.records.size()) p.record = std::ptrdiff_t(warning.record);
        out.push_back(std::move(p));
    }
    // One row for each type that no reader knows, not one for each record.
    std::map<std::string, std::pair<std::size_t, std::size_t>> unknown; // type -> count, first
    const std::size_t looked = session.records.allKnown() ? 0 : session.records.size();
    for (std::size_t i = 0; i < looked; ++i)
        if (!session.records.known(i))
            ++unknown.try_emplace(session.records.type(i), 0U, i).first->second.first;
    for (const auto& [type, seen] : unknown) {
        Problem p;
        p.capture = capture;
        p.text = ProblemModel::tr("%1 of unknown type %2, kept raw")
                     .arg(countText(seen.first, ProblemModel::tr("record"), ProblemModel::tr("records")),
                          toQString(type));
        p.place = ProblemModel::tr("line %1").arg(session.records.line(seen.second));
        p.record = std::ptrdiff_t(seen.second);
        out.push_back(std::move(p));
    }
}

} // namespace

std::vector<Problem> collectProblems(const std::vector<Workspace::Capture>& captures) {
    std::vector<Problem> out;
    for (std::size_t i = 0; i < captures.size(); ++i) {
        const auto first = std::ptrdiff_t(out.size());
        addCompiles(out, *captures[i].session, int(i));
        addBreaks(out, captures[i].breaks, int(i));
        addWarnings(out, *captures[i].session, int(i));
        std::stable_sort(out.begin() + first, out.end(),
                         [](const Problem& a, const Problem& b) { return a.severity < b.severity; });
    }
    return out;
}

QString problemsText(const std::vector<Problem>& problems, const std::vector<Workspace::Capture>& captures) {
    std::size_t failed = 0, reasons = 0, incomplete = 0, others = 0, warnings = 0;
    for (const Problem& problem : problems)
        ++(problem.severity == Severity::Error   ? failed
           : problem.severity == Severity::Break ? reasons
           : problem.compile >= 0                ? incomplete
                                                 : others);
    for (const Workspace::Capture& capture : captures)
        warnings += capture.session->warnings.size();
    QStringList parts;
    const auto add = [&parts](std::size_t count, const QString& one, const QString& many) {
        if (count > 0) parts << countText(count, one, many);
    };
    add(failed, ProblemModel::tr("failed compile"), ProblemModel::tr("failed compiles"));
    add(reasons, ProblemModel::tr("break reason"), ProblemModel::tr("break reasons"));
    add(incomplete, ProblemModel::tr("incomplete compile"), ProblemModel::tr("incomplete compiles"));
    add(warnings, ProblemModel::tr("warning"), ProblemModel::tr("warnings"));
    add(others - std::min(others, warnings), ProblemModel::tr("unknown type of record"),
        ProblemModel::tr("unknown types of records"));
    return parts.join(QStringLiteral(", "));
}

ProblemModel::ProblemModel(Workspace& workspace, QObject* parent)
    : QAbstractTableModel(parent)
    , m_workspace(workspace) {
    connect(&m_workspace, &Workspace::captureOpened, this,
            [this] { PanelTurns::of(m_workspace).ask(*this, [this] { reload(); }); });
    connect(&m_workspace, &Workspace::captureClosed, this, &ProblemModel::reload);
    connect(&m_workspace, &Workspace::captureReplaced, this, &ProblemModel::update);
    reload();
}

void ProblemModel::reload() {
    beginResetModel();
    m_problems = collectProblems(m_workspace.captures());
    endResetModel();
}

void ProblemModel::update() {
    std::vector<Problem> now = collectProblems(m_workspace.captures());
    // What came in is one piece between what is as it was: rows that a reader has selected stay.
    std::size_t front = 0, back = 0;
    const std::size_t shorter = std::min(now.size(), m_problems.size());
    while (front < shorter && now[front] == m_problems[front])
        ++front;
    while (back < shorter - front && now[now.size() - 1 - back] == m_problems[m_problems.size() - 1 - back])
        ++back;
    if (const std::size_t end = m_problems.size() - back; end > front) {
        beginRemoveRows({}, int(front), int(end) - 1);
        m_problems.erase(m_problems.begin() + std::ptrdiff_t(front),
                         m_problems.begin() + std::ptrdiff_t(end));
        endRemoveRows();
    }
    if (const std::size_t end = now.size() - back; end > front) {
        beginInsertRows({}, int(front), int(end) - 1);
        m_problems.insert(m_problems.begin() + std::ptrdiff_t(front), now.begin() + std::ptrdiff_t(front),
                          now.begin() + std::ptrdiff_t(end));
        endInsertRows();
    }
}

int ProblemModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : int(m_problems.size());
}
int ProblemModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ProblemModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Problem& p = m_problems[std::size_t(index.row())];
    if (role == SeverityRole) return int(p.severity);
    if (role == Qt::AccessibleTextRole && index.column() == Text) {
        static constexpr const char* names[] = {"Error: ", "", "Warning: "};
        return QString(QLatin1String(names[int(p.severity)]) + p.text);
    }
    if (role == Qt::ToolTipRole && index.column() == Text) return plainToolTip(p.text);
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
    case Text:
        return p.text;
    case Place:
        return p.place;
    case CaptureName:
        return toQString(m_workspace.captures()[std::size_t(p.capture)].session->title);
    default:
        return {};
    }
}

QVariant ProblemModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
    switch (section) {
    case Text:
        return tr("Problem");
    case Place:
        return tr("Place");
    case CaptureName:
        return tr("Capture");
    default:
        return {};
    }
}

} // namespace dynascope::views
