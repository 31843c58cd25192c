// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/row_table.h"
#include "views/base/text_diff_panel.h"
#include "views/canvas/compare_view.h"
#include "views/inductor/inductor_private.h"
#include "views/inductor/lives_view.h"
#include "views/inductor/order_texts.h"
#include "views/inductor/orders_view.h"
#include "views/inductor/pass_place.h"
#include "views/inductor/pattern_view.h"
#include "views/inductor/schedule_cards.h"
#include "views/inspector/fact_view.h"
#include "views/theme/splitter.h"

#include <QCheckBox>
#include <QComboBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace dynascope::views {

using inductor::PassRow;

namespace {

constexpr int narrowWindow = 1440;

/// Text that gives way where there is no room for it.
QLabel* quietNote() {
    QLabel* out = plainLabel({}, "hint");
    out->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    return out;
}

QTabWidget* tabsBelow() {
    auto* out = new QTabWidget;
    out->setDocumentMode(true);
    out->tabBar()->setExpanding(false);
    out->tabBar()->setDrawBase(false);
    return out;
}

} // namespace

/// What is asked of all passes: where a condition holds, and whether any changed a value.
QWidget* InductorPage::questionBar() {
    QHBoxLayout* row = nullptr;
    QWidget* bar = headerBar(row);
    d->views = new QTabBar;
    d->views->setObjectName(QStringLiteral("inductor.views"));
    d->views->setAccessibleName(tr("View"));
    d->views->setDrawBase(false);
    d->views->setExpanding(false);
    d->views->addTab(tr("Passes"));
    d->views->addTab(tr("Scheduler"));
    d->views->setTabToolTip(1, tr("What the scheduler fused and refused, and the memory of what came of it"));
    row->addWidget(d->views);
    d->which = new QComboBox;
    d->which->setAccessibleName(tr("Graph"));
    d->which->setToolTip(tr("Whose schedule is shown"));
    d->which->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    row->addWidget(d->which);
    row->addWidget(d->previous);
    row->addWidget(d->next);
    d->condition = new QLineEdit;
    d->condition->setObjectName(QStringLiteral("inductor.condition"));
    d->condition->setPlaceholderText(tr("Run until: removes copy_"));
    d->condition->setAccessibleName(tr("Run until"));
    d->condition->setToolTip(
        tr("Enter goes to the next pass at which the condition holds, Shift+Enter to the one before:\n"
           "removes copy_\nchanges permute_4\npass is reinplace_inplaceable_ops\n"
           "matches or refuses 'a pattern'\nnodes > 100 and time > 5"));
    d->condition->setMinimumWidth(theme().scaled(150));
    d->condition->setMaximumWidth(theme().scaled(260));
    row->addWidget(d->condition, 1);
    d->said = quietNote();
    d->said->setObjectName(QStringLiteral("inductor.said"));
    row->addWidget(d->said, 2);
    d->verified = quietNote();
    d->verified->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    row->addWidget(d->verified, 2);
    d->verify = new QPushButton(tr("Verify all passes"));
    d->verify->setToolTip(tr("The engine runs every graph that a pass left beside the graph before it, on "
                             "the same values: outputs "
                             "with their strides and memory, and what is written into inputs"));
    d->verify->hide();
    row->addWidget(d->verify);
    connect(d->condition, &QLineEdit::returnPressed, this, [this] {
        runUntil(d->condition->text(), QGuiApplication::keyboardModifiers() & Qt::ShiftModifier);
    });
    connect(d->verify, &QPushButton::clicked, this, [this] { verifyAll(); });
    return bar;
}

