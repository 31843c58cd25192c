// SPDX-License-Identifier: BSD-3-Clause
//
// The list of breakpoints, with a field that adds one.
#pragma once

#include <QWidget>

class QLabel;
class QLineEdit;
class QListView;

namespace dynascope::views {

class BreakpointsModel;
class Theme;

/// GUI thread only.
class BreakpointsView : public QWidget {
    Q_OBJECT
public:
    explicit BreakpointsView(Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] BreakpointsModel& model() const { return *m_model; }

private:
    void add();
    void removeSelected();

    BreakpointsModel* m_model;
    QLineEdit* m_field;
    QListView* m_list;
    QLabel* m_answer;
};

} // namespace dynascope::views
