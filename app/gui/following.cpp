// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/following.h"

#include "app/gui/action_specs.h"
#include "app/gui/chrome.h"
#include "app/gui/settings.h"
#include "core/session/mapping_guard.h"
#include "core/session/unreached.h"
#include "views/workspace/follower.h"
#include "views/workspace/labels.h"

#include <QFileInfo>
#include <QLocale>
#include <QTimer>
#include <utility>

namespace dynascope::app {

using namespace views;

namespace {

const QString diskCause = QStringLiteral("disk");
constexpr int lookMs = 1000;

QString nameOf(const session::Session& session) {
    const QString name = QFileInfo(toQString(session.inputs.path)).fileName();
    return name.isEmpty() ? toQString(session.title) : name;
}

} // namespace

Following::Following(const Shared& shared)
    : WindowPart(shared)
    , m_follower(new Follower(m_workspace, this)) {
    connect(&m_workspace, &Workspace::captureOpened, this, [this](int capture) {
        const session::SessionPtr& session = m_workspace.captures()[std::size_t(capture)].session;
        if (!m_followsAll && !m_settings.isFollowed(toQString(session->inputs.path))) return;
        // Once everybody has it.
        const auto follow = [this, opened = std::weak_ptr(session)] {
            const auto& open = m_workspace.captures();
            for (std::size_t i = 0; i < open.size(); ++i)
                if (open[i].session == opened.lock()) m_follower->setFollowing(int(i), true);
        };
        QMetaObject::invokeMethod(this, follow, Qt::QueuedConnection);
    });
    connect(m_follower, &Follower::changed, this, [this] {
        tell();
        emit changed();
    });
    connect(m_follower, &Follower::told, this,
            [this](int, const QString& words) { m_message->showNotice(words); });
    connect(m_follower, &Follower::failed, this,
            [this](int, const QString& message) { m_message->showMessage(message, QStringLiteral("open")); });
    connect(m_follower, &Follower::reloaded, this, [this] { m_message->clear(diskCause); });
    connect(m_follower, &Follower::differs, this, [this](int capture, const QString& words) {
        const std::weak_ptr<const session::Session> session =
            m_workspace.captures()[std::size_t(capture)].session;
        m_message->showOffer(
            tr("%1 since it was read. What is shown is what it held then.").arg(words), tr("Reload"),
            [this, session] {
                const auto& open = m_workspace.captures();
                for (std::size_t i = 0; i < open.size(); ++i)
                    if (open[i].session == session.lock()) m_follower->reload(int(i));
            },
            diskCause);
        emit changed();
    });
    connect(&m_workspace, &Workspace::placeChanged, this, &Following::tell);
    connect(&m_workspace, &Workspace::captureClosed, this, &Following::tell);
    watchFiles();
}

void Following::watchFiles() {
    // A view that reads on shows zeros; nothing else tells that the file has gone from under it.
    auto* watch = new QTimer(this);
    connect(watch, &QTimer::timeout, this, [this, told = std::size_t{0}, lost = std::size_t{0}]() mutable {
        if (const std::size_t now = session::unreachedCount(); std::exchange(told, now) != now)
            m_message->showMessage(
                tr("%1. What is shown of it is not all of it; a graph that is looked at again "
                   "is asked for again.")
                    .arg(toQString(session::unreached().back())),
                QStringLiteral("unreached"));
        if (!session::anyFileLost()) return;
        QStringList files;
        for (const std::string& path : session::lostFiles())
            files << toQString(path);
        if (std::exchange(lost, std::size_t(files.size())) == std::size_t(files.size())) return;
        m_message->showMessage(
            tr("%1 was cut short while it was open, and what is shown of it is no longer true. "
               "Capture > Reload reads it again.")
                .arg(files.join(tr(", "))),
            QStringLiteral("lost"));
    });
    watch->start(lookMs);
}

void Following::addActions() {
    const QString capture = QStringLiteral("Capture");
    m_actions->addToggle(
        grouped(spec("capture.follow", tr("Follow"), capture, {QKeySequence(tr("Ctrl+Shift+L"))}, "play",
                     tr("Read a log, or a folder of logs, on as it grows, as tail -f does"))),
        [this](bool on) {
            const int at = m_workspace.place().capture;
            m_follower->setFollowing(at, on);
            if (const session::Session* session = m_workspace.session())
                m_settings.setFollowed(toQString(session->inputs.path), m_follower->isFollowing(at));
            emit changed();
        });
    m_actions->add(spec("capture.reload", tr("Reload"), capture, {QKeySequence(tr("Ctrl+Shift+R"))}, "reset",
                        tr("Read the capture again from where it was opened; notes and place stay")),
                   [this] { m_follower->reload(m_workspace.place().capture); });
}

void Following::updateActions() {
    const int capture = m_workspace.place().capture;
    if (QAction* follow = m_actions->find(QStringLiteral("capture.follow"))) {
        const bool isFollowed = m_follower->isFollowing(capture);
        const QString lacks = isFollowed ? QString() : m_follower->whyNotFollowed(capture);
        m_actions->setEnabled(QStringLiteral("capture.follow"), lacks.isEmpty(), lacks);
        follow->setChecked(isFollowed);
    }
    if (QAction* reload = m_actions->find(QStringLiteral("capture.reload")))
        reload->setEnabled(m_follower->canReload(capture));
}

void Following::tell() {
    const int capture = m_workspace.place().capture;
    if (!m_follower->isFollowing(capture)) {
        emit told({}, {});
        return;
    }
    const session::Session& session = *m_workspace.session();
    const QDateTime grew = m_follower->grewAt(capture);
    const QString when = grew.isValid() ? tr("grew %1").arg(grew.time().toString(QStringLiteral("HH:mm:ss")))
                                        : tr("nothing new yet");
    emit told(tr("Following %1, %2").arg(nameOf(session), when), toQString(session.inputs.path));
}

} // namespace dynascope::app
