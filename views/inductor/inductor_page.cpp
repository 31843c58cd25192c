// SPDX-License-Identifier: BSD-3-Clause
#include "core/inductor/pass_walk.h"
#include "views/base/row_table.h"
#include "views/base/text_diff_panel.h"
#include "views/canvas/chosen_nodes.h"
#include "views/canvas/compare_view.h"
#include "views/inductor/inductor_private.h"
#include "views/inductor/lives_view.h"
#include "views/inductor/pass_place.h"
#include "views/inductor/pattern_view.h"
#include "views/inductor/schedule_view.h"
#include "views/inspector/fact_view.h"
#include "views/inspector/inspector_panel.h"
#include "views/workspace/labels.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QTabWidget>
#include <algorithm>
#include <memory>

namespace dynascope::views {

using inductor::CompilePasses;
using inductor::PassRow;

namespace {

const QString readTag = QStringLiteral("inductor.read");
constexpr std::size_t mostDrawn = 400; ///< of a pass that changed more the whole graph is drawn, folded

/// What is read on a worker.
struct ReadPasses {
    CompilePasses passes;
    std::vector<inductor::FallbackCost> costs;
    QString error;
};

} // namespace

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

CompareView* InductorPage::canvases() const {
    return d->canvases;
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
    const auto wanted = workspace().place().own.of<PassPlace>();
    if (wanted.row != d->row || d->row < 0) showPass(wanted.row);
    showSchedule();
    showView(wanted.scheduler);
}

void InductorPage::read() {
    d->row = -1;
    d->schedules.clear();
    d->costs.clear();
    fillSchedule(nullptr);
    fillFallbacks();
    d->passes = {};
    d->lineSteps.clear();
    d->lines->setRows({});
    if (d->checks) d->checks->clear();
    say({});
    showChecks();
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
            // Without them the page tells all else.
            if (auto costs = inductor::fallbacksOf(out.passes, task)) out.costs = std::move(*costs);
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
            d->schedules = inductor::schedulesOf(d->passes);
            d->costs = std::move(made.costs);
            fillFallbacks();
            const auto wanted = workspace().place().own.of<PassPlace>();
            showPass(wanted.row);
            showView(wanted.scheduler);
        });
}

/// Of a row that stands for one pass.
const engine::PassVerdict* InductorPage::verdictOf(const ListedPass& listed) const {
    return d->checks && listed.row >= 0 && listed.count == 1 ? d->checks->of(listed.row) : nullptr;
}

void InductorPage::fillList() {
    d->listed = listedPasses(d->passes, d->folds->isChecked(), d->filter->text());
    std::vector<TableRow> rows;
    for (const ListedPass& listed : d->listed)
        rows.push_back(passRow(d->passes, listed, verdictOf(listed)));
    d->table->setRows(std::move(rows));
    d->table->select(d->listedOf(d->row));
}

void InductorPage::goTo(int row) {
    Place place = workspace().place();
    place.page = Page::Inductor;
    place.own.set(PassPlace{row});
    workspace().go(place);
}

void InductorPage::showPass(int wanted) {
    const auto& rows = d->passes.rows;
    if (wanted < 0 || wanted >= int(rows.size())) {
        const auto first = std::ranges::find_if(
            rows, [](const PassRow& row) { return row.changed() && row.pass != nullptr; });
        wanted = first == rows.end() ? 0 : int(first - rows.begin());
    }
    d->row = wanted;
    d->match = -1;
    d->pattern->clear();
    const PassRow& row = rows[std::size_t(wanted)];
    d->table->select(d->listedOf(wanted));
    d->matches->setRows(row.pass ? matchRows(d->passes, *row.pass) : std::vector<TableRow>());
    d->tabs->setTabText(int(Tab::Patterns), row.pass && !row.pass->matches.empty()
                                                ? tr("Patterns %1").arg(row.pass->matches.size())
                                                : tr("Patterns"));
    const int before = d->passes.stageOf(row.before), after = d->passes.stageOf(row.after);
    if (before >= 0 && after >= 0) d->graphs.selectStages(before, after);
    drawChanged();
    showSchedule();
    showSteps();
    showNode();
}

void InductorPage::drawChanged() {
    if (d->row < 0) return;
    const PassRow& row = d->passes.rows[std::size_t(d->row)];
    const ir::GraphPtr a = d->graphs.stage(Side::A).graph, b = d->graphs.stage(Side::B).graph;
    if (!a || !b) return; // they are being read
    const inductor::ChangedPart part = drawnPart(row, *a, *b);
    d->canvases->drawOnly(part.a, part.b);
}

inductor::ChangedPart InductorPage::drawnPart(const PassRow& row, const ir::Graph& a,
                                              const ir::Graph& b) const {
    if (!d->part->isChecked() || !row.changed()) return {};
    inductor::ChangedPart part = inductor::changedPart(*d->passes.recording, row, a, b);
    const bool most = part.a.size() > mostDrawn || part.b.size() > mostDrawn;
    return most ? inductor::ChangedPart() : std::move(part);
}

