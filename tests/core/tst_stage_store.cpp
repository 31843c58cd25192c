// SPDX-License-Identifier: BSD-3-Clause
//
// Computed stages beside captured ones: how they are counted, replaced, taken away, forgotten, and moved to a session
// that was read again.
#include "core/computed/stage_store.h"
#include "core/session/renumbering.h"

#include <QTest>

using namespace dynascope;
using computed::NodeTimes;
using computed::PlacedStage;
using computed::StageStore;
using computed::StageVerdict;
using session::StagePtr;

namespace {

std::shared_ptr<session::Stage> stage(const std::string& name,
                                      session::Phase phase = session::Phase::Computed) {
    auto made = std::make_shared<session::Stage>();
    made->name = name;
    made->phase = phase;
    return made;
}

session::Compile compile(int frame, std::vector<StagePtr> stages) {
    session::Compile made;
    made.id.frame = frame;
    made.stages = std::move(stages);
    return made;
}

NodeTimes times(double us) {
    NodeTimes made;
    made.us.emplace("x", us);
    made.sum = made.most = us;
    return made;
}

const StageVerdict equal{StageVerdict::Kind::Equal, "3 outputs", {}, {}, false, {}};

/// A compile with two captured stages, and of the second a chain of three computed ones.
struct Chain {
    StagePtr dynamo = stage("dynamo", session::Phase::Dynamo), joint = stage("joint", session::Phase::Joint);
    session::Session session;
    StagePtr a = stage("a"), b = stage("b"), c = stage("c");
    StageStore store;

    Chain() {
        session.compiles = {compile(0, {dynamo, joint}),
                            compile(1, {stage("other", session::Phase::Dynamo)})};
        store.add(of(), a, 1, {{0, 0}, {1, 1}, {1, 2}});
        store.add(of(), b, 2, {{0, 0}, {1, 2}, {2, 1}});
        store.add(of(), c, 3, {{0, 0}, {1, 1}, {2, 2}});
    }
    [[nodiscard]] const session::Compile& of() const { return session.compiles[0]; }
    [[nodiscard]] const session::Compile& other() const { return session.compiles[1]; }
};

} // namespace

class TestStageStore : public QObject {
    Q_OBJECT
private slots:
    void countsBehindTheCapturedOnes() {
        const Chain chain;
        QCOMPARE(chain.store.count(chain.of()), 5);
        QCOMPARE(chain.store.at(chain.of(), 1), chain.joint);
        QCOMPARE(chain.store.at(chain.of(), 4), chain.c);
        for (const int none : {-1, 5, 99}) {
            QVERIFY(!chain.store.at(chain.of(), none));
            QVERIFY(!chain.store.placed(chain.of(), none));
            QCOMPARE(chain.store.madeFrom(chain.of(), none), -1);
        }
        QVERIFY(!chain.store.placed(chain.of(), 1));
        QCOMPARE(chain.store.placed(chain.of(), 2)->source, chain.joint);
        QCOMPARE(chain.store.indexOf(chain.of(), chain.b.get()), 3);
        QCOMPARE(chain.store.indexOf(chain.of(), chain.dynamo.get()), 0);
        QCOMPARE(chain.store.indexOf(chain.of(), nullptr), -1);
        QCOMPARE(chain.store.madeFrom(chain.of(), 0), -1);
        QCOMPARE(chain.store.madeFrom(chain.of(), 1), 0);
        QCOMPARE(chain.store.madeFrom(chain.of(), 4), 3);
        // Of another compile nothing is known.
        QCOMPARE(chain.store.count(chain.other()), 1);
        QCOMPARE(chain.store.indexOf(chain.other(), chain.b.get()), -1);
        QVERIFY(chain.store.of(chain.other()).empty());
    }

    void nothingIsMadeFromNothing() {
        Chain chain;
        for (const int none : {-1, 5})
            QCOMPARE(chain.store.add(chain.of(), stage("d"), none, {}), -1);
        chain.store.setRemoved(chain.c.get(), true);
        QCOMPARE(chain.store.add(chain.of(), stage("d"), 4, {}), -1);
        QCOMPARE(chain.store.of(chain.of()).size(), std::size_t(3));
    }

