// SPDX-License-Identifier: BSD-3-Clause
#include "views/notes/notebook.h"

#include "views/notes/note_places.h"
#include "views/workspace/labels.h"

#include <QDateTime>
#include <QUndoCommand>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr qint64 typingPauseSeconds = 5; ///< after which typing is a new step to undo

constexpr auto byAddress = [](const auto& a, const auto& b) { return a.address < b.address; };

/// Where `address` is in a sorted list, or would be.
template <typename List>
auto placeIn(List& list, const ir::Address& address) {
    return std::lower_bound(list.begin(), list.end(), address,
                            [](const auto& item, const ir::Address& at) { return item.address < at; });
}

template <typename List>
bool holds(const List& list, const ir::Address& address) {
    const auto at = placeIn(list, address);
    return at != list.end() && at->address == address;
}

/// Sorted, and one entry for each place: a file of somebody else's may hold several.
template <typename List>
void tidy(List& list) {
    std::stable_sort(list.begin(), list.end(), byAddress);
    const auto same = [](const auto& a, const auto& b) { return a.address == b.address; };
    list.erase(std::unique(list.begin(), list.end(), same), list.end());
}

} // namespace

class Notebook::Change : public QUndoCommand {
public:
    Change(Notebook& book, std::shared_ptr<const session::Session*> session, ir::Address address,
           Entry before, Entry after, const QString& text, bool typed)
        : QUndoCommand(text)
        , m_book(book)
        , m_session(std::move(session))
        , m_address(std::move(address))
        , m_before(std::move(before))
        , m_after(std::move(after))
        , m_typed(typed) {}

    void undo() override { m_book.put(*m_session, m_address, m_before); }
    void redo() override { m_book.put(*m_session, m_address, m_after); }
    [[nodiscard]] int id() const override { return m_typed ? 1 : -1; }
    bool mergeWith(const QUndoCommand* next) override {
        const auto* other = static_cast<const Change*>(next); // ids are equal
        const auto time = [](const Entry& e) { return e.note ? e.note->changed : 0; };
        if (other->m_session != m_session || other->m_address != m_address) return false;
        if (time(other->m_after) - time(m_after) > typingPauseSeconds) return false;
        m_after = other->m_after;
        return true;
    }

private:
    Notebook& m_book;
    std::shared_ptr<const session::Session*> m_session; ///< the newest of the capture
    ir::Address m_address;
    Entry m_before, m_after;
    bool m_typed;
};

Notebook::Notebook(Workspace& workspace, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace) {
    connect(&m_workspace, &Workspace::captureOpened, this, [this](int capture) {
        const Workspace::Capture& opened = m_workspace.captures()[std::size_t(capture)];
        auto made = std::make_shared<Book>();
        if (opened.saved) {
            made->contents = *opened.saved;
            made->file = toQString(opened.session->path);
        }
        made->contents.inputs = opened.session->inputs;
        made->contents.stages.clear(); // those are the workspace's by now
        tidy(made->contents.notes);
        tidy(made->contents.bookmarks);
        made->savedNotes = made->contents.notes;
        made->savedBookmarks = made->contents.bookmarks;
        made->savedReplays = made->contents.replays.size();
        made->session = std::make_shared<const session::Session*>(opened.session.get());
        m_books.insert(opened.session.get(), made);
        tell(opened.session.get());
    });
    connect(&m_workspace, &Workspace::captureClosed, this, [this](int capture) {
        m_undo.clear(); // its steps may be about what is gone
        m_books.removeIf([this](QHash<const session::Session*, std::shared_ptr<Book>>::iterator entry) {
            return indexOf(entry.key()) < 0;
        });
        emit changed(capture);
    });
    connect(&m_workspace, &Workspace::captureReplaced, this,
            [this](int capture, const session::SessionPtr& before) {
                const session::SessionPtr& now = m_workspace.captures()[std::size_t(capture)].session;
                const std::shared_ptr<Book> known = m_books.take(before.get());
                if (!known) return;
                known->contents.inputs = now->inputs;
                *known->session = now.get();
                m_books.insert(now.get(), known);
                tell(now.get());
            });
    connect(&m_workspace, &Workspace::computedChanged, this,
            [this] { emit changed(m_workspace.place().capture); });
}

