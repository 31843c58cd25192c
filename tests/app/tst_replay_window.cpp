// SPDX-License-Identifier: BSD-3-Clause
//
// The page Replay in the window: by key, from a file, and with the keys that step.
#include "app/gui/action_registry.h"
#include "app/gui/window_docks.h"
#include "tests/support/archive.h"
#include "tests/support/open_captures.h"
#include "tests/support/open_window.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "views/autograd/autograd_page.h"
#include "views/autograd/cut_view.h"
#include "views/autograd/split_panel.h"
#include "views/base/row_table.h"
#include "views/replay/coverage_panel.h"
#include "views/replay/replay_page.h"
#include "views/replay/tree_panel.h"

#include <QTemporaryDir>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

class TestReplayWindow : public QObject, private test::OpenWindow {
    Q_OBJECT

    void open(const QString& path) {
        window().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(workspace().capture() != nullptr, test::patience);
        QVERIFY(settles());
    }

private slots:
    void init() { QVERIFY(show()); }
    void cleanup() { close(); }

    void opensATreeCase() {
        QTemporaryDir folder;
        const QString path = folder.filePath("cg_tree_094.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray::fromStdString(test::oracleCases().at("cg_tree_094")));
        file.close();
        open(path);
        QCOMPARE(workspace().place().page, Page::Replay);
        QVERIFY(!window().actionRegistry().find("go.stages")->isEnabled());
        TreeWalk& walk = window().page<ReplayPage>().tree()->walk();
        QCOMPARE(walk.position(), std::size_t(48));
        QVERIFY(!window().actionRegistry().find("step.forward")->isEnabled());
        press(Qt::Key_F10, Qt::ShiftModifier);
        press(Qt::Key_F11, Qt::ShiftModifier);
        QCOMPARE(walk.position(), std::size_t(46));
        press(Qt::Key_F10);
        QCOMPARE(walk.position(), std::size_t(47));
        press(Qt::Key_Home, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(walk.position(), std::size_t(0));
        press(Qt::Key_F5);
        QCOMPARE(walk.position(), walk.run()->marks().front() + 1);
        press(Qt::Key_F5);
        press(Qt::Key_F5, Qt::ShiftModifier);
        QCOMPARE(walk.position(), walk.run()->marks().front() + 1);
    }

    void judgesACapture() {
        open(test::samplePath("view_mutation"));
        QCOMPARE(workspace().place().page, Page::Stages);
        press(Qt::Key_6, Qt::ControlModifier);
        QCOMPARE(workspace().place().page, Page::Replay);
        QVERIFY(settles());
        QVERIFY(window().actionRegistry().find("go.replay")->isChecked());
        CoveragePanel* coverage = test::part<CoveragePanel>(window().page<ReplayPage>(), "coverage");
        QVERIFY(coverage->isVisible());
        QVERIFY(test::part<RowTable>(*coverage, "coverage.graphs")->rows().rowCount() > 0);
        QVERIFY(test::part<RowTable>(*coverage, "coverage.graphs")->hasFocus());
        QVERIFY(!window().docks().find(PanelId::Capture)->isVisible()); // no room beside it
        press(Qt::Key_1, Qt::ControlModifier);
        QVERIFY(window().docks().find(PanelId::Capture)->isVisible());
        press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(workspace().place().page, Page::Replay);
    }

    void cutsAJointGraph() {
        open(test::samplePath("encoder_train"));
        press(Qt::Key_7, Qt::ControlModifier);
        QCOMPARE(workspace().place().page, Page::Autograd);
        QVERIFY(settles());
        QVERIFY(window().actionRegistry().find("go.autograd")->isChecked());
        SplitPanel* split = window().page<AutogradPage>().split();
        QVERIFY(split->isVisible());
        QVERIFY(split->cut()->hasFocus());
        QVERIFY(split->values()->rows().rowCount() > 10);
        QTest::keyClick(split->cut(), Qt::Key_Space);
        QVERIFY(split->cut()->selectedValue() >= 0);
        QTest::keyClick(split->cut(), Qt::Key_Return);
        QCOMPARE(workspace().place().page, Page::Stages);
    }

    /// Nothing is cut off in the smallest window of the design.
    void fitsANarrowWindow() {
        window().resize(1280, 800);
        open(test::samplePath("view_mutation"));
        press(Qt::Key_6, Qt::ControlModifier);
        QVERIFY(settles());
        QCOMPARE(window().size(), QSize(1280, 800));
        for (RowTable* table : window().page<ReplayPage>().findChildren<RowTable*>())
            if (table->isVisible()) QVERIFY(table->viewport()->width() > 600);
    }
};

QTEST_MAIN(TestReplayWindow)
#include "tst_replay_window.moc"
