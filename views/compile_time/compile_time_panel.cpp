// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/nothing_matches.h"
#include "views/compile_time/compile_time_private.h"
#include "views/compile_time/flame_legend.h"
#include "views/compile_time/timing_delegate.h"
#include "views/compile_time/timing_model.h"
#include "views/theme/splitter.h"

#include <QButtonGroup>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>
#include <array>

namespace dynascope::views {

CompileTimePanel::CompileTimePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    d->chart = new FlameChart(theme);
    d->metrics = new MetricsView(theme);
    buildBar(column);
    d->pages = new QStackedWidget;
    column->addWidget(d->pages, 1);
    buildFlame();
    buildTree();
    buildMetrics();
    setContent(page);
    setView(View::Flame);
    restyle();
}

CompileTimePanel::~CompileTimePanel() = default;

CompileTimePanel::View CompileTimePanel::view() const {
    return d->view;
}

void CompileTimePanel::buildBar(QVBoxLayout* column) {
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 5, 12, 5);
    bar->setSpacing(4);
    const auto chips = [&](auto& buttons, const auto& names, auto chosen) {
        auto* group = new QButtonGroup(this);
        for (std::size_t i = 0; i < buttons.size(); ++i) {
            auto* button = new QToolButton;
            button->setText(names[i].first);
            button->setToolTip(names[i].second);
            button->setCheckable(true);
            button->setProperty("chip", true);
            group->addButton(button);
            buttons[i] = button;
            bar->addWidget(button);
            connect(button, &QToolButton::clicked, this, [chosen, i] { chosen(int(i)); });
        }
    };
    using Names4 = std::array<std::pair<QString, QString>, 4>;
    using Names3 = std::array<std::pair<QString, QString>, 3>;
    chips(d->views,
          Names4{{{tr("Flame chart"), tr("Timing events in the order of time")},
                  {tr("Left heavy"), tr("Events of one name added up, the longest at the left")},
                  {tr("Tree"), tr("The same sums as a tree")},
                  {tr("Metrics"), tr("The compile metrics of each compile, those that differ first")}}},
          [this](int i) { setView(View(i)); });
    bar->addSpacing(8);
    d->filter = addFilter(tr("Search"), d->chart);
    d->filter->setMaximumWidth(theme().scaled(220));
    bar->addWidget(d->filter, 1);
    bar->addWidget(d->metrics->columnsButton());
    bar->addStretch(1);
    d->total = new QLabel;
    d->total->setTextFormat(Qt::PlainText);
    d->total->setProperty("role", "hint");
    bar->addWidget(d->total);
    bar->addSpacing(8);
    chips(d->scopes,
          Names3{{{tr("This compile"), tr("The compile that is selected")},
                  {tr("This frame"), tr("All compiles of the selected function, recompiles included")},
                  {tr("Whole capture"), tr("All compiles and ranks")}}},
          [this](int i) { setScope(Scope(i)); });
    connect(&workspace(), &Workspace::wholeTimeRequested, this, [this] { setScope(Scope::Capture); });
    d->scopes[std::size_t(d->scope)]->setChecked(true);
    column->addLayout(bar);
    connect(d->filter, &QLineEdit::textChanged, this, &CompileTimePanel::search);
    connect(d->filter, &QLineEdit::returnPressed, this, [this] { d->chart->stepMatch(1); });
}

void CompileTimePanel::buildFlame() {
    auto* split = new Splitter(Qt::Horizontal);
    auto* left = new QWidget;
    auto* column = new QVBoxLayout(left);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    d->legend = new FlameLegend(theme());
    column->addWidget(d->chart, 1);
    column->addWidget(d->legend);
    split->addWidget(left);

    auto* right = new QWidget;
    column = new QVBoxLayout(right);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(4);
    const std::array<QString, 4> names{tr("All"), tr("Phases"), tr("Passes"), tr("Kernels")};
    auto* group = new QButtonGroup(this);
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto* button = new QToolButton;
        button->setText(names[i]);
        button->setCheckable(true);
        button->setProperty("chip", true);
        group->addButton(button);
        row->addWidget(button);
        d->kinds[i] = button;
        connect(button, &QToolButton::clicked, this, [this, i] {
            d->slowFilter->setKind(int(i) - 1);
            saySlow();
        });
    }
    d->kinds[0]->setChecked(true);
    row->addStretch(1);
    column->addLayout(row);
    d->slow = new SlowestModel(this);
    d->slowFilter = new SlowestFilter(this);
    d->slowFilter->setSourceModel(d->slow);
    d->slowTable = new QTableView;
    d->slowTable->setObjectName(QStringLiteral("compileTime.slowest"));
    d->slowTable->setAccessibleName(tr("Slowest phases, passes and kernels"));
    d->slowTable->setModel(d->slowFilter);
    d->slowTable->setItemDelegate(new SlowestDelegate(theme(), d->slowTable));
    d->slowTable->setShowGrid(false);
    d->slowTable->setWordWrap(false);
    d->slowTable->setSelectionBehavior(QAbstractItemView::SelectRows);
    d->slowTable->verticalHeader()->hide();
    d->slowTable->setSortingEnabled(true);
    d->slowTable->sortByColumn(SlowestModel::Self, Qt::DescendingOrder);
    d->slowTable->horizontalHeader()->setHighlightSections(false);
    d->slowTable->horizontalHeader()->setSectionResizeMode(SlowestModel::Name, QHeaderView::Stretch);
    d->noSlow = new EmptyMessage(theme(), *d->slowTable);
    addCopyRows(d->slowTable,
                [](const QModelIndex& index) { return tabbedRow(index, SlowestModel::ColumnCount); });
    takeFilterKeys(d->slowTable);
    column->addWidget(d->slowTable, 1);
    split->addWidget(right);
    split->setStretchFactor(0, 1);
    split->setStretchFactor(1, 0);
    split->setSizes({1000, theme().scaled(450)});
    d->pages->addWidget(split);

    connect(d->chart, &FlameChart::activated, this, &CompileTimePanel::showSpan);
    connect(d->chart, &FlameChart::recordRequested, this, &CompileTimePanel::showRecord);
    connect(d->chart, &FlameChart::selectionChanged, this, [this](int span) {
        d->legend->setNote(d->chart->description(span).replace(u'\n', QStringLiteral("  ·  ")));
    });
    connect(d->slowTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &CompileTimePanel::showSlow);
}

