// SPDX-License-Identifier: BSD-3-Clause
//
// The list of problems; choosing one goes to where it can be seen.
#pragma once

#include "views/base/panel.h"
#include "views/problems/problem_model.h"

class QSortFilterProxyModel;
class QTreeView;
class QLineEdit;

namespace dynascope::views {

class ProblemsPanel : public Panel {
    Q_OBJECT
public:
    ProblemsPanel(Workspace& workspace, Theme& theme, ProblemModel& model, QWidget* parent = nullptr);

    void focusFilter() override;
    /// Goes to the next (+1) or previous (-1) problem, round the end.
    void step(int direction);

protected:
    void refresh() override;

private:
    void open(const QModelIndex& index);

    ProblemModel& m_model;
    QSortFilterProxyModel* m_proxy;
    QTreeView* m_list;
    QLineEdit* m_filter;
};

/// Goes to where a problem can be seen.
void goToProblem(Workspace& workspace, const Problem& problem);

} // namespace dynascope::views
