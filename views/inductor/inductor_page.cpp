// SPDX-License-Identifier: BSD-3-Clause
#include "views/inductor/inductor_page.h"

#include "views/canvas/compare_view.h"
#include "views/inductor/pass_place.h"
#include "views/inductor/pass_texts.h"
#include "views/inductor/pass_walk.h"
#include "views/inspector/fact_view.h"
#include "views/inspector/inspector_panel.h"
#include "views/models/labels.h"
#include "views/text/page_parts.h"
#include "views/text/row_table.h"
#include "views/text/text_diff_panel.h"
#include "views/theme/splitter.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <memory>

namespace dynascope::views {

using inductor::CompilePasses;
using inductor::PassRow;

namespace {

const QString readTag = QStringLiteral("inductor.read");
constexpr int narrowWindow = 1440;
constexpr std::size_t mostDrawn = 400; ///< of a pass that changed more the whole graph is drawn, folded

/// What is read on a worker.
struct ReadPasses {
    CompilePasses passes;
    QString error;
};

} // namespace

struct InductorPage::Private {
    explicit Private()
        : graphs(tasks) {}

    // The page's graphs are read and compared apart from those of the window, under the same tags.
    TaskRunner tasks;
    Workspace graphs;
    FigureRow* figures = nullptr;
    RowTable *table = nullptr, *matches = nullptr, *kernels = nullptr, *fusions = nullptr;
    QLineEdit* filter = nullptr;
    QCheckBox *folds = nullptr, *part = nullptr;
    QPushButton *previous = nullptr, *next = nullptr;
    CompareView* canvases = nullptr;
    TextDiffPanel* text = nullptr;
    QTabWidget* tabs = nullptr;
    FactView* detail = nullptr;
    Splitter *columns = nullptr, *centre = nullptr;
    TitledBox list;
    QLabel* note = nullptr; ///< above the canvases: which pass it is

    session::SessionPtr session;
    int compile = -1;
    CompilePasses passes;
    std::vector<ListedPass> listed;
    int row = -1;
    const inductor::Schedule* schedule = nullptr; ///< whose tables are shown
    bool reading = false;

