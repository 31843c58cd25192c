// SPDX-License-Identifier: BSD-3-Clause
//
// The window from end to end, offscreen: what a reader of a capture does, by key and mouse.
#include "app/gui/action_registry.h"
#include "app/gui/chrome.h"
#include "app/gui/paste_dialog.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_actions.h"
#include "app/gui/window_docks.h"
#include "tests/support/key_conflicts.h"
#include "tests/support/message_bar.h"
#include "tests/support/open_captures.h"
#include "tests/support/open_window.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "views/base/code_view.h"
#include "views/base/source_panel.h"
#include "views/canvas/compare_view.h"
#include "views/capture/capture_panel.h"
#include "views/capture/filter_edit.h"
#include "views/palette/palette.h"
#include "views/palette/palette_model.h"
#include "views/provenance/provenance_panel.h"
#include "views/timeline/timeline_view.h"
#include "views/workspace/break_place.h"
#include "views/workspace/trace.h"

#include <QApplication>
#include <QClipboard>
#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPointer>
#include <QPushButton>
#include <QTabBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolBar>
#include <QToolButton>
#include <QTreeView>
#include <set>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

class TestWindow : public QObject, private test::OpenWindow {
    Q_OBJECT
private slots:
    void init();
    void cleanup();
    void findsABreak();
    void opensWhateverOpens();
    void namesTheSelection();
    void goesBackAndForward();
    void stepsThroughWrites();
    void searchesWithThePalette();
    void filtersTheTree();
    void switchesThemeAndTextSize();
    void takesDroppedFilesAndText();
    void saysWhatCouldNotBeOpened();
    void raisesPanels();
    void followsTheSelectionThroughAllStages();
    void closesCaptures();
    void keepsItsLayout();
    void keysDoNotConflict();
    void everyMenuActionHasAnExplanation();
    void keysGoToThePageThatIsShown();
    void noOtherWindowAppears();
    void rightTabsArePainted();
    void fitsANarrowWindow();
    void pastesGraphs();
    void oneGraphHasItsTextBeside();
    void animationsStayOff();

private:
    void open(const QString& sample);
};

void TestWindow::init() {
    QVERIFY(show());
}

void TestWindow::cleanup() {
    close();
}

void TestWindow::open(const QString& sample) {
    const auto before = workspace().captures().size();
    window().openPaths({test::samplePath(sample)});
    QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), before + 1, test::patience);
    QTRY_VERIFY_WITH_TIMEOUT(window().isSettled(), test::patience);
}

/// The dialog's own kinds hide no file of a capture.
void TestWindow::opensWhateverOpens() {
    const QString kinds = WindowActions::fileKinds().section(QStringLiteral(";;"), 0, 0);
    const QStringList patterns = kinds.section(u'(', 1).section(u')', 0, 0).split(u' ');
    for (const char* name :
         {"dynamo_steps_1.dsteps", "inductor_passes_1.dpasses", "a.dynascope", "profile.json.gz",
          "dedicated_log_torch_trace_rank_0.log", "logs.tar.lz4", "snapshot.pickle", "model.pt2"})
        QVERIFY2(QDir::match(patterns, QLatin1String(name)), name);
    const QAction* folder = window().actionRegistry().find(QStringLiteral("file.openFolder"));
    QCOMPARE(folder->text(), QStringLiteral("Open folder..."));
    QVERIFY2(folder->toolTip().contains(QStringLiteral("recordings")), qPrintable(folder->toolTip()));
}