/// A step of the passes draws at once where its graphs were read, compared and laid out beforehand.
void InductorPage::prepareNeighbours() {
    if (d->row < 0 || !d->graphs.diff()) return;
    std::vector<std::pair<int, int>> pairs;
    d->neighbours.clear();
    for (const StepCommand command : {StepCommand::Run, StepCommand::BackRun, StepCommand::Over}) {
        const int next = inductor::passAfter(d->passes, d->row, command);
        if (next < 0) continue;
        const PassRow& row = d->passes.rows[std::size_t(next)];
        const int before = d->passes.stageOf(row.before), after = d->passes.stageOf(row.after);
        if (before < 0 || after < 0) continue;
        pairs.emplace_back(before, after);
        d->neighbours.push_back(next);
    }
    d->graphs.prepareDiffs(pairs);
    preparePictures();
}

void InductorPage::preparePictures() {
    for (const int next : d->neighbours) {
        const PassRow& row = d->passes.rows[std::size_t(next)];
        const int before = d->passes.stageOf(row.before), after = d->passes.stageOf(row.after);
        const DiffPtr diff = d->graphs.preparedDiff(before, after);
        if (!diff) continue; // this is called again once it is there
        const session::StagePtr a = d->graphs.stageAt(before), b = d->graphs.stageAt(after);
        const Result<ir::GraphPtr> graphA = a->graph(), graphB = b->graph();
        if (!graphA || !graphB) continue;
        const inductor::ChangedPart part = drawnPart(row, **graphA, **graphB);
        d->canvases->preparePicture(*graphA, *graphB, part.a, part.b, diff);
    }
}

/// Its nodes alone: those that fitted lit in A, in B what took their place.
void InductorPage::showMatch(int at) {
    const PassRow& row = d->passes.rows[std::size_t(d->row)];
    const ir::GraphPtr a = d->graphs.stage(Side::A).graph, b = d->graphs.stage(Side::B).graph;
    if (!a || !b || row.pass == nullptr || std::size_t(at) >= row.pass->matches.size()) return;
    d->match = at;
    showNode();
    const inductor::Match& match = row.pass->matches[std::size_t(at)];
    d->pattern->setMatch(*d->passes.recording, match, *a);
    ir::NodeSet fitted = inductor::fittedNodes(match, *a);
    if (fitted.empty()) return;
    const inductor::ChangedPart part = inductor::matchedPart(match, *a, *b);
    d->canvases->drawOnly(part.a, part.b);
    Place place = d->graphs.place();
    auto chosen = place.own.of<canvas::ChosenNodes>();
    chosen.capture = place.capture;
    chosen.compile = place.compile;
    chosen.chosen = {place.stageA, std::move(fitted)};
    place.own.set(std::move(chosen));
    d->graphs.go(place, false);
    const std::string& anchor = match.anchor.name.empty() ? match.nodes.front().name : match.anchor.name;
    if (a->find(anchor) != ir::npos) d->graphs.selectNode({Side::A, a->find(anchor)});
}

/// On the pattern's canvas the card of the selected node; of a node that took their place all that it stands for.
void InductorPage::showFitted() {
    const ir::Node* node = d->graphs.selectedNode();
    const ir::GraphPtr a = d->graphs.stage(Side::A).graph;
    if (d->row < 0 || d->match < 0 || node == nullptr || !a) return;
    const inductor::Match& match = d->passes.rows[std::size_t(d->row)].pass->matches[std::size_t(d->match)];
    const NodeSelection at = d->graphs.place().node;
    if (at.side == Side::A) return d->pattern->showNodes({at.node});
    const bool added =
        std::ranges::find(match.added, node->name, &inductor::NodeRef::name) != match.added.end();
    d->pattern->showNodes(added ? inductor::fittedNodes(match, *a) : ir::NodeSet());
}

/// At the right: what is chosen in the schedule while that is looked at, else the pass and the selected node.
void InductorPage::showNode() {
    if (d->row < 0) return;
    d->about.title->setText(showsScheduler() ? tr("Scheduler") : tr("This pass"));
    if (showsScheduler()) return d->detail->setFacts(d->operations->facts());
    Facts facts = passFacts(d->passes, d->row);
    if (const engine::PassVerdict* verdict = d->checks ? d->checks->of(d->row) : nullptr)
        facts.sections.insert(facts.sections.begin() + 1, verdictSection(*verdict));
    if (const inductor::RecordedPass* pass = d->passes.rows[std::size_t(d->row)].pass; pass && d->match >= 0)
        facts.sections.insert(facts.sections.begin(),
                              patternSection(*d->passes.recording, pass->matches[std::size_t(d->match)]));
    const NodeSelection selection = d->graphs.place().node;
    const ir::Node* node = d->graphs.selectedNode();
    if (node != nullptr) {
        offerLine(*node);
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
