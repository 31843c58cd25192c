// SPDX-License-Identifier: BSD-3-Clause
//
// The panel Pass steps, offscreen: stepping both ways, the result so far, and what follows what.
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "tests/views/engine/engine_fixture.h"
#include "views/base/nothing_matches.h"
#include "views/passes/pass_steps_model.h"
#include "views/passes/pass_steps_panel.h"

#include <QAbstractItemModelTester>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QTableView>

using namespace dynascope;
using namespace dynascope::test;
using namespace dynascope::views;

namespace {

struct Shown : EngineFixture {
    PassStepsPanel panel{workspace, passes, theme};
    QAbstractItemModelTester rows{test::part<QTableView>(panel, "passSteps.table")->model(),
                                  QAbstractItemModelTester::FailureReportingMode::QtTest};
    QAbstractItemModelTester soFar{test::part<QListView>(panel, "passSteps.result")->model(),
                                   QAbstractItemModelTester::FailureReportingMode::QtTest};
    Shown() {
        panel.resize(1200, 300);
        panel.show();
    }

    void normalize() {
        passes.run(QStringLiteral("normalize_ir"), 0);
        QTRY_VERIFY_WITH_TIMEOUT(!test::part<QLabel>(panel, "passSteps.summary")->text().isEmpty(),
                                 test::patience);
    }
    [[nodiscard]] QString cell(int row, int column) const {
        return test::part<QTableView>(panel, "passSteps.table")
            ->model()
            ->index(row, column)
            .data()
            .toString();
    }
    [[nodiscard]] int row() const {
        return test::part<QTableView>(panel, "passSteps.table")->currentIndex().row();
    }
    [[nodiscard]] QString lastLine() const {
        const QAbstractItemModel& model = *test::part<QListView>(panel, "passSteps.result")->model();
        return model.index(model.rowCount() - 1, 0).data().toString();
    }
};

} // namespace

class TestPassSteps : public QObject {
    Q_OBJECT
private slots:
    void saysWhatToDoFirst() {
        Shown s;
        QTRY_VERIFY(s.panel.message().contains(QStringLiteral("op by op")));
        QVERIFY(test::part<QLabel>(s.panel, "passSteps.summary")->text().isEmpty());
    }

    void goesThroughThePassBothWays() {
        Shown s;
        s.normalize();
        QCOMPARE(test::part<QLabel>(s.panel, "passSteps.summary")->text(),
                 QStringLiteral("normalize_ir: 9 ops; 3 writes stay"));
        QCOMPARE(test::part<QTableView>(s.panel, "passSteps.table")->model()->rowCount(), 9);
        QTRY_COMPARE(s.row(), 4); // the first write that stays
        for (int row = 5; row <= 8; ++row) {
            s.panel.step(1);
            QCOMPARE(s.row(), row);
        }
        QVERIFY(s.lastLine().startsWith(QStringLiteral("return ")));
        s.panel.step(1); // there is nothing behind the end
        QCOMPARE(s.row(), 8);
        for (int row = 7; row >= 4; --row) {
            s.panel.step(-1);
            QCOMPARE(s.row(), row);
        }
        QVERIFY(s.cell(4, PassStepsModel::Op).startsWith(QStringLiteral("add_ = add_(select")));
        QCOMPARE(s.cell(4, PassStepsModel::Became), QStringLiteral("add__tensor"));
        const QString why = s.cell(4, PassStepsModel::Why);
        QVERIFY2(why.contains(QStringLiteral("aten.add_.Tensor is not among the writes that the pass knows")),
                 qPrintable(why));
        QVERIFY2(why.contains(QStringLiteral("writes into storage 2, where mul, select")), qPrintable(why));
        // The result up to there, and the op on the canvases.
        QCOMPARE(test::part<QListView>(s.panel, "passSteps.result")->model()->rowCount(), 5);
        QVERIFY(s.lastLine().startsWith(QStringLiteral("add__tensor = ")));
        QCOMPARE(s.workspace.place().node.side, Side::A);
        QCOMPARE(s.workspace.stage(Side::A).graph->node(s.workspace.place().node.node).name,
                 std::string("add_"));
        s.panel.step(1);
        QCOMPARE(test::part<QListView>(s.panel, "passSteps.result")->model()->rowCount(), 6);
    }

    void followsTheCanvas() {
        Shown s;
        s.normalize();
        const ir::GraphPtr source = s.workspace.stage(Side::A).graph,
                           result = s.workspace.stage(Side::B).graph;
        QVERIFY(source && result);
        s.workspace.selectNode({Side::A, source->find("mul_")});
        QTRY_COMPARE(s.row(), 5);
        s.workspace.selectNode({Side::B, result->find("select_int")});
        QTRY_COMPARE(s.row(), 2);
    }

    void leavesOutWhatThePassLeft() {
        Shown s;
        s.normalize();
        auto* only = s.panel.findChild<QCheckBox*>();
        QVERIFY(only);
        QTest::mouseClick(only, Qt::LeftButton, {}, QPoint(8, only->height() / 2));
        QVERIFY(only->isChecked());
        QCOMPARE(test::part<QTableView>(s.panel, "passSteps.table")->model()->rowCount(), 3);
        auto* filter = s.panel.findChild<QLineEdit*>();
        QTest::keyClicks(filter, "sub__tensor");
        QCOMPARE(test::part<QTableView>(s.panel, "passSteps.table")->model()->rowCount(), 1);
        filter->setText("zzz");
        const auto* word = test::part<QTableView>(s.panel, "passSteps.table")->findChild<NothingMatches*>();
        QVERIFY(word && !word->isHidden());
        QCOMPARE(word->text(), QString("No step at which the pass did something matches zzz."));
        only->setChecked(false);
        QCOMPARE(word->text(), QString("No step matches zzz."));
        only->setChecked(true);
        filter->clear();
        only->setChecked(false);
        QCOMPARE(test::part<QTableView>(s.panel, "passSteps.table")->model()->rowCount(), 9);
    }

    void anotherStageHasOtherSteps() {
        Shown s;
        s.normalize();
        s.functionalize();
        QTRY_VERIFY(test::part<QLabel>(s.panel, "passSteps.summary")
                        ->text()
                        .startsWith(QStringLiteral("functionalize: 9 ops")));
        Place place = s.workspace.place();
        place.stageA = place.stageB = 0;
        s.workspace.go(place);
        QTRY_VERIFY(s.panel.message().contains(QStringLiteral("op by op")));
    }
};

QTEST_MAIN(TestPassSteps)
#include "tst_pass_steps.moc"