void TestWindow::findsABreak() {
    open("graph_breaks");
    press(Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(workspace().place().page, Page::Breaks);
    QCOMPARE(breakGroup(workspace().place()), 0);
    press(Qt::Key_F8);
    press(Qt::Key_F8);
    QCOMPARE(breakGroup(workspace().place()), 1);
    press(Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(workspace().place().page, Page::Stages);
    open("view_mutation"); // nothing broke there
    QVERIFY(!window().actionRegistry().find("go.breaks")->isEnabled());
}

void TestWindow::namesTheSelection() {
    open("view_mutation");
    const ir::NodeIndex setitem = workspace().stage(Side::A).graph->find("setitem");
    workspace().selectNode({Side::A, setitem});
    QTRY_VERIFY(test::part<QLabel>(window(), "status.selection")->text().startsWith("setitem → "));
    // Beside itself a node comes from no other.
    workspace().selectStages(0, 0);
    workspace().selectNode({Side::B, setitem});
    QTRY_VERIFY(!workspace().related().empty());
    QCOMPARE(test::part<QLabel>(window(), "status.selection")->text(), QStringLiteral("setitem"));
}

void TestWindow::stepsThroughWrites() {
    open("view_mutation");
    QVERIFY(!window().actionRegistry().find("go.nextWrite")->isEnabled());
    workspace().selectNode({Side::A, workspace().stage(Side::A).graph->find("y")});
    QVERIFY(!window().actionRegistry().find("go.previousWrite")->isEnabled());
    press(Qt::Key_W, Qt::AltModifier);
    QCOMPARE(workspace().selectedNode()->name, std::string("setitem"));
    QVERIFY(!window().actionRegistry().find("go.nextWrite")->isEnabled());
    press(Qt::Key_W, Qt::AltModifier | Qt::ShiftModifier);
    QCOMPARE(workspace().selectedNode()->name, std::string("y"));
}

void TestWindow::goesBackAndForward() {
    open("graph_breaks");
    const Place first = workspace().place();
    workspace().selectNode({Side::A, 1});
    press(Qt::Key_Right, Qt::ControlModifier);
    press(Qt::Key_2, Qt::ControlModifier);
    const Place last = workspace().place();
    for (int i = 0; i < 3; ++i)
        press(Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(workspace().place(), first);
    QVERIFY(!window().actionRegistry().find("go.back")->isEnabled());
    for (int i = 0; i < 3; ++i)
        press(Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(workspace().place(), last);
}

void TestWindow::searchesWithThePalette() {
    open("view_mutation");
    press(Qt::Key_K, Qt::ControlModifier);
    Palette& palette = window().palette();
    QVERIFY(palette.isVisible());
    QTest::keyClicks(test::part<QLineEdit>(palette, "palette.field"), "select_scatter");
    QTRY_VERIFY(palette.model().hit(1) && palette.model().hit(1)->title == "select_scatter");
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Return);
    QCOMPARE(workspace().selectedNode()->name, std::string("select_scatter"));
    press(Qt::Key_P, Qt::ControlModifier);
    QTest::keyClicks(test::part<QLineEdit>(palette, "palette.field"), ">light");
    QTRY_COMPARE(palette.model().result().found[int(PaletteKind::Action)], std::size_t(1));
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Return);
    QCOMPARE(theme().scheme(), ColourScheme::Light);
}

void TestWindow::filtersTheTree() {
    window().docks().capturePanel().focusFilter();
    open("graph_breaks");
    // Keys go to the window now, not to a field in which nothing was typed.
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_End, Qt::ControlModifier);
    QCOMPARE(workspace().place().stageB, int(workspace().compile()->stages.size()) - 1);
    press(Qt::Key_F, Qt::ControlModifier | Qt::ShiftModifier);
    CapturePanel& panel = window().docks().capturePanel();
    QTRY_VERIFY(panel.filterEdit()->hasFocus());
    QTest::keyClicks(panel.filterEdit(), "status:nothing");
    QTRY_COMPARE(panel.tree()->model()->rowCount(), 0);
    panel.clearFilter();
    QCOMPARE(panel.tree()->model()->rowCount(), 1);
}

void TestWindow::switchesThemeAndTextSize() {
    open("view_mutation");
    window().actionRegistry().trigger("view.themeDark");
    const QImage dark = window().grab().toImage();
    window().actionRegistry().trigger("view.themeLight");
    const QImage light = window().grab().toImage();
    QVERIFY(dark.pixelColor(5, 300).lightness() < 80);
    QVERIFY(light.pixelColor(5, 300).lightness() > 200);
    QCOMPARE(settings().scheme(), ColourScheme::Light);
    for (int i = 0; i < 8; ++i)
        press(Qt::Key_Equal, Qt::ControlModifier);
    QCOMPARE(theme().fontSize(), 16);
    for (int i = 0; i < 8; ++i)
        press(Qt::Key_Minus, Qt::ControlModifier);
    QCOMPARE(theme().fontSize(), 10);
    theme().setFontSize(12);
    window().actionRegistry().trigger("view.themeDark");
}

void TestWindow::takesDroppedFilesAndText() {
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile(test::samplePath("view_mutation")),
                   QUrl::fromLocalFile(test::samplePath("graph_breaks"))});
    QVERIFY(drop(files));
    QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), 2U, test::patience);
    QMimeData text;
    text.setText("graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                 "    %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})\n  "
                 "  return relu");
    QVERIFY(drop(text));
    QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), 3U, test::patience);
    QTRY_VERIFY(workspace().stage(Side::A).graph);
    QVERIFY(workspace().stage(Side::A).graph->find("relu") != ir::npos);
}

