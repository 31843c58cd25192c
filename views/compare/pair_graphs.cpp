// SPDX-License-Identifier: BSD-3-Clause
#include "views/compare/pair_graphs.h"

#include "views/base/text_diff_panel.h"
#include "views/canvas/compare_view.h"

#include <QTabBar>
#include <QTabWidget>
#include <QVBoxLayout>

namespace dynascope::views {

PairGraphs::PairGraphs(Theme& theme, QWidget* parent)
    : QWidget(parent)
    , m_workspace(m_tasks)
    , m_canvas(new CompareView(m_workspace, theme))
    , m_text(new TextDiffPanel(m_workspace, theme))
    , m_tabs(new QTabWidget) {
    m_tabs->setDocumentMode(true);
    m_tabs->tabBar()->setExpanding(false);
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->addTab(m_canvas, tr("Graphs"));
    m_tabs->addTab(m_text, tr("Text diff"));
    auto* box = new QVBoxLayout(this);
    box->setContentsMargins(0, 0, 0, 0);
    box->addWidget(m_tabs);
    connect(&m_workspace, &Workspace::stagesChanged, this, &PairGraphs::selectFirstDifference);
}

// The views go before the workspace that they look at.
PairGraphs::~PairGraphs() {
    delete m_tabs;
}

void PairGraphs::clear() {
    m_nodeA.clear();
    m_nodeB.clear();
    while (!m_workspace.captures().empty())
        m_workspace.close(0);
}

void PairGraphs::show(const compare::StageComparison& stage, const session::Session& ofA,
                      const session::Compile* a, const session::Session& ofB, const session::Compile* b) {
    session::Session session;
    session.kind = ofA.kind;
    session.title = ofA.title;
    session.torchVersion = ofA.torchVersion;
    session.ranks = {0};
    session.sources = ofB.sources;
    for (const auto& [path, source] : ofA.sources)
        session.sources.insert_or_assign(path, source);
    session::Compile compile;
    const session::Compile* like = a ? a : b;
    compile.function = like->function;
    compile.userStack = like->userStack;
    compile.id = like->id;
    compile.status = like->status;
    for (const session::StagePtr& one : {stage.a, stage.b})
        if (one && (compile.stages.empty() || compile.stages.front() != one)) compile.stages.push_back(one);
    session.compiles.push_back(std::move(compile));
    const bool isCode = session.compiles.front().stages.front()->content == session::Stage::Content::Code;
    const int last = int(session.compiles.front().stages.size()) - 1;

    // Of the two stages alone nothing tells what their inputs are.
    m_canvas->setNaming(a ? session::namingOf(*a) : nullptr, b ? session::namingOf(*b) : nullptr);
    auto shared = std::make_shared<const session::Session>(std::move(session));
    m_nodeA.clear();
    m_nodeB.clear();
    const int capture = m_workspace.addCapture({shared, {}}, false);
    Place place;
    place.capture = capture;
    place.compile = 0;
    place.stageA = 0;
    place.stageB = last;
    place.page = Page::Stages;
    m_workspace.go(place, false);
    while (m_workspace.captures().size() > 1)
        m_workspace.close(0);
    m_tabs->setTabEnabled(0, !isCode);
    if (isCode) m_tabs->setCurrentIndex(1);
    m_nodeA = stage.nodeA;
    m_nodeB = stage.nodeB;
    selectFirstDifference();
}

void PairGraphs::selectFirstDifference() {
    if (m_nodeA.empty() && m_nodeB.empty()) return;
    if (m_workspace.place().capture != int(m_workspace.captures().size()) - 1) return;
    const StageView &a = m_workspace.stage(Side::A), &b = m_workspace.stage(Side::B);
    if (a.loading || b.loading || !a.graph || !b.graph) return;
    const ir::NodeIndex nodeA = a.graph->find(m_nodeA), nodeB = b.graph->find(m_nodeB);
    const NodeSelection node =
        nodeB != ir::npos && !m_nodeB.empty() ? NodeSelection{Side::B, nodeB} : NodeSelection{Side::A, nodeA};
    m_nodeA.clear();
    m_nodeB.clear();
    if (!node.isEmpty()) m_workspace.selectNode(node);
}

bool PairGraphs::isSettled() const {
    return m_tasks.isIdle() &&
           (m_workspace.captures().empty() || !m_canvas->isVisible() || m_canvas->isSettled());
}

} // namespace dynascope::views