    [[nodiscard]] int listedOf(int wanted) const {
        for (std::size_t i = 0; i < listed.size(); ++i)
            if (listed[i].row >= 0 && wanted >= listed[i].row &&
                wanted < listed[i].row + int(listed[i].count))
                return int(i);
        return -1;
    }
};

InductorPage::InductorPage(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    build();
    restyle();
}

InductorPage::~InductorPage() {
    // They hold on to the page's own workspace, which would be gone before them.
    delete d->canvases;
    delete d->text;
}

RowTable* InductorPage::table() const {
    return d->table;
}
RowTable* InductorPage::matches() const {
    return d->matches;
}
RowTable* InductorPage::kernels() const {
    return d->kernels;
}
RowTable* InductorPage::fusions() const {
    return d->fusions;
}
CompareView* InductorPage::canvases() const {
    return d->canvases;
}
FactView* InductorPage::detail() const {
    return d->detail;
}
Workspace& InductorPage::graphs() const {
    return d->graphs;
}
int InductorPage::row() const {
    return d->row;
}

bool InductorPage::isSettled() const {
    return !d->reading && d->tasks.isIdle() && d->canvases->isSettled();
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
    for (QWidget* control :
         std::initializer_list<QWidget*>{d->filter, d->folds, d->part, d->previous, d->next})
        d->figures->row()->addWidget(control);

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
    d->columns->addWidget(titledBox(tr("This pass"), d->detail).widget);
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
    connect(d->matches, &RowTable::rowSelected, this, [this](int at) {
        const PassRow& row = d->passes.rows[std::size_t(d->row)];
        const inductor::Match& match = row.pass->matches[std::size_t(at)];
        const ir::GraphPtr graph = d->graphs.stage(Side::A).graph;
        const std::string& name =
            match.anchor.name.empty() && !match.nodes.empty() ? match.nodes.front().name : match.anchor.name;
        if (graph && graph->find(name) != ir::npos) d->graphs.selectNode({Side::A, graph->find(name)});
    });
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

void InductorPage::refresh() {
    if (showNothingOpen()) return;
    const session::SessionPtr session = workspace().capture()->session;
    const int compile = workspace().place().compile;
    if (session != d->session || compile != d->compile) {
        d->session = session;
        d->compile = compile;
        read();
        return;
    }
    if (d->reading || !d->passes.recording) return;
    const int wanted = workspace().place().own.of<PassPlace>().row;
    if (wanted != d->row || d->row < 0) showPass(wanted);
}

void InductorPage::read() {
    d->row = -1;
    d->schedule = nullptr;
    d->passes = {};
    d->reading = false;
    if (d->session->passRecordings.empty())
        return showMessage(
            tr("This capture has no recording of passes. Make one: dynascope-cli capture --passes -o DIR -- "
               "python script.py"));
    if (d->compile < 0) return showMessage(tr("No compile is chosen."));
    d->reading = true;
    setLoading(true);
    d->tasks.run<ReadPasses>(
        readTag, this,
        [session = d->session, compile = d->compile](const TaskContext& task) {
            ReadPasses out;
            out.passes = inductor::passesOf(*session, session->compiles[std::size_t(compile)]);
            if (const auto read = inductor::addStages(out.passes, task); !read)
                out.error = toQString(read.error().message);
            return out;
        },
        [this](ReadPasses made) {
            d->reading = false;
            setLoading(false);
            d->passes = std::move(made.passes);
            if (!made.error.isEmpty()) return showMessage(made.error);
            if (!d->passes.recording || d->passes.rows.empty())
                return showMessage(tr("The recording of passes does not hold this compile: its graphs may "
                                      "have come from a cache, "
                                      "or another backend compiled it."));
            session::Session graphs;
            graphs.kind = d->session->kind;
            graphs.title = d->session->title;
            graphs.torchVersion = d->session->torchVersion;
            graphs.sources = d->session->sources;
            graphs.compiles.push_back(
                inductor::compileOf(d->passes, d->session->compiles[std::size_t(d->compile)]));
            while (!d->graphs.captures().empty())
                d->graphs.close(0);
            d->graphs.addCapture({std::make_shared<const session::Session>(std::move(graphs)), {}}, true);
            showContent();
            d->figures->setFigures(passFigures(d->passes, theme().colours()));
            fillList();
            showPass(workspace().place().own.of<PassPlace>().row);
        });
}

void InductorPage::fillList() {
    d->listed = listedPasses(d->passes, d->folds->isChecked(), d->filter->text());
    std::vector<TableRow> rows;
    for (const ListedPass& listed : d->listed)
        rows.push_back(passRow(d->passes, listed));
    d->table->setRows(std::move(rows));
    d->table->select(d->listedOf(d->row));
}

void InductorPage::goTo(int row) {
    Place place = workspace().place();
    place.page = Page::Inductor;
    place.own.set(PassPlace{row});
    workspace().go(place);
}

int InductorPage::target(StepCommand command) const {
    return d->row < 0 ? -1 : passAfter(d->passes, d->row, command);
}

bool InductorPage::canRun(StepCommand command) const {
    return target(command) >= 0;
}

void InductorPage::run(StepCommand command) {
    if (const int row = target(command); row >= 0) goTo(row);
}

void InductorPage::showPass(int wanted) {
    const auto& rows = d->passes.rows;
    if (wanted < 0 || wanted >= int(rows.size())) {
        const auto first = std::ranges::find_if(rows, [](const PassRow& row) { return row.changed(); });
        wanted = first == rows.end() ? 0 : int(first - rows.begin());
    }
    d->row = wanted;
    const PassRow& row = rows[std::size_t(wanted)];
    d->table->select(d->listedOf(wanted));
    d->matches->setRows(row.pass ? matchRows(d->passes, *row.pass) : std::vector<TableRow>());
    d->tabs->setTabText(1, row.pass && !row.pass->matches.empty()
                               ? tr("Patterns %1").arg(row.pass->matches.size())
                               : tr("Patterns"));
    const int before = d->passes.stageOf(row.before), after = d->passes.stageOf(row.after);
    if (before >= 0 && after >= 0) d->graphs.selectStages(before, after);
    drawChanged();
    showSchedule();
    d->previous->setEnabled(canRun(StepCommand::BackRun));
    d->next->setEnabled(canRun(StepCommand::Run));
    showNode();
}

/// The graph's own, whichever of its passes is looked at.
void InductorPage::showSchedule() {
    const inductor::Schedule* schedule = scheduleOf(d->passes, d->passes.rows[std::size_t(d->row)]);
    if (schedule == d->schedule) return;
    d->schedule = schedule;
    d->kernels->setRows(schedule ? kernelRows(*schedule) : std::vector<TableRow>());
    d->fusions->setRows(schedule ? fusionRows(d->passes, *schedule) : std::vector<TableRow>());
    const auto titled = [](const QString& name, int rows) {
        return rows > 0 ? QStringLiteral("%1 %2").arg(name).arg(rows) : name;
    };
    d->tabs->setTabText(2, titled(tr("Kernels"), d->kernels->rows().rowCount()));
    d->tabs->setTabText(3, titled(tr("Fusions"), schedule ? int(schedule->fusions.size()) : 0));
}

void InductorPage::drawChanged() {
    if (d->row < 0) return;
    const PassRow& row = d->passes.rows[std::size_t(d->row)];
    const ir::GraphPtr a = d->graphs.stage(Side::A).graph, b = d->graphs.stage(Side::B).graph;
    if (!a || !b) return; // they are being read
    ChangedPart part;
    if (d->part->isChecked() && row.changed()) part = changedPart(*d->passes.recording, row, *a, *b);
    const bool most = part.a.size() > mostDrawn || part.b.size() > mostDrawn;
    d->canvases->drawOnly(most ? ir::NodeSet() : part.a, most ? ir::NodeSet() : part.b);
}

void InductorPage::showNode() {
    if (d->row < 0) return;
    Facts facts = passFacts(d->passes, d->row);
    const NodeSelection selection = d->graphs.place().node;
    const ir::Node* node = d->graphs.selectedNode();
    if (node != nullptr) {
        const PassRow& row = d->passes.rows[std::size_t(d->row)];
        const auto nodes = d->passes.recording->nodes(selection.side == Side::A ? row.before : row.after);
        const auto at = std::ranges::find_if(
            nodes, [node](const inductor::NodeRef& ref) { return ref.name == node->name; });
        if (at != nodes.end())
            facts.sections.insert(facts.sections.begin(),
                                  nodeSection(d->passes, at->id, toQString(node->name)));
    }
    d->detail->setFacts(facts);
}

void InductorPage::follow(const QString& target) {
    const QStringList parts = target.split(u':');
    if (parts.front() == QLatin1String("row")) return goTo(parts.value(1).toInt());
    followLink(workspace(), target);
}

void InductorPage::restyle() {
    if (d->passes.recording) d->figures->setFigures(passFigures(d->passes, theme().colours()));
}

bool InductorPage::exportTo(const QString& path) {
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly)) return false;
    file.write(passTable(d->passes).toUtf8());
    return file.commit();
}

} // namespace dynascope::views