void TestWindow::saysWhatCouldNotBeOpened() {
    window().openPaths({"/nowhere/at/all.log"});
    QTRY_VERIFY(test::messageBar(window()).isVisible());
    QVERIFY(test::messageBar(window()).text().contains("/nowhere/at/all.log"));
    open("view_mutation");
    QVERIFY(!test::messageBar(window()).isVisible());
}

void TestWindow::raisesPanels() {
    open("graph_breaks");
    for (const auto& [panel, id] : panelNames) {
        LazyDock* dock = window().docks().find(panel);
        if (!dock) continue; // a text below the canvases
        emit workspace().panelRequested(panel);
        QVERIFY2(dock->isOpen(), id);
        QTRY_VERIFY2(dock->content()->isVisible(), id);
        QCOMPARE(dock->objectName(), QLatin1String(id)); // which saved layouts go by
    }
    for (const PanelId panel : {PanelId::TextDiff, PanelId::Source, PanelId::Bytecode, PanelId::OutputCode}) {
        QVERIFY(!window().docks().find(panel));
        emit workspace().panelRequested(panel);
        QCOMPARE(window().page<StagesPage>().state()["panel"].toString(), panelName(panel));
    }
    emit workspace().panelRequested(PanelId::CompileTime);
    // The bottom docks take turns.
    QVERIFY(!window().docks().find(PanelId::Records)->isOpen());
    emit workspace().recordRequested(0, 3);
    QVERIFY(window().docks().find(PanelId::Records)->isOpen());
    QVERIFY(!window().docks().find(PanelId::CompileTime)->isOpen());
    QTest::mouseClick(window().findChild<DockTab*>("recordsTab"), Qt::LeftButton);
    QVERIFY(!window().docks().find(PanelId::Records)->isOpen());
}

/// Alt+P opens the panel, Alt+L asks what became of the line; a click on a card asks about its node.
void TestWindow::followsTheSelectionThroughAllStages() {
    open("graph_breaks");
    QVERIFY(settles());
    const auto provenance = [this] {
        return qobject_cast<ProvenancePanel*>(window().docks().find(PanelId::Provenance)->content());
    };
    press(Qt::Key_P, Qt::AltModifier);
    QTRY_VERIFY(provenance()->isVisible());
    QTRY_VERIFY(provenance()->message().contains("Nothing is selected"));
    const ir::GraphPtr& graph = workspace().stage(Side::A).graph;
    ir::NodeIndex call = 0;
    while (call < graph->size() && graph->node(call).op != ir::Op::CallFunction)
        ++call;
    workspace().selectNode({Side::A, call});
    QVERIFY(settles());
    QTRY_VERIFY(test::part<QLabel>(*provenance(), "provenance.title")
                    ->text()
                    .startsWith(QString::fromStdString(graph->node(call).name) + " of "));
    press(Qt::Key_L, Qt::AltModifier);
    QVERIFY(settles());
    QVERIFY(workspace().subject().everyCompile);
    QTRY_VERIFY(test::part<QLabel>(*provenance(), "provenance.title")->text().contains(" compiles"));
    QVERIFY(workspace().trace().compiles().size() >= 2);
    // In Source the key asks about the line of the caret.
    window().page<StagesPage>().raisePanel(PanelId::Source);
    auto* source = qobject_cast<SourcePanel*>(frontPanel());
    QVERIFY(source);
    QVERIFY(settles());
    QTRY_VERIFY(source->view()->document(0));
    source->view()->setFocus();
    QTest::keyClick(source->view(), Qt::Key_Home);
    QTest::keyClick(source->view(), Qt::Key_L, Qt::AltModifier);
    QCOMPARE(int(workspace().subject().line), source->view()->document(0)->lines.front().number);
    press(Qt::Key_Escape);
    QVERIFY(workspace().subject().isEmpty());
}

