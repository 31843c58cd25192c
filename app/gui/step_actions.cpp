// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/step_actions.h"

#include "app/gui/action_specs.h"
#include "app/gui/window_pages.h"
#include "views/dynamo/dynamo_page.h"
#include "views/functionalize/stepper.h"
#include "views/inductor/inductor_page.h"
#include "views/replay/replay_page.h"
#include "views/replay/tree_panel.h"

namespace dynascope::app {

using namespace views;

TreePanel* StepActions::shownTree() const {
    const auto* replay = m_workspace.place().page == Page::Replay ? m_pages->find<ReplayPage>() : nullptr;
    TreePanel* panel = replay ? replay->shownTree() : nullptr;
    return panel && panel->walk().run() ? panel : nullptr;
}

void StepActions::step(const std::function<void(TreePanel&)>& inTree,
                       const std::function<void(Stepper&)>& inOps, StepCommand inDynamo) {
    if (TreePanel* tree = shownTree())
        inTree(*tree);
    else if (m_workspace.place().page == Page::Dynamo)
        m_pages->get<DynamoPage>().run(inDynamo);
    else if (m_workspace.place().page == Page::Inductor)
        m_pages->get<InductorPage>().run(inDynamo);
    else
        inOps(*m_stepper);
}

void StepActions::addActions() {
    const QString menu = QStringLiteral("Engine/Step");
    const auto add = [&](const char* id, const QString& text, const QString& in, QList<QKeySequence> keys,
                         const char* icon, const QString& tip, auto run, bool group = false) {
        const ActionSpec s = spec(id, text, in, std::move(keys), icon, tip);
        return m_actions->add(group ? grouped(s) : s, run);
    };
    add("step.first", tr("First op"), menu, {QKeySequence(tr("Ctrl+Shift+Home"))}, "first", {}, [this] {
        step([](TreePanel& tree) { tree.walk().moveTo(0); }, [](Stepper& ops) { ops.first(); },
             StepCommand::First);
    });
    add("step.opBack", tr("Step back over an op"), menu, {QKeySequence(tr("Shift+F10"))}, "prev", {}, [this] {
        step([](TreePanel& tree) { tree.walk().back(); }, [](Stepper& ops) { ops.stepOp(-1); },
             StepCommand::BackOver);
    });
    add("step.back", tr("Back one phase"), menu, {QKeySequence(tr("Shift+F11"))}, "previous", {}, [this] {
        step([](TreePanel& tree) { tree.walk().back(); }, [](Stepper& ops) { ops.stepPhase(-1); },
             StepCommand::Out);
    });
    add("step.forward", tr("Forward one phase"), menu, {QKeySequence(tr("F11"))}, "next", {}, [this] {
        step([](TreePanel& tree) { tree.stepForward(); }, [](Stepper& ops) { ops.stepPhase(1); },
             StepCommand::In);
    });
    add("step.opForward", tr("Step over an op"), menu, {QKeySequence(tr("F10"))}, "arrow-right", {}, [this] {
        step([](TreePanel& tree) { tree.stepForward(); }, [](Stepper& ops) { ops.stepOp(1); },
             StepCommand::Over);
    });
    add("step.last", tr("Last op"), menu, {QKeySequence(tr("Ctrl+Shift+End"))}, "last", {}, [this] {
        step([](TreePanel& tree) { tree.walk().moveTo(SIZE_MAX); }, [](Stepper& ops) { ops.last(); },
             StepCommand::Last);
    });
    add(
        "step.nextWrite", tr("Run to next write"), menu, {QKeySequence(tr("F5"))}, "play",
        tr("Go to the next op that writes in place; in a recording tree to the next mark, in a recording of "
           "Dynamo to the next breakpoint or graph break"),
        [this] {
            step([](TreePanel& tree) { tree.nextMark(); }, [](Stepper& ops) { ops.stepWrite(1); },
                 StepCommand::Run);
        },
        true);
    add("step.previousWrite", tr("Back to previous write"), menu, {QKeySequence(tr("Shift+F5"))}, "back", {},
        [this] {
            step([](TreePanel& tree) { tree.walk().toMark(-1); }, [](Stepper& ops) { ops.stepWrite(-1); },
                 StepCommand::BackRun);
        });
}

void StepActions::updateActions() {
    const bool stepping = m_workspace.place().page == Page::Functionalize && m_stepper->recording();
    const TreePanel* panel = shownTree();
    const TreeWalk* tree = panel ? &panel->walk() : nullptr;
    const auto enable = [this](const QString& id, bool on) { m_actions->setEnabled(id, on, {}); };
    const bool anyBefore =
        tree ? tree->position() > 0 : stepping && (m_stepper->op() > 0 || m_stepper->phase() > 0);
    for (const char* id : {"step.first", "step.opBack", "step.back"})
        enable(QLatin1String(id), anyBefore);
    const bool atEnd =
        m_stepper->op() + 1 >= m_stepper->opCount() && m_stepper->phase() + 1 >= m_stepper->phaseCount();
    const bool anyAfter = panel ? panel->canStepForward() : stepping && !atEnd;
    for (const char* id : {"step.forward", "step.opForward", "step.last"})
        enable(QLatin1String(id), anyAfter);
    for (const char* id : {"step.nextWrite", "step.previousWrite"})
        enable(QLatin1String(id), stepping || tree);
    updateOnPages();
}

void StepActions::updateOnPages() {
    struct Step {
        const char* id;
        QString text;
        StepCommand command;
        QString ofPasses;  ///< its text on the page Inductor
        QString ofFusions; ///< and where that shows a schedule
    };
    const Step steps[] = {
        {"step.first", tr("First step"), StepCommand::First, tr("First pass"), tr("Before the first fusion")},
        {"step.opBack", tr("Back over the last instruction"), StepCommand::BackOver, tr("Previous pass"),
         tr("Previous fusion")},
        {"step.back", tr("Step out"), StepCommand::Out, tr("Out of the pass"), tr("Previous fusion")},
        {"step.forward", tr("Step in"), StepCommand::In, tr("Into the pass"), tr("Next fusion")},
        {"step.opForward", tr("Step over"), StepCommand::Over, tr("Next pass"), tr("Next fusion")},
        {"step.last", tr("Last step"), StepCommand::Last, tr("Last pass"), tr("Last fusion")},
        {"step.nextWrite", tr("Run to the next breakpoint or graph break"), StepCommand::Run,
         tr("Next pass that changed a graph"), tr("Last fusion")},
        {"step.previousWrite", tr("Back to the previous breakpoint or graph break"), StepCommand::BackRun,
         tr("Previous pass that changed a graph"), tr("Before the first fusion")}};
    const bool here = m_workspace.place().page == Page::Dynamo;
    const bool inPasses = m_workspace.place().page == Page::Inductor;
    const auto* page = m_pages->find<DynamoPage>();
    const auto* passes = m_pages->find<InductorPage>();
    for (const ActionRegistry::Entry& entry : m_actions->entries())
        for (const Step& step : steps) {
            if (entry.spec.id != QLatin1String(step.id) || !entry.action) continue;
            const QString& ofInductor = passes && passes->showsScheduler() ? step.ofFusions : step.ofPasses;
            entry.action->setText(here ? step.text : inPasses ? ofInductor : entry.spec.text);
            if (here) entry.action->setEnabled(page && page->canRun(step.command));
            if (inPasses) entry.action->setEnabled(passes && passes->canRun(step.command));
        }
}

} // namespace dynascope::app
