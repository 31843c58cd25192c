// SPDX-License-Identifier: BSD-3-Clause
#include "views/dynamo/breakpoints_view.h"

#include "views/base/page_parts.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/theme/theme.h"

#include <QAction>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QVBoxLayout>

namespace dynascope::views {

BreakpointsView::BreakpointsView(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_model(new BreakpointsModel(theme, this))
    , m_field(new QLineEdit)
    , m_list(new QListView)
    , m_answer(plainLabel({}, "hint")) {
    m_field->setObjectName(QStringLiteral("dynamo.breakpointField"));
    m_answer->setObjectName(QStringLiteral("dynamo.breakpointAnswer"));
    m_list->setObjectName(QStringLiteral("dynamo.breakpointList"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_field->setPlaceholderText(tr("Add a breakpoint: cap.py:31, nodes > 10, guard on L['x']"));
    m_field->setAccessibleName(tr("New breakpoint"));
    m_field->setToolTip(
        tr("A line of a file (cap.py:31, cap.py:31 if nodes > 3), \"graph break\", \"exception\", or a "
           "condition on what Dynamo holds before an instruction:\n"
           "nodes, guards, stack, depth, line, offset, step, attempt, effects, op, function, file, compile,\n"
           "a local's x.dtype, x.shape, x.value, x.len, x.kind, \"local x is tensor\", \"guard on L['x']\";\n"
           "and, or, not, brackets. F5 runs to the next one, Shift+F5 back to the one before."));
    m_list->setModel(m_model);
    m_list->setAccessibleName(tr("Breakpoints"));
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setEditTriggers(QAbstractItemView::EditKeyPressed | QAbstractItemView::DoubleClicked);
    auto* remove = new QAction(tr("Remove"), m_list);
    remove->setShortcut(QKeySequence(Qt::Key_Delete));
    remove->setShortcutContext(Qt::WidgetShortcut);
    m_list->addAction(remove);
    auto* edit = new QAction(tr("Edit"), m_list);
    m_list->addAction(edit);
    m_list->setContextMenuPolicy(Qt::ActionsContextMenu);
    m_answer->setContentsMargins(12, 2, 12, 2);
    m_answer->hide();
    column->addWidget(m_field);
    column->addWidget(m_answer);
    auto* none =
        plainLabel(tr("No breakpoint yet. F9 sets one at the line that the caret of the source pane is "
                      "in; F5 runs to the next breakpoint or graph break, Shift+F5 back."),
                   "hint");
    none->setWordWrap(true);
    none->setContentsMargins(12, 6, 12, 6);
    column->addWidget(none);
    column->addWidget(m_list, 1);
    const auto tellNone = [this, none] { none->setVisible(m_model->rowCount() == 0); };
    for (auto changed : {&BreakpointsModel::rowsInserted, &BreakpointsModel::rowsRemoved})
        connect(m_model, changed, this, tellNone);
    connect(m_model, &BreakpointsModel::modelReset, this, tellNone);
    connect(m_field, &QLineEdit::returnPressed, this, &BreakpointsView::add);
    connect(m_field, &QLineEdit::textEdited, m_answer, &QLabel::hide);
    connect(remove, &QAction::triggered, this, &BreakpointsView::removeSelected);
    connect(edit, &QAction::triggered, this, [this] { m_list->edit(m_list->currentIndex()); });
}

void BreakpointsView::add() {
    if (m_field->text().trimmed().isEmpty()) return;
    const QString error = m_model->add(m_field->text());
    m_answer->setText(error);
    m_answer->setVisible(!error.isEmpty());
    if (error.isEmpty()) m_field->clear();
}

void BreakpointsView::removeSelected() {
    m_model->remove(m_list->currentIndex().row());
}

} // namespace dynascope::views