void TestWindow::closesCaptures() {
    open("view_mutation");
    open("graph_breaks");
    press(Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(workspace().captures().size(), 1U);
    press(Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(workspace().place().page, Page::Welcome);
    QCOMPARE(test::part<QLabel>(window(), "status.counts")->text(), QString("Nothing open"));
    for (const ActionRegistry::Entry& entry : window().actionRegistry().entries())
        if (entry.action && entry.spec.id.startsWith("go.") && entry.spec.id.endsWith("Stage"))
            QVERIFY(!entry.action->isEnabled());
}

void TestWindow::keepsItsLayout() {
    open("view_mutation");
    window().docks().find(PanelId::Guards)->close();
    window().docks().raise(PanelId::Problems);
    window().close();
    QVERIFY(reopen());
    QVERIFY(!window().docks().find(PanelId::Guards)->isOpen());
    QVERIFY(window().docks().find(PanelId::Problems)->isOpen());
    window().actionRegistry().trigger("view.resetLayout");
    QVERIFY(window().docks().find(PanelId::Guards)->isOpen());
    QVERIFY(!window().docks().find(PanelId::Problems)->isOpen());

    // A newer program's settings are neither read nor overwritten.
    QTemporaryDir folder;
    const QString file = folder.filePath("settings.ini");
    {
        QSettings newer(file, QSettings::IniFormat);
        newer.setValue("schema", Settings::schema + 1);
        newer.setValue("fontSize", 15);
    }
    Settings settings(file);
    QCOMPARE(settings.fontSize(), 12);
    settings.setFontSize(14);
    QCOMPARE(settings.fontSize(), 14);
    QCOMPARE(QSettings(file, QSettings::IniFormat).value("fontSize").toInt(), 15);

    // Another window, a program of its own, opens a file meanwhile: both lists become one.
    const QString shared = folder.filePath("shared.ini");
    Settings own(shared);
    own.addRecentFile("/first.log"); // it is in the file at once: the other window may open its own now
    QFile text(shared);
    QVERIFY(text.open(QIODevice::ReadOnly));
    QByteArray written = text.readAll();
    text.close();
    QVERIFY(written.contains("recentFiles=/first.log"));
    written.replace("recentFiles=/first.log", "recentFiles=/other.log, /first.log");
    QVERIFY(text.open(QIODevice::WriteOnly) && text.write(written) == written.size());
    text.close();
    own.addRecentFile("/second.log");
    QCOMPARE(own.recentFiles(), QStringList({"/second.log", "/other.log", "/first.log"}));
}

void TestWindow::keysDoNotConflict() {
    open("view_mutation"); // brings the canvas actions
    QCOMPARE(test::keyConflicts(window().actionRegistry()), QStringList());
    // Alt and a letter opens a menu, unless an action took it.
    for (const QAction* menu : window().menuBar()->actions())
        for (const ActionRegistry::Entry& entry : window().actionRegistry().entries())
            QVERIFY2(!entry.spec.keys.contains(QKeySequence::mnemonic(menu->text())),
                     qPrintable(menu->text()));
    ActionRegistry clash;
    ActionSpec a, b;
    a.id = "a";
    b.id = "b";
    a.keys = b.keys = {QKeySequence("Ctrl+J")};
    clash.add(a, {});
    clash.add(b, {});
    QCOMPARE(test::keyConflicts(clash).size(), 1);
}

void TestWindow::everyMenuActionHasAnExplanation() {
    open("view_mutation");
    QCOMPARE(window().menuBar()->actions().size(), 8);
    for (const ActionRegistry::Entry& entry : window().actionRegistry().entries()) {
        if (!entry.action) continue;
        QVERIFY(!entry.action->toolTip().isEmpty());
        QVERIFY2(!entry.spec.text.endsWith('.') || entry.spec.text.endsWith("..."),
                 qPrintable(entry.spec.text));
        QVERIFY2(!entry.spec.text.contains('!'), qPrintable(entry.spec.text));
    }
}

namespace {

/// Notes every widget that is shown as a window of its own.
class WindowWatcher : public QObject {
public:
    QStringList seen;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        const auto* widget = qobject_cast<QWidget*>(watched);
        if (widget && event->type() == QEvent::Show && widget->isWindow() &&
            !qobject_cast<const MainWindow*>(widget))
            seen << QStringLiteral("%1 %2").arg(QLatin1String(watched->metaObject()->className()),
                                                watched->objectName());
        return false;
    }
};

} // namespace

void TestWindow::rightTabsArePainted() {
    open(QStringLiteral("view_mutation"));
    QTabBar* tabs = nullptr;
    for (QTabBar* bar : window().findChildren<QTabBar*>()) {
        if (bar->isVisible() && bar->count() > 0 && bar->tabText(0) == QLatin1String("Inspector")) tabs = bar;
    }
    QVERIFY(tabs);
    QCOMPARE(tabs->count(), 5);
    const QImage image = window().grab().toImage();
    const qreal scale = image.devicePixelRatio();
    for (int i = 0; i < tabs->count(); ++i) {
        const QRect tab = tabs->tabRect(i);
        QVERIFY(tab.width() > 20);
        // Text makes more than one brightness; an empty strip has one.
        std::set<int> lightness;
        const QPoint at = tabs->mapTo(&window(), tab.topLeft());
        for (int x = 0; x < tab.width(); ++x) {
            const QPoint pixel(int((at.x() + x) * scale), int((at.y() + tab.height() / 2) * scale));
            if (image.rect().contains(pixel)) lightness.insert(image.pixelColor(pixel).lightness() / 16);
        }
        QVERIFY2(lightness.size() > 2, qPrintable(tabs->tabText(i)));
    }
}

void TestWindow::fitsANarrowWindow() {
    window().resize(1280, 800);
    open(QStringLiteral("view_mutation"));
    window().resetLayout();
    QTRY_COMPARE(window().docks().find(PanelId::Inspector)->width(), 264);
    for (QTabBar* bar : window().findChildren<QTabBar*>()) {
        if (!bar->isVisible()) continue;
        // No name is cut and no arrows are needed.
        for (int i = 0; i < bar->count(); ++i)
            QVERIFY2(bar->rect().contains(bar->tabRect(i)) &&
                         bar->tabRect(i).width() > bar->fontMetrics().horizontalAdvance(bar->tabText(i)) + 12,
                     qPrintable(bar->tabText(i)));
    }
    // Long counts would push the tabs out.
    QVERIFY(!window().findChild<QLabel*>("textDiffCounts")->isVisible());
    QCOMPARE(window().findChild<QToolBar*>("toolBar")->height(), 38);
    window().resize(1600, 1000);
    QTRY_VERIFY(window().findChild<QLabel*>("textDiffCounts")->isVisible());
}

void TestWindow::pastesGraphs() {
    const QString graph =
        "Somebody wrote:\ngraph():\n    %x : [num_users=1] = placeholder[target=x]\n"
        "    %relu : [num_users=1] = call_function[target=torch.relu](args = (%x,), kwargs = {})\n"
        "    return relu\n";
    // What is no graph is not taken from the clipboard.
    QGuiApplication::clipboard()->setText("shopping list");
    const auto dialog = [this]() -> PasteDialog* {
        window().activateWindow();
        if (!QTest::qWaitForWindowActive(&window())) return nullptr;
        press(Qt::Key_V, Qt::ControlModifier | Qt::ShiftModifier);
        return window().findChild<PasteDialog*>();
    };
    QPointer<PasteDialog> empty = dialog();
    QVERIFY(empty && empty->isVisible());
    QCOMPARE(empty->text(), QString());
    auto* field = empty->findChild<QPlainTextEdit*>();
    QPushButton* button = empty->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
    QVERIFY(!button->isEnabled());
    QTest::keyClick(field, Qt::Key_Escape);
    QTRY_VERIFY(!empty);
    QVERIFY(workspace().captures().empty());

    QGuiApplication::clipboard()->setText(graph);
    QPointer<PasteDialog> filled = dialog();
    QVERIFY(filled);
    QVERIFY(filled->text().contains("placeholder[target=x]"));
    QTest::mouseClick(filled->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), 1U, test::patience);
    QTRY_VERIFY(workspace().stage(Side::A).graph);
    QVERIFY(workspace().stage(Side::A).graph->find("relu") != ir::npos);
    QTRY_VERIFY(!filled);

    // Text without a graph says so and opens nothing.
    QGuiApplication::clipboard()->setText("shopping list");
    QPointer<PasteDialog> wrong = dialog();
    QVERIFY(wrong);
    wrong->findChild<QPlainTextEdit*>()->setPlainText("no graph in here");
    QTest::mouseClick(wrong->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open), Qt::LeftButton);
    QTRY_VERIFY(test::messageBar(window()).isVisible());
    QVERIFY2(test::messageBar(window()).text().contains("pasted text"),
             qPrintable(test::messageBar(window()).text()));
    QCOMPARE(workspace().captures().size(), 1U);
}

