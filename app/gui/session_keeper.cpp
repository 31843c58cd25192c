// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/session_keeper.h"

#include "app/gui/settings.h"
#include "views/engine/passes.h"
#include "views/engine/rederivations.h"
#include "views/workspace/labels.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {

const QString suffix = QStringLiteral(".dynascope");

SessionKeeper::Unsaved askUnsaved(QWidget* window, const QString& title) {
    QMessageBox box(window);
    box.setObjectName(QStringLiteral("unsavedSession"));
    box.setIcon(QMessageBox::Question);
    box.setTextFormat(Qt::PlainText);
    box.setWindowTitle(SessionKeeper::tr("Unsaved changes"));
    box.setText(SessionKeeper::tr("Save the notes and bookmarks of %1?").arg(title));
    box.setInformativeText(
        SessionKeeper::tr("A session file keeps them with the capture and what was computed from it."));
    box.setStandardButtons(QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel);
    box.setDefaultButton(QMessageBox::Save);
    switch (box.exec()) {
    case QMessageBox::Save:
        return SessionKeeper::Unsaved::Save;
    case QMessageBox::Discard:
        return SessionKeeper::Unsaved::Discard;
    default:
        return SessionKeeper::Unsaved::Cancel;
    }
}

QString askSaveFile(QWidget* window, const QString& suggestion) {
    return QFileDialog::getSaveFileName(window, SessionKeeper::tr("Save session"), suggestion,
                                        SessionKeeper::tr("Sessions (*.dynascope);;All files (*)"));
}

} // namespace

SessionKeeper::SessionKeeper(Workspace& workspace, Notebook& notebook, Passes& passes,
                             Rederivations& rederived, Settings& settings, QWidget& window)
    : QObject(&window)
    , m_workspace(workspace)
    , m_notebook(notebook)
    , m_passes(passes)
    , m_rederived(rederived)
    , m_settings(settings)
    , m_drafts(new Drafts(workspace, notebook, settings.draftFolder(), this))
    , m_questions{[&window](const QString& title) { return askUnsaved(&window, title); },
                  [&window](const QString& suggestion) { return askSaveFile(&window, suggestion); }}
    , m_layout([](int) { return Layout(); }) {
    connect(&m_workspace, &Workspace::captureOpened, this, &SessionKeeper::takeBack);
    connect(&m_workspace, &Workspace::captureReplaced, this,
            [this](int capture, const session::SessionPtr& before) {
                if (m_givenUp.remove(before.get()))
                    m_givenUp.insert(m_workspace.captures()[std::size_t(capture)].session.get());
            });
    // Also after a cancel, which delivers no result.
    connect(&m_workspace.tasks(), &TaskRunner::finished, this, [this](const QString& tag) {
        if (tag != saveTag) return;
        m_saving = false;
        if (!std::exchange(m_delivered, false)) {
            stopClosing();
            m_queue.clear();
        }
        startNext();
    });
    connect(m_drafts, &Drafts::failed, this, &SessionKeeper::failed);
    connect(m_drafts, &Drafts::restored, this, [this](int capture, int notes, int bookmarks, int more) {
        QStringList what;
        if (notes > 0) what << countText(qulonglong(notes), tr("note"), tr("notes"));
        if (bookmarks > 0) what << countText(qulonglong(bookmarks), tr("bookmark"), tr("bookmarks"));
        QString text =
            tr("%1 of %2 came back from an earlier run. No session file holds that yet: Ctrl+S saves it.")
                .arg(what.isEmpty() ? tr("Deletions") : what.join(tr(" and ")), title(capture));
        if (more > 0)
            text += tr(" Notes of %1 come back in a new window on the capture.")
                        .arg(countText(qulonglong(more), tr("other window"), tr("other windows")));
        emit told(text);
    });
}

int SessionKeeper::indexOf(const session::Session& session) const {
    const auto& open = m_workspace.captures();
    const auto at = std::find_if(open.begin(), open.end(),
                                 [&](const Workspace::Capture& c) { return c.session.get() == &session; });
    return at == open.end() ? -1 : int(at - open.begin());
}

QString SessionKeeper::title(int capture) const {
    if (const QString file = m_notebook.file(capture); !file.isEmpty()) return QFileInfo(file).fileName();
    return toQString(m_workspace.captures()[std::size_t(capture)].session->title);
}

bool SessionKeeper::isBusy() const {
    return m_saving || !m_queue.empty() || m_restoring > 0 || m_drafts->isBusy();
}

QString SessionKeeper::askFile(int capture) {
    const session::Session& session = *m_workspace.captures()[std::size_t(capture)].session;
    QString suggestion = m_notebook.file(capture);
    if (suggestion.isEmpty()) {
        // Beside the capture, where it has a place.
        const QFileInfo input(toQString(session.inputs.path));
        const QString name = toQString(session.title) + suffix;
        suggestion = input.exists() ? input.absoluteDir().filePath(name) : name;
    }
    QString file = m_questions.file(suggestion);
    if (!file.isEmpty() && QFileInfo(file).suffix().isEmpty()) file += suffix;
    return file;
}

