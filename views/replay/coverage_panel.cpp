// SPDX-License-Identifier: BSD-3-Clause
#include "views/replay/coverage_panel.h"

#include "core/session/program_names.h"
#include "views/base/page_parts.h"
#include "views/inspector/fact_view.h"
#include "views/replay/coverage_rows.h"
#include "views/theme/splitter.h"
#include "views/workspace/go_to.h"
#include "views/workspace/labels.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

namespace dynascope::views {

using replay::CoverageVerdict;
using replay::GraphCoverage;

/// What became of the inputs of one graph, made on a worker.
struct CoveragePanel::Inputs {
    ir::GraphPtr graph; ///< null where it could not be read
    replay::InputCategories categories;
    std::vector<std::string> names; ///< by node: what the program calls an input (programNames())
};

namespace {

std::vector<std::size_t> recordedInputs(const GraphCoverage& graph) {
    std::vector<std::size_t> out;
    for (const replay::RecordedInput& input : graph.recorded)
        out.push_back(input.input);
    return out;
}

} // namespace

struct CoveragePanel::Private {
    FigureRow* figures = nullptr;
    QComboBox* backend = nullptr;
    QLabel *graphCount = nullptr, *inputTitle = nullptr, *inputNote = nullptr;
    RowTable *graphs = nullptr, *inputs = nullptr;
    FactView* detail = nullptr;
    session::SessionPtr session;
    replay::GraphBackend asked = replay::GraphBackend::ReduceOverhead;
    replay::CoverageReport report;
    Inputs shown;
    int row = -1;

    [[nodiscard]] const GraphCoverage* graph() const {
        return row < 0 || row >= int(report.graphs.size()) ? nullptr : &report.graphs[std::size_t(row)];
    }
};

CoveragePanel::CoveragePanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    setObjectName(QStringLiteral("coverage"));
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    d->figures = new FigureRow;
    d->backend = new QComboBox;
    d->backend->setAccessibleName(tr("Judge as"));
    d->backend->addItem(tr("mode=\"reduce-overhead\""));
    d->backend->addItem(tr("backend=\"cudagraphs\""));
    d->backend->setToolTip(
        tr("reduce-overhead: Inductor with CUDA-graph trees, which cut a graph around what cannot be "
           "recorded.\n\ncudagraphs: the whole graph or nothing."));
    d->figures->row()->addWidget(plainLabel(tr("Judged as"), "hint"));
    d->figures->row()->addWidget(d->backend);
    column->addWidget(d->figures);

    auto* split = new Splitter(Qt::Horizontal);
    auto* lists = new Splitter(Qt::Vertical);
    const auto list = [&](const QString& name, RowTable* table) {
        const TitledBox box = titledBox(name, table);
        lists->addWidget(box.widget);
        addCopyRows(table);
        return box;
    };
    d->graphs = new RowTable(tr("CUDA graph coverage"), coverageColumns(), theme);
    d->graphs->setObjectName(QStringLiteral("coverage.graphs"));
    d->inputs = new RowTable(tr("Mutation categories"), inputColumns(), theme);
    d->inputs->setObjectName(QStringLiteral("coverage.inputs"));
    d->inputs->setEmptyText(tr("This graph has no inputs."));
    d->graphCount = list(tr("CUDA graph coverage"), d->graphs).note;
    const TitledBox inputs = list(tr("Mutation categories"), d->inputs);
    d->inputTitle = inputs.title;
    d->inputNote = inputs.note;
    lists->setSizes({420, 300});
    lists->setChildrenCollapsible(false);
    split->addWidget(lists);
    d->detail = new FactView(theme);
    d->detail->setObjectName(QStringLiteral("coverage.detail"));
    d->detail->setAccessibleName(tr("Why"));
    split->addWidget(d->detail);
    split->setStretchFactor(0, 1);
    split->setSizes({1000, theme.scaled(340)});
    split->setCollapsible(0, false);
    column->addWidget(split, 1);
    setContent(page);
    setFocusProxy(d->graphs);

    connect(d->backend, &QComboBox::activated, this,
            [this](int index) { setBackend(replay::GraphBackend(index)); });
    connect(d->graphs, &RowTable::rowSelected, this, &CoveragePanel::showGraph);
    connect(d->graphs, &RowTable::rowActivated, this, &CoveragePanel::goToGraph);
    connect(d->graphs, &RowTable::linkActivated, this, &CoveragePanel::followGraphLine);
    connect(d->inputs, &RowTable::rowActivated, this, [this](int input) { followInput(input, false); });
    connect(d->inputs, &RowTable::linkActivated, this, [this](int input) { followInput(input, true); });
    connect(d->detail, &FactView::followed, this, &CoveragePanel::follow);
}

