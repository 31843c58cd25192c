// SPDX-License-Identifier: BSD-3-Clause
#include "views/notes/drafts.h"

#include "core/session/byte_source.h"
#include "views/workspace/labels.h"

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <algorithm>

namespace dynascope::views {

namespace {

constexpr std::size_t hashedAtOnce = 1U << 20U;

/// Of a capture whose bytes change while it is read.
QString placeName(const session::Inputs& inputs) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QByteArray("place:") + QByteArray::fromStdString(inputs.path));
    return QString::fromLatin1(hash.result().toHex());
}

} // namespace

QString draftName(const session::Inputs& inputs, const std::string& captureId, const TaskContext& task) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    const auto add = [&hash](std::string_view bytes) {
        hash.addData(QByteArrayView(bytes.data(), qsizetype(bytes.size())));
    };
    for (const session::InputFile& file : inputs.files) {
        if (!file.source) continue;
        const std::string_view bytes = file.source->bytes();
        // The length first, so that bytes cannot move from one file to the next unseen.
        add(std::to_string(bytes.size()) + ':');
        const auto addUpTo = [&](std::size_t at, std::size_t end) {
            for (; at < end && !task.cancelled(); at += hashedAtOnce)
                add(bytes.substr(at, std::min(hashedAtOnce, end - at)));
        };
        // What lies on another machine may come meanwhile, or not at all.
        std::size_t from = 0;
        for (const session::AwayPiece& piece : file.source->away()) {
            addUpTo(from, piece.offset);
            from = piece.offset + piece.length;
        }
        addUpTo(from, bytes.size());
        if (task.cancelled()) return {};
    }
    add(captureId);
    return QString::fromLatin1(hash.result().toHex());
}

Drafts::Drafts(Workspace& workspace, Notebook& notebook, QString folder, QObject* parent)
    : QObject(parent)
    , m_workspace(workspace)
    , m_notebook(notebook)
    , m_folder(std::move(folder)) {
    if (m_folder.isEmpty()) return;
    m_timer.setSingleShot(true);
    m_timer.setInterval(delayMs);
    connect(&m_timer, &QTimer::timeout, this, &Drafts::writeAll);
    connect(&m_workspace, &Workspace::captureOpened, this, &Drafts::open);
    connect(&m_workspace, &Workspace::captureReplaced, this, &Drafts::moveOn);
    connect(&m_workspace, &Workspace::captureClosed, this, [this] {
        const auto& open = m_workspace.captures();
        m_drafts.removeIf([&open](QHash<const session::Session*, Draft>::iterator draft) {
            return std::none_of(open.begin(), open.end(),
                                [&](const Workspace::Capture& c) { return c.session.get() == draft.key(); });
        });
    });
    // Not started anew by every key: who types on and on is kept as well.
    connect(&m_notebook, &Notebook::changed, this, [this] {
        if (!m_timer.isActive()) m_timer.start();
    });
}

void Drafts::open(int capture) {
    const session::SessionPtr session = m_workspace.captures()[std::size_t(capture)].session;
    const std::string id = m_notebook.captureId(capture);
    m_drafts.insert(session.get(), Draft{id, nullptr, false});
    ++m_tasks;
    m_workspace.tasks().run<Found>(
        QStringLiteral("draft.open:%1").arg(++m_tags), this,
        [session, id, folder = m_folder](const TaskContext& task) {
            const QString name = draftName(session->inputs, id, task);
            // A log that grew since its notes were written is known by its place.
            return name.isEmpty() ? Found() : find(folder, {name, placeName(session->inputs)}, task);
        },
        [this, session](const Found& found) {
            --m_tasks;
            opened(session, found);
        });
}

Drafts::Found Drafts::find(const QString& folder, const QStringList& names, const TaskContext& task) {
    Found found;
    for (const QString& name : names) {
        const QStringList files = QDir(folder).entryList({name, name + QStringLiteral(".*")}, QDir::Files);
        for (const QString& left : files) {
            FilePtr file = take(folder, left);
            if (!file) continue;
            const auto bytes = session::openByteSource(file->path);
            if (!bytes) continue;
            auto read = store::readSession(**bytes, file->path, task);
            if (!read) continue;
            if (found.contents) {
                ++found.more;
                continue;
            }
            found.file = std::move(file);
            found.contents = std::make_shared<store::SessionContents>(std::move(*read));
        }
    }
    if (!found.file) found.file = makeFile(folder, names.front());
    return found;
}

Drafts::FilePtr Drafts::makeFile(const QString& folder, const QString& name) {
    for (int number = 1;; ++number) {
        const QString file = number == 1 ? name : QStringLiteral("%1.%2").arg(name).arg(number);
        if (QFile::exists(QDir(folder).filePath(file))) continue; // damaged, or another window's
        if (FilePtr made = take(folder, file)) return made;
    }
}

