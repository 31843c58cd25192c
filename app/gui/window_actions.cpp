// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/window_actions.h"

#include "app/gui/action_specs.h"
#include "app/gui/canvas_actions.h"
#include "app/gui/chrome.h"
#include "app/gui/comparing.h"
#include "app/gui/engine_actions.h"
#include "app/gui/flight_actions.h"
#include "app/gui/following.h"
#include "app/gui/help_actions.h"
#include "app/gui/lesson_actions.h"
#include "app/gui/note_actions.h"
#include "app/gui/paste_dialog.h"
#include "app/gui/profile_actions.h"
#include "app/gui/record_programs.h"
#include "app/gui/runs_actions.h"
#include "app/gui/session_keeper.h"
#include "app/gui/settings.h"
#include "app/gui/stages_page.h"
#include "app/gui/step_actions.h"
#include "app/gui/window_docks.h"
#include "app/gui/window_layout.h"
#include "app/gui/window_pages.h"
#include "core/capture/open.h"
#include "core/compare/lookups.h"
#include "core/ir/text.h"
#include "core/remote/address.h"
#include "views/base/panel.h"
#include "views/base/source_panel.h"
#include "views/breaks/breaks_page.h"
#include "views/capture/capture_panel.h"
#include "views/compile_time/records_panel.h"
#include "views/palette/palette.h"
#include "views/theme/theme.h"
#include "views/workspace/labels.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QInputDialog>
#include <QMessageBox>
#include <QProcess>
#include <QTreeView>
#include <algorithm>

