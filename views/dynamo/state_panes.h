// SPDX-License-Identifier: BSD-3-Clause
//
// What Dynamo held at a step: state, what changed, symbols and facts.
#pragma once

#include "core/dynamo/recording.h"
#include "views/dynamo/state_rows.h"

#include <QTabWidget>
#include <vector>

class QTreeView;

namespace dynascope::views {

class RecordingQuestions;
class StateModel;
class Theme;

/// GUI thread only. Object names of the trees: "dynamo.state", "dynamo.changes", "dynamo.symbols".
class StatePanes : public QTabWidget {
    Q_OBJECT
public:
    StatePanes(Theme& theme, const RecordingQuestions& questions, QWidget* parent = nullptr);

    /// `level` frames out of the innermost one.
    void show(dynamo::RecordingPtr recording, dynamo::StepIndex step, std::size_t level);
    /// Long lists are cut short again.
    void forget();
    [[nodiscard]] std::vector<QTreeView*> trees() const { return m_trees; }

signals:
    void stepChosen(dynascope::dynamo::StepIndex step);
    void breakpointWanted(const QString& condition);

private:
    QTreeView* addTree(const QString& title, const char* name, const QString& toolTip);
    void fill();
    void widenColumns();
    void activate(const QModelIndex& index);
    void showMenu(QTreeView* tree, const QPoint& position);

    Theme& m_theme;
    const RecordingQuestions& m_questions;
    std::vector<QTreeView*> m_trees;
    std::vector<StateModel*> m_models; ///< of the trees
    dynamo::RecordingPtr m_recording;
    dynamo::StepIndex m_step = dynamo::noStep;
    std::size_t m_level = 0;
    std::size_t m_rows = newestRows; ///< how many of a long list are shown
};

} // namespace dynascope::views
