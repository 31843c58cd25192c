// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/row_table.h"
#include "views/base/text_diff_panel.h"
#include "views/canvas/compare_view.h"
#include "views/inductor/inductor_private.h"
#include "views/inductor/lives_view.h"
#include "views/inductor/schedule_view.h"
#include "views/inspector/fact_view.h"
#include "views/theme/splitter.h"

#include <QCheckBox>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
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

} // namespace

/// What is asked of all passes: where a condition holds, and whether any changed a value.
QWidget* InductorPage::questionBar() {
    QHBoxLayout* row = nullptr;
    QWidget* bar = headerBar(row);
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

    d->table = new RowTable(tr("Passes"), passColumns(), theme());
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
    d->previous->setToolTip(tr("To the pass before that changed a graph (Shift+F5)"));
    d->next->setToolTip(tr("To the next pass that changed a graph (F5)"));
    for (QWidget* control : std::initializer_list<QWidget*>{d->filter, d->folds, d->part})
        d->figures->row()->addWidget(control);
    column->addWidget(questionBar());

    d->canvases = new CompareView(d->graphs, theme());
    d->text = new TextDiffPanel(d->graphs, theme());
    d->matches = new RowTable(tr("Patterns"), matchColumns(), theme());
    d->matches->setEmptyText(tr("No pattern fitted in this pass."));
    addCopyRows(d->matches);
    d->tabs = new QTabWidget;
    d->tabs->setDocumentMode(true);
    d->tabs->tabBar()->setExpanding(false);
    d->tabs->tabBar()->setDrawBase(false);
    d->tabs->addTab(d->text, tr("Text diff"));
    d->tabs->addTab(d->matches, tr("Patterns"));
    d->kernels = new RowTable(tr("Kernels"), kernelColumns(), theme());
    d->fusions = new RowTable(tr("Fusions"), fusionColumns(), theme());
    for (RowTable* table : {d->kernels, d->fusions}) {
        table->setEmptyText(
            tr("No scheduler ran for this graph: its code came from a cache, or another backend made it."));
        table->setSortingEnabled(false);
        addCopyRows(table);
        d->tabs->addTab(table, table->accessibleName());
    }
    d->operations = new ScheduleView(theme());
    d->tabs->addTab(d->operations, tr("Scheduler"));
    d->lives = new LivesView(theme());
    auto* scroll = new QScrollArea;
    scroll->setWidget(d->lives);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    d->tabs->addTab(scroll, tr("Buffers"));
    d->tabs->addTab(lineTab(), tr("Source line"));
    d->table->setColumnHidden(verdictColumn, true);
    d->centre = new Splitter(Qt::Vertical);
    d->centre->addWidget(d->canvases);
    d->centre->addWidget(d->tabs);
    d->centre->setStretchFactor(0, 3);
    d->centre->setStretchFactor(1, 2);

    d->detail = new FactView(theme());
    d->detail->setAccessibleName(tr("This pass"));
    d->columns = new Splitter(Qt::Horizontal);
    d->list = titledBox(tr("Passes"), d->table);
    d->columns->addWidget(d->list.widget);
    d->columns->addWidget(d->centre);
    d->about = titledBox(tr("This pass"), d->detail);
    d->columns->addWidget(d->about.widget);
    d->columns->setStretchFactor(1, 1);
    d->columns->setCollapsible(1, false);
    column->addWidget(d->columns, 1);
    setContent(page);

    connect(d->filter, &QLineEdit::textChanged, this, [this] { fillList(); });
    connect(d->folds, &QCheckBox::toggled, this, [this] { fillList(); });
    connect(d->part, &QCheckBox::toggled, this, [this] { drawChanged(); });
    connect(&d->graphs, &Workspace::stagesChanged, this, [this] { drawChanged(); });
    connect(d->previous, &QPushButton::clicked, this, [this] { run(StepCommand::BackRun); });
    connect(d->next, &QPushButton::clicked, this, [this] { run(StepCommand::Run); });
    connect(d->table, &RowTable::rowSelected, this, [this](int at) {
        const int row = d->listed[std::size_t(at)].row;
        if (row >= 0) goTo(row);
    });
    connect(d->matches, &RowTable::rowSelected, this, &InductorPage::showMatch);
    connect(d->operations, &ScheduleView::told, this, [this] { showNode(); });
    connect(d->tabs, &QTabWidget::currentChanged, this, [this] { showNode(); });
    connect(d->detail, &FactView::followed, this, &InductorPage::follow);
    connect(&d->graphs, &Workspace::nodeSelected, this, [this] { showNode(); });
    connect(&d->tasks, &TaskRunner::finished, this, &InductorPage::invalidate);
}

void InductorPage::applyDefaultSizes(int windowWidth) {
    const bool narrow = windowWidth < narrowWindow;
    d->columns->setSizes({windowWidth * (narrow ? 40 : 33) / 100, windowWidth * (narrow ? 38 : 51) / 100,
                          windowWidth * (narrow ? 22 : 16) / 100});
    d->canvases->setMode(narrow ? CompareView::Mode::Single : CompareView::Mode::SideBySide);
}

} // namespace dynascope::views