int Notebook::indexOf(const session::Session* session) const {
    const auto& open = m_workspace.captures();
    const auto at = std::find_if(open.begin(), open.end(), [session](const Workspace::Capture& c) {
        return c.session.get() == session;
    });
    return at == open.end() ? -1 : int(at - open.begin());
}

const Notebook::Book* Notebook::book(int capture) const {
    const auto& open = m_workspace.captures();
    if (capture < 0 || capture >= int(open.size())) return nullptr;
    return m_books.value(open[std::size_t(capture)].session.get()).get();
}

Notebook::Book* Notebook::bookOf(const session::Session* session) {
    const auto at = m_books.find(session);
    return at == m_books.end() ? nullptr : at->get();
}

const std::vector<store::Note>& Notebook::notes(int capture) const {
    static const std::vector<store::Note> none;
    const Book* known = book(capture);
    return known ? known->contents.notes : none;
}

const std::vector<store::Bookmark>& Notebook::bookmarks(int capture) const {
    static const std::vector<store::Bookmark> none;
    const Book* known = book(capture);
    return known ? known->contents.bookmarks : none;
}

Notebook::Entry Notebook::entry(int capture, const ir::Address& address) const {
    Entry out;
    if (const auto at = placeIn(notes(capture), address);
        at != notes(capture).end() && at->address == address)
        out.note = *at;
    out.bookmarked = holds(bookmarks(capture), address);
    return out;
}

QString Notebook::note(int capture, const ir::Address& address) const {
    const Entry known = entry(capture, address);
    return known.note ? toQString(known.note->text) : QString();
}

bool Notebook::isBookmarked(int capture, const ir::Address& address) const {
    return holds(bookmarks(capture), address);
}

void Notebook::push(int capture, const ir::Address& address, Entry after, const QString& what, bool typed) {
    const session::SessionPtr& session = m_workspace.captures()[std::size_t(capture)].session;
    m_undo.push(new Change(*this, m_books.value(session.get())->session, address, entry(capture, address),
                           std::move(after), tr("%1 at %2").arg(what, addressText(*session, address)),
                           typed));
}

void Notebook::setNote(int capture, const ir::Address& address, const QString& text) {
    if (!book(capture)) return;
    Entry after = entry(capture, address);
    const QString before = after.note ? toQString(after.note->text) : QString();
    const bool blank = text.trimmed().isEmpty();
    if (text == before || (blank && before.isEmpty())) return;
    after.note.reset();
    if (!blank) after.note = store::Note{address, text.toStdString(), QDateTime::currentSecsSinceEpoch()};
    push(capture, address, std::move(after), tr("note"), !blank);
}

void Notebook::toggleBookmark(int capture, const ir::Address& address) {
    if (!book(capture)) return;
    Entry after = entry(capture, address);
    after.bookmarked = !after.bookmarked;
    push(capture, address, std::move(after), tr("bookmark"), false);
}

void Notebook::remove(int capture, const std::vector<ir::Address>& addresses) {
    std::vector<ir::Address> there;
    for (const ir::Address& address : addresses)
        if (const Entry known = entry(capture, address); known.note || known.bookmarked)
            there.push_back(address);
    if (there.empty()) return;
    if (there.size() > 1) m_undo.beginMacro(tr("deletion of %1 places").arg(there.size()));
    for (const ir::Address& address : there)
        push(capture, address, {}, tr("deletion"), false);
    if (there.size() > 1) m_undo.endMacro();
}

void Notebook::put(const session::Session* session, const ir::Address& address, const Entry& entry) {
    Book* known = bookOf(session);
    if (!known) return;
    const auto set = [&address](auto& list, auto item, bool there) {
        const auto at = placeIn(list, address);
        const bool was = at != list.end() && at->address == address;
        if (was && there)
            *at = std::move(item);
        else if (was)
            list.erase(at);
        else if (there)
            list.insert(at, std::move(item));
    };
    set(known->contents.notes, entry.note.value_or(store::Note{}), entry.note.has_value());
    set(known->contents.bookmarks, store::Bookmark{address}, entry.bookmarked);
    tell(session);
}

