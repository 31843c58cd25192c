// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/note_actions.h"

#include "app/gui/chrome.h"
#include "views/notes/note_places.h"
#include "views/notes/notebook.h"
#include "views/palette/palette.h"
#include "views/workspace/labels.h"

#include <QUndoStack>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

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

void NoteActions::addActions() {
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
    m_actions->add(note, [this] { emit writingAsked(); });
    m_actions->addToggle(editSpec("edit.bookmark", tr("Bookmark"), {QKeySequence(tr("Ctrl+B"))}, "bookmark",
                                  tr("Set or remove a bookmark at the selected node or stage")),
                         [this](bool) {
                             if (const auto here = addressesHere(m_workspace); !here.empty())
                                 m_notebook->toggleBookmark(m_workspace.place().capture, here.front());
                             updateActions();
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

void NoteActions::updateActions() {
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

void NoteActions::stepBookmark(int direction) {
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
    goTo(capture, target);
}

void NoteActions::goTo(int capture, const ir::Address& address) {
    if (!goToAddress(m_workspace, capture, address)) tellMissing(capture, address);
}

void NoteActions::tellMissing(int capture, const ir::Address& address) {
    const session::Session& session = *m_workspace.captures()[std::size_t(capture)].session;
    m_message->showNotice(
        tr("%1 is not there: its stage was not computed or was removed").arg(addressText(session, address)));
}

void NoteActions::connectPalette(Palette& palette) {
    palette.setNoteSource([this] {
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
    connect(&palette, &Palette::noteChosen, this, &NoteActions::goTo);
}

} // namespace dynascope::app