QWidget* InductorPage::lineTab() {
    auto* tab = new QWidget;
    auto* column = new QVBoxLayout(tab);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    QHBoxLayout* row = nullptr;
    column->addWidget(headerBar(row));
    d->line = new QLineEdit;
    d->line->setObjectName(QStringLiteral("inductor.line"));
    d->line->setPlaceholderText(tr("File and line: train.py:40"));
    d->line->setAccessibleName(tr("Source line"));
    d->line->setToolTip(
        tr("What became of this line of the program after every pass. Enter asks; a node that is "
           "selected on a canvas fills in its own line"));
    d->line->setMaximumWidth(theme().scaled(320));
    row->addWidget(d->line, 1);
    row->addStretch(1);
    d->lines = new RowTable(tr("Source line"), lineColumns(), theme());
    d->lines->setObjectName(QStringLiteral("inductor.lines"));
    d->lines->setSortingEnabled(false);
    d->lines->setEmptyText(tr("Name a line of the program, or select a node."));
    addCopyRows(d->lines);
    column->addWidget(d->lines, 1);
    connect(d->line, &QLineEdit::returnPressed, this, [this] { showLine(d->line->text()); });
    connect(d->lines, &RowTable::rowSelected, this, [this](int at) {
        if (const int row = d->lineSteps[std::size_t(at)].row; row >= 0) goTo(row);
    });
    return tab;
}

void InductorPage::build() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    d->figures = new FigureRow;
    column->addWidget(d->figures);
    d->lists = new QStackedWidget;
    d->centres = new QStackedWidget;
    buildPasses();
    column->addWidget(questionBar());
    buildScheduler();

    d->detail = new FactView(theme());
    d->detail->setObjectName(QStringLiteral("inductor.detail"));
    d->detail->setAccessibleName(tr("This pass"));
    d->columns = new Splitter(Qt::Horizontal);
    d->columns->addWidget(d->lists);
    d->columns->addWidget(d->centres);
    d->about = titledBox(tr("This pass"), d->detail);
    d->columns->addWidget(d->about.widget);
    d->columns->setStretchFactor(1, 1);
    d->columns->setCollapsible(1, false);
    column->addWidget(d->columns, 1);
    setContent(page);
    connectParts();
}

void InductorPage::buildPasses() {
    d->table = new RowTable(tr("Passes"), passColumns(), theme());
    d->table->setObjectName(QStringLiteral("inductor.table"));
    d->table->setSortingEnabled(false); // their order is what they tell
    d->table->setEmptyText(tr("No pass has this in its name."));
    addCopyRows(d->table);
    setFocusProxy(d->table);
    d->filter = addFilter(tr("Filter passes"), d->table);
    d->filter->setMaximumWidth(190);
    d->folds = new QCheckBox(tr("Fold unchanged"));
    d->folds->setChecked(true);
    d->folds->setToolTip(
        tr("Passes in a row that changed nothing, and those that did not run, take one row"));
    d->part = new QCheckBox(tr("Only what changed"));
    d->part->setChecked(true);
    d->part->setToolTip(tr(
        "The canvases draw the nodes that the pass made, removed and changed, with those that they read and "
        "that read them"));
    d->previous = new QPushButton(tr("Previous change"));
    d->next = new QPushButton(tr("Next change"));
    for (QWidget* control : std::initializer_list<QWidget*>{d->filter, d->folds, d->part})
        d->figures->row()->addWidget(control);

    d->canvases = new CompareView(d->graphs, theme());
    d->text = new TextDiffPanel(d->graphs, theme());
    d->matches = new RowTable(tr("Patterns"), matchColumns(), theme());
    d->matches->setObjectName(QStringLiteral("inductor.matches"));
    d->matches->setEmptyText(tr("No pattern fitted in this pass."));
    addCopyRows(d->matches);
    d->tabs = tabsBelow();
    d->tabs->addTab(d->text, tr("Text diff"));
    d->pattern = new PatternView(theme());
    auto* patterns = new Splitter(Qt::Horizontal);
    patterns->addWidget(d->matches);
    patterns->addWidget(d->pattern);
    patterns->setStretchFactor(0, 3);
    patterns->setStretchFactor(1, 2);
    patterns->setSizes({600, 400});
    d->tabs->addTab(patterns, tr("Patterns"));
    d->tabs->addTab(lineTab(), tr("Source line"));
    d->table->setColumnHidden(verdictColumn, true);
    d->centre = new Splitter(Qt::Vertical);
    d->centre->addWidget(d->canvases);
    d->centre->addWidget(d->tabs);
    d->centre->setStretchFactor(0, 3);
    d->centre->setStretchFactor(1, 2);
    d->centres->addWidget(d->centre);
    d->list = titledBox(tr("Passes"), d->table);
    d->lists->addWidget(d->list.widget);
}

