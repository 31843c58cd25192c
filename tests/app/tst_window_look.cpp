// SPDX-License-Identifier: BSD-3-Clause
//
// What a stranger stumbles over in the window: marks that go out, words over words, fields without focus,
// lists without a word, and what the first page offers.
#include "app/gui/about.h"
#include "app/gui/action_registry.h"
#include "app/gui/breadcrumb.h"
#include "app/gui/canvas_actions.h"
#include "app/gui/chrome.h"
#include "app/gui/engine_actions.h"
#include "app/gui/pages.h"
#include "app/gui/record_dialog.h"
#include "app/gui/welcome_page.h"
#include "app/gui/window_docks.h"
#include "app/gui/window_layout.h"
#include "app/gui/window_pages.h"
#include "core/engine/wire/methods.h"
#include "tests/support/message_bar.h"
#include "tests/support/open_captures.h"
#include "tests/support/open_window.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "views/base/row_table.h"
#include "views/engine/engine.h"
#include "views/timeline/timeline_view.h"

#include <QAbstractButton>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QLabel>
#include <QMenu>
#include <QStatusBar>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

class TestWindowLook : public QObject, private test::OpenWindow {
    Q_OBJECT
private slots:
    void init() { QVERIFY(show()); }
    void cleanup() { close(); }

    void theShownPageStaysMarked() {
        open("graph_breaks");
        QAction* breaks = window().actionRegistry().find("go.breaks");
        breaks->trigger();
        QVERIFY(breaks->isChecked());
        breaks->trigger();
        QCOMPARE(workspace().place().page, Page::Breaks);
        QVERIFY(breaks->isChecked());
        QVERIFY(!window().actionRegistry().find("go.stages")->isChecked());
    }

    void anotherCaptureKeepsThePage() {
        open("graph_breaks");
        open("view_mutation");
        window().actionRegistry().find("go.autograd")->trigger();
        auto* crumbs = window().findChild<Breadcrumb*>();
        QVERIFY(crumbs);
        const QList<QToolButton*> parts = crumbs->findChildren<QToolButton*>();
        QVERIFY(!parts.empty());
        QMenu* menu = parts.back()->menu();
        for (QToolButton* part : parts)
            if (part->toolTip() == "view_mutation") menu = part->menu();
        QVERIFY(QMetaObject::invokeMethod(menu, "aboutToShow"));
        QCOMPARE(menu->actions().size(), 2);
        menu->actions().front()->trigger();
        QCOMPARE(workspace().place().capture, 0);
        QCOMPARE(workspace().place().page, Page::Autograd);
    }

    /// A tip of a menu entry stands in the status bar while the page below changes.
    void statusTextIsAloneInItsPlace() {
        open("view_mutation");
        window().statusBar()->showMessage("What an action does");
        workspace().selectNode({Side::A, workspace().stage(Side::A).graph->find("setitem")});
        const auto* selection = test::part<QLabel>(*window().statusBar(), "status.selection");
        QVERIFY(selection->text().startsWith("setitem"));
        QVERIFY(!selection->isVisible());
        window().statusBar()->clearMessage();
        QVERIFY(selection->isVisible());
        workspace().clearSelection();
        window().statusBar()->showMessage("Again");
        window().statusBar()->clearMessage();
        QVERIFY(!selection->isVisible());
    }

    void countsSayWhatTheyCount() {
        QCOMPARE(test::part<QLabel>(window(), "status.counts")->text(), QString("Nothing open"));
        open("graph_breaks");
        QCOMPARE(test::part<QLabel>(window(), "status.counts")->text(),
                 QString("1 capture, 20 compile ids, 7 break reasons"));
        open("view_mutation");
        QCOMPARE(test::part<QLabel>(window(), "status.counts")->text(),
                 QString("2 captures, 21 compile ids, 7 break reasons"));
    }

    void fitsIntoItsScreen() {
        const QMargins frame(4, 30, 4, 4);
        const QRect screen(0, 0, 1280, 800);
        QCOMPARE(fittedInto(screen, {100, 100, 600, 400}, frame), QRect(100, 100, 600, 400));
        QCOMPARE(fittedInto(screen, {0, 0, 1280, 800}, frame), QRect(4, 30, 1272, 766));
        QCOMPARE(fittedInto(screen, {700, 500, 600, 400}, frame), QRect(676, 396, 600, 400));
        QCOMPARE(fittedInto({1280, 40, 800, 600}, {0, 0, 700, 500}, {}), QRect(1280, 40, 700, 500));
    }

