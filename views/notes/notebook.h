// SPDX-License-Identifier: BSD-3-Clause
//
// What somebody wrote about what is open, and where that is kept: notes and bookmarks by address, the session
// file of each capture, and whether it holds all of them.
#pragma once

#include "core/store/session_file.h"
#include "views/workspace/workspace.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <QUndoStack>
#include <memory>
#include <vector>

namespace dynascope::views {

/// GUI thread only. Owned by the window. Captures are named by their index in Workspace::captures(). Notes
/// and bookmarks are sorted by address; the workspace's marks follow them.
class Notebook : public QObject {
    Q_OBJECT
public:
    explicit Notebook(Workspace& workspace, QObject* parent = nullptr);

    [[nodiscard]] const std::vector<store::Note>& notes(int capture) const;
    [[nodiscard]] const std::vector<store::Bookmark>& bookmarks(int capture) const;
    /// Empty where there is none.
    [[nodiscard]] QString note(int capture, const ir::Address& address) const;
    [[nodiscard]] bool isBookmarked(int capture, const ir::Address& address) const;
    /// Writes, changes, or, with blank text, removes a note. What is typed at one place is one step to undo.
    void setNote(int capture, const ir::Address& address, const QString& text);
    void toggleBookmark(int capture, const ir::Address& address);
    /// Removes note and bookmark of each place, in one step to undo.
    void remove(int capture, const std::vector<ir::Address>& addresses);
    /// Every change of a note or a bookmark; empty after a capture was closed.
    [[nodiscard]] QUndoStack& undoStack() { return m_undo; }

    /// The session file that a capture was opened from or saved to; empty for none.
    [[nodiscard]] QString file(int capture) const;
    /// Of the session file that holds the capture; empty before the first save.
    [[nodiscard]] std::string captureId(int capture) const;
    /// Runs of a capture's graphs, those of its session file first.
    [[nodiscard]] const std::vector<store::Replay>& replays(const session::Session& session) const;
    void addReplay(const session::Session& session, store::Replay replay);
    /// What a session file would lose: notes, bookmarks, runs or computed stages that differ from those of
    /// the file; without a file, that there are notes or bookmarks at all. Computed stages alone can be
    /// computed again, and graphs replayed again.
    [[nodiscard]] bool isModified(int capture) const;
    /// The same for notes and bookmarks only.
    [[nodiscard]] bool hasUnsavedNotes(int capture) const;
    /// Everything to be saved but computed stages; the layout is that of the file.
    [[nodiscard]] store::SessionContents contents(int capture) const;
    /// What was computed of a capture, to tell later whether there is more.
    struct Computed {
        std::vector<const session::Stage*> stages; ///< that are not removed
        std::size_t derivations = 0;               ///< how often its graphs were derived anew
        friend bool operator==(const Computed&, const Computed&) = default;
    };
    /// Notes, bookmarks and what is computed (see computedNow()) are in `file` now, under the capture's id.
    /// What was changed since stays modified.
    void setSaved(const session::Session& session, const QString& file, const store::SessionContents& saved,
                  Computed computed);
    [[nodiscard]] Computed computedNow(const session::Session& session) const;
    void addDerivation(const session::Session& session);
    /// The computed stages of the file are those that are there now.
    void setStagesRestored(const session::Session& session);
    /// Takes notes and bookmarks that were kept from an earlier run, in the place of those of the file.
    /// Where somebody wrote meanwhile, that stays.
    void restoreDraft(const session::Session& session, const store::SessionContents& draft);

signals:
    void changed(int capture); ///< notes, bookmarks, file or whether it is modified

private:
    struct Book {
        store::SessionContents contents;
        QString file;
        std::vector<store::Note> savedNotes; ///< in `file`
        std::vector<store::Bookmark> savedBookmarks;
        Computed savedComputed;
        std::size_t derivations = 0;
        std::size_t savedReplays = 0;
        std::shared_ptr<const session::Session*> session; ///< what it is of, for steps to undo
    };
    struct Entry {
        std::optional<store::Note> note;
        bool bookmarked = false;
    };
    class Change;

    [[nodiscard]] const Book* book(int capture) const;
    [[nodiscard]] Book* bookOf(const session::Session* session);
    [[nodiscard]] Entry entry(int capture, const ir::Address& address) const;
    void push(int capture, const ir::Address& address, Entry after, const QString& what, bool typed);
    /// Puts a place into a state; nothing where the capture was closed.
    void put(const session::Session* session, const ir::Address& address, const Entry& entry);
    void tell(const session::Session* session);
    [[nodiscard]] int indexOf(const session::Session* session) const;

    Workspace& m_workspace;
    QHash<const session::Session*, std::shared_ptr<Book>> m_books;
    QUndoStack m_undo;
};

} // namespace dynascope::views