CoveragePanel::~CoveragePanel() = default;

void CoveragePanel::setBackend(replay::GraphBackend backend) {
    d->backend->setCurrentIndex(int(backend));
    if (std::exchange(d->asked, backend) != backend && d->session) judge();
}

void CoveragePanel::forget() {
    for (const char* tag : {"cudagraphs", "cudagraphs.inputs"})
        workspace().tasks().cancel(QLatin1String(tag));
    setLoading(false);
    d->graphs->setRows({});
    d->inputs->setRows({});
    d->detail->setFacts({});
    d->report = {};
    d->shown = {};
    d->session.reset();
    d->row = -1;
}

void CoveragePanel::refresh() {
    if (showNothingOpen()) return forget();
    const session::SessionPtr& session = workspace().capture()->session;
    if (session->compiles.empty()) {
        forget();
        showMessage(tr("This capture has no compiled graph."));
        return;
    }
    if (d->session == session) {
        showFigures(); // colours
        showFacts();
        return;
    }
    forget();
    d->session = session;
    showContent();
    judge();
}

void CoveragePanel::judge() {
    setLoading(true);
    workspace().tasks().run<replay::CoverageReport>(
        QStringLiteral("cudagraphs"), this,
        [session = d->session, backend = d->asked](const TaskContext& task) {
            return replay::cudagraphCoverage(*session, backend, task);
        },
        [this](replay::CoverageReport report) { showReport(std::move(report)); });
}

void CoveragePanel::showReport(replay::CoverageReport report) {
    setLoading(false);
    d->report = std::move(report);
    if (d->report.graphs.empty()) {
        showMessage(tr("Nothing that was compiled left a graph in this capture."));
        return;
    }
    showContent();
    showFigures();
    d->graphs->setRows(coverageRows(*d->session, d->report));
    const auto here =
        std::find_if(d->report.graphs.begin(), d->report.graphs.end(), [&](const GraphCoverage& graph) {
            return int(graph.compile) == workspace().place().compile;
        });
    const bool kept = d->graph() != nullptr; // another backend, the same graphs
    selectGraph(kept ? d->row : here == d->report.graphs.end() ? 0 : int(here - d->report.graphs.begin()));
}

void CoveragePanel::showFigures() {
    const Colours& c = theme().colours();
    std::array<std::size_t, std::size_t(CoverageVerdict::Unknown) + 1> count{};
    for (const GraphCoverage& graph : d->report.graphs)
        ++count[std::size_t(verdictOnGpu(graph))];
    const auto number = [&](CoverageVerdict verdict) { return count[std::size_t(verdict)]; };
    std::vector<FigureRow::Figure> figures{
        {tr("%1 of %2").arg(number(CoverageVerdict::CudaGraph)).arg(d->report.graphs.size()),
         tr("CUDA graphs on a GPU"),
         number(CoverageVerdict::CudaGraph) == d->report.graphs.size() ? c.added
                                                                       : QColor(), // good only whole
         tr("Recorded once, replayed with one launch")}};
    const auto add = [&](CoverageVerdict verdict, const QString& name, const QColor& tone,
                         const QString& tip) {
        if (number(verdict) > 0) figures.push_back({numberText(number(verdict)), name, tone, tip});
    };
    add(CoverageVerdict::Split, tr("split"), c.changed,
        tr("Cut around ops that cannot be recorded; the pieces are CUDA graphs"));
    add(CoverageVerdict::Skipped, tr("run eagerly"), c.removed, tr("Not recorded at all"));
    add(CoverageVerdict::Raises, tr("raise"), c.removed, tr("PyTorch fails while it compiles them"));
    add(CoverageVerdict::Unknown, tr("not known"), c.text2, tr("The capture does not say enough"));
    figures.push_back({numberText(d->report.count(CoverageVerdict::CudaGraph)),
                       tr("CUDA graphs as captured"),
                       {},
                       tr("CUDA graphs on the devices of the capture")});
    d->figures->setFigures(figures);
    d->graphCount->setText(countText(d->report.graphs.size(), tr("compiled graph"), tr("compiled graphs")));
}

void CoveragePanel::selectGraph(int row) {
    d->graphs->select(row);
    showGraph(row);
}

