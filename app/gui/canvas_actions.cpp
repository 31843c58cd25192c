// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/canvas_actions.h"

#include "app/gui/action_specs.h"
#include "app/gui/chrome.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_pages.h"
#include "views/canvas/compare_view.h"
#include "views/compare/compare_page.h"
#include "views/compare/pair_graphs.h"

#include <QActionGroup>
#include <QFileDialog>

namespace dynascope::app {

using namespace views;

CompareView* CanvasActions::canvas() {
    auto* compare = m_workspace.place().page == Page::Compare ? m_pages.find<ComparePage>() : nullptr;
    return compare ? compare->graphs()->canvas() : m_pages.get<StagesPage>().compare();
}

void CanvasActions::addActions() {
    CompareView* compare = m_pages.get<StagesPage>().compare();
    const QString view = QStringLiteral("View"), go = QStringLiteral("Go"),
                  inMenu = QStringLiteral("View/Canvas");
    auto* modes = new QActionGroup(this);
    const auto mode = [&](const char* id, const QString& text, const char* icon, CompareView::Mode m) {
        QAction* action =
            m_actions->addToggle(spec(id, text, view, {}, icon), [this, m](bool) { canvas()->setMode(m); });
        action->setChecked(compare->mode() == m);
        modes->addAction(action);
        connect(compare, &CompareView::modeChanged, action,
                [action, compare, m] { action->setChecked(compare->mode() == m); });
    };
    mode("view.sideBySide", tr("A beside B"), "side-by-side", CompareView::Mode::SideBySide);
    mode("view.merged", tr("A and B merged"), "merge", CompareView::Mode::Merged);
    mode("view.single", tr("One canvas"), "single", CompareView::Mode::Single);
    QAction* linked = m_actions->addToggle(
        spec("view.linked", tr("Panes move together"), view, {QKeySequence(tr("Ctrl+L"))}, "chain"),
        [this](bool on) { canvas()->setLinked(on); });
    linked->setChecked(compare->isLinked());
    m_actions->addToggle(
        inCanvas(spec("view.edgeLabels", tr("Edge labels"), inMenu, {QKeySequence(tr("E"))})),
        [this](bool on) { canvas()->setEdgeLabels(on); });
    m_actions->addToggle(
        inCanvas(spec("view.minimap", tr("Minimap"), inMenu, {QKeySequence(tr("M"))}, "minimap")),
        [this](bool on) { canvas()->setMinimap(on); });
    m_actions->addToggle(
        inCanvas(spec("view.heat", tr("Timing heat"), inMenu, {QKeySequence(tr("T"))}, "clock",
                      tr("Tint nodes by the median time of the last replay of their graph"))),
        [this](bool on) { canvas()->setHeat(on); });
    m_actions->addToggle(
        inCanvas(spec("view.blockBytes", tr("Blocks tell bytes"), inMenu, {}, "memory",
                      tr("The number and the bar of a block tell the bytes of its results, not its nodes. "
                         "While Timing heat is on, bars tell the time."))),
        [this](bool on) { canvas()->setBlockBytes(on); });
    const auto add = [&](ActionSpec s, auto method) {
        m_actions->add(inCanvas(std::move(s)), [this, method] { (canvas()->*method)(); });
    };
    add(grouped(spec("view.zoomIn", tr("Zoom in"), inMenu, {QKeySequence(tr("+")), QKeySequence(tr("="))},
                     "zoom-in")),
        &CompareView::zoomIn);
    add(spec("view.zoomOut", tr("Zoom out"), inMenu, {QKeySequence(tr("-"))}, "zoom-out"),
        &CompareView::zoomOut);
    add(spec("view.zoomReset", tr("Zoom to 100 %"), inMenu, {QKeySequence(tr("0"))}),
        &CompareView::zoomReset);
    add(spec("view.fitSelection", tr("Fit selection"), inMenu, {QKeySequence(tr("F"))}, "fit"),
        &CompareView::fitSelection);
    add(spec("view.fitAll", tr("Fit all"), inMenu, {QKeySequence(tr("Shift+F"))}, "fit"),
        &CompareView::fitAll);
    add(grouped(spec("view.fold", tr("Fold or open block"), inMenu, {QKeySequence(tr("Space"))}, "fold")),
        &CompareView::toggleFold);
    add(spec("view.openAll", tr("Open all blocks"), inMenu, {}, "unfold"), &CompareView::openAll);
    add(spec("view.closeAll", tr("Close all blocks"), inMenu, {}, "fold"), &CompareView::closeAll);
    m_actions->add(inCanvas(spec("go.searchCanvas", tr("Search nodes"), {}, {QKeySequence(tr("/"))})),
                   [this] { emit searchAsked(); });
    m_actions->add(inCanvas(spec("go.swap", tr("Swap A and B"), go, {QKeySequence(tr("X"))}, "swap")),
                   [this] {
                       if (m_workspace.place().page == Page::Stages) m_workspace.swapSides();
                   });
    m_actions->add(spec("go.nextDifference", tr("Next difference"), go, {QKeySequence(tr("F7"))}, "diff"),
                   [this] { canvas()->nextDifference(1); });
    m_actions->add(
        spec("go.previousDifference", tr("Previous difference"), go, {QKeySequence(tr("Shift+F7"))}, "diff"),
        [this] { canvas()->nextDifference(-1); });
    for (const ActionRegistry::Entry& entry : m_actions->entries())
        if (entry.action && entry.spec.scope == Scope::Canvas) compare->addAction(entry.action);
}

void CanvasActions::exportSvg() {
    const QString path = QFileDialog::getSaveFileName(&m_window, tr("Export canvas as SVG"),
                                                      QStringLiteral("graph.svg"), tr("SVG (*.svg)"));
    if (path.isEmpty()) return;
    if (!canvas()->exportSvg(path)) m_message->showMessage(tr("%1: the file could not be written").arg(path));
}

} // namespace dynascope::app
