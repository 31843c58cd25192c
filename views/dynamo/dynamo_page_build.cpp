// SPDX-License-Identifier: BSD-3-Clause
//
// The widgets of DynamoPage.
#include "views/dynamo/breakpoints_view.h"
#include "views/dynamo/breaks_view.h"
#include "views/dynamo/cache_view.h"
#include "views/dynamo/console_view.h"
#include "views/dynamo/dynamo_private.h"
#include "views/dynamo/effects_view.h"
#include "views/dynamo/generated_view.h"
#include "views/dynamo/key_model.h"
#include "views/dynamo/key_view.h"
#include "views/dynamo/live_bar.h"
#include "views/dynamo/partial_graph.h"
#include "views/dynamo/search_view.h"
#include "views/dynamo/state_model.h"
#include "views/dynamo/steps_strip.h"
#include "views/dynamo/symbol_names_view.h"
#include "views/inspector/fact_view.h"
#include "views/models/labels.h"
#include "views/text/code_view.h"
#include "views/text/page_parts.h"
#include "views/text/row_table.h"
#include "views/theme/splitter.h"

#include <QAction>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

using dynamo::Direction;

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
    {QT_TRANSLATE_NOOP("DynamoPage", "symbol or fact"), dynamo::Happening::Symbol},
    {QT_TRANSLATE_NOOP("DynamoPage", "comptime call"), dynamo::Happening::Comptime},
};

/// A button of the header. `windowKey` is a key of the window, which every page that steps shares; `ownKey`
/// one of this page.
struct Button {
    StepCommand command;
    const char *text, *icon, *windowKey, *ownKey, *tip;
};
constexpr Button buttons[] = {
    {StepCommand::First, QT_TRANSLATE_NOOP("DynamoPage", "First step"), "first", "Ctrl+Shift+Home", "", ""},
    {StepCommand::BackRun, QT_TRANSLATE_NOOP("DynamoPage", "Back to the previous breakpoint or graph break"),
     "play-back", "Shift+F5", "", ""},
    {StepCommand::BackOver, QT_TRANSLATE_NOOP("DynamoPage", "Back over the last instruction"), "arrow-left",
     "Shift+F10", "", QT_TRANSLATE_NOOP("DynamoPage", "Calls that were inlined count as one instruction")},
    {StepCommand::BackIn, QT_TRANSLATE_NOOP("DynamoPage", "Back one instruction, into calls"), "previous", "",
     "Ctrl+F11", ""},
    {StepCommand::BackOut, QT_TRANSLATE_NOOP("DynamoPage", "Back to the call of this frame"), "", "",
     "Ctrl+Shift+F11", ""},
    {StepCommand::Over, QT_TRANSLATE_NOOP("DynamoPage", "Step over"), "arrow-right", "F10", "",
     QT_TRANSLATE_NOOP("DynamoPage", "Calls that were inlined count as one instruction")},
    {StepCommand::In, QT_TRANSLATE_NOOP("DynamoPage", "Step in"), "down", "F11", "",
     QT_TRANSLATE_NOOP("DynamoPage", "The next instruction that Dynamo traced, in whatever frame")},
    {StepCommand::Out, QT_TRANSLATE_NOOP("DynamoPage", "Step out"), "up", "Shift+F11", "",
     QT_TRANSLATE_NOOP("DynamoPage", "The caller's next instruction")},
    {StepCommand::Line, QT_TRANSLATE_NOOP("DynamoPage", "Next line"), "", "", "Ctrl+F10", ""},
    {StepCommand::BackLine, QT_TRANSLATE_NOOP("DynamoPage", "Previous line"), "", "", "Ctrl+Shift+F10", ""},
    {StepCommand::Run, QT_TRANSLATE_NOOP("DynamoPage", "Run to the next breakpoint or graph break"), "play",
     "F5", "", ""},
    {StepCommand::Last, QT_TRANSLATE_NOOP("DynamoPage", "Last step"), "last", "Ctrl+Shift+End", "", ""},
};