void CoveragePanel::showGraph(int row) {
    d->row = row;
    d->shown = {};
    const GraphCoverage* graph = d->graph();
    if (!graph) return;
    showFacts();
    d->inputTitle->setText(tr("Mutation categories of %1").arg(coverageName(*d->session, *graph)));
    workspace().tasks().run<Inputs>(
        QStringLiteral("cudagraphs.inputs"), this,
        [session = d->session, compile = graph->compile, stage = graph->stage, fixed = graph->fixed,
         recorded = recordedInputs(*graph)](const TaskContext&) {
            Inputs out;
            if (const Result<ir::GraphPtr> read = stage->graph()) {
                out.graph = *read;
                out.categories = replay::inputCategories(replay::factsOf(*read), fixed, recorded);
                out.names = session::programNames(session::namingOf(session->compiles[compile]), **read);
            }
            return out;
        },
        [this](Inputs inputs) { showInputs(std::move(inputs)); });
}

void CoveragePanel::showFacts() {
    const GraphCoverage* graph = d->graph();
    if (!graph) return;
    std::map<std::string, std::string> names;
    for (ir::NodeIndex n = 0; n < d->shown.names.size(); ++n)
        if (!d->shown.names[n].empty()) names[d->shown.graph->node(n).name] = d->shown.names[n];
    d->detail->setFacts(coverageFacts(*d->session, *graph, names));
}

void CoveragePanel::showInputs(Inputs inputs) {
    d->shown = std::move(inputs);
    showFacts();
    if (!d->shown.graph) {
        d->inputs->setRows({});
        d->inputNote->setText(tr("the graph cannot be read"));
        return;
    }
    d->inputs->setRows(inputRows(*d->shown.graph, d->shown.categories, d->shown.names));
    std::array<std::size_t, Colours::mutationCount> count{};
    for (const replay::InputCategory& input : d->shown.categories.inputs)
        ++count[std::size_t(input.category)];
    const auto number = [&](replay::MutationCategory category) { return count[std::size_t(category)]; };
    d->inputNote->setText(tr("%1 of %2 written; parameters and buffers: %3, others: %4")
                              .arg(d->shown.categories.check.inputs.size())
                              .arg(countText(d->shown.categories.inputs.size(), tr("input"), tr("inputs")))
                              .arg(number(replay::MutationCategory::Static))
                              .arg(number(replay::MutationCategory::Other)));
    // The written ones are what the list is for.
    const auto written = std::find_if(d->shown.categories.inputs.begin(), d->shown.categories.inputs.end(),
                                      [](const auto& input) { return !input.writes.empty(); });
    d->inputs->select(
        written == d->shown.categories.inputs.end() ? 0 : int(written - d->shown.categories.inputs.begin()));
}

void CoveragePanel::goToGraph() {
    if (const GraphCoverage* graph = d->graph()) goToStage(workspace(), graph->compile, graph->stage);
}

void CoveragePanel::followGraphLine(int row) {
    if (row < 0 || row >= int(d->report.graphs.size())) return;
    const GraphCoverage& graph = d->report.graphs[std::size_t(row)];
    if (const replay::CoveragePlace* place = firstPlace(graph))
        goToLine(workspace(), graph.compile, graph.stage, nodeOf(*place), place->at);
}

void CoveragePanel::followInput(int row, bool toLine) {
    const GraphCoverage* graph = d->graph();
    if (!graph || !d->shown.graph || row < 0 || row >= int(d->shown.categories.inputs.size())) return;
    const replay::InputCategory& input = d->shown.categories.inputs[std::size_t(row)];
    const ir::Node& node =
        d->shown.graph->node(input.writes.empty() ? input.placeholder : input.writes.front().node);
    if (toLine && node.location())
        goToLine(workspace(), graph->compile, graph->stage, node.name, *node.location());
    else
        goToStage(workspace(), graph->compile, graph->stage, node.name);
}

void CoveragePanel::follow(const QString& target) {
    const GraphCoverage* graph = d->graph();
    if (!graph) return;
    const QStringList parts = target.split(u':');
    if (parts[0] == QLatin1String("graph")) return goToGraph();
    if (parts.size() != 3) return;
    const std::size_t problem = parts[1].toUInt(), at = parts[2].toUInt();
    if (problem >= graph->problems.size() || at >= graph->problems[problem].places.size()) return;
    const replay::CoveragePlace& place = graph->problems[problem].places[at];
    if (parts[0] == QLatin1String("line"))
        goToLine(workspace(), graph->compile, graph->stage, nodeOf(place), place.at);
    else
        goToStage(workspace(), graph->compile, graph->stage, nodeOf(place));
}

} // namespace dynascope::views
