// SPDX-License-Identifier: BSD-3-Clause
//
// "This step": what the op did in words, the update queue, generations, checks and the mode.
#pragma once

#include "views/functionalize/op_story.h"
#include "views/inspector/fact_view.h"

#include <QWidget>

namespace dynascope::views {

/// A line for each tensor of the active storages: up to which generation it is current, and how far it is
/// behind. GUI thread only.
class GenerationsPlot : public QWidget {
    Q_OBJECT
public:
    GenerationsPlot(const Stepper& stepper, Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Row {
        QString name;
        int generation = 0, now = 0; ///< of the row, of its storage
        bool base = false, syncing = false;
    };
    Theme& m_theme;
    std::vector<Row> m_rows;
    int m_last = 0;
};

/// GUI thread only.
class StepPanel : public QWidget {
    Q_OBJECT
public:
    StepPanel(Workspace& workspace, Stepper& stepper, Theme& theme, QWidget* parent = nullptr);
    [[nodiscard]] QString plainText() const;

signals:
    void emittedActivated(const QString& node);

private:
    void refresh();
    [[nodiscard]] QWidget* modeSwitch();

    Workspace& m_workspace;
    Stepper& m_stepper;
    Theme& m_theme;
    FactView* m_view;
    Facts m_facts;
};

} // namespace dynascope::views
