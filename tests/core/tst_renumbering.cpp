// SPDX-License-Identifier: BSD-3-Clause
//
// Where compiles and stages are in a session that was read again.
#include "core/session/renumbering.h"

#include <QTest>

using namespace dynascope;
using session::Renumbering;
using session::Session;
using session::Stage;

namespace {

std::shared_ptr<Stage> stage(const std::string& name, int k = 0, int attempt = 0) {
    auto made = std::make_shared<Stage>();
    made->name = name;
    made->k = k;
    made->attempt = attempt;
    return made;
}

session::Compile compile(int rank, int frame, std::vector<session::StagePtr> stages) {
    session::Compile made;
    made.rank = rank;
    made.id.frame = frame;
    made.stages = std::move(stages);
    return made;
}

} // namespace

class TestRenumbering : public QObject {
    Q_OBJECT
private slots:
    void compilesByRankAndId() {
        Session before, now;
        before.compiles = {compile(0, 0, {}), compile(0, 1, {}), compile(1, 0, {})};
        now.compiles = {compile(0, 0, {}), compile(0, 2, {}), compile(1, 0, {}), compile(0, 1, {})};
        const Renumbering to(before, now);
        QCOMPARE(to.compile(0), 0);
        QCOMPARE(to.compile(1), 3);
        QCOMPARE(to.compile(2), 2);
        QCOMPARE(to.compileNow(1), &now.compiles[3]);
        for (const int none : {-1, 3})
            QCOMPARE(to.compile(none), -1);
        const Renumbering back(now, before);
        QCOMPARE(back.compile(1), -1);
        QVERIFY(!back.compileNow(1));
    }

    void stagesByWhatTheyAre() {
        const auto kept = stage("same object");
        Session before, now;
        before.compiles = {compile(0, 0, {stage("g"), stage("g", 1), stage("g", 0, 1), kept, stage("gone")}),
                           compile(0, 1, {stage("g")})};
        now.compiles = {
            compile(0, 0, {stage("new"), stage("g", 0, 1), stage("g", 1), stage("g"), stage("x"), kept})};
        const Renumbering to(before, now);
        QCOMPARE(to.stage(0, 0), 3);
        QCOMPARE(to.stage(0, 1), 2);
        QCOMPARE(to.stage(0, 2), 1);
        QCOMPARE(to.stage(0, 3), 5);
        QCOMPARE(to.stage(0, 4), -1);
        // What was computed stays behind what was captured.
        QCOMPARE(to.stage(0, 5), 6);
        QCOMPARE(to.stage(0, 7), 8);
        QCOMPARE(to.stage(0, -1), -1);
        QCOMPARE(to.stage(1, 0), -1); // its compile is gone
    }

    void sameWhereOneGraphIsHeld() {
        const auto grew = stage("grew"), was = stage("g"), again = stage("g");
        again->takePlaceOf(*was);
        Session before, now;
        before.compiles = {compile(0, 0, {was, grew})};
        now.compiles = {compile(0, 0, {again, stage("grew")})};
        const Renumbering to(before, now);
        QVERIFY(to.isSame(0, 0, to.stage(0, 0)));
        QCOMPARE(to.stage(0, 1), 1);
        QVERIFY(!to.isSame(0, 1, 1));
        QVERIFY(to.isSame(0, 2, 2)); // computed
        QVERIFY(!to.isSame(0, 2, 1));
        QVERIFY(!to.isSame(0, -1, 0));
        QVERIFY(!to.isSame(0, 0, -1));
        QVERIFY(!to.isSame(1, 0, 0));
    }
};

QTEST_APPLESS_MAIN(TestRenumbering)
#include "tst_renumbering.moc"
