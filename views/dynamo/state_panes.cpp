// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/state_panes.h"

#include "views/dynamo/recording_questions.h"
#include "views/dynamo/state_model.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QHeaderView>
#include <QMenu>
#include <QTreeView>
#include <algorithm>
#include <utility>

namespace dynascope::views {

using dynamo::noStep;

StatePanes::StatePanes(Theme& theme, const RecordingQuestions& questions, QWidget* parent)
    : QTabWidget(parent)
    , m_theme(theme)
    , m_questions(questions) {
    setObjectName(QStringLiteral("dynamo.states"));
    setDocumentMode(true);
    addTree(tr("State"), "dynamo.state",
            tr("What Dynamo held before this instruction. Enter on a row with a step goes there."));
    addTree(tr("Changes"), "dynamo.changes", tr("What the step before this one in the same frame changed"));
    addTree(tr("Symbols and facts"), "dynamo.symbols",
            tr("Symbolic sizes with hint, range and sources, and what was assumed of them"));
}

QTreeView* StatePanes::addTree(const QString& title, const char* name, const QString& toolTip) {
    auto* model = new StateModel(m_theme, this);
    auto* tree = new QTreeView;
    tree->setObjectName(QLatin1String(name));
    tree->setAccessibleName(title);
    tree->setModel(model);
    tree->setUniformRowHeights(true);
    tree->setSelectionBehavior(QAbstractItemView::SelectRows);
    tree->setFrameShape(QFrame::NoFrame);
    tree->header()->setResizeContentsPrecision(0); // what is in sight
    connect(model, &QAbstractItemModel::modelReset, tree, &QTreeView::expandAll);
    // What the reader folded stays folded; a section that had no rows has nothing to fold.
    connect(model, &QAbstractItemModel::rowsInserted, tree,
            [tree](const QModelIndex& section, int first, int last) {
                if (tree->model()->rowCount(section) == last - first + 1) tree->expand(section);
            });
    connect(tree, &QTreeView::activated, this, &StatePanes::activate);
    connect(tree, &QTreeView::customContextMenuRequested, this,
            [this, tree](const QPoint& position) { showMenu(tree, position); });
    setTabToolTip(addTab(tree, title), toolTip);
    m_trees.push_back(tree);
    m_models.push_back(model);
    return tree;
}

void StatePanes::forget() {
    m_recording.reset();
    m_rows = newestRows;
}

void StatePanes::show(dynamo::RecordingPtr recording, dynamo::StepIndex step, std::size_t level) {
    m_recording = std::move(recording);
    m_step = step;
    m_level = level;
    fill();
}

void StatePanes::fill() {
    std::vector<StateSection> sections = stateSections(*m_recording, m_step, m_level, m_rows);
    std::vector<StateSection> changes = changedSections(sections);
    std::vector<StateSection> symbols = symbolSections(*m_recording, m_step, m_rows);
    std::size_t changed = 0, known = 0;
    for (StateSection& section : changedSections(symbols))
        changes.push_back(std::move(section));
    for (const StateSection& section : changes)
        changed += section.rows.size();
    for (const StateSection& section : symbols)
        known += section.count();
    // Three moments meet here: what was before, what the step before changed, and what this one adds.
    const QString by = m_level == 0 ? changedBy(*m_recording, m_step) : QString();
    setTabText(0, tr("State before %1").arg(opOf(*m_recording, m_step)));
    setTabText(1,
               by.isEmpty() ? tr("Changes %1").arg(changed) : tr("Changed by %1: %2").arg(by).arg(changed));
    setTabText(2, tr("Symbols and facts %1").arg(known));
    m_models[0]->setSections(std::move(sections));
    m_models[1]->setSections(std::move(changes));
    m_models[2]->setSections(std::move(symbols));
    widenColumns();
}

/// As wide as what was ever in sight, so that they stand still from step to step.
void StatePanes::widenColumns() {
    auto* tree = qobject_cast<QTreeView*>(currentWidget());
    if (!tree) return;
    for (const auto& [column, widest] : {std::pair(StateModel::Name, 150), std::pair(StateModel::Kind, 150),
                                         std::pair(StateModel::Text, 280)}) {
        const int before = tree->columnWidth(column);
        tree->resizeColumnToContents(column);
        tree->setColumnWidth(column,
                             std::max(before, std::min(tree->columnWidth(column), m_theme.scaled(widest))));
    }
}

void StatePanes::activate(const QModelIndex& index) {
    const auto* model = qobject_cast<const StateModel*>(index.model());
    const StateRow* row = model ? model->row(index) : nullptr;
    if (!row) return;
    if (!row->more) return emit stepChosen(row->from);
    if (!m_recording || m_questions.isBusy()) return;
    m_rows = SIZE_MAX;
    fill();
}

void StatePanes::showMenu(QTreeView* tree, const QPoint& position) {
    const StateRow* row = qobject_cast<StateModel*>(tree->model())->row(tree->indexAt(position));
    QMenu menu;
    for (QAction* action : tree->actions())
        menu.addAction(action);
    if (row && !m_questions.isBusy()) {
        if (row->from != noStep) {
            menu.addSeparator();
            connect(menu.addAction(tr("Go to step %1").arg(row->from)), &QAction::triggered, this,
                    [this, step = row->from] { emit stepChosen(step); });
        }
        if (!row->condition.isEmpty())
            connect(menu.addAction(tr("Add breakpoint: %1").arg(row->condition)), &QAction::triggered, this,
                    [this, condition = row->condition] { emit breakpointWanted(condition); });
    }
    if (!menu.isEmpty()) menu.exec(tree->viewport()->mapToGlobal(position));
}

} // namespace dynascope::views
