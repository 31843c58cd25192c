// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/canvas_actions.h"

#include "app/gui/action_specs.h"
#include "app/gui/chrome.h"
#include "app/gui/settings.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_pages.h"
#include "core/ir/text.h"
#include "views/canvas/compare_view.h"
#include "views/compare/compare_page.h"
#include "views/compare/pair_graphs.h"
#include "views/workspace/labels.h"

#include <QActionGroup>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSaveFile>

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
    m_actions->addToggle(
        inCanvas(spec(
            "view.kernelBlocks", tr("Blocks are kernels"), inMenu, {QKeySequence(tr("K"))}, "code",
            tr("In a post-grad graph, the nodes that one call of a kernel computes are one block, in the "
               "module that holds them all. PyTorch records which these are where "
               "INDUCTOR_PROVENANCE=1 is set."))),
        [this](bool on) { canvas()->setKernelBlocks(on); });
    m_actions
        ->addToggle(
            inCanvas(
                spec("view.motion", tr("Cards slide to their places"), inMenu, {}, "play",
                     tr("Blocks that open and stages that follow each other move cards to their new places, "
                        "so that the eye can follow them. Off, they stand there at once."))),
            [this](bool on) {
                m_settings.setSlidesCards(on);
                canvas()->setMotion(on);
            })
        ->setChecked(compare->hasMotion() && m_settings.slidesCards());
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
    m_actions->add(
        inCanvas(spec("view.drawChosen", tr("Draw only the chosen nodes"), inMenu, {QKeySequence(tr("I"))},
                      "single",
                      tr("The others are left out; on the other canvas stays what belongs to them. "
                         "Ctrl and a click chooses several nodes, Shift and a click all between "
                         "them."))),
        [this] { canvas()->drawChosen(false); });
    m_actions->add(inCanvas(spec("view.drawNeighbours", tr("Draw only the chosen nodes and their neighbours"),
                                 inMenu, {QKeySequence(tr("N"))}, {},
                                 tr("The chosen nodes, what they read, and what reads them."))),
                   [this] { canvas()->drawChosen(true); });
    m_actions->add(spec("view.drawAll", tr("Draw all nodes"), inMenu), [this] { canvas()->drawAll(); });
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

ir::GraphPtr CanvasActions::graph() const {
    const Place& place = m_workspace.place();
    if (place.page != Page::Stages) return nullptr;
    const Side side = place.node.isEmpty() ? Side::B : place.node.side;
    if (const ir::GraphPtr& chosen = m_workspace.stage(side).graph) return chosen;
    return m_workspace.stage(side == Side::B ? Side::A : Side::B).graph;
}

void CanvasActions::exportCanvas() {
    QStringList filters = pictureFilters();
    const ir::GraphPtr graph = this->graph();
    if (graph) filters << tr("DOT of one graph (*.dot)") << tr("Mermaid of one graph (*.mmd)");
    QString chosen;
    QString path = QFileDialog::getSaveFileName(&m_window, tr("Export canvas"), QStringLiteral("graph.svg"),
                                                filters.join(QStringLiteral(";;")), &chosen);
    if (path.isEmpty()) return;
    // A name without a suffix has that of the kind that was chosen.
    if (QFileInfo(path).suffix().isEmpty()) path += chosen.section(u'*', 1).section(u')', 0, 0);
    const QString problem = writeCanvas(path);
    if (!problem.isEmpty()) m_message->showMessage(problem);
}

QString CanvasActions::writeCanvas(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix != QLatin1String("dot") && suffix != QLatin1String("mmd")) {
        const WrittenPicture written = writePicture(canvas()->picture(), path);
        if (!written.note.isEmpty()) m_message->showNotice(written.note);
        return written.problem;
    }
    const ir::GraphPtr graph = this->graph();
    if (!graph) return tr("No graph is shown.");
    std::string text;
    if (suffix == QLatin1String("dot")) {
        text = ir::printDot(*graph);
    } else {
        ir::MermaidText mermaid = ir::printMermaid(*graph);
        if (!mermaid.tooLarge.empty())
            m_message->showNotice(
                tr("The graph has %1. DOT has no such limit.").arg(toQString(mermaid.tooLarge)));
        text = std::move(mermaid.text);
    }
    QSaveFile file(path);
    const bool written = file.open(QIODevice::WriteOnly) &&
                         file.write(text.data(), qint64(text.size())) == qint64(text.size()) && file.commit();
    return written ? QString() : tr("%1: %2").arg(path, file.errorString());
}

void CanvasActions::copyCanvas() {
    copyPicture(canvas()->picture());
}

void CanvasActions::connectCanvas(CompareView& canvas) {
    if (!m_settings.slidesCards()) canvas.setMotion(false);
    connect(&canvas, &CompareView::menuRequested, this, &CanvasActions::openMenu);
}

void CanvasActions::openMenu(const QPoint& globalPos) {
    QMenu menu(&m_window);
    for (const char* id : {"view.fitAll", "view.openAll", "view.closeAll", "view.drawAll", "",
                           "edit.copyCanvas", "file.exportCanvas"})
        if (QAction* action = m_actions->find(QLatin1String(id)))
            menu.addAction(action);
        else
            menu.addSeparator();
    menu.exec(globalPos);
}

} // namespace dynascope::app