Drafts::FilePtr Drafts::take(const QString& folder, const QString& file) {
    auto taken = std::make_shared<File>();
    taken->path = QDir(folder).filePath(file).toStdString();
    const QDir locks(QDir(folder).filePath(QStringLiteral("open")));
    if (!locks.mkpath(QStringLiteral("."))) return taken; // writing the draft will say so
    auto lock = store::FileLock::take(locks.filePath(file).toStdString());
    if (lock && !*lock) return nullptr;
    if (lock)
        taken->lock = std::move(*lock); // where nothing can be locked the file is still better than none
    return taken;
}

void Drafts::moveOn(int capture, const session::SessionPtr& before) {
    const session::SessionPtr& now = m_workspace.captures()[std::size_t(capture)].session;
    Draft draft = m_drafts.take(before.get());
    const QString name = placeName(now->inputs);
    const FilePtr old = draft.file;
    const bool wasWritten = draft.written;
    const bool moves = !old || !toQString(old->path).startsWith(QDir(m_folder).filePath(name));
    if (moves) {
        draft.file = makeFile(m_folder, name);
        draft.written = false;
    }
    Draft& kept = *m_drafts.insert(now.get(), draft);
    if (!old || !moves) return;
    write(capture, kept);
    if (wasWritten) removeFile(old);
}

void Drafts::opened(const session::SessionPtr& asked, const Found& found) {
    const session::SessionPtr session = m_workspace.current(asked);
    const auto& open = m_workspace.captures();
    const auto at = std::find_if(open.begin(), open.end(),
                                 [&](const Workspace::Capture& c) { return c.session == session; });
    const auto draft = m_drafts.find(session.get());
    if (at == open.end() || draft == m_drafts.end() || !found.file) return;
    const int capture = int(at - open.begin());
    if (!draft->file) { // else it has moved on meanwhile
        draft->file = found.file;
        draft->written = found.contents != nullptr;
    }
    if (!m_timer.isActive()) m_timer.start(); // what was written before the name was known
    if (!found.contents) return;
    m_notebook.restoreDraft(*session, *found.contents);
    if (m_notebook.hasUnsavedNotes(capture))
        emit restored(capture, int(found.contents->notes.size()), int(found.contents->bookmarks.size()),
                      found.more);
}

void Drafts::writeAll() {
    const auto& open = m_workspace.captures();
    for (int capture = 0; capture < int(open.size()); ++capture) {
        const auto draft = m_drafts.find(open[std::size_t(capture)].session.get());
        if (draft != m_drafts.end() && draft->file) write(capture, *draft);
    }
}

void Drafts::write(int capture, Draft& draft) {
    const session::SessionPtr& session = m_workspace.captures()[std::size_t(capture)].session;
    if (!m_notebook.hasUnsavedNotes(capture)) {
        if (std::exchange(draft.written, false)) removeFile(draft.file);
        // Saved under a new id: from now on a draft belongs to that file.
        if (draft.captureId != m_notebook.captureId(capture)) open(capture);
        return;
    }
    if (!QDir().mkpath(m_folder)) {
        if (!std::exchange(m_told, true))
            emit failed(tr("%1: notes cannot be kept there until they are saved").arg(m_folder));
        return;
    }
    store::SessionContents kept;
    kept.inputs.path = session->inputs.path;
    kept.notes = m_notebook.notes(capture);
    kept.bookmarks = m_notebook.bookmarks(capture);
    draft.written = true;
    ++m_tasks;
    m_workspace.tasks().run<QString>(
        QStringLiteral("draft.write:%1").arg(++m_tags), this,
        [kept = std::move(kept), file = draft.file, number = ++draft.file->newest](const TaskContext& task) {
            const std::scoped_lock lock(file->mutex);
            if (file->newest != number) return QString();
            const Result<std::string> saved = store::saveSession(file->path, kept, task);
            if (file->newest != number) QFile::remove(toQString(file->path));
            return saved ? QString() : toQString(saved.error().toString());
        },
        [this](const QString& error) {
            --m_tasks;
            if (!error.isEmpty() && !std::exchange(m_told, true)) emit failed(error);
        });
}

void Drafts::removeFile(const FilePtr& file) {
    ++file->newest; // a task that is writing it removes it again
    QFile::remove(toQString(file->path));
}

void Drafts::discard(const session::Session& session) {
    const auto draft = m_drafts.find(&session);
    if (draft == m_drafts.end()) return;
    if (draft->file) removeFile(draft->file);
    m_drafts.erase(draft);
}

} // namespace dynascope::views
