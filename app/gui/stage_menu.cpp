// SPDX-License-Identifier: BSD-3-Clause
//
// What can be done with a stage of the timeline.
#include "app/gui/engine_actions.h"

#include "app/gui/window_pages.h"
#include "views/engine/passes.h"
#include "views/engine/rederivations.h"
#include "views/workspace/labels.h"

#include <QApplication>
#include <QClipboard>
#include <QMenu>

namespace dynascope::app {

using namespace views;

void EngineActions::fillStageMenu(QMenu& menu, int stage) {
    const session::StagePtr here = m_workspace.stageAt(stage);
    if (!here) return;
    const auto show = [&](const QString& text, Side side) {
        menu.addAction(text, this, [this, stage, side] {
            const Place& place = m_workspace.place();
            m_workspace.selectStages(side == Side::A ? stage : place.stageA,
                                     side == Side::B ? stage : place.stageB);
        });
    };
    show(tr("Show as A"), Side::A);
    show(tr("Show as B"), Side::B);
    menu.addAction(tr("Write a note"), this, [this, stage] {
        m_workspace.clearSelection();
        m_workspace.selectStages(m_workspace.place().stageA, stage);
        m_actions->trigger(QStringLiteral("edit.note"));
    });
    menu.addAction(tr("Copy name"), this,
                   [name = toQString(here->label())] { QApplication::clipboard()->setText(name); });
    if (here->content == session::Stage::Content::Graph) {
        menu.addSeparator();
        menu.addAction(tr("Re-derive AOTAutograd's graphs"), this, [this] { m_rederived->run(); });
        if (const engine::RederivedStage* row = m_rederived->find(here.get()); row && row->derived)
            menu.addAction(tr("Show what was derived"), this, [this, stage] { showRederived(stage); });
        if (m_rederived->metadataOf(here.get()))
            menu.addAction(tr("Show its metadata beside the derived"), this,
                           [this, stage] { showMetadata(stage); });
        for (const EnginePass& pass : m_passes->available())
            menu.addAction(tr("Run %1").arg(pass.name), this,
                           [this, stage, name = pass.name] { m_passes->run(name, stage); });
    }
    if (m_workspace.isComputed(stage)) {
        menu.addSeparator();
        menu.addAction(tr("Verify"), this, [this, stage] { m_passes->verify(stage); });
        if (const computed::ComputedStage* known = m_passes->find(here.get()); known && known->recording)
            menu.addAction(tr("Step through it"), this, [this, stage] {
                m_workspace.selectStages(m_workspace.madeFrom(stage), stage);
                openFunctionalize();
            });
        menu.addAction(tr("Compute again"), this, [this, stage] { computeAgain(stage); });
        menu.addSeparator();
        menu.addAction(tr("Remove"), this, [this, stage] { removeStage(stage); })
            ->setShortcut(Qt::Key_Delete);
    }
}

} // namespace dynascope::app
