// SPDX-License-Identifier: BSD-3-Clause
//
// The widgets of DynamoPage, its keys and its menu.
#include "core/dynamo/cursor.h"
#include "views/dynamo/console_view.h"
#include "views/dynamo/dynamo_private.h"
#include "views/dynamo/state_model.h"
#include "views/dynamo/steps_strip.h"
#include "views/text/code_view.h"
#include "views/text/page_parts.h"
#include "views/theme/splitter.h"

#include <QAction>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

using dynamo::Direction;
using dynamo::noStep;
using dynamo::Recording;
using dynamo::StepIndex;

struct Target {
    const char* title;
    dynamo::Happening what;
};
constexpr Target targets[] = {
    {QT_TRANSLATE_NOOP("DynamoPage", "graph node"), dynamo::Happening::Node},
    {QT_TRANSLATE_NOOP("DynamoPage", "guard"), dynamo::Happening::Guard},
    {QT_TRANSLATE_NOOP("DynamoPage", "side effect"), dynamo::Happening::SideEffect},
    {QT_TRANSLATE_NOOP("DynamoPage", "graph break"), dynamo::Happening::GraphBreak},
    {QT_TRANSLATE_NOOP("DynamoPage", "exception"), dynamo::Happening::Exception},
    {QT_TRANSLATE_NOOP("DynamoPage", "end of a graph"), dynamo::Happening::GraphEnd},
    {QT_TRANSLATE_NOOP("DynamoPage", "comptime call"), dynamo::Happening::Comptime},
};

} // namespace

void DynamoPage::build() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    buildHeader(row);
    column->addWidget(d->strip = new StepsStrip(theme()));
    QHBoxLayout* told = nullptr;
    column->addWidget(headerBar(told));
    told->addWidget(d->caption = plainLabel({}, "strong"));
    d->caption->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);

    const auto titled = [](QLabel*& title, QWidget* content) {
        const TitledBox box = titledBox({}, content);
        title = box.title;
        return box.widget;
    };
    d->source = new CodeView(theme());
    d->source->setAccessibleName(tr("Source"));
    d->bytecode = new CodeView(theme());
    d->bytecode->setAccessibleName(tr("Bytecode"));
    d->graph = new CodeView(theme());
    d->graph->setAccessibleName(tr("Graph so far"));
    d->state = new QTreeView;
    d->state->setAccessibleName(tr("State"));
    d->state->setModel(d->model = new StateModel(theme(), this));
    d->state->setUniformRowHeights(true);
    d->state->setSelectionBehavior(QAbstractItemView::SelectRows);
    d->state->setToolTip(
        tr("What Dynamo held before this instruction. Enter on a row with a step goes there."));
    addCopyRows(d->state, [](const QModelIndex& index) { return tabbedRow(index, StateModel::ColumnCount); });

    auto* split = new Splitter(Qt::Horizontal);
    auto* left = new Splitter(Qt::Vertical);
    left->addWidget(titled(d->sourceTitle, d->source));
    left->addWidget(titled(d->graphTitle, d->graph));
    left->addWidget(titled(d->consoleTitle, d->console = new ConsoleView(theme())));
    d->consoleTitle->setText(tr("Comptime console"));
    left->setSizes({300, 200, 160});
    split->addWidget(left);
    split->addWidget(titled(d->codeTitle, d->bytecode));
    split->addWidget(d->state);
    split->setSizes({theme().scaled(340), theme().scaled(250), theme().scaled(460)});
    for (int i = 0; i < split->count(); ++i)
        split->setCollapsible(i, false);
    column->addWidget(split, 1);
    setContent(page);
    setFocusProxy(d->strip);
}

void DynamoPage::buildHeader(QHBoxLayout* row) {
    d->recordings = new QComboBox;
    d->recordings->setAccessibleName(tr("Recording"));
    row->addWidget(d->recordings);
    const auto step = [this, row](const QString& text, const char* icon, const char* key, auto target) {
        auto* action = new QAction(theme().icon(QLatin1String(icon)), text, this);
        action->setShortcut(QKeySequence(QLatin1String(key)));
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        action->setToolTip(
            QStringLiteral("%1 (%2)").arg(text, action->shortcut().toString(QKeySequence::NativeText)));
        addAction(action);
        connect(action, &QAction::triggered, this, [this, target] {
            if (d->recording && !d->searching && d->step != noStep) goToStep(target(*d->recording, d->step));
        });
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    };
    step(tr("First step"), "first", "Ctrl+Home", [](const Recording&, StepIndex) { return StepIndex(0); });
    step(tr("Back over the last instruction"), "arrow-left", "Shift+F10",
         [](const Recording& r, StepIndex at) { return dynamo::stepOver(r, at, Direction::Back); });
    step(tr("Back one instruction, into calls"), "previous", "Shift+F11",
         [](const Recording& r, StepIndex at) { return dynamo::stepIn(r, at, Direction::Back); });
    step(tr("Step over"), "arrow-right", "F10",
         [](const Recording& r, StepIndex at) { return dynamo::stepOver(r, at, Direction::Forward); });
    step(tr("Step in"), "down", "F11",
         [](const Recording& r, StepIndex at) { return dynamo::stepIn(r, at, Direction::Forward); });
    step(tr("Step out"), "up", "Ctrl+F11",
         [](const Recording& r, StepIndex at) { return dynamo::stepOut(r, at, Direction::Forward); });
    step(tr("Run to the next graph break"), "scissors", "F5", [](const Recording& r, StepIndex at) {
        return dynamo::runTo(r, at, dynamo::Happening::GraphBreak, Direction::Forward);
    });
    step(tr("Last step"), "last", "Ctrl+End",
         [](const Recording& r, StepIndex) { return StepIndex(r.steps().size() - 1); });

    auto* run = new QToolButton;
    run->setText(tr("Run to"));
    run->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(run);
    for (const bool back : {false, true}) {
        for (const Target& target : targets) {
            const QString title =
                back ? tr("previous %1").arg(tr(target.title)) : tr("next %1").arg(tr(target.title));
            connect(menu->addAction(title), &QAction::triggered, this, [this, what = target.what, back] {
                if (d->recording && !d->searching && d->step != noStep)
                    goToStep(dynamo::runTo(*d->recording, d->step, what,
                                           back ? Direction::Back : Direction::Forward));
            });
        }
        if (!back) menu->addSeparator();
    }
    run->setMenu(menu);
    row->addWidget(run);

    d->condition = new QLineEdit;
    d->condition->setPlaceholderText(tr("Run until: nodes > 10"));
    d->condition->setToolTip(tr(
        "Enter goes to the next step at which the condition comes to hold, Shift+Enter to the one before:\n"
        "nodes > 10\nlocal x is tensor and x.dtype == f32\nguard on L['x']"));
    d->condition->setMinimumWidth(theme().scaled(220));
    d->condition->setMaximumWidth(theme().scaled(320));
    connect(d->condition, &QLineEdit::returnPressed, this,
            [this] { runUntilCondition(QGuiApplication::keyboardModifiers() & Qt::ShiftModifier); });
    row->addWidget(d->condition);
    row->addWidget(d->answer = plainLabel({}, "hint"));
    row->addStretch(1);
}

} // namespace dynascope::views