void InductorPage::buildScheduler() {
    d->reasons = new RowTable(tr("Refusals by reason"), reasonColumns(), theme());
    d->reasons->setObjectName(QStringLiteral("inductor.reasons"));
    d->reasons->setEmptyText(tr("The scheduler refused nothing."));
    d->pairs = new RowTable(tr("Pairs with that reason"), refusedPairColumns(), theme());
    d->pairs->setObjectName(QStringLiteral("inductor.pairs"));
    d->pairs->setEmptyText(tr("A reason has the pairs for which it was given."));
    d->kernels = new RowTable(tr("Kernels"), kernelColumns(), theme());
    d->kernels->setObjectName(QStringLiteral("inductor.kernels"));
    d->fusions = new RowTable(tr("Fusions"), fusionColumns(), theme());
    d->fusions->setObjectName(QStringLiteral("inductor.fusions"));
    d->fallbacks = new RowTable(tr("Fallbacks"), fallbackColumns(), theme());
    d->fallbacks->setObjectName(QStringLiteral("inductor.fallbacks"));
    d->tunings = new RowTable(tr("Autotuning"), tuningColumns(), theme());
    d->tunings->setObjectName(QStringLiteral("inductor.tunings"));
    d->tunings->setSortingEnabled(false);
    d->orders = new RowTable(tr("Orders"), orderColumns(), theme());
    d->orders->setObjectName(QStringLiteral("inductor.orders"));
    d->order = new OrdersView(theme());
    d->scheduleSteps = new RowTable(tr("Steps"), scheduleStepColumns(), theme());
    d->scheduleSteps->setObjectName(QStringLiteral("inductor.scheduleSteps"));
    d->scheduleSteps->setEmptyText(tr("No scheduler ran for this graph."));
    d->scheduleSteps->setSortingEnabled(false);
    d->operations = new ScheduleView(theme());
    d->lives = new LivesView(theme());
    auto* scroll = new QScrollArea;
    scroll->setWidget(d->lives);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    d->below = tabsBelow();
    d->below->addTab(scroll, tr("Buffers"));
    for (RowTable* table : {d->kernels, d->fusions}) {
        table->setEmptyText(
            tr("No scheduler ran for this graph: its code came from a cache, or another backend made it."));
        table->setSortingEnabled(false);
    }
    d->fallbacks->setEmptyText(tr("Code is generated for every node, as far as the recording tells."));
    for (RowTable* table : {d->kernels, d->fusions, d->fallbacks, d->tunings})
        d->below->addTab(table, table->accessibleName());
    auto* orders = new Splitter(Qt::Horizontal);
    orders->addWidget(d->orders);
    orders->addWidget(d->order);
    orders->setSizes({600, 400});
    d->below->addTab(orders, tr("Orders"));
    d->below->addTab(d->scheduleSteps, tr("Steps"));
    for (RowTable* table : {d->reasons, d->pairs, d->kernels, d->fusions, d->fallbacks, d->tunings, d->orders,
                            d->scheduleSteps})
        addCopyRows(table);
    d->schedulePart = new Splitter(Qt::Vertical);
    d->schedulePart->addWidget(d->operations);
    d->schedulePart->addWidget(d->below);
    d->schedulePart->setStretchFactor(0, 3);
    d->schedulePart->setStretchFactor(1, 2);
    d->centres->addWidget(d->schedulePart);
    d->byReason = titledBox(tr("Refusals by reason"), d->reasons);
    d->ofReason = titledBox(tr("Pairs with that reason"), d->pairs);
    auto* refused = new Splitter(Qt::Vertical);
    refused->addWidget(d->byReason.widget);
    refused->addWidget(d->ofReason.widget);
    d->lists->addWidget(refused);
}