QTreeView* stateView(StateModel* model, const QString& name) {
    auto* view = new QTreeView;
    view->setAccessibleName(name);
    view->setModel(model);
    view->setUniformRowHeights(true);
    view->setSelectionBehavior(QAbstractItemView::SelectRows);
    view->setFrameShape(QFrame::NoFrame);
    view->header()->setResizeContentsPrecision(0); // what is in sight
    QObject::connect(model, &QAbstractItemModel::modelReset, view, &QTreeView::expandAll);
    // What the reader folded stays folded; a section that had no rows has nothing to fold.
    QObject::connect(model, &QAbstractItemModel::rowsInserted, view,
                     [view](const QModelIndex& section, int first, int last) {
                         if (view->model()->rowCount(section) == last - first + 1) view->expand(section);
                     });
    return view;
}

} // namespace

void DynamoPage::build() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    buildHeader(row);
    column->addWidget(d->live = new LiveBar(theme()));
    column->addWidget(d->strip = new StepsStrip(theme()));
    d->pages = new QTabWidget;
    d->pages->setDocumentMode(true);
    d->pages->addTab(buildSteps(), tr("Steps"));
    d->pages->addTab(d->breaks = new RecordedBreaksView(theme()), tr("Breaks and failed frames"));
    d->pages->addTab(d->cache = new CacheView(theme()), tr("Guards and cache"));
    d->pages->addTab(d->keys = new KeyView(theme()), tr("Autograd cache"));
    d->pages->addTab(d->effects = new EffectsView(theme()), tr("Side effects"));
    d->pages->addTab(d->generated = new GeneratedView(theme()), tr("Generated bytecode"));
    d->pages->addTab(d->names = new SymbolNamesView(workspace(), theme()), tr("Symbol names"));
    d->pages->setTabToolTip(1, tr("Why graphs of this recording ended where they did, and ways out"));
    d->pages->setTabToolTip(
        2, tr("Why frames were compiled again, who added which guard, and what the cache would do"));
    d->pages->setTabToolTip(
        3, tr("What AOTAutograd's cache was asked, the ingredients of each key, and how two keys differ"));
    d->pages->setTabToolTip(
        5, tr("What Python carries out in place of each frame, beside the program's own bytecode"));
    addCopyRows(d->keys->tree());
    d->pages->setTabToolTip(
        4, tr("What Dynamo tracked, what it took for changed, and how generated code makes that real"));
    d->pages->setTabToolTip(6, tr("How symbolic sizes got their names, in one run or in two"));
    column->addWidget(d->pages, 1);
    setContent(page);
    setFocusProxy(d->strip);
}

QWidget* DynamoPage::buildSteps() {
    auto* steps = new QWidget;
    auto* column = new QVBoxLayout(steps);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* told = nullptr;
    column->addWidget(headerBar(told));
    told->addWidget(d->caption = plainLabel({}, "strong"), 1);
    d->caption->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    told->addWidget(d->answer = plainLabel({}, "hint"));

    auto* split = new Splitter(Qt::Horizontal);
    split->addWidget(buildLeft());
    d->bytecode = new CodeView(theme());
    d->bytecode->setAccessibleName(tr("Bytecode"));
    const TitledBox code = titledBox({}, d->bytecode);
    d->codeTitle = code.title;
    d->codeNote = code.note;
    split->addWidget(code.widget);
    split->addWidget(buildRight());
    d->splits.insert(d->splits.begin(), split);
    for (QSplitter* each : d->splits)
        for (int i = 0; i < each->count(); ++i)
            each->setCollapsible(i, false);
    applyDefaultSizes(window()->width());
    column->addWidget(split, 1);
    return steps;
}