void TestWindow::keysGoToThePageThatIsShown() {
    open("graph_breaks");
    window().activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&window()));
    window().actionRegistry().trigger("go.breaks");
    auto* table = qobject_cast<QTableView*>(window().focusWidget());
    QVERIFY(table != nullptr);
    const int row = table->currentIndex().row();
    QTest::keyClick(table, Qt::Key_Down);
    QCOMPARE(table->currentIndex().row(), row + 1);
    window().actionRegistry().trigger("go.stages");
    QVERIFY(qobject_cast<TimelineView*>(window().focusWidget()) != nullptr);
}

void TestWindow::noOtherWindowAppears() {
    // A child shown before it has its parent flashes as a window and takes the focus away.
    WindowWatcher watcher;
    qApp->installEventFilter(&watcher);
    open("graph_breaks");
    for (const auto& [panel, id] : panelNames)
        emit workspace().panelRequested(panel);
    workspace().selectNode({Side::B, 1});
    window().actionRegistry().trigger("go.breaks");
    QCoreApplication::processEvents();
    QCOMPARE(watcher.seen.join(u','), QString());
}

/// Two graphs are compared in texts below them; one has its own beside it, where there is room.
/// Who turns them off has them off at the next start too.
void TestWindow::animationsStayOff() {
    open("view_mutation");
    QAction* motion = window().actionRegistry().find("view.motion");
    QVERIFY(motion != nullptr);
    QVERIFY(motion->isChecked() == window().findChild<StagesPage*>()->compare()->hasMotion());
    if (!motion->isChecked()) QSKIP("DYNASCOPE_REDUCE_MOTION is set");
    motion->trigger();
    QVERIFY(!window().findChild<StagesPage*>()->compare()->hasMotion());
    QVERIFY(reopen());
    open("view_mutation");
    QVERIFY(!window().findChild<StagesPage*>()->compare()->hasMotion());
    QVERIFY(!window().actionRegistry().find("view.motion")->isChecked());
}