namespace dynascope::app {

using namespace views;

void WindowActions::add() {
    addFileActions();
    addViewActions();
    addGoActions();
    m_parts.engine.addActions();
    m_parts.steps.addActions();
    addWindowActions();
}

void WindowActions::addFileActions() {
    const QString file = QStringLiteral("File"), edit = QStringLiteral("Edit");
    m_actions->add(spec("file.open", tr("Open..."), file, {QKeySequence(tr("Ctrl+O"))}, "folder",
                        tr("Open traces, recordings, profiles, graph texts or sessions")),
                   [this] { openDialog(); });
    m_actions->add(
        spec("file.openFolder", tr("Open folder..."), file, {}, "folder",
             tr("Open a folder of TORCH_TRACE or TORCH_LOGS logs, one or more a rank, with the recordings "
                "and profiles in it; or a TORCH_COMPILE_DEBUG folder")),
        [this] { openFolder(); });
    m_actions->add(
        spec("file.openElsewhere", tr("Open on another machine..."), file, {}, "folder",
             tr("Open a trace, a folder of ranks or a session that lies where ssh logs in; graphs and code "
                "come when they are looked at")),
        [this] { openElsewhere(); });
    m_actions->add(spec("file.newWindow", tr("New window"), file, {QKeySequence(tr("Ctrl+Alt+N"))}, {},
                        tr("Another window, a program of its own, on the capture that is shown")),
                   [this] { openWindow(); });
    m_actions->add(spec("file.paste", tr("Paste graph..."), file, {QKeySequence(tr("Ctrl+Shift+V"))}, "paste",
                        tr("Open a graph from text, as it stands in a log or an issue")),
                   [this] { pasteGraph(); });
    m_actions->add(grouped(spec("file.record", tr("Record..."), file, {QKeySequence(tr("Ctrl+R"))}, "play",
                                tr("Run a program under the recorder of Dynamo, and open what it recorded"))),
                   [this] { m_parts.programs.ask(); });
    m_parts.runs.addActions();
    m_parts.profiles.addActions();
    m_parts.flight.addActions();
    m_actions->add(grouped(spec("file.save", tr("Save session"), file, {QKeySequence(tr("Ctrl+S"))}, "save",
                                tr("Save the capture, its notes and what was computed as one file"))),
                   [this] { m_parts.session.save(m_workspace.place().capture); });
    m_actions->add(spec("file.saveAs", tr("Save session as..."), file, {QKeySequence(tr("Ctrl+Shift+S"))}),
                   [this] { m_parts.session.saveAs(m_workspace.place().capture); });
    m_actions->add(grouped(spec("file.compare", tr("Compare with..."), file, {QKeySequence(tr("Ctrl+D"))},
                                "diff", tr("Compare two captures, two ranks or two compiles"))),
                   [this] { m_parts.comparing.ask(); });
    m_actions->add(
        grouped(spec("file.exportCanvas", tr("Export canvas..."), file, {QKeySequence(tr("Ctrl+Shift+E"))},
                     "export",
                     tr("The graphs whole, as SVG, PDF or PNG, or one of them as DOT or Mermaid text"))),
        [this] { m_parts.canvas.exportCanvas(); });
    m_actions->add(spec("file.exportPage", tr("Export page..."), file, {}, "export",
                        tr("The page as it is on screen, as SVG, PDF or PNG")),
                   [this] { m_parts.pages.exportShown(*m_message); });
    m_actions->add(
        grouped(spec("file.close", tr("Close capture"), file, {QKeySequence(tr("Ctrl+W"))}, "cross")),
        [this] { closeCapture(m_workspace.place().capture); });
    m_actions->add(spec("file.quit", tr("Quit"), file, {QKeySequence(tr("Ctrl+Q"))}),
                   [this] { m_window.close(); });

    connect(&m_parts.docks.capturePanel(), &CapturePanel::closeRequested, this, &WindowActions::closeCapture);

    m_parts.notes.addActions();
    m_actions->add(grouped(spec("edit.copyNode", tr("Copy node"), edit, {}, "copy",
                                tr("Copy the selected node as a line of code"))),
                   [this] {
                       if (const ir::Node* node = m_workspace.selectedNode())
                           QApplication::clipboard()->setText(toQString(ir::printNode(*node)));
                   });
    m_actions->add(spec("edit.copyAddress", tr("Copy node address"), edit, {QKeySequence(tr("Ctrl+Shift+C"))},
                        "link", tr("Copy rank, compile id, attempt, stage and name of the selected node")),
                   [this] {
                       const ir::Node* node = m_workspace.selectedNode();
                       const session::Compile* compile = m_workspace.compile();
                       if (!node || !compile) return;
                       const session::Stage& stage = *m_workspace.stage(m_workspace.place().node.side).stage;
                       const ir::Address address{compile->rank, compile->id.toString(),
                                                 stage.attempt, stage.name,
                                                 stage.k,       node->name};
                       QApplication::clipboard()->setText(toQString(address.toString()));
                   });
    m_actions->add(spec("edit.copyCanvas", tr("Copy canvas as image"), edit, {}, "copy",
                        tr("The graphs whole, two pixels for one")),
                   [this] { m_parts.canvas.copyCanvas(); });
    m_actions->add(spec("edit.copyPage", tr("Copy page as image"), edit, {QKeySequence(tr("Ctrl+Alt+C"))},
                        "copy", tr("The page as it is on screen, two pixels for one")),
                   [this] { m_parts.pages.copyShown(); });
    m_actions->add(grouped(spec("edit.find", tr("Filter this view"), edit, {QKeySequence(tr("Ctrl+F"))},
                                "filter", tr("Filter the view that has the focus"))),
                   [this] { filterFocused(); });
    m_actions->add(spec("edit.filterCaptures", tr("Filter captures"), edit,
                        {QKeySequence(tr("Ctrl+Shift+F"))}, "filter"),
                   [this] {
                       m_parts.docks.raise(PanelId::Capture);
                       m_parts.docks.capturePanel().focusFilter();
                   });
    m_actions->add(spec("edit.clearSelection", tr("Clear selection"), edit),
                   [this] { m_workspace.clearSelection(); });
}

void WindowActions::addViewActions() {
    const QString view = QStringLiteral("View"), theme = QStringLiteral("View/Theme");
    auto* schemes = new QActionGroup(this);
    const auto addScheme = [&](const char* id, const QString& text, ColourScheme scheme) {
        QAction* action = m_actions->addToggle(spec(id, text, theme), [this, scheme](bool) {
            m_theme.setScheme(scheme);
            m_settings.setScheme(scheme);
        });
        action->setChecked(m_theme.scheme() == scheme);
        schemes->addAction(action);
    };
    addScheme("view.themeSystem", tr("System"), ColourScheme::System);
    addScheme("view.themeDark", tr("Dark theme"), ColourScheme::Dark);
    addScheme("view.themeLight", tr("Light theme"), ColourScheme::Light);
    QAction* answers = m_actions->addToggle(
        spec("view.opensOnAnswers", tr("Open captures on Answers"), view, {}, "info",
             tr("Show what is asked first of a capture when it is opened; else its stages")),
        [this](bool on) { m_settings.setOpensOnAnswers(on); });
    answers->setChecked(m_settings.opensOnAnswers());
    m_actions->add(spec("view.largerText", tr("Larger text"), view,
                        {QKeySequence(tr("Ctrl+=")), QKeySequence(tr("Ctrl++"))}),
                   [this] { setFontSize(m_theme.fontSize() + 1); });
    m_actions->add(spec("view.smallerText", tr("Smaller text"), view, {QKeySequence(tr("Ctrl+-"))}),
                   [this] { setFontSize(m_theme.fontSize() - 1); });
    m_actions->add(grouped(spec("view.resetLayout", tr("Reset layout"), view, {}, "reset",
                                tr("Put every panel back in its place"))),
                   [this] { m_parts.layout.reset(); });
}

void WindowActions::addGoActions() {
    const QString go = QStringLiteral("Go");
    m_actions->add(spec("go.palette", tr("Search everything..."), go,
                        {QKeySequence(tr("Ctrl+K")), QKeySequence(tr("Ctrl+P"))}, "search"),
                   [this] { emit searchAsked({}); });
    m_actions->add(spec("go.node", tr("Go to node..."), go, {QKeySequence(tr("Ctrl+G"))}, "graph"),
                   [this] { emit searchAsked(QStringLiteral("@")); });
    m_actions->add(grouped(spec("go.back", tr("Back"), go, {QKeySequence(tr("Alt+Left"))}, "back",
                                tr("Back to the last place and selection"))),
                   [this] { m_workspace.goBack(); });
    m_actions->add(spec("go.forward", tr("Forward"), go, {QKeySequence(tr("Alt+Right"))}, "forward"),
                   [this] { m_workspace.goForward(); });
    m_actions->add(grouped(spec("go.nextStage", tr("Next stage"), go, {QKeySequence(tr("Ctrl+Right"))},
                                "next", tr("Show the next stage as B, and what it was made from as A"))),
                   [this] { m_workspace.stepStage(1); });
    m_actions->add(
        spec("go.previousStage", tr("Previous stage"), go, {QKeySequence(tr("Ctrl+Left"))}, "previous"),
        [this] { m_workspace.stepStage(-1); });
    m_actions->add(spec("go.firstStage", tr("First stage"), go, {QKeySequence(tr("Ctrl+Home"))}, "first"),
                   [this] { m_workspace.firstStage(); });
    m_actions->add(spec("go.lastStage", tr("Last stage"), go, {QKeySequence(tr("Ctrl+End"))}, "last"),
                   [this] { m_workspace.lastStage(); });
    m_actions->add(grouped(spec("go.nextWrite", tr("Next write"), go, {QKeySequence(tr("Alt+W"))}, "next",
                                tr("Select what writes the selected node's storage next"))),
                   [this] { m_workspace.stepWrite(1); });
    m_actions->add(spec("go.previousWrite", tr("Previous write"), go, {QKeySequence(tr("Alt+Shift+W"))},
                        "previous", tr("Select what wrote the selected node's storage last")),
                   [this] { m_workspace.stepWrite(-1); });
    m_actions->add(grouped(spec("go.provenance", tr("Provenance"), go, {QKeySequence(tr("Alt+P"))}, "link",
                                tr("What the selection comes from and what became of it"))),
                   [this] { raisePanel(PanelId::Provenance); });
    m_actions->add(spec("go.traceLine", tr("What became of this line"), go, {QKeySequence(tr("Alt+L"))},
                        "source",
                        tr("Every node, kernel and line of code that the line of the caret in Source, or the "
                           "selected node's, turned into, in all frames")),
                   [this] { traceLine(); });
    m_actions->add(
        grouped(spec("go.nextProblem", tr("Next problem"), go, {QKeySequence(tr("F8"))}, "warning")),
        [this] { m_parts.docks.stepProblem(1); });
    m_actions->add(
        spec("go.previousProblem", tr("Previous problem"), go, {QKeySequence(tr("Shift+F8"))}, "warning"),
        [this] { m_parts.docks.stepProblem(-1); });

    const QString capture = QStringLiteral("Capture");
    m_parts.pages.addActions({{Page::Compare, [this] { m_parts.comparing.showLast(); }},
                              {Page::Functionalize, [this] { m_parts.engine.openFunctionalize(); }}});
    m_actions->add(spec("capture.compareRanks", tr("Compare the ranks"), capture, {}, "rank",
                        tr("Which ranks compiled other graphs, and where they differ first")),
                   [this] { m_parts.comparing.compareRanks(); });
    m_actions->add(spec("capture.compareRecompile", tr("Compare with its recompile"), capture, {},
                        "recompile",
                        tr("The selected compile against the one before it of the same function")),
                   [this] { m_parts.comparing.compareWithNext(); });
    m_actions->add(spec("capture.compareLookups", tr("Compare two cache lookups"), capture, {}, "diff",
                        tr("Two lookups of one cache: their keys, and what they were made from")),
                   [this] {
                       m_parts.docks.raise(PanelId::Records);
                       m_parts.docks.recordsPanel().offerLookups();
                   });
    m_actions->add(
        grouped(spec("capture.next", tr("Next compile"), capture, {QKeySequence(tr("Ctrl+Down"))}, "down")),
        [this] { stepCompile(1); });
    m_actions->add(
        spec("capture.previous", tr("Previous compile"), capture, {QKeySequence(tr("Ctrl+Up"))}, "up"),
        [this] { stepCompile(-1); });
    m_parts.following.addActions();
    m_actions->add(grouped(spec("capture.cancel", tr("Stop reading"), capture, {}, "cross")),
                   [this] { m_workspace.cancelOpen(); });
}

void WindowActions::addWindowActions() {
    const QString window = QStringLiteral("Window");
    for (LazyDock* dock : m_parts.docks.all()) {
        ActionSpec s = spec("", dock->windowTitle(), window);
        s.id = QStringLiteral("window.") + dock->objectName();
        s.tip = tr("Show the panel %1").arg(dock->windowTitle());
        QAction* action = m_actions->addToggle(s, [this, dock](bool on) {
            if (on)
                m_parts.docks.raise(dock->id());
            else
                dock->close();
        });
        action->setChecked(dock->isOpen());
        connect(dock->toggleViewAction(), &QAction::toggled, action, &QAction::setChecked);
    }
    const auto text = [&](PanelId panel, const QString& title, bool first) {
        ActionSpec s = spec("", title, window);
        s.id = QStringLiteral("window.") + panelName(panel);
        s.startsGroup = first;
        m_actions->add(s, [this, panel] { raisePanel(panel); });
    };
    text(PanelId::TextDiff, tr("Text diff"), true);
    text(PanelId::Source, tr("Source"), false);
    text(PanelId::Bytecode, tr("Bytecode"), false);
    text(PanelId::OutputCode, tr("Output code"), false);
    m_parts.help.addActions();
    m_parts.lessons.addActions();
}

QString WindowActions::fileKinds() {
    QStringList patterns;
    for (const std::string_view ending : capture::fileEndings())
        patterns << u'*' + toQString(ending);
    return tr("Traces, recordings, profiles, sessions, graph texts, archives and cases") +
           QStringLiteral(" (") + patterns.join(u' ') + QStringLiteral(");;") + tr("All files (*)");
}

void WindowActions::openDialog() {
    emit pathsChosen(QFileDialog::getOpenFileNames(&m_window, tr("Open"), {}, fileKinds()));
}

void WindowActions::openFolder() {
    const QString folder = QFileDialog::getExistingDirectory(
        &m_window, tr("Open a folder of logs, recordings and profiles, or of TORCH_COMPILE_DEBUG"));
    if (!folder.isEmpty()) emit pathsChosen({folder});
}

void WindowActions::openElsewhere() {
    auto* dialog = new QInputDialog(&m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Open on another machine"));
    dialog->setLabelText(tr("ssh://USER@HOST:PORT/PATH of a trace, a folder of ranks or a session.\n"
                            "ssh logs in as it does in a terminal, and dynascope-cli is needed there."));
    const QStringList recent = m_settings.recentFiles();
    const auto latest = std::ranges::find_if(
        recent, [](const QString& path) { return remote::isAddress(path.toStdString()); });
    dialog->setTextValue(latest == recent.end() ? QStringLiteral("ssh://") : *latest);
    dialog->setOkButtonText(tr("Open"));
    dialog->resize(m_theme.scaled(560), dialog->height());
    connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& text) {
        const QString address = text.trimmed();
        emit pathsChosen(
            {address.contains(QLatin1String("://")) ? address : QStringLiteral("ssh://") + address});
    });
    dialog->open();
}

