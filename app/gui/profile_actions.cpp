// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/profile_actions.h"

#include "app/gui/action_specs.h"
#include "app/gui/chrome.h"
#include "core/capture/profiles.h"
#include "views/profile/profile_times.h"
#include "views/workspace/joined_profiles.h"
#include "views/workspace/labels.h"

#include <QFileDialog>
#include <QFileInfo>
#include <algorithm>

namespace dynascope::app {

using namespace views;

namespace {
const QString tag = QStringLiteral("attach");
} // namespace

struct ProfileActions::Read {
    capture::Attached attached; ///< without a session where that failed, or was cancelled
    session::SessionPtr base;   ///< what the profile was added to
    session::BreakSummary breaks;
    QString error;
};

ProfileActions::ProfileActions(const Shared& shared)
    : WindowPart(shared) {
    new ProfileTimes(m_workspace, this);
    connect(&m_workspace.tasks(), &TaskRunner::finished, this, [this](const QString& finished) {
        if (finished == tag) startNext();
    });
}

void ProfileActions::addActions() {
    m_actions->add(
        spec("file.attachProfile", tr("Attach profile..."), QStringLiteral("File"), {}, "clock",
             tr("Read a profile of torch.profiler that lies elsewhere, and join it to this capture")),
        [this] { ask(); });
}

void ProfileActions::updateActions() {
    if (QAction* action = m_actions->find(QStringLiteral("file.attachProfile")))
        action->setEnabled(m_workspace.session() && !m_workspace.session()->compiles.empty());
}

void ProfileActions::ask() {
    const session::Session* session = m_workspace.session();
    if (!session) return;
    const QString folder = QFileInfo(toQString(session->inputs.path)).absolutePath();
    for (const QString& path :
         QFileDialog::getOpenFileNames(&m_window, tr("Attach profile"), folder,
                                       tr("Profiles of torch.profiler (*.json *.json.gz);;All files (*)")))
        attach(path);
}

void ProfileActions::takeDropped(const QStringList& paths) {
    const session::Session* session = m_workspace.session();
    const bool canJoin = session && !session->compiles.empty();
    QStringList left;
    for (const QString& path : paths) {
        if (canJoin && capture::isProfileFile(path.toStdString()))
            attach(path);
        else
            left << path;
    }
    if (!left.isEmpty()) emit pathsLeft(left);
}

void ProfileActions::attach(const QString& path) {
    const Workspace::Capture* capture = m_workspace.capture();
    if (!capture) return;
    m_queue.push_back({path, capture->session});
    startNext();
}

void ProfileActions::startNext() {
    if (m_queue.empty() || m_workspace.tasks().isRunning(tag)) return;
    const Request request = m_queue.front();
    m_queue.pop_front();
    const session::SessionPtr base = m_workspace.current(request.session);
    if (!base) return startNext(); // closed meanwhile
    m_workspace.tasks().run<Read>(
        tag, this,
        [base, path = request.path.toStdString()](const TaskContext& task) {
            Read out;
            out.base = base;
            auto attached = capture::attachProfile(*base, path, task);
            if (task.cancelled()) return out;
            if (attached) {
                out.attached = std::move(*attached);
                out.breaks = session::summarizeBreaks(*out.attached.session);
            } else {
                out.error = toQString(attached.error().toString());
            }
            return out;
        },
        [this, request](const Read& read) { take(request, read); });
}

void ProfileActions::take(const Request& request, const Read& read) {
    if (!read.error.isEmpty()) return m_message->showMessage(read.error, tag);
    const session::SessionPtr now = m_workspace.current(request.session);
    if (!read.attached.session || !now) return;
    if (now != read.base) { // read again meanwhile
        m_queue.push_front(request);
        return;
    }
    const auto& open = m_workspace.captures();
    const auto at = std::ranges::find(open, now, &Workspace::Capture::session);
    const int index = int(at - open.begin());
    Workspace::Capture again = *at;
    again.session = read.attached.session;
    again.breaks = read.breaks;
    m_workspace.profiles().keep(read.attached.joined);
    m_workspace.replaceCapture(index, std::move(again));
    Place place = m_workspace.place();
    if (place.capture == index) {
        place.page = Page::Profile;
        m_workspace.go(place);
    }
    const QString name = QFileInfo(request.path).fileName(), title = toQString(now->title);
    if (read.attached.doubt.empty())
        m_message->showNotice(tr("%1 is attached to %2. Saving the session keeps it.").arg(name, title));
    else
        m_message->showMessage(
            tr("%1 is attached to %2, but %3.").arg(name, title, toQString(read.attached.doubt)), tag);
    emit changed();
}

} // namespace dynascope::app