    void tabStopsShowTheirFocus_data() {
        QTest::addColumn<bool>("dark");
        QTest::addColumn<QString>("capture");
        QTest::addColumn<QString>("page");
        for (const bool dark : {true, false}) {
            const char* theme = dark ? "dark" : "light";
            QTest::addRow("%s, stages", theme) << dark << "graph_breaks"
                                               << "stages";
            QTest::addRow("%s, answers", theme) << dark << "graph_breaks"
                                                << "answers";
            QTest::addRow("%s, answers of a graph", theme)
                << dark << DYNASCOPE_TEST_DATA "/graphs/resnet.dynamo_output.txt"
                << "answers";
        }
    }

    /// Every stop of the tab key looks different with the focus than without.
    void tabStopsShowTheirFocus() {
        QFETCH(bool, dark);
        QFETCH(QString, capture);
        QFETCH(QString, page);
        theme().setScheme(dark ? ColourScheme::Dark : ColourScheme::Light);
        const auto back = qScopeGuard([&] { theme().setScheme(ColourScheme::Dark); });
        if (capture.contains('/')) {
            test::addCapture(workspace(), capture);
            QVERIFY(settles());
        } else {
            open(capture);
        }
        window().actionRegistry().find("go." + page)->trigger();
        QVERIFY(settles());
        if (page == "stages") {
            window().setFocus();
            // As soon as the engine has answered, which is not waited for.
            for (const char* name : {"runButton", "verifyButton"})
                test::part<QToolButton>(window(), name)->setEnabled(true);
        }
        QStringList blind;
        QSet<QWidget*> seen;
        for (int i = 0; i < 80; ++i) {
            QTest::keyClick(window().focusWidget() ? window().focusWidget() : &window(), Qt::Key_Tab);
            QWidget* stop = window().focusWidget();
            if (!stop || seen.contains(stop)) break;
            seen.insert(stop);
            if (!stop->isVisible()) continue;
            QCoreApplication::processEvents(); // cards that are laid out only now move
            QWidget* drawn = stop->parentWidget() && stop->parentWidget()->focusProxy() == stop
                                 ? stop->parentWidget()
                                 : stop;
            // With what lies over it: a ring is not the widget's own.
            const QRect place(drawn->mapTo(&window(), QPoint()), drawn->size());
            QVERIFY2(window().rect().contains(place.center()),
                     qPrintable(QStringLiteral("%1 %2 %3 in %4, %5, %6")
                                    .arg(stop->metaObject()->className(), stop->objectName(),
                                         stop->accessibleName(), stop->parentWidget()->objectName())
                                    .arg(place.x())
                                    .arg(place.y()))); // behind no other tab, and not scrolled away
            const QImage with = window().grab(place).toImage();
            stop->clearFocus();
            QCoreApplication::processEvents();
            const QImage without = window().grab(place).toImage();
            stop->setFocus(Qt::TabFocusReason);
            if (with == without)
                blind << QStringLiteral("%1 %2 %3")
                             .arg(stop->metaObject()->className(), stop->objectName(),
                                  stop->toolTip().isEmpty() ? stop->accessibleName() : stop->toolTip());
        }
        QVERIFY(seen.size() > 20);
        QVERIFY2(blind.isEmpty(), qPrintable(blind.join("\n")));
    }

