// SPDX-License-Identifier: BSD-3-Clause
#include "views/inspector/fact_view.h"
#include "views/ranks/ranks_page_private.h"
#include "views/workspace/labels.h"
#include "views/workspace/ranks_place.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>

namespace dynascope::views {

RanksPage::RanksPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildVerdict());
    buildFigures();
    column->addWidget(d->figures);
    d->down = new Splitter(Qt::Vertical);
    buildReasons();
    buildMatrix();
    buildTabs();
    d->down->setSizes({theme.scaled(140), theme.scaled(170), theme.scaled(300)});
    for (int i = 0; i < 3; ++i)
        d->down->setStretchFactor(i, i == 2 ? 1 : 0);
    d->detail = new FactView(theme);
    d->detail->setObjectName(QStringLiteral("ranks.detail"));
    d->detail->setAccessibleName(tr("Reason"));
    d->across = new Splitter(Qt::Horizontal);
    d->across->addWidget(d->down);
    d->across->addWidget(titledBox(tr("Details"), d->detail).widget);
    d->across->setStretchFactor(0, 1);
    d->across->setStretchFactor(1, 0);
    d->across->setSizes({1000, theme.scaled(330)});
    d->across->setCollapsible(0, false);
    column->addWidget(d->across, 1);
    setContent(page);
    connectTables();
    restyle();
}

RanksPage::~RanksPage() = default;

QWidget* RanksPage::buildVerdict() {
    auto* out = new QWidget;
    out->setProperty("header", true);
    out->setAttribute(Qt::WA_StyledBackground);
    auto* row = new QHBoxLayout(out);
    row->setContentsMargins(14, 8, 12, 4);
    row->setSpacing(10);
    d->icon = new QLabel;
    row->addWidget(d->icon, 0, Qt::AlignTop);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    d->verdict = plainLabel({}, "strong");
    d->verdict->setObjectName(QStringLiteral("ranks.verdict"));
    d->evidence = plainLabel({}, "hint");
    d->evidence->setObjectName(QStringLiteral("ranks.evidence"));
    for (QLabel* label : {d->verdict, d->evidence}) {
        label->setWordWrap(true);
        label->setTextInteractionFlags(Qt::TextSelectableByMouse);
        words->addWidget(label);
    }
    row->addLayout(words, 1);
    d->stop = new QPushButton;
    d->stop->setObjectName(QStringLiteral("ranks.stop"));
    connect(d->stop, &QPushButton::clicked, this,
            [this] { workspace().tasks().isRunning(tag()) ? cancel() : read(); });
    connect(&workspace().tasks(), &TaskRunner::progress, this,
            [this](const QString& of, const QString& phase, quint64 done, quint64 total) {
                if (of != tag() || total == 0) return;
                const QLocale locale;
                d->evidence->setText(
                    tr("%1: %2 of %3").arg(phase, locale.toString(done), locale.toString(total)));
            });
    row->addWidget(d->stop, 0, Qt::AlignTop);
    return out;
}

void RanksPage::buildFigures() {
    d->figures = new FigureRow;
    d->attach = new QPushButton(tr("Flight dumps..."));
    d->attach->setObjectName(QStringLiteral("ranks.attach"));
    d->attach->setToolTip(
        tr("Choose the folder of flight-recorder dumps, one a rank, which say who waits for whom"));
    connect(d->attach, &QPushButton::clicked, this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Flight-recorder dumps"));
        if (folder.isEmpty()) return;
        Place place = workspace().place();
        attachFlight(place, *workspace().capture(), folder.toStdString());
        workspace().go(place);
    });
}

void RanksPage::buildReasons() {
    d->reasons = new RowTable(tr("Reasons"), rankReasonColumns(), theme());
    d->reasons->setObjectName(QStringLiteral("ranks.reasons"));
    d->reasons->setEmptyText(tr("Nothing tells these ranks apart."));
    addCopyRows(d->reasons);
    setFocusProxy(d->reasons);
    d->filter = addFilter(tr("Filter compiles"), d->reasons);
    d->filter->setMaximumWidth(190);
    d->figures->row()->addWidget(d->filter);
    d->figures->row()->addWidget(d->attach);
    d->down->addWidget(titledBox(tr("Reasons, worst first"), d->reasons).widget);
}

void RanksPage::buildMatrix() {
    auto* holder = new QWidget;
    d->matrixColumn = new QVBoxLayout(holder);
    d->matrixColumn->setContentsMargins(0, 0, 0, 0);
    const TitledBox box = titledBox(tr("Compiles by group of ranks"), holder);
    box.note->setText(tr("ranks with the same letter compiled the same graphs"));
    d->down->addWidget(box.widget);
}

// Its columns are the groups, which another report has others of.
void RanksPage::makeMatrix() {
    delete d->matrix;
    d->matrix = new RowTable(tr("Compiles by group of ranks"), matrixColumns(*d->reading), theme());
    d->matrix->setObjectName(QStringLiteral("ranks.matrix"));
    addCopyRows(d->matrix);
    takeFilterKeys(d->matrix);
    d->matrixColumn->addWidget(d->matrix);
    connect(d->matrix, &RowTable::rowSelected, this,
            [this](int row) { chooseRow(d->rows[std::size_t(row)]); });
    connect(d->matrix, &RowTable::rowActivated, this, [this](int row) {
        const ranks::CompileRow& of = d->reading->report.rows[d->rows[std::size_t(row)]];
        for (const std::size_t compile : of.compiles)
            if (compile != ranks::none)
                return workspace().selectCompile(workspace().place().capture, int(compile));
    });
}

