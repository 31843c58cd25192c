// SPDX-License-Identifier: BSD-3-Clause
//
// Notes, bookmarks and the session file that keeps them: the window's part of it.
#include "app/gui/chrome.h"
#include "app/gui/main_window.h"
#include "app/gui/session_keeper.h"
#include "app/gui/session_layout.h"
#include "app/gui/stages_page.h"
#include "app/gui/welcome_page.h"
#include "app/gui/window_docks.h"
#include "views/canvas/compare_view.h"
#include "views/engine/rederivations.h"
#include "views/models/labels.h"
#include "views/notes/note_places.h"
#include "views/notes/notes_panel.h"
#include "views/palette/palette.h"
#include "views/replay/replay_runs.h"

#include <QLayout>
#include <QStatusBar>
#include <QTimer>
#include <QUndoStack>
#include <numeric>

namespace dynascope::app {

using namespace views;
using nlohmann::json;

namespace {

constexpr int noticeMs = 6000;

ActionSpec editSpec(const char* id, const QString& text, QList<QKeySequence> keys, const char* icon,
                    const QString& tip) {
    ActionSpec spec;
    spec.id = QLatin1String(id);
    spec.text = text;
    spec.menu = QStringLiteral("Edit");
    spec.keys = std::move(keys);
    spec.icon = QLatin1String(icon);
    spec.tip = tip;
    return spec;
}

} // namespace

void MainWindow::makeSession() {
    m_notebook = new Notebook(m_workspace, this);
    m_replays = new ReplayRuns(m_workspace, *m_engine, *m_notebook, this);
    m_replays->setGivenInputs([this](const session::Stage& stage) {
        if (!m_passes->hasGivenInputs(stage)) return ReplayRuns::GivenInputs();
        Passes::Source source = m_passes->sourceOf(stage);
        return ReplayRuns::GivenInputs{std::move(source.inputs), std::move(source.attributes)};
    });
    connect(m_replays, &ReplayRuns::failed, this,
            [this](const QString& message) { showEngineMessage(message, QStringLiteral("replay")); });
    connect(m_replays, &ReplayRuns::runningChanged, this, [this] {
        if (m_replays->isRunning()) m_message->clear(QStringLiteral("replay"));
        updateEngineActions();
    });
    m_session = new SessionKeeper(m_workspace, *m_notebook, *m_passes, *m_rederived, m_settings, *this);
    connect(m_rederived, &Rederivations::derived, m_notebook, &Notebook::addDerivation);
    m_session->setLayout([this](int capture) { return sessionLayout(capture); });
    connect(m_notebook, &Notebook::changed, this, [this] {
        updateTitle();
        if (m_docks) updateNoteActions();
    });
    connect(m_session, &SessionKeeper::failed, this,
            [this](const QString& message) { m_message->showMessage(message); });
    connect(m_session, &SessionKeeper::told, m_message, &MessageBar::showNotice);
    connect(m_session, &SessionKeeper::saved, this, [this](const QString& file) {
        m_settings.addRecentFile(file);
        m_welcome->setRecentFiles(m_settings.recentFiles());
        statusBar()->showMessage(tr("Saved %1").arg(file), noticeMs);
    });
    connect(m_session, &SessionKeeper::opened, this, &MainWindow::restoreSession);
}

void MainWindow::makeNoteActions() {
    ActionSpec undo = editSpec("edit.undo", tr("Undo"), {QKeySequence(tr("Ctrl+Z"))}, "back",
                               tr("Take the last change of a note or bookmark back"));
    m_actions->add(undo, [this] { m_notebook->undoStack().undo(); });
    m_actions->add(editSpec("edit.redo", tr("Redo"),
                            {QKeySequence(tr("Ctrl+Shift+Z")), QKeySequence(tr("Ctrl+Y"))}, "forward",
                            tr("Make the change again that was taken back")),
                   [this] { m_notebook->undoStack().redo(); });
    ActionSpec note = editSpec("edit.note", tr("Write a note"), {QKeySequence(tr("Ctrl+Shift+N"))}, "note",
                               tr("Write about the selected node, its stage, its frame or a graph break"));
    note.startsGroup = true;
    m_actions->add(note, [this] {
        m_docks->raise(PanelId::Notes);
        m_docks->notesPanel().editHere();
    });
    m_actions->addToggle(editSpec("edit.bookmark", tr("Bookmark"), {QKeySequence(tr("Ctrl+B"))}, "bookmark",
                                  tr("Set or remove a bookmark at the selected node or stage")),
                         [this](bool) {
                             if (const auto here = addressesHere(m_workspace); !here.empty())
                                 m_notebook->toggleBookmark(m_workspace.place().capture, here.front());
                             updateNoteActions();
                         });
    ActionSpec next = editSpec("go.nextBookmark", tr("Next bookmark"), {QKeySequence(tr("F2"))}, "bookmark",
                               tr("Go to the next bookmark of this capture"));
    next.menu = QStringLiteral("Go");
    next.startsGroup = true;
    m_actions->add(next, [this] { stepBookmark(1); });
    ActionSpec previous =
        editSpec("go.previousBookmark", tr("Previous bookmark"), {QKeySequence(tr("Shift+F2"))}, "bookmark",
                 tr("Go to the previous bookmark of this capture"));
    previous.menu = QStringLiteral("Go");
    m_actions->add(previous, [this] { stepBookmark(-1); });
    QUndoStack* stack = &m_notebook->undoStack();
    const auto follow = [this, stack] {
        const auto say = [this](const char* id, const QString& verb, bool can, const QString& what) {
            QAction* action = m_actions->find(QLatin1String(id));
            action->setEnabled(can);
            action->setText(
                can ? QStringLiteral("%1 %2").arg(verb, QString(what).replace(u'&', QStringLiteral("&&")))
                    : verb);
        };
        say("edit.undo", tr("Undo"), stack->canUndo(), stack->undoText());
        say("edit.redo", tr("Redo"), stack->canRedo(), stack->redoText());
    };
    connect(stack, &QUndoStack::indexChanged, this, follow);
    follow();
}

void MainWindow::updateNoteActions() {
    const int capture = m_workspace.place().capture;
    const auto here = addressesHere(m_workspace);
    const auto enable = [this](std::initializer_list<const char*> ids, bool on) {
        for (const char* id : ids)
            if (QAction* action = m_actions->find(QLatin1String(id))) action->setEnabled(on);
    };
    enable({"edit.bookmark", "edit.note"}, !here.empty());
    enable({"file.save", "file.saveAs"}, capture >= 0);
    enable({"go.nextBookmark", "go.previousBookmark"}, !m_notebook->bookmarks(capture).empty());
    if (QAction* action = m_actions->find(QStringLiteral("edit.bookmark")))
        action->setChecked(!here.empty() && m_notebook->isBookmarked(capture, here.front()));
}

void MainWindow::stepBookmark(int direction) {
    const int capture = m_workspace.place().capture;
    const auto& all = m_notebook->bookmarks(capture);
    if (all.empty()) return;
    const auto here = addressesHere(m_workspace);
    // From where we stand, round the end; bookmarks are in the order of their addresses.
    const auto after = std::upper_bound(
        all.begin(), all.end(), here.empty() ? ir::Address{} : here.front(),
        [](const ir::Address& at, const store::Bookmark& bookmark) { return at < bookmark.address; });
    const auto count = std::ptrdiff_t(all.size());
    std::ptrdiff_t index = after - all.begin();
    if (direction < 0) {
        const bool onOne = m_notebook->isBookmarked(capture, here.empty() ? ir::Address{} : here.front());
        index -= onOne ? 2 : 1;
    }
    const ir::Address target = all[std::size_t((index + count) % count)].address;
    goToNote(capture, target);
}

void MainWindow::goToNote(int capture, const ir::Address& address) {
    if (!goToAddress(m_workspace, capture, address)) tellMissing(capture, address);
}

void MainWindow::tellMissing(int capture, const ir::Address& address) {
    const session::Session& session = *m_workspace.captures()[std::size_t(capture)].session;
    m_message->showNotice(
        tr("%1 is not there: its stage was not computed or was removed").arg(addressText(session, address)));
}

void MainWindow::connectNotes() {
    m_palette->setNoteSource([this] {
        std::vector<PaletteNote> out;
        for (int capture = 0; capture < int(m_workspace.captures().size()); ++capture) {
            const session::Session& session = *m_workspace.captures()[std::size_t(capture)].session;
            const auto add = [&](const ir::Address& address, const QString& text) {
                out.push_back({capture, address, text, addressText(session, address)});
            };
            for (const store::Note& note : m_notebook->notes(capture))
                add(note.address, toQString(note.text));
            for (const store::Bookmark& bookmark : m_notebook->bookmarks(capture))
                if (m_notebook->note(capture, bookmark.address).isEmpty()) add(bookmark.address, {});
        }
        return out;
    });
    connect(m_palette, &Palette::noteChosen, this, &MainWindow::goToNote);
    connect(m_docks, &WindowDocks::placeMissing, this, &MainWindow::tellMissing);
}

SessionKeeper::Layout MainWindow::sessionLayout(int capture) const {
    SessionKeeper::Layout out;
    if (capture != m_workspace.place().capture) return out;
    out["place"] = placeToJson(m_workspace).dump(-1, ' ', false, json::error_handler_t::replace);
    if (const json given = m_passes->inputsToSave(*m_workspace.capture()->session); !given.is_null())
        out["inputs"] = given.dump(-1, ' ', false, json::error_handler_t::replace);
    json window{{"docks", m_docks->state()}};
    if (const auto* stages = m_pages->find<StagesPage>()) {
        window["stages"] = stages->state();
        window["view"] = viewToJson(stages->compare()->view());
    }
    out["window"] = window.dump();
    return out;
}

/// Of the texts that were typed as inputs of graphs.
constexpr std::size_t longestInputs = 16U << 20U;

void MainWindow::restoreSession(int capture, const store::SessionContents& saved) {
    if (const auto at = saved.layout.find("inputs");
        at != saved.layout.end() && at->second.size() <= longestInputs)
        m_passes->restoreInputs(*m_workspace.captures()[std::size_t(capture)].session,
                                json::parse(at->second, nullptr, false));
    // Somebody who opens a second capture beside the first wants neither the window nor the place to change.
    if (m_workspace.place().capture != capture) return;
    const auto part = [&saved](const char* name) {
        const auto at = saved.layout.find(name);
        return at == saved.layout.end() ? json() : readLayout(at->second);
    };
    goToPlace(m_workspace, capture, part("place"));
    const json window = part("window");
    if (!window.is_object() || m_workspace.captures().size() > 1) return;
    if (const auto docks = window.find("docks"); docks != window.end()) m_docks->restore(*docks);
    if (m_workspace.place().page != Page::Stages) return;
    auto& stages = page<StagesPage>();
    if (const auto state = window.find("stages"); state != window.end()) stages.restore(*state);
    const auto at = window.find("view");
    const auto view = at == window.end() ? std::nullopt : viewFromJson(*at);
    if (!view) return;
    layout()->activate();
    // Once the graphs of this place have their layout; elsewhere it would mean nothing.
    const auto apply = [this, canvas = stages.compare(), view = *view, place = m_workspace.place()] {
        if (m_workspace.place() == place) canvas->setView(view);
    };
    if (stages.compare()->isSettled()) {
        apply();
        return;
    }
    auto* wait = new QObject(this);
    connect(stages.compare(), &CompareView::settled, wait, [canvas = stages.compare(), wait, apply] {
        QTimer::singleShot(0, wait, [wait, apply] { // docks take their sizes first
            apply();
            wait->deleteLater();
        });
        canvas->disconnect(wait);
    });
}

void MainWindow::closeCapture(int capture) {
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
    if (m_session->mayClose({capture}, again)) m_workspace.close(capture);
}

bool MainWindow::mayQuit() {
    std::vector<int> all(m_workspace.captures().size());
    std::iota(all.begin(), all.end(), 0);
    return m_session->mayClose(all, [this] { close(); });
}

} // namespace dynascope::app