void WindowActions::pasteGraph() {
    const QString clipboard = QApplication::clipboard()->text();
    // Prose around a graph is fine; a clipboard without one is somebody's own business.
    const ir::PastedGraphs found = ir::readPasted(clipboard.left(65536).toStdString());
    const bool graph = !found.graphs.empty() || !found.problems.empty();
    auto* dialog = new PasteDialog(m_theme, graph ? clipboard : QString(), &m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QDialog::accepted, this,
            [this, dialog] { m_workspace.openText(dialog->text(), tr("pasted text")); });
    dialog->open();
}

void WindowActions::filterFocused() {
    for (QWidget* w = QApplication::focusWidget(); w; w = w->parentWidget()) {
        if (auto* panel = qobject_cast<Panel*>(w)) {
            panel->focusFilter();
            return;
        }
        if (auto* panel = qobject_cast<CapturePanel*>(w)) {
            panel->focusFilter();
            return;
        }
    }
    if (m_workspace.place().page == Page::Breaks)
        m_parts.pages.get<BreaksPage>().focusFilter();
    else
        emit searchAsked(QStringLiteral("@"));
}

void WindowActions::traceLine() {
    for (QWidget* w = QApplication::focusWidget(); w; w = w->parentWidget())
        if (auto* source = qobject_cast<SourcePanel*>(w); source && source->traceCaret()) return;
    if (m_workspace.traceLine()) raisePanel(PanelId::Provenance);
}

