// SPDX-License-Identifier: BSD-3-Clause
//
// Pictures of what is more than one page: comparisons, compile time, notes, functionalization.
#include "app/gui/engine_actions.h"
#include "app/gui/exporter.h"
#include "app/gui/main_window.h"
#include "app/gui/window_docks.h"
#include "core/compare/compare.h"
#include "views/canvas/compare_view.h"
#include "views/compare/compare_page.h"
#include "views/compare/pair_graphs.h"
#include "views/compile_time/compile_time_panel.h"
#include "views/engine/engine.h"
#include "views/functionalize/calling_convention_panel.h"
#include "views/functionalize/functionalize_page.h"
#include "views/functionalize/stepper.h"
#include "views/notes/note_places.h"
#include "views/notes/notebook.h"
#include "views/values/values_panel.h"

#include <QTabWidget>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

constexpr std::size_t mostNodesToStepThrough = 1000;

bool writes(const ir::GraphPtr& graph) {
    return graph && graph->size() <= mostNodesToStepThrough &&
           std::any_of(graph->nodes().begin(), graph->nodes().end(),
                       [](const ir::NodePtr& node) { return ir::opKind(*node) == ir::OpKind::Write; });
}

} // namespace

void Exporter::comparisonPictures(const QString& what) {
    PairGraphs& graphs = *m_window.page<ComparePage>().graphs();
    graphs.canvas()->setMotion(false);
    grab(what);
    graphs.tabs()->setCurrentIndex(1);
    grab(what + QStringLiteral("-text"));
    graphs.tabs()->setCurrentIndex(0);
}

void Exporter::comparisons(int index) {
    const session::SessionPtr session = m_workspace.captures()[std::size_t(index)].session;
    ComparisonRequest request;
    request.a = request.b = session;
    std::size_t first = 0;
    while (first < session->compiles.size() && compare::otherEntry(*session, first) == compare::none)
        ++first;
    if (session->ranks.size() > 1) {
        request.what = ComparisonRequest::What::Ranks;
    } else if (first < session->compiles.size()) {
        request.what = ComparisonRequest::What::Compiles;
        request.compileA = int(first);
        request.compileB = int(compare::otherEntry(*session, first));
    } else {
        return;
    }
    m_workspace.compare(request);
    comparisonPictures(QStringLiteral("compare"));
}

void Exporter::compileTime() {
    LazyDock* dock = m_window.docks().find(PanelId::CompileTime);
    auto* panel = qobject_cast<CompileTimePanel*>(dock->content());
    panel->setScope(CompileTimePanel::Scope::Capture);
    panel->setView(CompileTimePanel::View::LeftHeavy);
    grab(QStringLiteral("panel-leftheavy"));
    panel->setView(CompileTimePanel::View::Metrics);
    grab(QStringLiteral("panel-metrics"));
    panel->setView(CompileTimePanel::View::Flame);
    panel->setScope(CompileTimePanel::Scope::Compile);
    dock->close();
}

void Exporter::notes(int index) {
    emit m_workspace.panelRequested(PanelId::Notes);
    grab(QStringLiteral("panel-notes-empty"));
    Notebook& notebook = m_window.notebook();
    const std::vector<ir::Address> here = addressesHere(m_workspace);
    for (std::size_t i = 0; i < std::min<std::size_t>(2, here.size()); ++i)
        notebook.toggleBookmark(index, here[i]);
    if (!here.empty())
        notebook.setNote(index, here.front(),
                         QStringLiteral("Where does this come from?\nAsk before the next release."));
    grab(QStringLiteral("panel-notes"));
    while (notebook.undoStack().canUndo())
        notebook.undoStack().undo();
    m_window.docks().find(PanelId::Notes)->close();
}

void Exporter::functionalization(Place place) {
    m_workspace.go(std::move(place));
    settle(m_window);
    if (m_window.engineActions().engine().state() == Engine::State::Absent ||
        !writes(m_workspace.stage(Side::A).graph))
        return;
    m_window.actionRegistry().trigger(QStringLiteral("go.functionalize"));
    settle(m_window);
    if (!m_window.engineActions().stepper().recording()) return;
    m_window.engineActions().stepper().first();
    m_window.engineActions().stepper().stepWrite(1);
    m_window.engineActions().stepper().stepWrite(1);
    const ColourScheme scheme = m_options.scheme.value_or(ColourScheme::Dark);
    for (const ColourScheme look : {ColourScheme::Light, ColourScheme::Dark}) {
        m_theme.setScheme(look);
        grab(look == ColourScheme::Dark ? QStringLiteral("functionalize-dark")
                                        : QStringLiteral("functionalize-light"));
    }
    m_theme.setScheme(scheme);
    QTabWidget& lower = m_window.page<FunctionalizePage>().lowerTabs();
    lower.setCurrentWidget(&m_window.page<FunctionalizePage>().convention());
    m_window.engineActions().stepper().last();
    grab(QStringLiteral("convention"));
    m_window.engineActions().stepper().first();
    m_window.engineActions().stepper().stepWrite(1);
    lower.setCurrentIndex(0);
    m_window.actionRegistry().trigger(QStringLiteral("go.stages"));
    grab(QStringLiteral("computed"));
    emit m_workspace.panelRequested(PanelId::Values);
    for (ValuesPanel* values : m_window.findChildren<ValuesPanel*>())
        if (values->isVisible()) values->run();
    grab(QStringLiteral("panel-values"));
    // The older pass is wrong where a write has other readers: a verdict that is not green.
    m_window.engineActions().passes().run(QStringLiteral("normalize_ir"), 0);
    grab(QStringLiteral("verdicts"));
    emit m_workspace.panelRequested(PanelId::Inspector);
}

} // namespace dynascope::app