    /// A tab's menu shows its panel, closes it and makes a window of it.
    void tabsHaveMenus() {
        open("graph_breaks");
        auto* tab = window().findChild<DockTab*>("recordsTab");
        LazyDock* records = window().docks().find(PanelId::Records);
        QVERIFY(tab && records && !records->isOpen());
        const auto choose = [&](QWidget& on, QPoint at, const QString& text) {
            bool found = false;
            QTimer::singleShot(50, &window(), [&] {
                auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                if (!menu) return;
                for (QAction* action : menu->actions())
                    if (action->text() == text) {
                        found = true;
                        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
                        break;
                    }
                menu->close();
            });
            QContextMenuEvent event(QContextMenuEvent::Mouse, at, on.mapToGlobal(at));
            QCoreApplication::sendEvent(&on, &event);
            return found;
        };
        QVERIFY(choose(*tab, tab->rect().center(), "Open"));
        QVERIFY(records->isOpen());
        QVERIFY(choose(*tab, tab->rect().center(), "Make it a window"));
        QVERIFY(records->isFloating());
        QVERIFY(choose(*tab, tab->rect().center(), "Put it back into the window"));
        QVERIFY(!records->isFloating());
        QVERIFY(choose(*tab, tab->rect().center(), "Close"));
        QVERIFY(!records->isOpen());
        for (QTabBar* bar : window().findChildren<QTabBar*>())
            for (int i = 0; bar->isVisible() && i < bar->count(); ++i)
                if (bar->tabText(i) == "Guards") {
                    QVERIFY(bar->currentIndex() != i);
                    QVERIFY(choose(*bar, bar->tabRect(i).center(), "Show"));
                    QCOMPARE(bar->currentIndex(), i);
                }
    }

    /// Where no stage is, the timeline offers its picture; on a stage, what can be done with that too.
    void theTimelineIsCopied() {
        open("graph_breaks");
        auto* timeline = window().findChild<TimelineView*>();
        QVERIFY(timeline && timeline->isVisible());
        const int stage = workspace().place().stageB;
        for (const QPoint at : {QPoint(3, 3), timeline->stagePoint(stage)}) {
            QApplication::clipboard()->clear();
            QStringList entries;
            QTimer::singleShot(50, &window(), [&] {
                auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
                if (!menu) return;
                for (QAction* action : menu->actions()) {
                    entries << action->text();
                    if (action->text() == "Copy as image") action->trigger();
                }
                menu->close();
            });
            QContextMenuEvent event(QContextMenuEvent::Mouse, at, timeline->viewport()->mapToGlobal(at));
            QCoreApplication::sendEvent(timeline->viewport(), &event);
            QCOMPARE(entries.contains("Show as A"), at != QPoint(3, 3));
            QCOMPARE(QApplication::clipboard()->image().size(), timeline->viewport()->size() * 2);
        }
    }

    /// A list with no row says why.
    void emptyListsSayWhy() {
        for (const char* sample : {"graph_breaks", "view_mutation", "encoder_train"}) {
            open(sample);
            for (const PageSpec& page : pageSpecs()) {
                if (!window().actionRegistry().find(pageAction(page))->isEnabled()) continue;
                window().pages().goTo(page.page);
                QTRY_VERIFY_WITH_TIMEOUT(window().isSettled(), test::patience);
                for (const RowTable* table : window().findChildren<RowTable*>())
                    if (table->rows().rowCount() == 0 && table->isVisible())
                        QVERIFY2(!table->emptyText().isEmpty(),
                                 qPrintable(table->accessibleName() + " on " + page.title));
            }
        }
    }

    void aStoppedEngineIsStartedFromItsMessage() {
        TaskRunner tasks;
        Workspace other(tasks);
        MainWindow stopped(other, theme(), settings(), nullptr, {"/bin/false"});
        stopped.show();
        stopped.engineActions().engine().start();
        QTRY_COMPARE_WITH_TIMEOUT(stopped.engineActions().engine().state(), Engine::State::Stopped,
                                  test::patience);
        QTRY_VERIFY(test::part<QAbstractButton>(test::messageBar(stopped), "messageBar.offer")->isVisible());
        QCOMPARE(test::part<QAbstractButton>(test::messageBar(stopped), "messageBar.offer")->text(),
                 QString("Start again"));
        QSignalSpy states(&stopped.engineActions().engine(), &Engine::stateChanged);
        test::part<QAbstractButton>(test::messageBar(stopped), "messageBar.offer")->click();
        QVERIFY(!states.isEmpty()); // it was asked to start
        QTRY_COMPARE_WITH_TIMEOUT(stopped.engineActions().engine().state(), Engine::State::Stopped,
                                  test::patience);
    }

