// SPDX-License-Identifier: BSD-3-Clause
#include "views/base/nothing_matches.h"
#include "views/base/page_parts.h"
#include "views/canvas/compare_view.h"
#include "views/compare/compare_private.h"
#include "views/theme/splitter.h"

#include <QCheckBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QStackedLayout>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

namespace dynascope::views {

namespace {

constexpr int wideWindow = 2200, narrowWindow = 1440;

void setUp(QTableView* table, const QString& name) {
    table->setAccessibleName(name);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->verticalHeader()->hide();
    table->setSortingEnabled(true);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
}

} // namespace

ComparePage::ComparePage(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    buildHead(column);
    d->columns = new Splitter(Qt::Horizontal);
    d->rows = new Splitter(Qt::Vertical);
    buildPairs();
    buildDetails();
    d->graphs = new PairGraphs(theme);
    d->rows->addWidget(d->columns);
    d->rows->addWidget(d->graphs);
    d->rows->setCollapsible(0, false);
    connect(d->columns, &QSplitter::splitterMoved, this, &ComparePage::fitColumns);
    column->addWidget(d->rows, 1);
    setContent(page);
    connect(&workspace.tasks(), &TaskRunner::progress, this, &ComparePage::progressed);
    connect(&workspace, &Workspace::captureClosed, this, [this] {
        // Results hold sessions, and a session that was closed may go.
        for (auto at = d->results.begin(); at != d->results.end();)
            at = this->workspace().comparisons()[std::size_t(at.key())].isOpen() ? std::next(at)
                                                                                 : d->results.erase(at);
        if (d->shown && !d->results.values().contains(d->shown)) {
            d->shown.reset();
            d->graphs->clear();
            d->model->set(nullptr);
        }
    });
    connect(&workspace, &Workspace::captureReplaced, this, [this](int capture) {
        const session::SessionPtr& now = this->workspace().captures()[std::size_t(capture)].session;
        for (auto at = d->results.begin(); at != d->results.end();) {
            const ComparisonRequest& request = this->workspace().comparisons()[std::size_t(at.key())];
            const bool old = !request.isOpen() || request.a == now || request.b == now;
            at = old ? d->results.erase(at) : std::next(at);
        }
        d->running = -1; // one that runs compares what is no longer open
    });
    restyle();
}

ComparePage::~ComparePage() = default;

PairGraphs* ComparePage::graphs() const {
    return d->graphs;
}

void ComparePage::buildHead(QVBoxLayout* column) {
    auto* head = new QWidget;
    head->setProperty("header", true);
    head->setAttribute(Qt::WA_StyledBackground);
    head->setStyleSheet(QStringLiteral("QWidget[header=\"true\"]{background:transparent}"));
    auto* box = new QHBoxLayout(head);
    box->setContentsMargins(14, 8, 12, 8);
    box->setSpacing(24);
    const std::array<QString, 4> names{tr("same"), tr("different"), tr("only in A"), tr("only in B")};
    for (std::size_t i = 0; i < names.size(); ++i) {
        auto* figure = new QVBoxLayout;
        figure->setSpacing(0);
        d->figures[i] = {plainLabel({}, "figure"), plainLabel(names[i], "label")};
        figure->addWidget(d->figures[i].value);
        figure->addWidget(d->figures[i].label);
        figure->addStretch(1);
        box->addLayout(figure);
    }
    auto* words = new QVBoxLayout;
    words->setSpacing(3);
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    d->sides = plainLabel({}, "title");
    d->sides->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    row->addWidget(d->sides, 1);
    const auto button = [&](const QString& text, const QString& tip, auto slot) {
        auto* made = new QToolButton;
        made->setText(text);
        made->setToolTip(tip);
        made->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        connect(made, &QToolButton::clicked, this, slot);
        row->addWidget(made);
        return made;
    };
    d->swap = button(tr("Swap"), tr("Swap A and B"), &ComparePage::swapSides);
    d->open = button(tr("Open the compile of A"), tr("Show the compile of A on the page of stages"),
                     &ComparePage::openInStages);
    words->addLayout(row);
    d->summary = plainLabel({}, "strong");
    d->points = plainLabel({}, "label");
    for (QLabel* label : {d->summary, d->points}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        label->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Minimum);
        words->addWidget(label);
    }
    words->addStretch(1);
    box->addLayout(words, 1);
    column->addWidget(head);
}

