// SPDX-License-Identifier: BSD-3-Clause
//
// Computed stages of a workspace: how they link to what they were made from, and how they go and come back.
#include "core/ir/text.h"
#include "tests/support/open_captures.h"

#include <QSignalSpy>

using namespace dynascope;
using namespace dynascope::views;

class TestComputedStages : public QObject {
    Q_OBJECT

    static ir::GraphPtr read(const std::string& body) {
        auto graph = ir::readGraph("class m(torch.nn.Module):\n    def forward(self, x):\n" + body);
        if (!graph) qFatal("%s", graph.error().toString().c_str());
        return *graph;
    }

    static session::StagePtr stage(const std::string& name, const ir::GraphPtr& graph) {
        auto made = std::make_shared<session::Stage>();
        made->name = name;
        made->phase = session::Phase::Computed;
        made->setGraph(graph);
        return made;
    }

    /// mul_ -> mul, copy_ -> mul, copy_ with the names that the second pass gave.
    struct Chain {
        ir::GraphPtr written = read("        mul_ = torch.ops.aten.mul_.Tensor(x, 2)\n        return (x,)\n");
        ir::GraphPtr functional = read("        mul = torch.ops.aten.mul.Tensor(x, 2)\n"
                                       "        copy_ = torch.ops.aten.copy_.default(x, mul)\n"
                                       "        return (mul,)\n");
        ir::GraphPtr renamed = read("        p = torch.ops.prims.mul.default(x, 2)\n"
                                    "        q = torch.ops.aten.copy_.default(x, p)\n"
                                    "        return (p,)\n");
        session::StagePtr a = stage("normalize_ir", written);
        session::StagePtr b = stage("functionalize", functional), c = stage("decompose", renamed);
        diff::Origins first{{0, 0}, {1, 1}, {1, 2}, {2, 3}}, second{{0, 0}, {1, 1}, {2, 2}, {3, 3}};
        int from = -1, ia = -1, ib = -1, ic = -1;

        explicit Chain(Workspace& workspace) {
            ia = workspace.addComputed(a, 0, {});
            ib = workspace.addComputed(b, ia, first);
            ic = workspace.addComputed(c, ib, second);
        }
    };

    std::unique_ptr<TaskRunner> m_tasks;
    std::unique_ptr<Workspace> m_workspace;

private slots:
    void init() {
        m_tasks = std::make_unique<TaskRunner>();
        m_workspace = std::make_unique<Workspace>(*m_tasks);
        test::addSample(*m_workspace, "view_mutation");
    }
    void cleanup() {
        m_workspace.reset();
        m_tasks.reset();
    }

    void linksByWhatThePassRecorded() {
        const Chain chain(*m_workspace);
        m_workspace->selectStages(chain.ia, chain.ib);
        QVERIFY(m_workspace->diff());
        QCOMPARE(m_workspace->diff()->removed, 0U);
        QVERIFY(m_workspace->diff()->a[1] == diff::Change::Changed);
        m_workspace->selectNode({Side::A, 1});
        QCOMPARE(m_workspace->related(), (std::vector<ir::NodeIndex>{1, 2}));
        m_workspace->selectNode({Side::B, 2});
        QCOMPARE(m_workspace->related(), (std::vector<ir::NodeIndex>{1}));
        for (const diff::Link& link : m_workspace->diff()->links)
            QVERIFY(link.evidence == diff::Evidence::Recorded);
    }

    void linksThroughChainsAndBackwards() {
        const Chain chain(*m_workspace);
        m_workspace->selectStages(chain.ia, chain.ic);
        m_workspace->selectNode({Side::A, 1});
        QCOMPARE(m_workspace->related(), (std::vector<ir::NodeIndex>{1, 2}));
        QCOMPARE(m_workspace->diff()->removed, 0U);
        m_workspace->swapSides();
        QVERIFY(m_workspace->diff()->b[1] == diff::Change::Changed);
        m_workspace->selectNode({Side::B, 1});
        QCOMPARE(m_workspace->related(), (std::vector<ir::NodeIndex>{1, 2}));
        // Nobody recorded how a captured stage became another captured one.
        QVERIFY(m_workspace->origins(0, 1).empty());
        QVERIFY(m_workspace->origins(1, chain.ib).empty());
        QVERIFY(m_workspace->origins(-1, 99).empty());
    }

