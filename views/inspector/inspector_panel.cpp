// SPDX-License-Identifier: BSD-3-Clause
#include "views/inspector/inspector_panel.h"

#include "core/layout/fold.h"
#include "core/session/program_names.h"
#include "core/session/symbol_hints.h"
#include "views/inspector/fact_view.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>

namespace dynascope::views {

namespace {

struct NamesOf {
    ir::GraphPtr graph;
    std::vector<std::string> names;  ///< as layout::stateNames()
    std::vector<std::string> inputs; ///< as layout::GroupTree::inputNames
};

struct PeakOf {
    ir::GraphPtr graph;
    HeldAtPeak held;
};

} // namespace

struct InspectorPanel::Private {
    FactView* view = nullptr;
    Facts facts;
    // Of this panel: another one asks about other graphs.
    const QString namesTag = QStringLiteral("inspector names %1").arg(quintptr(this));
    const QString peakTag = QStringLiteral("inspector peak %1").arg(quintptr(this));
    NamesOf names;
    PeakOf peak;
    ir::GraphPtr asked, peakAsked; ///< whose names or peak a task looks for
};

InspectorPanel::InspectorPanel(Workspace& workspace, Theme& theme, QWidget* parent)
    : Panel(workspace, theme, parent)
    , d(std::make_unique<Private>()) {
    d->view = new FactView(theme);
    d->view->setAccessibleName(tr("Inspector"));
    setContent(d->view);
    setContextMenuPolicy(Qt::ActionsContextMenu);
    auto* copy = new QAction(tr("Copy everything here"), this);
    connect(copy, &QAction::triggered, this, [this] { QApplication::clipboard()->setText(plainText()); });
    addAction(copy);
    connect(d->view, &FactView::followed, this, &InspectorPanel::follow);
    connect(&workspace, &Workspace::nodeSelected, this, &InspectorPanel::invalidate);
    connect(&workspace, &Workspace::stagesChanged, this, &InspectorPanel::invalidate);
    connect(&workspace, &Workspace::diffChanged, this, &InspectorPanel::invalidate);
}

InspectorPanel::~InspectorPanel() = default;

QString InspectorPanel::plainText() const {
    return FactView::plainText(d->facts);
}

const Facts& InspectorPanel::facts() const {
    return d->facts;
}

void InspectorPanel::follow(const QString& target) {
    followLink(workspace(), target);
}

void InspectorPanel::refresh() {
    if (showNothingOpen()) return;
    const Workspace::Capture& capture = *workspace().capture();
    const Place& place = workspace().place();
    if (workspace().selectedNode()) {
        const bool onA = place.node.side == Side::A;
        const StageView& own = workspace().stage(place.node.side);
        const StageView& other = workspace().stage(onA ? Side::B : Side::A);
        const auto label = [](const StageView& view) {
            return view.stage ? toQString(view.stage->label()) : QString();
        };
        const auto diff = workspace().diff();
        const bool isInput = own.graph->node(place.node.node).op == ir::Op::Placeholder;
        if (isInput && d->names.graph != own.graph) askNames(own.graph);
        const bool known = d->names.graph == own.graph;
        if (d->peak.graph != own.graph) askPeak(own.graph);
        d->facts = nodeFacts({place.node.side, place.node.node, own.graph.get(), other.graph.get(),
                              diff.get(), label(own), label(other), known ? &d->names.names : nullptr,
                              known ? &d->names.inputs : nullptr,
                              d->peak.graph == own.graph ? &d->peak.held : nullptr},
                             theme().colours());
    } else if (workspace().compile()) {
        d->facts = compileFacts(capture, std::size_t(place.compile));
    } else {
        d->facts = captureFacts(capture);
    }
    d->view->setFacts(d->facts);
    showContent();
}

void InspectorPanel::askNames(const ir::GraphPtr& graph) {
    if (d->asked == graph && workspace().tasks().isRunning(d->namesTag)) return;
    d->asked = graph;
    const session::Compile* compile = workspace().compile();
    workspace().tasks().run<NamesOf>(
        d->namesTag, this,
        [graph, naming = compile ? session::namingOf(*compile) : nullptr](const TaskContext&) {
            return NamesOf{graph, layout::stateNames(*graph, session::parameterNames(naming, *graph)),
                           session::inputNamesByNode(naming, *graph)};
        },
        [this](NamesOf found) {
            d->names = std::move(found);
            invalidate();
        });
}

void InspectorPanel::askPeak(const ir::GraphPtr& graph) {
    if (d->peakAsked == graph && workspace().tasks().isRunning(d->peakTag)) return;
    d->peakAsked = graph;
    const session::Compile* compile = workspace().compile();
    workspace().tasks().run<PeakOf>(
        d->peakTag, this,
        [graph, symbols = compile ? session::symbolHints(*compile) : ir::SymbolValues()](const TaskContext&) {
            const replay::GraphBlocks blocks = replay::blocksOf(*graph, replay::defaultAlignment, symbols);
            return PeakOf{graph, {replay::peakOf(blocks, graph->size()), blocks.unknown}};
        },
        [this](PeakOf found) {
            d->peak = std::move(found);
            invalidate();
        });
}

void followLink(Workspace& workspace, const QString& target) {
    const qsizetype colon = target.indexOf(u':');
    const QString kind = target.left(colon), rest = target.mid(colon + 1);
    if (kind == QLatin1String("node")) {
        const Side side = rest.startsWith(u'A') ? Side::A : Side::B;
        workspace.selectNode({side, ir::NodeIndex(rest.mid(2).toUInt())});
    } else if (kind == QLatin1String("source")) {
        const qsizetype last = rest.lastIndexOf(u':');
        emit workspace.panelRequested(PanelId::Source);
        emit workspace.sourceRequested(rest.left(last), rest.mid(last + 1).toInt());
    } else if (kind == QLatin1String("copy")) {
        QApplication::clipboard()->setText(rest);
    } else if (kind == QLatin1String("try")) {
        emit workspace.trialRequested(rest);
    } else if (kind == QLatin1String("panel")) {
        if (const auto panel = panelNamed(rest)) emit workspace.panelRequested(*panel);
    } else if (kind == QLatin1String("record")) {
        emit workspace.recordRequested(workspace.place().capture, rest.toInt());
    } else if (kind == QLatin1String("break")) {
        workspace.showBreak(rest.toInt());
    } else if (kind == QLatin1String("compile")) {
        workspace.selectCompile(workspace.place().capture, rest.toInt());
    }
}

} // namespace dynascope::views