void TestWindow::oneGraphHasItsTextBeside() {
    window().resize(1600, 1000);
    workspace().openText(
        QStringLiteral("graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
                       "    %neg : [num_users=1] = call_method[target=neg](args = (%x,), kwargs = {})\n"
                       "    return neg\n"),
        QStringLiteral("pasted"));
    QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), std::size_t(1), test::patience);
    QVERIFY(settles());
    auto* page = window().findChild<StagesPage*>();
    const auto placeOf = [page](QWidget* widget) {
        return QRect(widget->mapTo(page, QPoint()), widget->size());
    };
    const auto isBeside = [&] {
        return placeOf(page->tabs()).left() >= placeOf(page->compare()).right() &&
               placeOf(page->tabs()).top() == placeOf(page->compare()).top();
    };
    const auto isBelow = [&] { return placeOf(page->tabs()).top() > placeOf(page->compare()).bottom(); };
    const auto chips = [page] {
        QStringList out;
        for (const QToolButton* button : page->tabs()->findChildren<QToolButton*>())
            if (button->isVisibleTo(page) && button->property("chip").toBool()) out << button->text();
        return out;
    };
    QTRY_VERIFY(isBeside());
    QCOMPARE(page->tabs()->tabText(0), QStringLiteral("Text"));
    QCOMPARE(chips(), QStringList({"Short names", "Strides", "Clears"}));
    const QByteArray state = page->saveState();
    window().resize(1100, 800);
    QTRY_VERIFY(isBelow());
    window().resize(1600, 1000);
    QTRY_VERIFY(isBeside());
    open("view_mutation");
    QTRY_VERIFY(isBelow());
    QCOMPARE(page->tabs()->tabText(0), QStringLiteral("Text diff"));
    QCOMPARE(chips(), QStringList({"Ignore spelling", "Short names", "Strides", "Clears"}));
    page->restoreState(state); // of the other arrangement: this one stays
    QVERIFY(isBelow());
    workspace().goBack();
    QTRY_VERIFY(isBeside());
}

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