QWidget* DynamoPage::buildLeft() {
    d->source = new CodeView(theme());
    d->source->setAccessibleName(tr("Source"));
    const TitledBox source = titledBox({}, d->source);
    d->sourceTitle = source.title;
    d->sourceNote = source.note;
    d->sourceNote->setText(tr("traced lines shaded"));
    d->tools = new QTabWidget;
    d->tools->setDocumentMode(true);
    d->tools->addTab(d->console = new ConsoleView(theme()), tr("Comptime console"));
    d->tools->addTab(d->search = new SearchView(theme()), tr("Search"));
    d->tools->addTab(d->breakpoints = new BreakpointsView(theme()), tr("Breakpoints"));
    auto* left = new Splitter(Qt::Vertical);
    left->addWidget(source.widget);
    left->addWidget(d->tools);
    d->splits.push_back(left);
    return left;
}

QWidget* DynamoPage::buildRight() {
    const TitledBox graph = titledBox(tr("Partial graph"), d->graph = new PartialGraph(theme()));
    d->graphTitle = graph.title;
    d->graphNote = graph.note;
    d->graphTitle->setToolTip(plainToolTip(tr(
        "The graph before this instruction, and in green what the instruction adds to it.\nEach node "
        "says which step made it; a click, or Enter, goes there. A dashed frame: the step before made it.")));
    d->graphText = new QToolButton;
    d->graphText->setCheckable(true);
    d->graphText->setFocusPolicy(Qt::TabFocus);
    d->graphText->setToolTip(tr("As text, a line for each node"));
    d->graphText->setAccessibleName(tr("Partial graph as text"));
    graph.title->parentWidget()->layout()->addWidget(d->graphText);
    const auto drawIcon = [this] { d->graphText->setIcon(theme().icon(QStringLiteral("code"))); };
    connect(&theme(), &Theme::changed, d->graphText, drawIcon);
    drawIcon();
    connect(d->graph, &PartialGraph::formChanged, this,
            [this] { d->graphText->setChecked(d->graph->form() == PartialGraph::Form::Text); });
    connect(d->graphText, &QToolButton::toggled, this, [this](bool text) {
        d->graph->setForm(text ? PartialGraph::Form::Text : PartialGraph::Form::Cards);
    });
    d->calls = new RowTable(
        tr("Call stack"),
        {{tr("Function"),
          tr("The innermost first; an arrow is before calls that Dynamo inlined into the frame that it "
             "compiles"),
          240},
         {tr("Where"), {}, 240}},
        theme());
    const TitledBox calls = titledBox(tr("Call stack"), d->calls);
    calls.note->setText(tr("Enter goes to the call"));
    d->story = new FactView(theme());
    d->story->setAccessibleName(tr("How the graph ends"));
    const TitledBox story = titledBox(tr("How the graph ends"), d->story);
    auto* beside = new Splitter(Qt::Vertical);
    beside->addWidget(calls.widget);
    beside->addWidget(story.widget);
    auto* top = new Splitter(Qt::Horizontal);
    top->addWidget(graph.widget);
    top->addWidget(beside);

    d->state = stateView(d->model = new StateModel(theme(), this), tr("State"));
    d->changes = stateView(d->changesModel = new StateModel(theme(), this), tr("Changes"));
    d->symbols = stateView(d->symbolsModel = new StateModel(theme(), this), tr("Symbols and facts"));
    d->states = new QTabWidget;
    d->states->setDocumentMode(true);
    d->states->addTab(d->state, tr("State"));
    d->states->addTab(d->changes, tr("Changes"));
    d->states->addTab(d->symbols, tr("Symbols and facts"));
    d->states->setTabToolTip(
        0, tr("What Dynamo held before this instruction. Enter on a row with a step goes there."));
    d->states->setTabToolTip(1, tr("What the step before this one in the same frame changed"));
    d->states->setTabToolTip(2,
                             tr("Symbolic sizes with hint, range and sources, and what was assumed of them"));
    for (QTreeView* view : {d->state, d->changes, d->symbols}) {
        addCopyRows(view, [](const QModelIndex& index) { return tabbedRow(index, StateModel::ColumnCount); });
        view->setContextMenuPolicy(Qt::CustomContextMenu); // copying, and what stateMenu() adds
    }
    auto* right = new Splitter(Qt::Vertical);
    right->addWidget(top);
    right->addWidget(d->states);
    d->splits.insert(d->splits.end(), {right, top, beside});
    return right;
}