void InductorPage::connectParts() {
    connect(d->filter, &QLineEdit::textChanged, this, [this] { fillList(); });
    connect(d->folds, &QCheckBox::toggled, this, [this] { fillList(); });
    connect(d->part, &QCheckBox::toggled, this, [this] {
        drawChanged();
        preparePictures();
    });
    connect(&d->graphs, &Workspace::stagesChanged, this, [this] { drawChanged(); });
    connect(&d->graphs, &Workspace::diffChanged, this, &InductorPage::prepareNeighbours);
    connect(&d->graphs, &Workspace::diffPrepared, this, &InductorPage::preparePictures);
    connect(d->previous, &QPushButton::clicked, this,
            [this] { run(showsScheduler() ? StepCommand::BackOver : StepCommand::BackRun); });
    connect(d->next, &QPushButton::clicked, this,
            [this] { run(showsScheduler() ? StepCommand::Over : StepCommand::Run); });
    connect(d->table, &RowTable::rowSelected, this, [this](int at) {
        const int row = d->listed[std::size_t(at)].row;
        if (row >= 0) goTo(row);
    });
    connect(d->matches, &RowTable::rowSelected, this, &InductorPage::showMatch);
    connect(d->pattern, &PatternView::nodeChosen, this, [this](ir::NodeIndex node) {
        d->graphs.selectNode({Side::A, node});
    });
    connect(d->detail, &FactView::followed, this, &InductorPage::follow);
    connect(&d->graphs, &Workspace::nodeSelected, this, [this] {
        showNode();
        showFitted();
    });
    connect(&d->tasks, &TaskRunner::finished, this, &InductorPage::invalidate);
    connectScheduler();
}

void InductorPage::connectScheduler() {
    connect(d->views, &QTabBar::currentChanged, this,
            [this](int view) { showTab(view == 1 ? Tab::Scheduler : Tab(d->tabs->currentIndex())); });
    connect(d->which, &QComboBox::activated, this, [this](int schedule) {
        Place place = workspace().place();
        auto at = place.own.of<PassPlace>();
        at.schedule = schedule;
        at.fusions = -1;
        place.own.set(at);
        workspace().go(place);
        showSchedule();
    });
    connect(d->operations, &ScheduleView::told, this, [this] { showNode(); });
    connect(d->operations, &ScheduleView::stepped, this, &InductorPage::goToFusion);
    connect(d->reasons, &RowTable::rowSelected, this, &InductorPage::showReason);
    connect(d->pairs, &RowTable::rowSelected, this, &InductorPage::choosePair);
    connect(d->kernels, &RowTable::rowSelected, this, [this](int at) {
        const std::vector<std::string>& operations = d->schedule->kernels[std::size_t(at)].operations;
        if (!operations.empty()) d->operations->choose({operations.front()});
    });
    connect(d->fusions, &RowTable::rowSelected, this, [this](int at) {
        if (std::size_t(at) < d->schedule->fusions.size()) goToFusion(at + 1);
    });
    connect(d->fallbacks, &RowTable::rowSelected, this, [this](int at) {
        const inductor::FallbackCost& cost = d->costs[std::size_t(at)];
        if (d->schedule != nullptr && d->schedule->phase == cost.phase->id &&
            !cost.fallback->operations.empty())
            d->operations->choose({cost.fallback->operations.front()});
    });
    connect(d->orders, &RowTable::rowSelected, this, [this](int at) { d->order->setOrder(d->schedule, at); });
    connect(d->order, &OrdersView::chosen, this, [this](const QString& node) {
        for (const auto& [id, known] : d->schedule->nodes)
            if (known.name == node.toStdString()) d->operations->choose(d->schedule->operationsOf(id));
    });
    connect(d->lives, &LivesView::chosen, this, [this](const QString& buffer) {
        const inductor::ScheduleRows& rows = d->operations->cards().rows();
        if (const auto at = rows.writerOf.find(buffer.toStdString()); at != rows.writerOf.end())
            d->operations->choose({rows.operations[at->second]->name});
    });
}

void InductorPage::applyDefaultSizes(int windowWidth) {
    const bool narrow = windowWidth < narrowWindow;
    const QList<int> ofPasses{windowWidth * (narrow ? 40 : 33) / 100, windowWidth * (narrow ? 38 : 51) / 100,
                              windowWidth * (narrow ? 22 : 16) / 100};
    const QList<int> ofSchedule{windowWidth * 20 / 100, windowWidth * (narrow ? 58 : 62) / 100,
                                windowWidth * (narrow ? 22 : 18) / 100};
    d->columns->setSizes(showsScheduler() ? ofSchedule : ofPasses);
    d->sizes = showsScheduler() ? ofPasses : ofSchedule;
    d->schedulePart->setSizes({65, 35});
    d->canvases->setMode(narrow ? CompareView::Mode::Single : CompareView::Mode::SideBySide);
}

} // namespace dynascope::views
