// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles of open captures, each joined once for all that ask.
#pragma once

#include "core/profile/facts.h"
#include "core/profile/shown_profile.h"

#include <QObject>
#include <QPointer>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace dynascope::views {

class TaskRunner;

/// A joined profile with what is known of its rows. Workers ask one at a time.
struct JoinedProfile {
    explicit JoinedProfile(profile::JoinedPtr from)
        : joined(std::move(from))
        , facts(std::make_unique<profile::Facts>(joined)) {}

    std::mutex mutex;
    const profile::JoinedPtr joined;
    const std::unique_ptr<profile::Facts> facts; ///< guarded by `mutex`
};
using JoinedProfilePtr = std::shared_ptr<JoinedProfile>;

/// GUI thread only. Joins on the TaskRunner (tag "profile.join"), one profile at a time, the one that was asked for last
/// first; a join that nobody waits for any longer is cancelled. Keeps what was joined last until its capture is closed.
class JoinedProfiles : public QObject {
    Q_OBJECT
public:
    /// An Error where it could not be joined; its message is one of TaskRunner::failed().
    using Done = std::function<void(const Result<JoinedProfilePtr>&)>;

    explicit JoinedProfiles(TaskRunner& tasks, QObject* parent = nullptr);

    /// Calls `done` with a profile (into Session::profiles), at once where it is known, or with what went wrong. Who asks
    /// again waits for that alone; of a `context` that is gone nothing is called, nor after cancel() and drop().
    void ask(const session::SessionPtr& session, int number, QObject* context, Done done);
    /// `context` waits no longer.
    void cancel(const QObject* context);
    /// Of a session that was closed nothing is kept, and nobody waits for it.
    void drop(const session::SessionPtr& session);
    /// What somebody else joined.
    void keep(profile::JoinedPtr joined);
    /// How many were joined here.
    [[nodiscard]] std::size_t joins() const { return m_joins; }

private:
    struct Key {
        session::SessionPtr session;
        profile::ProfilePtr profile;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Wish {
        Key key;
        QPointer<QObject> context;
        Done done;
    };
    [[nodiscard]] JoinedProfilePtr known(const Key& key) const;
    void add(JoinedProfilePtr profile);
    void startNext();
    void deliver(const Result<JoinedProfilePtr>& profile);
    void deliver(const Key& key, const Result<JoinedProfilePtr>& profile);
    void forget(const QObject* context);
    void stopUnwanted();

    TaskRunner& m_tasks;
    std::vector<Wish> m_wishes; ///< the newest last
    Key m_running;
    std::deque<JoinedProfilePtr> m_known; ///< the newest first
    std::size_t m_joins = 0;
};

} // namespace dynascope::views
