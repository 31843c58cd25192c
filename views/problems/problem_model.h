// SPDX-License-Identifier: BSD-3-Clause
//
// Everything that went wrong in what is open: pieces that could not be read, compiles that failed, and graph
// breaks by reason.
#pragma once

#include "views/workspace/workspace.h"

#include <QAbstractTableModel>
#include <QString>
#include <cstddef>
#include <vector>

namespace dynascope::views {

struct Problem {
    enum class Severity : std::uint8_t { Error, Break, Warning } severity = Severity::Warning;
    QString text;
    QString place; ///< "cap.py:30", "line 812"
    int capture = -1;
    int compile = -1;           ///< where a compile is to blame
    int breakGroup = -1;        ///< into BreakSummary::groups
    std::ptrdiff_t record = -1; ///< to be shown raw
    friend bool operator==(const Problem&, const Problem&) = default;
};

/// Errors first, then breaks by cost, then warnings in file order; capture by capture.
[[nodiscard]] std::vector<Problem> collectProblems(const std::vector<Workspace::Capture>& captures);

/// "1 failed compile, 7 break reasons, 2 warnings": what they are, for a line that has no room for them. Empty
/// where there is none. Warnings are those of reading, as the answer to "Was everything read?" counts them.
[[nodiscard]] QString problemsText(const std::vector<Problem>& problems,
                                   const std::vector<Workspace::Capture>& captures);

/// Of all captures of the workspace; those of one that was just opened come in a turn of their own (PanelTurns).
class ProblemModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Text, Place, CaptureName, ColumnCount };
    enum Role { SeverityRole = Qt::UserRole };

    explicit ProblemModel(Workspace& workspace, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

    [[nodiscard]] const std::vector<Problem>& problems() const { return m_problems; }

private:
    void reload();
    void update(); ///< keeps the rows that are as they were

    Workspace& m_workspace;
    std::vector<Problem> m_problems;
};

} // namespace dynascope::views