void RanksPage::buildTabs() {
    d->tabs = new QTabBar;
    d->tabs->setObjectName(QStringLiteral("ranks.tabs"));
    d->tabs->setDrawBase(false);
    d->tabs->setExpanding(false);
    d->lanes = new CollectiveLanes(theme());
    d->lanes->setObjectName(QStringLiteral("ranks.lanes"));
    d->pages = new QStackedWidget;
    d->tabs->addTab(tr("Collectives"));
    d->pages->addWidget(d->lanes);
    const auto add = [this](RowTable*& table, const QString& title, const char* name,
                            std::vector<TableColumn> columns, const QString& empty) {
        table = new RowTable(title, std::move(columns), theme());
        table->setObjectName(QLatin1String(name));
        table->setEmptyText(empty);
        addCopyRows(table);
        d->tabs->addTab(title);
        d->pages->addWidget(table);
    };
    add(d->waiting, tr("Who waits for whom"), "ranks.waiting", waitingColumns(), {});
    add(d->alone, tr("Compiled alone"), "ranks.alone", aloneColumns(),
        tr("Every rank has every compile: nobody compiled alone."));
    add(d->caches, tr("Caches"), "ranks.caches", cacheColumns(), tr("The traces have no word of a cache."));
    add(d->measured, tr("Measured time"), "ranks.measured", measuredColumns(),
        tr("No profile of a rank lies beside the capture. \"dynascope-cli capture --profile -- torchrun "
           "...\" makes one of each."));
    add(d->estimates, tr("Estimated time"), "ranks.estimates", estimateColumns(),
        tr("The traces have no estimate. Inductor writes it where TORCH_TRACE is set and "
           "torch._inductor.config.log_tlparse is on."));
    d->times = new RankTimeChart(theme());
    d->tabs->addTab(tr("Compile time"));
    d->pages->addWidget(d->times);
    d->scaling = new RankEstimate(theme(), workspace().tasks());
    addCopyRows(d->scaling->table());
    d->tabs->addTab(tr("Other numbers of ranks"));
    d->pages->addWidget(d->scaling);
    add(d->notes, tr("Notes"), "ranks.notes", noteColumns(), tr("Nothing limits the verdict."));
    QHBoxLayout* row = nullptr;
    QWidget* bar = headerBar(row);
    row->setContentsMargins(0, 0, 8, 0);
    row->addWidget(d->tabs);
    row->addStretch(1);
    auto* box = new QWidget;
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(bar);
    column->addWidget(d->pages, 1);
    d->down->addWidget(box);
}

void RanksPage::connectTables() {
    connect(d->tabs, &QTabBar::currentChanged, d->pages, &QStackedWidget::setCurrentIndex);
    connect(d->filter, &QLineEdit::textChanged, this, [this] { fill(); });
    connect(d->detail, &FactView::followed, this, &RanksPage::follow);
    connect(d->reasons, &RowTable::rowSelected, this, [this](int row) { chooseReason(std::size_t(row)); });
    connect(d->reasons, &RowTable::rowActivated, this, [this] { showReasonNode(false); });
    connect(d->reasons, &RowTable::linkActivated, this, [this](int row) {
        const ranks::Reason& reason = d->reading->report.reasons[std::size_t(row)];
        follow(QStringLiteral("source:%1:%2").arg(toQString(reason.file)).arg(reason.line));
    });
    connect(d->waiting, &RowTable::rowActivated, this, [this](int row) { showWaiting(std::size_t(row), 0); });
    connect(d->waiting, &RowTable::linkActivated, this,
            [this](int row, int column) { showWaiting(std::size_t(row), column); });
    connect(d->alone, &RowTable::rowActivated, this, [this](int row) {
        workspace().selectCompile(workspace().place().capture, int(d->aloneRows[std::size_t(row)]));
        emit workspace().panelRequested(PanelId::Guards);
    });
    connect(d->times, &RankTimeChart::chosen, this, [this](int compile) {
        for (std::size_t row = 0; row < d->reading->report.rows.size(); ++row)
            if (std::ranges::count(d->reading->report.rows[row].compiles, std::size_t(compile)) > 0)
                return chooseRow(row);
    });
    connect(d->times, &RankTimeChart::activated, this,
            [this](int compile) { workspace().selectCompile(workspace().place().capture, compile); });
    connect(d->scaling, &RankEstimate::callActivated, this,
            [this](std::size_t row, std::size_t call, bool line) {
                const ir::SourceLocation& at = d->reading->report.rows[row].lanes.front().calls[call].what.at;
                if (!line) return showCall(row, 0, int(call), false);
                follow(QStringLiteral("source:%1:%2").arg(toQString(at.file)).arg(at.line));
            });
    connect(d->lanes, &CollectiveLanes::selectionChanged, this, [this](int lane, int call) {
        d->choice.lane = lane;
        d->choice.call = call;
        showDetail();
    });
    connect(d->lanes, &CollectiveLanes::activated, this,
            [this](int lane, int call) { showCall(d->choice.row, lane, call, false); });
}

} // namespace dynascope::views
