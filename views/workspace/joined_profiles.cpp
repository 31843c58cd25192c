// SPDX-License-Identifier: BSD-3-Clause
#include "views/workspace/joined_profiles.h"

#include "views/workspace/task_runner.h"

#include <algorithm>
#include <utility>

namespace dynascope::views {

namespace {

const QString tag = QStringLiteral("profile.join");
/// Two to compare, and those that were looked at before: each takes memory.
constexpr std::size_t mostKnown = 4;

} // namespace

JoinedProfiles::JoinedProfiles(TaskRunner& tasks, QObject* parent)
    : QObject(parent)
    , m_tasks(tasks) {
    connect(&tasks, &TaskRunner::failed, this, [this](const QString& failed, const QString& why) {
        if (failed == tag) deliver(failure(why.toStdString()));
    });
    connect(&tasks, &TaskRunner::finished, this, [this](const QString& finished) {
        if (finished != tag) return;
        // Where nothing was delivered, somebody else cancelled it.
        if (m_running.session && !m_tasks.isRunning(tag)) deliver(cancellation());
        startNext();
    });
}

void JoinedProfiles::ask(const session::SessionPtr& session, int number, QObject* context, Done done) {
    forget(context);
    const Key key{session,
                  session::attachedAs<profile::Profile>(session->profiles[static_cast<std::size_t>(number)])};
    const JoinedProfilePtr one = known(key);
    if (one) {
        stopUnwanted();
        return done(one);
    }
    m_wishes.push_back({key, context, std::move(done)});
    stopUnwanted();
    startNext();
}

void JoinedProfiles::cancel(const QObject* context) {
    forget(context);
    stopUnwanted();
}

void JoinedProfiles::forget(const QObject* context) {
    std::erase_if(m_wishes,
                  [&](const Wish& wish) { return wish.context.isNull() || wish.context == context; });
}

void JoinedProfiles::stopUnwanted() {
    const bool wanted = std::ranges::any_of(m_wishes, [&](const Wish& w) { return w.key == m_running; });
    if (!m_running.session || wanted) return;
    m_running = {};
    m_tasks.cancel(tag); // the next one starts as that has finished
}

void JoinedProfiles::drop(const session::SessionPtr& session) {
    std::erase_if(m_wishes, [&](const Wish& wish) { return wish.key.session == session; });
    std::erase_if(m_known, [&](const JoinedProfilePtr& one) { return one->joined->session == session; });
    stopUnwanted();
}

void JoinedProfiles::keep(profile::JoinedPtr joined) {
    auto one = std::make_shared<JoinedProfile>(std::move(joined));
    add(one);
    deliver({one->joined->session, one->joined->profile}, JoinedProfilePtr(one));
    stopUnwanted();
}

JoinedProfilePtr JoinedProfiles::known(const Key& key) const {
    const auto at = std::ranges::find_if(m_known, [&](const JoinedProfilePtr& one) {
        return one->joined->session == key.session && one->joined->profile == key.profile;
    });
    return at == m_known.end() ? nullptr : *at;
}

void JoinedProfiles::add(JoinedProfilePtr profile) {
    m_known.push_front(std::move(profile));
    if (m_known.size() > mostKnown) m_known.pop_back();
}

void JoinedProfiles::startNext() {
    if (m_running.session) return;
    std::erase_if(m_wishes, [](const Wish& wish) { return wish.context.isNull(); });
    if (m_wishes.empty()) return;
    m_running = m_wishes.back().key;
    using One = Result<JoinedProfilePtr>;
    m_tasks.run<One>(
        tag, this,
        [key = m_running](const TaskContext& task) -> One {
            return profile::join(key.session, key.profile, task).map([](const profile::JoinedPtr& joined) {
                return std::make_shared<JoinedProfile>(joined);
            });
        },
        [this](const One& one) {
            if (one) {
                ++m_joins;
                add(*one);
            }
            deliver(one);
        });
}

/// What m_running came to.
void JoinedProfiles::deliver(const Result<JoinedProfilePtr>& profile) {
    deliver(std::exchange(m_running, {}), profile);
}

void JoinedProfiles::deliver(const Key& key, const Result<JoinedProfilePtr>& profile) {
    std::vector<Wish> mine;
    const auto first =
        std::stable_partition(m_wishes.begin(), m_wishes.end(), [&](const Wish& w) { return w.key != key; });
    std::move(first, m_wishes.end(), std::back_inserter(mine));
    m_wishes.erase(first, m_wishes.end());
    for (const Wish& wish : mine)
        if (wish.context) wish.done(profile);
}

} // namespace dynascope::views