void CompileTimePanel::buildTree() {
    d->model = new TimingModel(this);
    d->proxy = new QSortFilterProxyModel(this);
    d->proxy->setSourceModel(d->model);
    d->proxy->setSortRole(TimingModel::SortRole);
    d->proxy->setRecursiveFilteringEnabled(true);
    d->proxy->setFilterCaseSensitivity(Qt::CaseInsensitive);
    d->tree = new QTreeView;
    d->tree->setObjectName(QStringLiteral("compileTime.tree"));
    d->tree->setAccessibleName(tr("Compile time"));
    d->tree->setModel(d->proxy);
    d->tree->setItemDelegate(new TimingDelegate(theme(), d->tree));
    d->tree->setUniformRowHeights(true);
    d->tree->setSortingEnabled(true);
    d->tree->sortByColumn(TimingModel::Total, Qt::DescendingOrder);
    d->tree->header()->setStretchLastSection(true);
    d->tree->setSelectionMode(QAbstractItemView::ExtendedSelection);
    new NothingMatches(theme(), *d->tree, *d->filter, tr("No phase matches %1."));
    d->pages->addWidget(d->tree);
    addCopyRows(d->tree, [](const QModelIndex& row) { return tabbedRow(row, TimingModel::Bar); });
    takeFilterKeys(d->tree);
}

void CompileTimePanel::buildMetrics() {
    new NothingMatches(theme(), *d->metrics, *d->filter,
                       tr("No compile matches %1 in the columns that are shown."));
    d->pages->addWidget(d->metrics);
    addCopyRows(d->metrics, [this](const QModelIndex& row) { return d->metrics->rowText(row); });
    takeFilterKeys(d->metrics);
    connect(d->metrics, &MetricsView::recordRequested, this, &CompileTimePanel::showRecord);
    connect(d->metrics, &MetricsView::compileActivated, this,
            [this](int compile) { workspace().selectCompile(workspace().place().capture, compile); });
}

void CompileTimePanel::setView(View view) {
    d->view = view;
    d->views[std::size_t(view)]->setChecked(true);
    d->pages->setCurrentIndex(view == View::Metrics ? 2 : view == View::Tree ? 1 : 0);
    d->metrics->columnsButton()->setVisible(view == View::Metrics);
    for (QToolButton* scope : d->scopes)
        scope->setVisible(view != View::Metrics);
    d->filter->setPlaceholderText(view == View::Metrics ? tr("Filter compiles")
                                  : view == View::Tree  ? tr("Filter phases")
                                                        : tr("Search"));
    if (d->session && view != View::Metrics && view != View::Tree)
        d->chart->setTree(d->session, view == View::LeftHeavy ? d->merged : d->spans,
                          view == View::LeftHeavy);
    search(d->filter->text());
    invalidate();
}

void CompileTimePanel::setScope(Scope scope) {
    d->scope = scope;
    d->scopes[std::size_t(scope)]->setChecked(true);
    invalidate();
}

void CompileTimePanel::saySlow() {
    const QString searched = d->filter->text();
    if (!searched.isEmpty())
        return d->noSlow->setWord(tr("Nothing in this list matches %1.").arg(searched),
                                  tr("Clear the search"), [this] { d->filter->clear(); });
    const std::array<QString, 4> none{QString(), tr("No phase was timed here."),
                                      tr("No pass was timed here."), tr("No kernel was timed here.")};
    for (std::size_t i = 0; i < none.size(); ++i)
        if (d->kinds[i]->isChecked()) d->noSlow->setWord(none[i]);
}

void CompileTimePanel::search(const QString& text) {
    d->chart->setSearch(text);
    d->slowFilter->setText(text);
    saySlow();
    d->proxy->setFilterFixedString(text);
    if (!text.isEmpty()) d->tree->expandAll();
    d->metrics->setFilter(text);
    showTotal();
}

void CompileTimePanel::restyle() {
    const std::array<int, 4> widths{320, 86, 86, 62};
    for (std::size_t i = 0; i < widths.size(); ++i)
        d->tree->setColumnWidth(int(i), theme().scaled(widths[i]));
    const std::array<int, SlowestModel::ColumnCount> slow{160, 74, 74, 58, 84};
    for (std::size_t i = 1; i < slow.size(); ++i)
        d->slowTable->setColumnWidth(int(i), theme().scaled(slow[i]));
    d->slowTable->verticalHeader()->setDefaultSectionSize(theme().scaled(22));
}

} // namespace dynascope::views