void ComparePage::buildPairs() {
    auto* side = new QWidget;
    auto* column = new QVBoxLayout(side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* row = new QHBoxLayout;
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(8);
    d->pairs = new QTableView;
    d->pairs->setObjectName(QStringLiteral("compare.pairs"));
    d->filter = addFilter(tr("Filter compiles"), d->pairs);
    d->filter->setMaximumWidth(theme().scaled(240));
    d->differing = new QCheckBox(tr("Only what differs"));
    row->addWidget(d->filter, 1);
    row->addWidget(d->differing);
    row->addStretch(1);
    column->addLayout(row);
    d->model = new PairsModel(this);
    d->proxy = new PairsFilter(this);
    d->proxy->setSourceModel(d->model);
    setUp(d->pairs, tr("Compiles"));
    d->pairs->setModel(d->proxy);
    d->pairs->setSelectionMode(QAbstractItemView::SingleSelection);
    auto* nothing = new NothingMatches(theme(), *d->pairs, *d->filter, tr("No compile matches %1."));
    nothing->narrowBy(*d->differing, tr("No compile differs."), tr("No compile that differs matches %1."));
    d->pairsDelegate = new CompareDelegate(theme(), 4, d->pairs);
    d->pairs->setItemDelegate(d->pairsDelegate);
    column->addWidget(d->pairs, 1);
    d->columns->addWidget(side);
    addCopyRows(d->pairs,
                [this](const QModelIndex& index) { return tabbedRow(index, d->proxy->columnCount()); });
    connect(d->filter, &QLineEdit::textChanged, d->proxy, &PairsFilter::setText);
    connect(d->differing, &QCheckBox::toggled, d->proxy, &PairsFilter::setDifferingOnly);
    connect(d->pairs->selectionModel(), &QItemSelectionModel::currentChanged, this, &ComparePage::choosePair);
    connect(d->pairs, &QAbstractItemView::activated, this, &ComparePage::openInStages);
}

void ComparePage::buildDetails() {
    d->details = new QTabWidget;
    d->details->setObjectName(QStringLiteral("compare.details"));
    d->details->setDocumentMode(true);
    d->details->tabBar()->setExpanding(false);
    d->details->tabBar()->setDrawBase(false);
    d->stageModel = new StagePairsModel(this);
    d->stages = new QTableView;
    d->stages->setObjectName(QStringLiteral("compare.stages"));
    setUp(d->stages, tr("Stages"));
    d->stages->setSortingEnabled(false);
    d->stages->setModel(d->stageModel);
    d->stages->setSelectionMode(QAbstractItemView::SingleSelection);
    d->stages->setItemDelegate(new CompareDelegate(theme(), StagePairsModel::Stage, d->stages));
    d->noStages = plainLabel(tr("Neither side made a graph."), "hint");
    d->noStages->setAlignment(Qt::AlignCenter);
    auto* stagesPage = new QWidget;
    d->stagesStack = new QStackedLayout(stagesPage);
    d->stagesStack->addWidget(d->stages);
    d->stagesStack->addWidget(d->noStages);
    d->details->addTab(stagesPage, tr("Stages"));
    addCopyRows(d->stages,
                [](const QModelIndex& index) { return tabbedRow(index, StagePairsModel::ColumnCount); });
    takeFilterKeys(d->stages);
    connect(d->stages->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &ComparePage::chooseStage);

    const std::array<std::pair<QString, QString>, 7> tabs{
        {{tr("Inputs"), tr("The inputs have the same sizes, strides and devices.")},
         {tr("Guards"), tr("The guards are the same.")},
         {tr("Symbols"), tr("The symbols are the same.")},
         {tr("Caches"), tr("Neither side looked anything up in a cache.")},
         {tr("Timings"), tr("Neither side has timing events.")},
         {tr("Settings"), tr("Versions and configurations are the same, as far as they were recorded.")},
         {tr("Passes"), tr("Every pass does the same, and the kernels are the same.")}}};
    for (std::size_t i = 0; i < tabs.size(); ++i) {
        ValuesTab& tab = d->values[i];
        tab.title = tabs[i].first;
        tab.model = new ComparedValuesModel(this);
        auto* proxy = new QSortFilterProxyModel(this);
        proxy->setSourceModel(tab.model);
        proxy->setSortRole(CompareSortRole);
        tab.table = new QTableView;
        setUp(tab.table, tab.title);
        tab.table->setModel(proxy);
        tab.table->setSelectionMode(QAbstractItemView::ExtendedSelection);
        tab.table->setItemDelegate(new CompareDelegate(theme(), ComparedValuesModel::Name, tab.table));
        addCopyRows(tab.table, [](const QModelIndex& index) {
            return tabbedRow(index, ComparedValuesModel::ColumnCount);
        });
        takeFilterKeys(tab.table);
        tab.nothing = plainLabel(tabs[i].second, "hint");
        tab.nothing->setAlignment(Qt::AlignCenter);
        tab.page = new QWidget;
        auto* stack = new QStackedLayout(tab.page);
        stack->addWidget(tab.table);
        stack->addWidget(tab.nothing);
        d->details->addTab(tab.page, tab.title);
    }
    QTableView* passes = d->values.back().table;
    passes->setToolTip(tr("Return or a double click shows it on the page Inductor"));
    connect(passes, &QAbstractItemView::activated, this,
            [this](const QModelIndex& index) { openPass(index.data(IndexRole).toInt()); });
    d->columns->addWidget(d->details);
    d->columns->setCollapsible(0, false);
}

void ComparePage::restyle() {
    const Colours& c = theme().colours();
    const std::array<QColor, 4> tones{c.text, c.changed, c.removed, c.added};
    for (std::size_t i = 0; i < tones.size(); ++i)
        d->figures[i].value->setStyleSheet(QStringLiteral("color:%1").arg(tones[i].name()));
    d->swap->setIcon(theme().icon(QStringLiteral("swap")));
    d->open->setIcon(theme().icon(QStringLiteral("layers")));
    const int row = theme().scaled(24);
    d->pairs->verticalHeader()->setDefaultSectionSize(row);
    d->stages->verticalHeader()->setDefaultSectionSize(row);
    for (const ValuesTab& tab : d->values)
        tab.table->verticalHeader()->setDefaultSectionSize(row);
    fitColumns();
}

void ComparePage::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    fitColumns();
}