void DynamoPage::buildHeader(QHBoxLayout* row) {
    d->recordings = new QComboBox;
    d->recordings->setAccessibleName(tr("Recording"));
    row->addWidget(d->recordings);
    for (const Button& made : buttons) {
        auto* action = new QAction(tr(made.text), this);
        QString key = QLatin1String(made.windowKey);
        if (*made.ownKey != '\0') {
            key = QLatin1String(made.ownKey);
            action->setShortcut(QKeySequence(key));
            action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
            addAction(action);
        }
        key = QKeySequence(key).toString(QKeySequence::NativeText);
        QString tip = key.isEmpty() ? tr(made.text) : QStringLiteral("%1 (%2)").arg(tr(made.text), key);
        if (*made.tip != '\0') tip += u'\n' + tr(made.tip);
        action->setToolTip(tip);
        connect(action, &QAction::triggered, this, [this, command = made.command] { run(command); });
        if (*made.icon == '\0') continue;
        action->setIcon(theme().icon(QLatin1String(made.icon)));
        connect(&theme(), &Theme::changed, action,
                [this, action, made] { action->setIcon(theme().icon(QLatin1String(made.icon))); });
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        button->setFocusPolicy(Qt::TabFocus);
        row->addWidget(button);
    }
    auto* toggle = new QAction(tr("Breakpoint at this line"), this);
    toggle->setShortcut(QKeySequence(QStringLiteral("F9")));
    toggle->setShortcutContext(Qt::WidgetWithChildrenShortcut);
    addAction(toggle);
    connect(toggle, &QAction::triggered, this, &DynamoPage::toggleBreakpoint);

    auto* run = new QToolButton;
    run->setText(tr("Run to"));
    run->setPopupMode(QToolButton::InstantPopup);
    run->setFocusPolicy(Qt::TabFocus);
    run->setToolTip(
        tr("To the next or previous step at which something happened. Menus of lines, instructions, nodes "
           "and guards run to those."));
    run->setMenu(runMenu());
    row->addWidget(run);

    d->condition = new QLineEdit;
    d->condition->setPlaceholderText(tr("Run until: nodes > 10"));
    d->condition->setAccessibleName(tr("Run until"));
    d->condition->setToolTip(tr(
        "Enter goes to the next step at which the condition comes to hold, Shift+Enter to the one before:\n"
        "nodes > 10\nlocal x is tensor and x.dtype == f32\nguard on L['x']"));
    d->condition->setMinimumWidth(theme().scaled(140));
    d->condition->setMaximumWidth(theme().scaled(260));
    row->addWidget(d->condition, 1);
    row->addStretch(1);
    d->searchField = new QLineEdit;
    d->searchField->setPlaceholderText(tr("Search this recording"));
    d->searchField->setAccessibleName(tr("Search this recording"));
    d->searchField->setClearButtonEnabled(true);
    d->searchField->setToolTip(tr("Instructions, source, functions, nodes, guards and graph breaks (Ctrl+F)\n"
                                  "Enter goes to the next place, Shift+Enter to the one before."));
    d->searchField->setMinimumWidth(theme().scaled(140));
    d->searchField->setMaximumWidth(theme().scaled(260));
    row->addWidget(d->searchField, 1);
}

QMenu* DynamoPage::runMenu() {
    auto* menu = new QMenu(this);
    for (const Direction direction : {Direction::Forward, Direction::Back}) {
        const bool back = direction == Direction::Back;
        for (const Target& target : targets) {
            const QString title =
                back ? tr("Previous %1").arg(tr(target.title)) : tr("Next %1").arg(tr(target.title));
            connect(menu->addAction(title), &QAction::triggered, this,
                    [this, what = target.what, direction] { runTo(what, direction); });
        }
        connect(menu->addAction(back ? tr("Previous line") : tr("Next line")), &QAction::triggered, this,
                [this, back] { run(back ? StepCommand::BackLine : StepCommand::Line); });
        if (!back) menu->addSeparator();
    }
    return menu;
}

} // namespace dynascope::views