void WindowActions::stepCompile(int direction) {
    const session::Session* session = m_workspace.session();
    if (!session || session->compiles.empty()) return;
    const int count = int(session->compiles.size());
    m_workspace.selectCompile(m_workspace.place().capture,
                              std::clamp(m_workspace.place().compile + direction, 0, count - 1));
}

void WindowActions::setFontSize(int pixels) {
    m_theme.setFontSize(std::clamp(pixels, 10, 16));
    m_settings.setFontSize(m_theme.fontSize());
}

void WindowActions::openWindow() {
    QStringList arguments;
    if (const Workspace::Capture* capture = m_workspace.capture())
        if (const QString path = toQString(capture->session->path);
            QFileInfo::exists(path) || remote::isAddress(capture->session->path))
            arguments << path;
    if (!QProcess::startDetached(QCoreApplication::applicationFilePath(), arguments))
        m_message->showMessage(tr("%1 could not be started.").arg(QCoreApplication::applicationFilePath()));
}

void WindowActions::raisePanel(PanelId panel) {
    const bool onStages = m_workspace.place().page == Page::Stages;
    if (m_parts.docks.raise(panel)) return;
    if (!onStages) m_actions->trigger(QStringLiteral("go.stages"));
    if (auto* stages = m_parts.pages.find<StagesPage>()) stages->raisePanel(panel);
}