void SessionKeeper::save(int capture) {
    if (capture < 0) return;
    const QString file = m_notebook.file(capture);
    enqueue(capture, file.isEmpty() ? askFile(capture) : file);
}

void SessionKeeper::saveAs(int capture) {
    if (capture >= 0) enqueue(capture, askFile(capture));
}

void SessionKeeper::enqueue(int capture, const QString& file) {
    if (file.isEmpty()) {
        stopClosing();
        return;
    }
    const session::SessionPtr& session = m_workspace.captures()[std::size_t(capture)].session;
    // One that still waits would write the same.
    const bool waits = std::any_of(m_queue.begin(), m_queue.end(), [&](const Save& save) {
        return save.session == session && save.file == file;
    });
    if (!waits) m_queue.push_back({session, file});
    startNext();
}

void SessionKeeper::startNext() {
    if (m_saving) return;
    if (m_queue.empty()) {
        goOnClosing();
        return;
    }
    Save save = std::move(m_queue.front());
    m_queue.pop_front();
    if (const session::SessionPtr now = m_workspace.current(save.session)) save.session = now;
    const int capture = indexOf(*save.session);
    if (capture < 0) {
        startNext();
        return;
    }
    struct Done {
        store::SessionContents contents;
        Result<std::string> result;
    };
    m_saving = true;
    store::SessionContents contents = m_notebook.contents(capture);
    if (Layout layout = m_layout(capture); !layout.empty()) contents.layout = std::move(layout);
    m_workspace.tasks().run<Done>(
        saveTag, this,
        [contents = std::move(contents), stages = m_passes.stagesToSave(*save.session),
         rederived = m_rederived.toSave(*save.session),
         path = save.file.toStdString()](const TaskContext& task) mutable {
            contents.stages = computed::toStore(stages, rederived);
            Result<std::string> result = store::saveSession(path, contents, task);
            return Done{std::move(contents), std::move(result)};
        },
        [this, save, computed = m_notebook.computedNow(*save.session)](const Done& done) {
            finished(save, done.contents, computed, done.result);
        });
}

void SessionKeeper::finished(const Save& save, const store::SessionContents& contents,
                             const Notebook::Computed& computed, const Result<std::string>& result) {
    m_delivered = true;
    if (!result) {
        stopClosing();
        emit failed(tr("Not saved. %1").arg(toQString(result.error().toString())));
        return;
    }
    store::SessionContents now = contents;
    now.captureId = *result;
    if (const session::SessionPtr open = m_workspace.current(save.session))
        m_notebook.setSaved(*open, save.file, now, computed);
    emit saved(save.file);
}

void SessionKeeper::takeBack(int capture) {
    const Workspace::Capture& opened = m_workspace.captures()[std::size_t(capture)];
    if (!opened.saved) return;
    ++m_restoring;
    m_workspace.tasks().run<computed::RestoredStages>(
        QStringLiteral("session.restore:%1").arg(++m_tags), this,
        [session = opened.session, saved = opened.saved](const TaskContext& task) {
            return computed::fromStore(*session, saved->stages, task);
        },
        [this, session = opened.session, saved = opened.saved](computed::RestoredStages restored) {
            --m_restoring;
            const int index = indexOf(*session);
            if (index < 0) return;
            const std::size_t lost = restored.lost;
            std::vector<computed::StageRederivation> rederived = std::move(restored.rederived);
            m_passes.restore(*session, std::move(restored));
            m_rederived.restore(std::move(rederived));
            m_notebook.setStagesRestored(*session);
            if (lost > 0)
                emit failed(
                    tr("%1: %2 cannot be read; the rest is open")
                        .arg(title(index), countText(lost, tr("computed stage"), tr("computed stages"))));
            emit this->opened(index, *saved);
        });
}

bool SessionKeeper::mayClose(const std::vector<int>& captures, const std::function<void()>& again) {
    std::vector<int> toSave;
    for (const int capture : captures) {
        const session::Session* session = m_workspace.captures()[std::size_t(capture)].session.get();
        if (!m_notebook.isModified(capture) || m_givenUp.contains(session)) continue;
        const Unsaved answer = m_questions.unsaved(title(capture));
        if (answer == Unsaved::Save) toSave.push_back(capture);
        if (answer == Unsaved::Discard) m_givenUp.insert(session);
        if (answer == Unsaved::Cancel) {
            stopClosing();
            return false;
        }
    }
    if (!toSave.empty() || m_saving) {
        m_again = again;
        for (const int capture : toSave)
            if (m_again) save(capture); // where no file was named, nothing closes
        return false;
    }
    for (const int capture : captures)
        if (m_givenUp.contains(m_workspace.captures()[std::size_t(capture)].session.get()))
            m_drafts->discard(*m_workspace.captures()[std::size_t(capture)].session);
    m_givenUp.clear();
    return true;
}

void SessionKeeper::goOnClosing() {
    if (const auto again = std::exchange(m_again, {})) again();
}

void SessionKeeper::stopClosing() {
    m_again = {};
    m_givenUp.clear();
}

} // namespace dynascope::app