    void anotherSourceLinksNothing() {
        const Chain chain(*m_workspace);
        QVERIFY(!m_workspace->origins(chain.ib, chain.ic).empty());
        m_workspace->addComputed(stage("functionalize", chain.renamed), chain.ia, chain.first, chain.ib);
        QVERIFY(m_workspace->origins(chain.ib, chain.ic).empty());
        QVERIFY(m_workspace->origins(chain.ia, chain.ic).empty());
        QVERIFY(!m_workspace->origins(chain.ia, chain.ib).empty());
    }

    void goesAndComesBack() {
        const Chain chain(*m_workspace);
        const int count = m_workspace->stageCount();
        m_workspace->selectStages(chain.ib, chain.ic);
        computed::StageVerdict equal;
        equal.kind = computed::StageVerdict::Kind::Equal;
        m_workspace->setVerdict(chain.c, equal);
        QSignalSpy changed(m_workspace.get(), &Workspace::computedChanged);
        m_workspace->removeComputed(chain.ic);
        QCOMPARE(changed.size(), 1);
        QCOMPARE(m_workspace->stageCount(), count - 1);
        QVERIFY(!m_workspace->stageAt(chain.ic));
        QCOMPARE(m_workspace->place().stageB, chain.ib);
        QCOMPARE(m_workspace->place().stageA, chain.ia);
        m_workspace->goBack();
        QCOMPARE(m_workspace->stageCount(), count);
        QCOMPARE(m_workspace->stageAt(chain.ic), chain.c);
        QCOMPARE(m_workspace->place().stageA, chain.ib);
        QCOMPARE(m_workspace->place().stageB, chain.ic);
        QVERIFY(m_workspace->stage(Side::B).graph);
        QVERIFY(m_workspace->verdict(chain.c.get()).kind == computed::StageVerdict::Kind::Equal);
        m_workspace->goForward();
        QVERIFY(!m_workspace->stageAt(chain.ic));
        m_workspace->goBack();
        QCOMPARE(m_workspace->stageAt(chain.ic), chain.c);
        // Captured stages stay.
        m_workspace->removeComputed(0);
        m_workspace->removeComputed(99);
        QCOMPARE(m_workspace->stageCount(), count);
    }

    void aGapInTheMiddle() {
        const Chain chain(*m_workspace);
        m_workspace->selectStages(chain.ia, chain.ic);
        const Place before = m_workspace->place();
        m_workspace->removeComputed(chain.ib);
        QCOMPARE(m_workspace->place(), before); // nobody looked at it
        QVERIFY(!m_workspace->stageAt(chain.ib));
        QCOMPARE(m_workspace->stageAt(chain.ic), chain.c);
        QCOMPARE(m_workspace->indexOf(chain.b.get()), -1);
        QCOMPARE(m_workspace->indexOf(chain.b.get(), true), chain.ib);
        QCOMPARE(m_workspace->stageNumber(chain.ic), chain.ic);
        QCOMPARE(m_workspace->madeFrom(chain.ic), chain.ia);
        QVERIFY(!m_workspace->origins(chain.ia, chain.ic).empty());
        // Stepping goes over it.
        m_workspace->stepStage(-1);
        QCOMPARE(m_workspace->place().stageB, chain.ia);
        m_workspace->stepStage(1);
        QCOMPARE(m_workspace->place().stageB, chain.ic);
        QCOMPARE(m_workspace->place().stageA, chain.ia);
        // A place that was left there leads to what it was made from.
        Place gone = m_workspace->place();
        gone.stageB = chain.ib;
        m_workspace->go(gone);
        QCOMPARE(m_workspace->place().stageB, chain.ia);
    }

    void computedAgainWhereItWas() {
        const Chain chain(*m_workspace);
        m_workspace->removeComputed(chain.ib);
        const session::StagePtr again = stage("functionalize", chain.functional);
        QCOMPARE(m_workspace->addComputed(again, chain.ia, chain.first, chain.ib), chain.ib);
        QCOMPARE(m_workspace->stageAt(chain.ib), again);
        m_workspace->goBack(); // the one that was removed is gone for good
        QCOMPARE(m_workspace->stageAt(chain.ib), again);
        m_workspace->close(0);
        QVERIFY(!m_workspace->canGoBack());
        QCOMPARE(m_workspace->stageCount(), 0);
    }
};

QTEST_GUILESS_MAIN(TestComputedStages)
#include "tst_computed_stages.moc"