    void aboutTellsVersions() {
        using Reply = wire::EnvironmentReply;
        QCOMPARE(versionLines(nullptr, "There is none."),
                 QString("Qt %1\nLibTorch: There is none.").arg(qVersion()));
        Reply reply;
        reply.torch = "2.13.0+cpu";
        reply.cuda.pluginProblem = "the plugin is not there";
        engine::Answer<Reply> answer = reply;
        QCOMPARE(versionLines(&answer, {}).section('\n', 1),
                 QString("LibTorch 2.13.0+cpu\nCUDA: not used. the plugin is not there"));
        wire::CudaStatus status;
        status.driver = "13.0";
        status.devices.push_back({"NVIDIA H100", 80ULL << 30U, "9.0"});
        reply.cuda.status = status;
        answer = reply;
        QCOMPARE(versionLines(&answer, {}).section('\n', 2),
                 QString("CUDA: driver 13.0; NVIDIA H100, 80 GiB, compute capability 9.0"));
        answer = tl::unexpected(engine::CallError{engine::CallError::Kind::EngineDied, "it died", 0, {}});
        QVERIFY(versionLines(&answer, {}).endsWith("the engine does not answer. it died"));
    }

    void theFirstPageOffersAStart() {
        auto* welcome = window().findChild<WelcomePage*>();
        QVERIFY(welcome && welcome->isVisible());
        const auto cards = welcome->findChildren<QAbstractButton*>("sampleCard");
        QCOMPARE(cards.size(), 6);
        for (QAbstractButton* card : cards) {
            // The picture: more than a ground and a frame.
            const QImage seen = card->grab().toImage();
            QSet<QRgb> colours;
            for (int y = 14; y < seen.height() / 2; ++y)
                for (int x = 14; x < seen.width() - 14; ++x)
                    colours.insert(seen.pixel(x, y));
            QVERIFY2(colours.size() > 3, qPrintable(card->text()));
            QVERIFY(!card->accessibleDescription().isEmpty());
        }
        QTest::mouseClick(welcome->findChild<QAbstractButton*>("welcomeRecord"), Qt::LeftButton);
        QVERIFY(test::part<RecordDialog>(window())->isVisible());
        test::part<RecordDialog>(window())->hide();
        QTest::mouseClick(cards.front(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), std::size_t(1), test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(window().isSettled(), test::patience);
    }

    /// What is on screen as a picture, and what is drawn as text.
    void takesPictures() {
        open("view_mutation");
        window().pages().goTo(Page::Stages);
        QTRY_VERIFY_WITH_TIMEOUT(window().isSettled(), test::patience);
        window().actionRegistry().trigger("edit.copyPage");
        const QSize page = window().pages().find(Page::Stages)->size();
        QCOMPARE(QApplication::clipboard()->image().size(), page * 2);
        window().actionRegistry().trigger("edit.copyCanvas");
        QVERIFY(!QApplication::clipboard()->image().isNull());
        auto* canvas = window().findChild<CanvasActions*>();
        QVERIFY(canvas);
        QTemporaryDir folder;
        const auto written = [&](const char* name) -> QByteArray {
            if (!canvas->writeCanvas(folder.filePath(name)).isEmpty()) return {};
            QFile file(folder.filePath(name));
            return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
        };
        QVERIFY(written("graph.svg").contains("<svg"));
        QVERIFY(written("graph.dot").startsWith("digraph"));
        const QByteArray mermaid = written("graph.mmd");
        QVERIFY(mermaid.startsWith("flowchart TD") && mermaid.contains("-->"));
        // The graph of the node that is selected, else B's.
        const auto nodes = [](const QByteArray& text) { return text.count("["); };
        workspace().selectNode({Side::A, 0});
        QVERIFY(written("a.mmd") != mermaid);
        QVERIFY(nodes(mermaid) > 0);
        QVERIFY(canvas->writeCanvas("/no/such/folder/a.dot").contains("/no/such/folder"));
        window().actionRegistry().trigger("go.answers");
        QTRY_VERIFY_WITH_TIMEOUT(window().isSettled(), test::patience);
        QVERIFY(!window().actionRegistry().find("file.exportCanvas")->isEnabled());
        QVERIFY(window().actionRegistry().find("file.exportPage")->isEnabled());
    }

private:
    void open(const QString& sample) {
        const auto before = workspace().captures().size();
        window().openPaths({test::samplePath(sample)});
        QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), before + 1, test::patience);
        QTRY_VERIFY_WITH_TIMEOUT(window().isSettled(), test::patience);
    }
};

QTEST_MAIN(TestWindowLook)
#include "tst_window_look.moc"
