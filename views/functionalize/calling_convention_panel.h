// SPDX-License-Identifier: BSD-3-Clause
//
// The calling convention of the functionalization that is stepped through, with a switch between its two
// forms.
#pragma once

#include "views/base/panel.h"
#include "views/functionalize/calling_convention_model.h"
#include "views/functionalize/stepper.h"

class QButtonGroup;
class QLabel;
class QTreeView;

namespace dynascope::views {

/// GUI thread only.
class CallingConventionPanel : public Panel {
    Q_OBJECT
public:
    CallingConventionPanel(Workspace& workspace, Stepper& stepper, Theme& theme, QWidget* parent = nullptr);

    [[nodiscard]] CallingConventionModel& model() { return *m_model; }

signals:
    void nodeActivated(const QString& node, bool inResult);

protected:
    void refresh() override;
    void restyle() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitColumns();

    Stepper& m_stepper;
    CallingConventionModel* m_model;
    QTreeView* m_tree;
    QButtonGroup* m_forms;
    QLabel* m_note;
};

} // namespace dynascope::views