void WindowActions::closeCapture(int capture) {
    if (capture < 0) return;
    const session::SessionPtr session = m_workspace.captures()[std::size_t(capture)].session;
    const auto again = [this, session] {
        const auto& open = m_workspace.captures();
        for (std::size_t i = 0; i < open.size(); ++i)
            if (open[i].session == session) {
                closeCapture(int(i));
                return;
            }
    };
    if (m_parts.session.mayClose({capture}, again)) m_workspace.close(capture);
}

void WindowActions::update() {
    const Place& place = m_workspace.place();
    const bool open = place.capture >= 0;
    const session::Compile* compile = m_workspace.compile();
    const bool stages = compile && m_workspace.stageCount() > 1 && place.page == Page::Stages;
    const bool node = m_workspace.selectedNode() != nullptr;
    const auto enable = [this](std::initializer_list<const char*> ids, bool on) {
        for (const char* id : ids)
            if (QAction* action = m_actions->find(QLatin1String(id))) action->setEnabled(on);
    };
    enable({"file.close", "capture.next", "capture.previous", "edit.filterCaptures", "go.node"}, open);
    enable({"go.nextStage", "go.previousStage", "go.firstStage", "go.lastStage", "go.swap"}, stages);
    const bool drawn = (compile && place.page == Page::Stages) || place.page == Page::Compare;
    enable({"go.nextDifference", "go.previousDifference", "file.exportCanvas", "edit.copyCanvas"}, drawn);
    enable({"file.exportPage", "edit.copyPage"}, open);
    enable({"file.compare"}, open);
    enable({"capture.compareRanks"}, open && m_workspace.session()->ranks.size() > 1);
    enable({"capture.compareLookups"}, open && compare::hasTwoLookups(*m_workspace.session()));
    enable({"capture.compareRecompile"}, compile && m_parts.comparing.otherOfFrame(place.compile) >= 0);
    enable({"edit.copyNode", "edit.copyAddress", "edit.clearSelection"}, node);
    enable({"go.provenance", "go.traceLine"}, open);
    enable({"go.nextWrite"}, m_workspace.neighbourWrite(1) != ir::npos);
    enable({"go.previousWrite"}, m_workspace.neighbourWrite(-1) != ir::npos);
    enable({"go.back"}, m_workspace.canGoBack());
    enable({"go.forward"}, m_workspace.canGoForward());
    enable({"go.nextProblem", "go.previousProblem"}, m_parts.docks.problemCount() > 0);
    enable({"capture.cancel"}, m_workspace.isOpening());
    m_parts.engine.updateActions();
    m_parts.steps.updateActions();
    m_parts.notes.updateActions();
    m_parts.pages.updateActions();
    m_parts.following.updateActions();
    m_parts.profiles.updateActions();
    m_parts.flight.updateActions();
}

} // namespace dynascope::app
