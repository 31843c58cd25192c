// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles of open captures are joined once for all that ask, and not for those that ask no longer.
#include "core/capture/open.h"
#include "tests/support/patience.h"
#include "tests/support/profiles.h"
#include "views/workspace/joined_profiles.h"
#include "views/workspace/task_runner.h"

#include <QSignalSpy>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::views;

namespace {

session::SessionPtr folder(const char* name) {
    const auto opened = capture::open(std::string(DYNASCOPE_TEST_DATA "/profile/") + name);
    if (!opened) qFatal("%s", opened.error().toString().c_str());
    return *opened;
}

} // namespace

class TestJoinedProfiles : public QObject {
    Q_OBJECT
private slots:
    void onceForAll() {
        TaskRunner tasks;
        JoinedProfiles profiles(tasks);
        const session::SessionPtr session = folder("mlp_aot");
        QObject page, heat, breaks;
        std::vector<JoinedProfilePtr> got;
        const auto take = [&](const Result<JoinedProfilePtr>& one) { got.push_back(one.value()); };
        for (QObject* who : {&page, &heat, &page})
            profiles.ask(session, 0, who, take);
        QVERIFY(got.empty()); // not on this thread
        QTRY_COMPARE_WITH_TIMEOUT(got.size(), std::size_t(2), test::patience);
        profiles.ask(session, 0, &breaks, take);
        QCOMPARE(got.size(), std::size_t(3)); // known: at once
        QCOMPARE(profiles.joins(), std::size_t(1));
        QVERIFY(got[0] == got[1] && got[1] == got[2]);
        QCOMPARE(got[0]->joined->session, session);
    }

    void whoAsksAgainWaitsForThat() {
        TaskRunner tasks;
        JoinedProfiles profiles(tasks);
        const session::SessionPtr first = folder("mlp_aot"), second = folder("breaks");
        QObject page;
        QStringList got;
        profiles.ask(first, 0, &page, [&](const auto&) { got << "first"; });
        profiles.ask(second, 0, &page, [&](const auto&) { got << "second"; });
        QTRY_VERIFY_WITH_TIMEOUT(tasks.isIdle() && !got.isEmpty(), test::patience);
        QCOMPARE(got, QStringList{"second"});
        QCOMPARE(profiles.joins(), std::size_t(1)); // the first was cancelled
    }

    void twoAreJoinedInTurn() {
        TaskRunner tasks;
        JoinedProfiles profiles(tasks);
        const session::SessionPtr first = folder("mlp_aot"), second = folder("breaks");
        QObject a, b;
        QStringList got;
        profiles.ask(first, 0, &a, [&](const auto&) { got << "first"; });
        profiles.ask(second, 0, &b, [&](const auto&) { got << "second"; });
        QTRY_COMPARE_WITH_TIMEOUT(got.size(), qsizetype(2), test::patience);
        QCOMPARE(profiles.joins(), std::size_t(2));
    }

    void nobodyWaits() {
        TaskRunner tasks;
        JoinedProfiles profiles(tasks);
        const session::SessionPtr session = folder("mlp_aot");
        bool called = false;
        {
            QObject gone;
            profiles.ask(session, 0, &gone, [&](const auto&) { called = true; });
        }
        QObject page;
        profiles.ask(session, 0, &page, [&](const auto&) { called = true; });
        profiles.cancel(&page);
        QVERIFY(tasks.isIdle());
        profiles.ask(session, 0, &page, [&](const auto&) { called = true; });
        profiles.drop(session);
        QVERIFY(tasks.isIdle());
        QTest::qWait(50);
        QVERIFY(!called);
        QCOMPARE(profiles.joins(), std::size_t(0));
    }

    /// Everybody who waits is told, and the next one is joined.
    void whatCannotBeJoinedIsTold() {
        TaskRunner tasks;
        JoinedProfiles profiles(tasks);
        const session::SessionPtr bad = test::unjoinableFolder("breaks"), good = folder("mlp_aot");
        QObject a, b, c;
        std::vector<std::string> why;
        bool joined = false;
        profiles.ask(good, 0, &c, [&](const Result<JoinedProfilePtr>& one) { joined = one.has_value(); });
        for (QObject* who : {&a, &b})
            profiles.ask(bad, 0, who, [&](const Result<JoinedProfilePtr>& one) {
                why.push_back(one ? "joined" : one.error().message);
            });
        QTRY_VERIFY_WITH_TIMEOUT(tasks.isIdle(), test::patience);
        QCOMPARE(why, (std::vector<std::string>{"the disk is gone", "the disk is gone"}));
        QVERIFY(joined);
        QCOMPARE(profiles.joins(), std::size_t(1));
    }

    void whatSomebodyElseCancelsIsTold() {
        TaskRunner tasks;
        JoinedProfiles profiles(tasks);
        QObject page;
        bool cancelled = false;
        profiles.ask(folder("mlp_aot"), 0, &page, [&](const Result<JoinedProfilePtr>& one) {
            cancelled = !one && one.error().isCancelled();
        });
        tasks.cancel(QStringLiteral("profile.join"));
        QVERIFY(cancelled && tasks.isIdle());
    }

    void closedCapturesAreDropped() {
        TaskRunner tasks;
        JoinedProfiles profiles(tasks);
        session::SessionPtr session = folder("mlp_aot");
        std::weak_ptr<const session::Session> left = session;
        QObject page;
        bool called = false;
        profiles.ask(session, 0, &page, [&](const auto&) { called = true; });
        QTRY_VERIFY_WITH_TIMEOUT(called && tasks.isIdle(), test::patience);
        profiles.drop(session);
        session.reset();
        QTRY_VERIFY_WITH_TIMEOUT(left.expired(), test::patience);
    }

    void whatWasJoinedElsewhere() {
        TaskRunner tasks;
        JoinedProfiles profiles(tasks);
        const session::SessionPtr session = folder("mlp_aot");
        profiles.keep(profile::join(session, session::attachedAs<profile::Profile>(session->profiles[0]))
                          .value_or(nullptr));
        QObject page;
        bool called = false;
        profiles.ask(session, 0, &page, [&](const auto&) { called = true; });
        QVERIFY(called && tasks.isIdle());
        QCOMPARE(profiles.joins(), std::size_t(0));
    }
};

QTEST_GUILESS_MAIN(TestJoinedProfiles)
#include "tst_joined_profiles.moc"