void ComparePage::fitColumns() {
    const bool narrow = width() < theme().scaled(1400);
    const auto set = [this](QTableView* table, std::initializer_list<int> widths) {
        int column = 0;
        for (const int width : widths)
            table->setColumnWidth(column++, theme().scaled(width));
    };
    if (d->shown && d->shown->ofRanks()) {
        set(d->pairs, {96});
        for (int i = 1; i <= d->model->sides(); ++i)
            d->pairs->setColumnWidth(i, theme().scaled(72));
        d->pairs->setColumnWidth(d->model->functionColumn(), theme().scaled(narrow ? 130 : 190));
    } else {
        set(d->pairs, {narrow ? 84 : 96, narrow ? 52 : 64, narrow ? 52 : 64, narrow ? 130 : 190, 0, 84, 84});
        widenDifferences(narrow);
    }
    set(d->stages, {96, narrow ? 170 : 210, 92});
    for (const ValuesTab& tab : d->values)
        set(tab.table, {96, narrow ? 150 : 210, narrow ? 170 : 260});
}

// The first difference is what a reader looks for: seconds may lie beyond the edge, it may not.
void ComparePage::widenDifferences(bool narrow) {
    const int at = d->model->differenceColumn();
    int others = 0;
    for (int column = 0; column < d->model->columnCount(); ++column)
        if (column != at && !(narrow && column > at)) others += d->pairs->columnWidth(column);
    const int least = theme().scaled(narrow ? 190 : 300);
    d->pairs->setColumnWidth(at, std::max(least, d->pairs->viewport()->width() - others));
}

void ComparePage::applyDefaultSizes(int windowWidth) {
    const bool narrow = windowWidth < narrowWindow, wide = windowWidth >= wideWindow;
    const int left =
        windowWidth * (narrow ? 50 : 55) / 100; // in pixels: shares of less than the minimums are lost
    d->columns->setSizes({left, windowWidth - left});
    fitColumns();
    d->rows->setSizes({wide ? 30 : 36, wide ? 70 : 64});
    d->graphs->canvas()->setMode(narrow ? CompareView::Mode::Single : CompareView::Mode::SideBySide);
}

} // namespace dynascope::views