    void aRemovedOneLeavesAGap() {
        Chain chain;
        chain.store.setVerdict(chain.b, equal);
        chain.store.setRemoved(chain.b.get(), true);
        QVERIFY(!chain.store.at(chain.of(), 3));
        QVERIFY(chain.store.placed(chain.of(), 3)->removed);
        QCOMPARE(chain.store.at(chain.of(), 4), chain.c);
        QCOMPARE(chain.store.count(chain.of()), 5);
        QCOMPARE(chain.store.number(chain.of(), 2), 3);
        QCOMPARE(chain.store.number(chain.of(), 4), 4);
        QCOMPARE(chain.store.madeFrom(chain.of(), 4), 2);
        QCOMPARE(chain.store.indexOf(chain.of(), chain.b.get()), -1);
        QCOMPARE(chain.store.indexOf(chain.of(), chain.b.get(), true), 3);
        chain.store.setRemoved(chain.c.get(), true);
        QCOMPARE(chain.store.count(chain.of()), 3);
        chain.store.setRemoved(chain.b.get(), false);
        QCOMPARE(chain.store.count(chain.of()), 4);
        QCOMPARE(chain.store.verdict(chain.b.get()), equal);
    }

    void originsGoAlongTheChain() {
        Chain chain;
        const diff::Origins whole{{0, 0}, {1, 1}, {1, 2}};
        QCOMPARE(chain.store.origins(chain.of(), 1, 4), whole);
        QCOMPARE(chain.store.origins(chain.of(), 4, 1), diff::inverted(whole));
        QVERIFY(chain.store.origins(chain.of(), 0, 4).empty()); // not made from it
        QVERIFY(chain.store.origins(chain.of(), 0, 1).empty());
        QVERIFY(chain.store.origins(chain.of(), -1, 4).empty());
    }

    void aLaterResultTakesThePlace() {
        Chain chain;
        chain.store.setVerdict(chain.b, equal);
        chain.store.setTimes(chain.b, times(3));
        const StagePtr again = stage("b");
        QCOMPARE(chain.store.add(chain.of(), again, 2, {{0, 0}}, 3), 3);
        QCOMPARE(chain.store.at(chain.of(), 3), again);
        QCOMPARE(chain.store.count(chain.of()), 5);
        QCOMPARE(chain.store.verdict(chain.b.get()), StageVerdict{});
        QVERIFY(!chain.store.times(chain.b.get()));
        // What was made from the old one is not made from this.
        QVERIFY(chain.store.origins(chain.of(), 3, 4).empty());
        QVERIFY(!chain.store.origins(chain.of(), 1, 3).empty());
        // It cannot stand before what it was made from.
        QCOMPARE(chain.store.add(chain.of(), stage("d"), 4, {}, 3), 5);
        QCOMPARE(chain.store.add(chain.of(), stage("e"), 1, {}, 1), 6);
    }

    void verdictsAreOfItsOwnStages() {
        Chain chain;
        QVERIFY(!chain.store.setVerdict(chain.joint, equal));
        QVERIFY(!chain.store.setVerdict(stage("stranger"), equal));
        QCOMPARE(chain.store.verdict(chain.joint.get()), StageVerdict{});
        QVERIFY(chain.store.setVerdict(chain.a, equal));
        QCOMPARE(chain.store.verdict(chain.a.get()), equal);
        QCOMPARE(chain.store.verdict(nullptr), StageVerdict{});
        chain.store.setTimes(chain.joint, times(2));
        QCOMPARE(chain.store.times(chain.joint.get())->sum, 2.0);
        QVERIFY(!chain.store.times(nullptr));
    }

    void restoresOnlyWhereThereIsNone() {
        Chain chain;
        const std::vector<PlacedStage> kept = chain.store.of(chain.of());
        QVERIFY(!chain.store.restore(chain.of(), kept));
        QVERIFY(!chain.store.restore(chain.other(), {}));
        QVERIFY(chain.store.restore(chain.other(), {{stage("kept"), 0, chain.other().stages[0], {}}}));
        QCOMPARE(chain.store.count(chain.other()), 2);
        QVERIFY(!chain.store.restore(chain.other(), kept));
    }

