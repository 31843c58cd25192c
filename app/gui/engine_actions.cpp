// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/engine_actions.h"

#include "app/gui/action_specs.h"
#include "app/gui/chrome.h"
#include "app/gui/settings.h"
#include "app/gui/window_pages.h"
#include "core/remote/address.h"
#include "views/autograd/autograd_page.h"
#include "views/engine/inputs_dialog.h"
#include "views/engine/passes.h"
#include "views/engine/plugins_dialog.h"
#include "views/engine/rederivations.h"
#include "views/functionalize/stepper.h"
#include "views/replay/replay_runs.h"
#include "views/theme/picture.h"
#include "views/timeline/timeline_view.h"
#include "views/workspace/labels.h"

#include <QMenu>
#include <QTabBar>

namespace dynascope::app {

using namespace views;

EngineActions::EngineActions(const Shared& shared, std::vector<std::string> command)
    : WindowPart(shared)
    , m_engine(new Engine(
          command.empty() ? engine::defaultEngineCommand() : remote::engineCommand(std::move(command)), this))
    , m_passes(new Passes(m_workspace, *m_engine, this))
    , m_stepper(new Stepper(m_workspace, *m_passes, this))
    , m_rederived(new Rederivations(m_workspace, *m_passes, this)) {
    std::vector<EnginePass> remembered;
    for (const auto& [name, summary] : m_settings.passes())
        remembered.push_back({name, summary});
    m_passes->remember(remembered);
    connect(m_rederived, &Rederivations::failed, this,
            [this](const QString& message) { showMessage(message, QStringLiteral("rederive")); });
    connect(m_rederived, &Rederivations::done, this,
            [this](const QString& summary) { m_message->showNotice(summary); });
    connect(m_passes, &Passes::failed, this,
            [this](const QString& message) { showMessage(message, QStringLiteral("pass")); });
    connect(m_passes, &Passes::computed, this, [this] { m_message->clear(QStringLiteral("pass")); });
    connect(m_passes, &Passes::verified, this, [this] { m_message->clear(QStringLiteral("verdict")); });
    connect(&m_workspace, &Workspace::placeChanged, this, [this](const Place& now, const Place& before) {
        // A verdict is of what is shown.
        if (now.page != before.page || now.capture != before.capture || now.compile != before.compile)
            m_message->clear(QStringLiteral("verdict"));
    });
    connect(&m_workspace, &Workspace::captureClosed, this, [this] {
        for (const char* cause : {"pass", "rederive", "verdict"})
            m_message->clear(QLatin1String(cause));
    });
    connect(m_passes, &Passes::inputsNeeded, this, &EngineActions::askInputs);
    connect(m_passes, &Passes::availableChanged, this, [this] {
        QList<QPair<QString, QString>> passes;
        for (const EnginePass& pass : m_passes->available())
            passes.push_back({pass.name, pass.summary});
        m_settings.setPasses(passes);
        addPasses();
        emit passesListed();
    });
    connect(m_engine, &Engine::stateChanged, this, [this] {
        if (m_engine->state() == Engine::State::Stopped)
            showMessage(m_engine->trouble(), QStringLiteral("engine"));
        if (m_engine->state() == Engine::State::Ready) m_message->clear(QStringLiteral("engine"));
        // What it can do is asked once it runs for another reason: starting it costs half a second.
        if (m_engine->state() == Engine::State::Ready) m_passes->askAvailable();
        emit changed();
    });
    connect(m_stepper, &Stepper::moved, this, [this] { emit changed(); });
    connect(&m_workspace, &Workspace::computedChanged, this, &EngineActions::changed);
}

void EngineActions::connectTo(WindowPages& pages, ReplayRuns& replays) {
    m_pages = &pages;
    m_replays = &replays;
    connect(m_replays, &ReplayRuns::failed, this,
            [this](const QString& message) { showMessage(message, QStringLiteral("replay")); });
    connect(m_replays, &ReplayRuns::runningChanged, this, [this] {
        if (m_replays->isRunning()) m_message->clear(QStringLiteral("replay"));
        emit changed();
    });
}

void EngineActions::showMessage(const QString& message, const QString& cause) {
    const bool stopped = m_engine->state() == Engine::State::Stopped;
    m_message->showMessage(message, stopped ? QStringLiteral("engine") : cause);
    if (stopped) m_message->addOffer(tr("Start again"), [this] { m_engine->start(); });
}

void EngineActions::addPasses() {
    for (const EnginePass& pass : m_passes->available()) {
        const QString id = QStringLiteral("engine.run.") + pass.name;
        if (m_actions->find(id)) continue;
        ActionSpec spec;
        spec.id = id;
        spec.text = tr("Run %1").arg(pass.name);
        spec.menu = QStringLiteral("Engine");
        spec.icon = QStringLiteral("play");
        spec.tip = pass.summary.isEmpty() ? tr("Compute a stage from the selected one") : pass.summary;
        m_actions->add(spec, [this, name = pass.name] { m_passes->run(name, stageForPass(name)); });
    }
}

int EngineActions::stageForPass(const QString& pass) const {
    // Functionalizing what is functional already teaches nothing: A is what B was made from.
    const int a = m_workspace.place().stageA;
    const session::StagePtr stage = m_workspace.stageAt(a);
    if (pass == QLatin1String("functionalize") && stage && stage->content == session::Stage::Content::Graph &&
        !m_workspace.isComputed(m_workspace.place().stageB))
        return a;
    return m_passes->selectedStage();
}

void EngineActions::addActions() {
    const QString menu = QStringLiteral("Engine");
    const auto add = [&](const char* id, const QString& text, const QString& in, QList<QKeySequence> keys,
                         const char* icon, const QString& tip, auto run, bool group = false) {
        const ActionSpec s = spec(id, text, in, std::move(keys), icon, tip);
        return m_actions->add(group ? grouped(s) : s, run);
    };
    add("engine.verify", tr("Verify stage"), menu, {QKeySequence(tr("F6"))}, "tick",
        tr("Run the computed stage and eager on the same inputs and compare; a derived one runs beside the "
           "captured graph"),
        [this] { verifyStage(); })
        ->setIconText(tr("Verify"));
    add("engine.firstDifference", tr("Show the first difference"), menu, {}, "diff",
        tr("Go to the first node whose values differ from eager"),
        [this] { showFirstDifference(m_workspace.place().stageB); });
    add("engine.again", tr("Compute the stage again"), menu, {}, "reset",
        tr("Run the pass that made B once more"), [this] { computeAgain(m_workspace.place().stageB); });
    add("engine.remove", tr("Remove the computed stage"), menu, {}, "cross",
        tr("Take B off the timeline; Back brings it back"),
        [this] { removeStage(m_workspace.place().stageB); });
    m_actions->document(Scope::Timeline, QKeySequence(Qt::Key_Delete), tr("Remove the computed stage B"));
    add("engine.inputs", tr("Inputs of the graph..."), menu, {QKeySequence(tr("Ctrl+Shift+I"))}, "note",
        tr("Give the shapes, strides and values that the engine runs this graph on"),
        [this] { askInputs({}, m_passes->selectedStage(), {}); });
    add("engine.rederive", tr("Re-derive AOTAutograd's graphs"), menu, {}, "tick",
        tr("Trace and partition the Dynamo graph as AOTAutograd does, and compare with what was captured"),
        [this] { m_rederived->run(); });
    QAction* checks =
        m_actions->addToggle(spec("engine.checkStages", tr("Check stages by itself"), menu, {}, "clock",
                                  tr("While the page Answers is shown and the engine is free, derive the "
                                     "stages of the capture again")),
                             [this](bool on) {
                                 m_settings.setChecksStages(on);
                                 emit checksStagesChanged(on);
                             });
    checks->setChecked(m_settings.checksStages());
    add(
        "engine.replay", tr("Record and replay all graphs"), menu, {}, "play",
        tr("Record the compiled graphs of the capture at planned addresses and replay them beside eager"),
        [this] {
            m_pages->goTo(Page::Replay);
            m_replays->runCapture({});
        },
        true);
    add("engine.replayStage", tr("Record and replay this graph"), menu, {}, "play",
        tr("The same with the graph of the selected stage alone"), [this] {
            const int stage = m_passes->selectedStage();
            m_pages->goTo(Page::Replay);
            m_replays->runStage(stage, {});
        });
    add(
        "engine.cancel", tr("Cancel what the engine runs"), menu, {}, "cross", {},
        [this] { m_engine->cancel(); }, true);
    add("engine.start", tr("Start the engine"), menu, {}, "reset",
        tr("Start dynascope-engine, also after it stopped"), [this] { m_engine->start(); });
    add("engine.plugins", tr("Plugins..."), menu, {}, "list",
        tr("What the engine loaded from plugin folders, what each brought, and why others were refused"),
        [this] {
            auto* dialog = new PluginsDialog(*m_engine, m_theme, &m_window);
            dialog->setAttribute(Qt::WA_DeleteOnClose);
            dialog->open();
        });
    addPasses();
}

void EngineActions::askInputs(const QString& pass, int from, const QString& why) {
    const session::StagePtr root = m_passes->rootOf(from);
    if (!root || root->content != session::Stage::Content::Graph) return;
    const session::Compile* compile = m_workspace.compile();
    if (compile && !compile->runInputs.empty()) {
        m_message->showNotice(tr("This graph comes with its inputs: they are in the file"));
        return;
    }
    if (!why.isEmpty()) m_message->showNotice(tr("%1 needs more than the text tells: %2").arg(pass, why));
    auto* dialog = new InputsDialog(m_theme, tr("Inputs of %1").arg(toQString(root->label())),
                                    m_passes->inputRows(*root),
                                    pass.isEmpty() ? tr("Keep") : tr("Run %1").arg(pass), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this, [this, dialog, root, pass, from] {
        if (!m_passes->giveInputs(root, dialog->rows())) return;
        m_message->hide();
        if (!pass.isEmpty() && m_passes->rootOf(from) == root) m_passes->run(pass, from);
    });
    dialog->open();
}

void EngineActions::openFunctionalize() {
    m_pages->goTo(Page::Functionalize);
    if (!m_stepper->recording() && !m_passes->isBusy() && m_engine->state() != Engine::State::Absent &&
        m_passes->selectedStage() >= 0)
        m_passes->run(QStringLiteral("functionalize"), stageForPass(QStringLiteral("functionalize")));
    emit changed();
}

void EngineActions::connectTimeline(TimelineView* timeline) {
    timeline->setRederived(m_rederived);
    connect(timeline, &TimelineView::verdictClicked, this, [this](int stage) {
        if (m_workspace.isComputed(stage))
            showFirstDifference(stage);
        else
            showRederived(stage);
    });
    connect(timeline, &TimelineView::metadataClicked, this, &EngineActions::showMetadata);
    connect(timeline, &TimelineView::removeRequested, this, &EngineActions::removeStage);
    connect(timeline, &TimelineView::menuRequested, this, [this, timeline](int stage, QPoint at) {
        QMenu menu(&m_window);
        fillStageMenu(menu, stage);
        addPictureActions(menu, *timeline, QStringLiteral("stages"));
        menu.exec(at);
    });
}

void EngineActions::showRederived(int stage) {
    const session::StagePtr captured = m_workspace.stageAt(stage);
    const engine::RederivedStage* row = captured ? m_rederived->find(captured.get()) : nullptr;
    if (!row) return;
    const std::string node = row->node, nodeGot = row->nodeGot;
    m_message->showNotice(m_rederived->text(captured.get()));
    const int derived = m_rederived->showDerived(stage);
    if (derived < 0) return;
    Place place = m_workspace.place();
    place.page = Page::Stages;
    place.stageA = stage;
    place.stageB = derived;
    place.node = {};
    m_workspace.go(place);
    for (const auto& [side, name] : {std::pair(Side::B, nodeGot), std::pair(Side::A, node)}) {
        const ir::GraphPtr& graph = m_workspace.stage(side).graph;
        const ir::NodeIndex index = graph && !name.empty() ? graph->find(name) : ir::npos;
        if (index != ir::npos) m_workspace.selectNode({side, index});
    }
}

void EngineActions::showMetadata(int stage) {
    const session::StagePtr captured = m_workspace.stageAt(stage);
    if (!captured) return;
    m_message->showNotice(m_rederived->text(captured.get()));
    m_pages->goTo(Page::Autograd);
    m_pages->get<AutogradPage>().tabs()->setCurrentIndex(AutogradPage::MetadataTab);
}

void EngineActions::removeStage(int stage) {
    const session::StagePtr gone = m_workspace.stageAt(stage);
    if (!gone || !m_workspace.isComputed(stage)) return;
    m_workspace.removeComputed(stage);
    m_message->showMessage(
        tr("%1 was removed. Back (Alt+Left) brings it back.").arg(toQString(gone->label())));
}

void EngineActions::computeAgain(int stage) {
    const session::StagePtr shown = m_workspace.stageAt(stage);
    const computed::ComputedStage* known = shown ? m_passes->find(shown.get()) : nullptr;
    if (known && known->twin)
        m_rederived->run();
    else
        m_passes->recompute(stage);
}

void EngineActions::verifyStage() {
    const Place& place = m_workspace.place();
    for (const int stage : {place.stageB, place.stageA})
        if (m_workspace.isComputed(stage)) {
            m_passes->verify(stage);
            return;
        }
    if (const computed::ComputedStage* shown = m_stepper->stage()) {
        m_passes->verify(m_workspace.indexOf(shown->stage.get()));
        return;
    }
    m_message->showMessage(
        tr("Verify compares a computed stage with eager. Run a pass on this stage first."));
}

void EngineActions::showFirstDifference(int stage) {
    const session::StagePtr shown = m_workspace.stageAt(stage);
    const computed::ComputedStage* known = shown ? m_passes->find(shown.get()) : nullptr;
    if (!known) return;
    const computed::StageVerdict verdict = m_workspace.verdict(shown.get());
    Place place = m_workspace.place();
    place.page = Page::Stages;
    place.stageA = known->twin ? m_workspace.indexOf(known->twin.get()) : m_workspace.madeFrom(stage);
    place.stageB = stage;
    place.node = {};
    m_workspace.go(place);
    if (verdict.kind == computed::StageVerdict::Kind::Equal) return;
    if (verdict.kind != computed::StageVerdict::Kind::NotRun) {
        QString text =
            tr("%1: %2").arg(toQString(shown->label()), toQString(computed::verdictName(verdict.kind)));
        if (!verdict.text.empty()) text += QStringLiteral(". ") + toQString(verdict.text);
        const computed::Parting& parting = known->parting;
        if (!parting.node.empty())
            text += tr(". First at %1: %2, %3 %4")
                        .arg(toQString(parting.node), toQString(parting.actual),
                             known->twin ? tr("captured") : tr("eager"), toQString(parting.expected));
        m_message->showMessage(text, QStringLiteral("verdict"));
    }
    const auto select = [this](Side side, const std::string& node) {
        const ir::GraphPtr& graph = m_workspace.stage(side).graph;
        const ir::NodeIndex index = graph && !node.empty() ? graph->find(node) : ir::npos;
        if (index != ir::npos) m_workspace.selectNode({side, index});
        return index != ir::npos;
    };
    // The source's node first: selecting the other lights up both.
    if (select(Side::B, verdict.node) || select(Side::A, verdict.nodeFrom)) m_workspace.seekNode();
}

void EngineActions::updateActions() {
    const Place& place = m_workspace.place();
    const bool open = place.capture >= 0, present = m_engine->state() != Engine::State::Absent;
    const bool graph = open && m_passes->selectedStage() >= 0;
    // What lacks something says what, in its tooltip and in the palette.
    const auto enable = [this](const QString& id, bool on, const QString& needs = {}) {
        m_actions->setEnabled(id, on, needs);
    };
    const QString noEngine = present ? QString() : m_engine->trouble();
    const auto needs = [&](bool there, const QString& what) { return there ? noEngine : what; };
    const QString runs = QStringLiteral("engine.run.");
    QStringList passes;
    for (const ActionRegistry::Entry& entry : m_actions->entries())
        if (entry.action && entry.spec.id.startsWith(runs)) passes << entry.spec.id.mid(runs.size());
    for (const QString& pass : passes) {
        const bool known = m_passes->has(pass);
        enable(runs + pass, graph && present && known,
               known ? needs(graph, tr("needs a stage with a graph"))
                     : tr("the engine no longer has this pass"));
    }
    enable(QStringLiteral("engine.inputs"), graph, needs(graph, tr("needs a stage with a graph")));
    bool computed = m_stepper->stage() != nullptr;
    for (const int stage : {place.stageA, place.stageB})
        computed = computed || m_workspace.isComputed(stage);
    enable(QStringLiteral("engine.verify"), computed && present,
           needs(computed, tr("needs a computed stage: run a pass, or re-derive the graphs")));
    const session::StagePtr b = m_workspace.stageAt(place.stageB);
    enable(QStringLiteral("engine.firstDifference"),
           b && m_workspace.isComputed(place.stageB) &&
               m_workspace.verdict(b.get()).kind == computed::StageVerdict::Kind::Different);
    enable(QStringLiteral("engine.again"), present && m_workspace.isComputed(place.stageB));
    enable(QStringLiteral("engine.rederive"), present && open && m_workspace.compile(),
           needs(open && m_workspace.compile(), tr("needs a compile")));
    enable(QStringLiteral("engine.replay"), present && !m_replays->isRunning() && m_workspace.session() &&
                                                !m_workspace.session()->compiles.empty());
    enable(QStringLiteral("engine.replayStage"), present && graph && !m_replays->isRunning());
    enable(QStringLiteral("engine.remove"), m_workspace.isComputed(place.stageB));
    enable(QStringLiteral("engine.cancel"), m_engine->isBusy());
    enable(QStringLiteral("engine.start"),
           present && !m_engine->isBusy() && m_engine->state() != Engine::State::Ready);
}

} // namespace dynascope::app
