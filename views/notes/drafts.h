// SPDX-License-Identifier: BSD-3-Clause
//
// Notes that no session file holds yet, kept so that they outlive a crash.
//
// A draft is a session file without a capture, named by what the capture holds: the same log at another place
// finds it again, and a session file has a draft of its own. It is written half a second after a change and
// removed once the notes are saved, taken back or given up. Each window that has the capture open holds a draft
// of its own, by a lock that ends with its program; what a program left that is gone comes back in one window.
#pragma once

#include "core/store/file_lock.h"
#include "views/notes/notebook.h"

#include <QHash>
#include <QObject>
#include <QString>
#include <QTimer>
#include <atomic>
#include <memory>
#include <mutex>

namespace dynascope::views {

/// The name of a capture's draft. Reads all of the capture; blocks. Empty where it was cancelled.
[[nodiscard]] QString draftName(const session::Inputs& inputs, const std::string& captureId,
                                const TaskContext& task = {});

/// GUI thread only; hashing, reading and writing run on the TaskRunner. Owned by the window.
class Drafts : public QObject {
    Q_OBJECT
public:
    static constexpr int delayMs = 500; ///< from a change to the file

    /// An empty `folder` keeps nothing.
    Drafts(Workspace& workspace, Notebook& notebook, QString folder, QObject* parent = nullptr);

    /// Gives up what was not saved of a capture.
    void discard(const session::Session& session);
    [[nodiscard]] bool isBusy() const { return m_tasks > 0 || m_timer.isActive(); }

signals:
    /// Notes of an earlier run came back. `more`: further drafts that wait for the next window on the capture.
    void restored(int capture, int notes, int bookmarks, int more);
    void failed(const QString& message); ///< a draft could not be written; told once

private:
    /// One file, shared with the tasks that write it.
    struct File {
        std::string path;
        std::unique_ptr<store::FileLock> lock; ///< while it lives no other window takes the file
        std::mutex mutex;                      ///< one writer at a time
        std::atomic<std::uint64_t> newest;     ///< a request with a lower number is out of date
    };
    using FilePtr = std::shared_ptr<File>;
    struct Found {
        FilePtr file; ///< null where the search was cancelled
        std::shared_ptr<store::SessionContents> contents;
        int more = 0;
    };
    struct Draft {
        std::string captureId; ///< that the name was made with
        FilePtr file;          ///< null until the name is known
        bool written = false;  ///< there is, or may be, a file
    };

    void open(int capture);
    void opened(const session::SessionPtr& asked, const Found& found);
    /// The first draft of these names that a program left which is gone, or a new one. Any thread.
    static Found find(const QString& folder, const QStringList& names, const TaskContext& task);
    /// A file that no window has and nothing is in.
    static FilePtr makeFile(const QString& folder, const QString& name);
    /// Null where another window has it.
    static FilePtr take(const QString& folder, const QString& file);
    /// A capture was read again: its bytes no longer name its notes, its place does.
    void moveOn(int capture, const session::SessionPtr& before);
    void writeAll();
    void write(int capture, Draft& draft);
    static void removeFile(const FilePtr& file);

    Workspace& m_workspace;
    Notebook& m_notebook;
    QString m_folder;
    QHash<const session::Session*, Draft> m_drafts;
    QTimer m_timer;
    int m_tasks = 0, m_tags = 0;
    bool m_told = false;
};

} // namespace dynascope::views
