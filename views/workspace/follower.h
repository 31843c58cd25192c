// SPDX-License-Identifier: BSD-3-Clause
//
// Looks after the files of what is open: a capture that is followed is read on as it grows; of any other one
// it is told that its files are no longer what was read.
#pragma once

#include "core/capture/follow.h"
#include "views/workspace/workspace.h"

#include <QDateTime>
#include <QHash>
#include <QObject>
#include <QString>
#include <QTimer>
#include <chrono>
#include <memory>

namespace dynascope::views {

/// GUI thread only. Files are looked at and read on the TaskRunner (tags "follow.look", "follow.read:N");
/// the newest read of a capture wins.
class Follower : public QObject {
    Q_OBJECT
public:
    explicit Follower(Workspace& workspace, QObject* parent = nullptr);

    /// Whether a capture is a log or folder on disk that somebody may still write.
    [[nodiscard]] bool canFollow(int capture) const { return whyNotFollowed(capture).isEmpty(); }
    /// A sentence for a capture that cannot be followed; empty where it can.
    [[nodiscard]] QString whyNotFollowed(int capture) const;
    [[nodiscard]] bool isFollowing(int capture) const;
    /// Off stops a read that goes on; what was read stays.
    void setFollowing(int capture, bool on);
    /// When what was read last came in; invalid before anything did.
    [[nodiscard]] QDateTime grewAt(int capture) const;
    /// Whether a capture can be read again from where it was opened.
    [[nodiscard]] bool canReload(int capture) const;
    /// Reads a capture again as a whole. Notes, place and computed stages stay.
    void reload(int capture);
    /// How often files are looked at.
    void setInterval(std::chrono::milliseconds interval);

signals:
    void changed(int capture);                       ///< followed or not, or it grew
    void told(int capture, const QString& words);    ///< what happened to a file that is followed
    void differs(int capture, const QString& words); ///< a file is no longer what was read
    void reloaded(int capture);
    void failed(int capture, const QString& message);

private:
    struct Watch {
        capture::DiskStamp seen; ///< as of what is shown
        QDateTime grewAt;
        QString gone; ///< the words that were told last of files that cannot be read
        capture::DiskChange differs = capture::DiskChange::None; ///< that differs() was emitted for
        bool cut = false;                           ///< the last record was left out, not being complete
        int number = 0;                             ///< of the tag
        std::shared_ptr<capture::LogMemory> memory; ///< of what is followed
        std::chrono::steady_clock::time_point notBefore{}; ///< a read takes a fifth of the time at most
    };
    struct Read;
    [[nodiscard]] bool isOnDisk(int capture) const;
    /// Opened on another machine: read again when asked, not watched.
    [[nodiscard]] bool isElsewhere(int capture) const;
    [[nodiscard]] int indexOf(const session::Session* session) const;
    [[nodiscard]] Watch* watchOf(int capture);
    [[nodiscard]] QString tagOf(const Watch& watch) const;
    void watch(int capture);
    void look();
    void seen(const session::SessionPtr& session, const capture::DiskStamp& stamp);
    void read(int capture, capture::Again again, const capture::Changed& because);
    void take(const session::SessionPtr& before, capture::Again again, capture::Changed because, Read result);

    Workspace& m_workspace;
    QTimer m_timer;
    QHash<const session::Session*, Watch> m_watched;
    int m_numbers = 0;
};

} // namespace dynascope::views