    void forgetsASession() {
        Chain chain;
        session::Session beside;
        beside.compiles = {compile(0, {stage("dynamo", session::Phase::Dynamo)})};
        const StagePtr stays = stage("stays");
        chain.store.add(beside.compiles[0], stays, 0, {});
        for (const StagePtr& known : {chain.a, stays})
            chain.store.setVerdict(known, equal);
        for (const StagePtr& known : {chain.a, stays, chain.dynamo, beside.compiles[0].stages[0]})
            chain.store.setTimes(known, times(1));
        chain.store.forget(chain.session);
        QCOMPARE(chain.store.count(chain.of()), 2);
        QCOMPARE(chain.store.verdict(chain.a.get()), StageVerdict{});
        for (const StagePtr& gone : {chain.a, chain.dynamo})
            QVERIFY(!chain.store.times(gone.get()));
        QCOMPARE(chain.store.at(beside.compiles[0], 1), stays);
        QCOMPARE(chain.store.verdict(stays.get()), equal);
        for (const StagePtr& kept : {stays, beside.compiles[0].stages[0]})
            QVERIFY(chain.store.times(kept.get()));
    }

    /// The capture grew: a stage came in between, the joint graph is read anew, another compile is gone.
    void movesToWhatWasReadAgain() {
        Chain chain;
        const StagePtr lost = stage("lost");
        chain.store.add(chain.other(), lost, 0, {});
        chain.store.setVerdict(lost, equal);
        chain.store.setVerdict(chain.b, equal);
        for (const StagePtr& known : {chain.dynamo, chain.joint, chain.a, lost, chain.other().stages[0]})
            chain.store.setTimes(known, times(1));

        const auto joint = stage("joint", session::Phase::Joint);
        joint->takePlaceOf(*chain.joint);
        session::Session now;
        now.compiles = {compile(2, {}), compile(0, {stage("between", session::Phase::PreGrad),
                                                    stage("dynamo", session::Phase::Dynamo), joint})};
        chain.store.move(session::Renumbering(chain.session, now));

        const session::Compile& is = now.compiles[1];
        QVERIFY(chain.store.of(chain.of()).empty());
        QCOMPARE(chain.store.count(is), 6);
        QCOMPARE(chain.store.at(is, 3), chain.a);
        QCOMPARE(chain.store.madeFrom(is, 3), 2);
        QCOMPARE(chain.store.placed(is, 3)->source, StagePtr(joint));
        QCOMPARE(chain.store.madeFrom(is, 5), 4);
        QCOMPARE(chain.store.origins(is, 2, 5).size(), std::size_t(3));
        QCOMPARE(chain.store.verdict(chain.b.get()), equal);
        QVERIFY(chain.store.times(chain.a.get()));
        QVERIFY(chain.store.times(joint.get()));         // the same stage
        QVERIFY(!chain.store.times(chain.dynamo.get())); // another one of that name
        QVERIFY(!chain.store.times(chain.other().stages[0].get()));
        QCOMPARE(chain.store.verdict(lost.get()), StageVerdict{});
        QVERIFY(!chain.store.times(lost.get()));
    }

    /// What it was made from is gone, or is another graph now: it stays, and says nothing of nodes.
    void staysWithoutItsSource() {
        Chain chain;
        session::Session now;
        now.compiles = {
            compile(0, {stage("dynamo", session::Phase::Dynamo), stage("joint", session::Phase::Joint)})};
        chain.store.move(session::Renumbering(chain.session, now));
        QCOMPARE(chain.store.placed(now.compiles[0], 2)->source, chain.joint);
        QVERIFY(chain.store.origins(now.compiles[0], 1, 2).empty());
        session::Session less;
        less.compiles = {compile(0, {stage("dynamo", session::Phase::Dynamo)})};
        chain.store.move(session::Renumbering(now, less));
        QCOMPARE(chain.store.count(less.compiles[0]), 4);
        QCOMPARE(chain.store.placed(less.compiles[0], 1)->from, 0);
        QVERIFY(chain.store.origins(less.compiles[0], 0, 1).empty());
    }
};

QTEST_APPLESS_MAIN(TestStageStore)
#include "tst_stage_store.moc"
