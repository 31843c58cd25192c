// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/open.h"
#include "core/session/session.h"
#include "core/session/stage_order.h"

#include <QTest>

using namespace dynascope;
using session::Compile;
using session::Phase;
using session::Stage;

namespace {

session::SessionPtr sample(const std::string& name) {
    const auto session = capture::open(DYNASCOPE_SOURCE_DIR "/resources/samples/" + name + ".log");
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}

/// A compile that traces its backward.
const Compile& trained(const session::Session& session) {
    return session.compiles[std::size_t(session::bestCompile(session))];
}

} // namespace

class TestStageOrder : public QObject {
    Q_OBJECT
private slots:
    void stagesHavePredecessors() {
        const session::SessionPtr session = sample("encoder_train");
        const Compile& compile = trained(*session);
        QCOMPARE(predecessor(compile, 0), -1);
        QCOMPARE(predecessor(compile, 1000), -1);
        for (int i = 1; i < int(compile.stages.size()); ++i) {
            const int from = predecessor(compile, i);
            QVERIFY(from >= 0 && from < i);
            // Backward comes from the joint graph, not from the forward graph that happens to stand before it.
            if (compile.stages[std::size_t(i)]->name == "aot_backward_graph")
                QCOMPARE(compile.stages[std::size_t(from)]->phase, Phase::Joint);
        }
    }
    /// The first graph, and the first that AOTAutograd made of it.
    void firstPairIsOfGraphs() {
        const session::SessionPtr session = sample("encoder_train");
        const Compile& compile = trained(*session);
        const auto [a, b] = defaultStages(compile);
        QVERIFY(a >= 0 && a < b);
        for (const int shown : {a, b})
            QCOMPARE(compile.stages[std::size_t(shown)]->content, Stage::Content::Graph);
        QCOMPARE(compile.stages[std::size_t(b)]->phase, Phase::Joint);
    }
    void nothingIsShownOfNothing() {
        QCOMPARE(session::bestCompile(session::Session()), -1);
        QVERIFY(defaultStages(Compile()) == std::pair(-1, -1));
    }
};

QTEST_APPLESS_MAIN(TestStageOrder)
#include "tst_stage_order.moc"