void Notebook::tell(const session::Session* session) {
    const int capture = indexOf(session);
    const Book* known = book(capture);
    if (!known) return;
    NoteMarks marks;
    for (const store::Note& note : known->contents.notes)
        marks[note.address].note = toQString(note.text);
    for (const store::Bookmark& bookmark : known->contents.bookmarks)
        marks[bookmark.address].bookmark = true;
    m_workspace.setMarks(*session, std::move(marks));
    emit changed(capture);
}

QString Notebook::file(int capture) const {
    const Book* known = book(capture);
    return known ? known->file : QString();
}

std::string Notebook::captureId(int capture) const {
    const Book* known = book(capture);
    return known ? known->contents.captureId : std::string();
}

bool Notebook::hasUnsavedNotes(int capture) const {
    const Book* known = book(capture);
    return known &&
           (known->contents.notes != known->savedNotes || known->contents.bookmarks != known->savedBookmarks);
}

bool Notebook::isModified(int capture) const {
    const Book* known = book(capture);
    if (!known) return false;
    if (hasUnsavedNotes(capture)) return true;
    return !known->file.isEmpty() &&
           (known->contents.replays.size() != known->savedReplays ||
            computedNow(*m_workspace.captures()[std::size_t(capture)].session) != known->savedComputed);
}

const std::vector<store::Replay>& Notebook::replays(const session::Session& session) const {
    static const std::vector<store::Replay> none;
    const auto at = m_books.find(&session);
    return at == m_books.end() ? none : (*at)->contents.replays;
}

void Notebook::addReplay(const session::Session& session, store::Replay replay) {
    if (Book* known = bookOf(&session)) {
        known->contents.replays.push_back(std::move(replay));
        emit changed(indexOf(&session));
    }
}

store::SessionContents Notebook::contents(int capture) const {
    const Book* known = book(capture);
    return known ? known->contents : store::SessionContents();
}

void Notebook::addDerivation(const session::Session& session) {
    if (Book* known = bookOf(&session)) {
        ++known->derivations;
        emit changed(indexOf(&session));
    }
}

Notebook::Computed Notebook::computedNow(const session::Session& session) const {
    Computed out;
    for (const session::Compile& compile : session.compiles)
        for (const Workspace::Computed& computed : m_workspace.computedOf(compile))
            if (!computed.removed) out.stages.push_back(computed.stage.get());
    if (const auto at = m_books.find(&session); at != m_books.end()) out.derivations = (*at)->derivations;
    return out;
}

void Notebook::setStagesRestored(const session::Session& session) {
    if (Book* known = bookOf(&session)) {
        known->savedComputed = computedNow(session);
        tell(&session);
    }
}

void Notebook::setSaved(const session::Session& session, const QString& file,
                        const store::SessionContents& saved, Computed computed) {
    Book* known = bookOf(&session);
    if (!known) return;
    known->file = file;
    known->contents.captureId = saved.captureId;
    known->savedNotes = saved.notes;
    known->savedBookmarks = saved.bookmarks;
    known->savedComputed = std::move(computed);
    known->savedReplays = saved.replays.size();
    tell(&session);
}

void Notebook::restoreDraft(const session::Session& session, const store::SessionContents& draft) {
    Book* known = bookOf(&session);
    if (!known) return;
    store::SessionContents& now = known->contents;
    const bool untouched = !hasUnsavedNotes(indexOf(&session));
    if (untouched) {
        now.notes = draft.notes;
        now.bookmarks = draft.bookmarks;
    } else {
        // stable: what stands here already comes first, and stays.
        now.notes.insert(now.notes.end(), draft.notes.begin(), draft.notes.end());
        now.bookmarks.insert(now.bookmarks.end(), draft.bookmarks.begin(), draft.bookmarks.end());
    }
    tidy(now.notes);
    tidy(now.bookmarks);
    tell(&session);
}

} // namespace dynascope::views
