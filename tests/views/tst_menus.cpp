// SPDX-License-Identifier: BSD-3-Clause
//
// Menus under the right mouse button: what they offer, and what that does.
#include "tests/support/open_captures.h"
#include "views/capture/capture_menu.h"
#include "views/capture/capture_model.h"
#include "views/capture/capture_panel.h"
#include "views/compile_time/flame_chart.h"
#include "views/inductor/fusion_strip.h"
#include "views/inductor/lives_view.h"
#include "views/inductor/schedule_cards.h"
#include "views/profile/lanes_view.h"
#include "views/profile/roofline_view.h"
#include "views/profile/share_bars.h"
#include "views/theme/picture.h"
#include "views/timeline/timeline_view.h"
#include "views/workspace/recompile_place.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QMenu>
#include <QPainter>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTimer>
#include <QTreeView>

using namespace dynascope;
using namespace dynascope::views;

namespace {

/// Rows of a kind below `parent`, at any depth.
QModelIndexList rowsOf(const QAbstractItemModel& model, CaptureModel::Kind kind,
                       const QModelIndex& parent = {}) {
    QModelIndexList found;
    for (int i = 0; i < model.rowCount(parent); ++i) {
        const QModelIndex index = model.index(i, 0, parent);
        if (index.data(CaptureModel::KindRole).toInt() == int(kind)) found << index;
        found << rowsOf(model, kind, index);
    }
    return found;
}

QStringList entriesOf(const QMenu& menu) {
    QStringList out;
    for (const QAction* action : menu.actions())
        if (!action->isSeparator()) out << action->text();
    return out;
}

/// Clicks the right button on a widget's middle, or where `at` says, and then an entry of the menu that opens.
/// False where none has it.
bool chooseAt(QWidget& widget, QPoint at, const QString& text) {
    bool found = false;
    QTimer::singleShot(50, &widget, [&] {
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
    QContextMenuEvent event(QContextMenuEvent::Mouse, at, widget.mapToGlobal(at));
    QCoreApplication::sendEvent(&widget, &event);
    return QTest::qWaitFor([&] { return found; }, 2000) &&
           QTest::qWaitFor([] { return QApplication::activePopupWidget() == nullptr; });
}

} // namespace

class TestMenus : public QObject {
    Q_OBJECT
private slots:
    void init();
    void menusOfRows();
    void everyRowHasWhatItNames();
    void aFunctionComparesItsOwnCompiles();
    void aClickInTheTree();
    void menuByKey();
    void plotsAreCopied_data();
    void plotsAreCopied();
    void aFlameChartIsCopiedWhole();
    void pictureOfAScrolledViewIsWhole();
    void pictureOfAScrolledViewHasNoBars();

private:
    std::unique_ptr<TaskRunner> m_tasks;
    std::unique_ptr<Workspace> m_workspace;
    Theme m_theme;
};

void TestMenus::init() {
    m_workspace.reset();
    m_tasks = std::make_unique<TaskRunner>();
    m_workspace = std::make_unique<Workspace>(*m_tasks);
    QApplication::clipboard()->clear();
}

void TestMenus::menusOfRows() {
    test::addSample(*m_workspace, "graph_breaks");
    CaptureModel model(*m_workspace);
    int closed = -1;
    const auto menuOf = [&](const QModelIndex& row) {
        auto menu = std::make_unique<QMenu>();
        fillCaptureMenu(*menu, row, *m_workspace,
                        {[](const QModelIndex&) {}, [&closed](int capture) { closed = capture; }});
        return menu;
    };
    const auto entry = [](const QMenu& menu, const QString& text) -> QAction* {
        for (QAction* action : menu.actions())
            if (action->text().startsWith(text)) return action;
        return nullptr;
    };
    const QList<QModelIndex> compiles = rowsOf(model, CaptureModel::Kind::Compile);
    // 0/0 broke its graph, and is the one that is shown; the recompile 0/1 is neither.
    const auto first = menuOf(compiles.front());
    QVERIFY(!entry(*first, "Compare") && !entry(*first, "Show why it was compiled again"));
    entry(*first, "Show its graph break")->trigger();
    QCOMPARE(m_workspace->place().page, Page::Breaks);
    entry(*first, "Show its stages")->trigger();
    QCOMPARE(m_workspace->place().page, Page::Stages);
    entry(*first, "Copy compile id")->trigger();
    QCOMPARE(QApplication::clipboard()->text(), QString("0/0"));
    entry(*first, "Copy file and line")->trigger();
    QVERIFY(QApplication::clipboard()->text().endsWith("cap.py:28"));
    QSignalSpy panels(m_workspace.get(), &Workspace::panelRequested);
    entry(*first, "Show its guards")->trigger();
    QCOMPARE(panels.size(), 1);

    QModelIndex again;
    for (const QModelIndex& row : compiles)
        if (m_workspace->session()->compiles[row.data(CaptureModel::CompileRole).toUInt()].id.toString() ==
            "0/1")
            again = row;
    const auto second = menuOf(again);
    entry(*second, "Compare 0/0")->trigger();
    QCOMPARE(m_workspace->comparisons().size(), std::size_t(1));
    entry(*second, "Show why it was compiled again")->trigger();
    QCOMPARE(m_workspace->place().page, Page::Recompiles);
    QCOMPARE(m_workspace->place().own.of<RecompilePlace>().compile,
             again.data(CaptureModel::CompileRole).toInt());

    const auto capture = menuOf(model.captureIndex(0));
    entry(*capture, "Copy name")->trigger();
    QCOMPARE(QApplication::clipboard()->text(), QString("graph_breaks"));
    entry(*capture, "Close")->trigger();
    QCOMPARE(closed, 0);
    QVERIFY(menuOf({})->isEmpty());
}

/// A row leads to what it names, and does more than to copy its name.
void TestMenus::everyRowHasWhatItNames() {
    test::addSample(*m_workspace, "graph_breaks");
    m_workspace->selectCompile(0, 0);
    CaptureModel model(*m_workspace);
    QModelIndex opened;
    const auto menuOf = [&](const QModelIndex& row) {
        auto menu = std::make_unique<QMenu>();
        fillCaptureMenu(*menu, row, *m_workspace,
                        {[&opened](const QModelIndex& at) { opened = at; }, [](int) {}});
        return menu;
    };
    using Kind = CaptureModel::Kind;
    const std::map<Kind, QString> first{{Kind::Capture, "Show its answers"},
                                        {Kind::Breaks, "Show graph breaks"},
                                        {Kind::Recompiles, "Show recompiles"},
                                        {Kind::ArtifactType, "Show its first record"}};
    for (const auto& [kind, text] : first) {
        const QModelIndexList found = rowsOf(model, kind);
        QVERIFY2(!found.isEmpty(), qPrintable(text));
        const auto menu = menuOf(found.front());
        QCOMPARE(entriesOf(*menu).value(0), text);
        QVERIFY(entriesOf(*menu).contains("Copy name"));
        if (kind == Kind::Capture) continue;
        opened = {};
        menu->actions().front()->trigger();
        QVERIFY(opened == found.front());
    }
    QStringList facets;
    for (const QModelIndex& row : rowsOf(model, Kind::Facet))
        facets << entriesOf(*menuOf(row)).value(0);
    QCOMPARE(facets.value(0), QString("Show stages"));
    QVERIFY2(facets.contains("Show guards") && facets.contains("Show inputs and aliasing"),
             qPrintable(facets.join(", ")));
    // A capture that is not shown can be compared with the one that is.
    test::addSample(*m_workspace, "view_mutation");
    CaptureModel both(*m_workspace);
    const auto other = menuOf(both.captureIndex(1));
    QVERIFY2(entriesOf(*other).contains("Compare graph_breaks, which is shown, with it"),
             qPrintable(entriesOf(*other).join(", ")));
    for (QAction* action : other->actions())
        if (action->text().startsWith("Compare")) action->trigger();
    QCOMPARE(m_workspace->comparisons().size(), std::size_t(1));
}

void TestMenus::aFunctionComparesItsOwnCompiles() {
    test::addSample(*m_workspace, "graph_breaks");
    CaptureModel model(*m_workspace);
    const auto& compiles = m_workspace->session()->compiles;
    const QModelIndex frame = rowsOf(model, CaptureModel::Kind::Frame).front();
    QMenu menu;
    fillCaptureMenu(menu, frame, *m_workspace, {[](const QModelIndex&) {}, [](int) {}});
    const QStringList entries = entriesOf(menu);
    QCOMPARE(entries.value(0), QString("Show the stages of 0/0"));
    QVERIFY2(entries.contains("Show its line") && entries.contains("Copy file and line"),
             qPrintable(entries.join(", ")));
    QSignalSpy lines(m_workspace.get(), &Workspace::sourceRequested);
    for (QAction* action : menu.actions())
        if (action->text() == "Show its line" || action->text().startsWith("Compare")) action->trigger();
    QCOMPARE(lines.size(), 1);
    QVERIFY(lines[0][0].toString().endsWith("cap.py"));
    QCOMPARE(m_workspace->comparisons().size(), std::size_t(1));
    const ComparisonRequest& request = m_workspace->comparisons().front();
    QCOMPARE(compiles[std::size_t(request.compileA)].id.toString(), std::string("0/0"));
    QCOMPARE(compiles[std::size_t(request.compileB)].function,
             compiles[std::size_t(request.compileA)].function);
}

void TestMenus::aClickInTheTree() {
    test::addSample(*m_workspace, "graph_breaks");
    CapturePanel panel(*m_workspace, m_theme);
    panel.resize(300, 900);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const QModelIndex breaks = rowsOf(*panel.tree()->model(), CaptureModel::Kind::Breaks).front();
    QVERIFY(
        chooseAt(*panel.tree()->viewport(), panel.tree()->visualRect(breaks).center(), "Show graph breaks"));
    QCOMPARE(m_workspace->place().page, Page::Breaks);
}

/// By the key, and where the row is, not where the pointer is.
void TestMenus::menuByKey() {
    test::addSample(*m_workspace, "graph_breaks");
    CapturePanel panel(*m_workspace, m_theme);
    panel.resize(300, 900);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    const QModelIndex third = rowsOf(*panel.tree()->model(), CaptureModel::Kind::Compile).at(3);
    panel.tree()->setCurrentIndex(third);
    QString id;
    QTimer::singleShot(0, &panel, [&] {
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        if (!menu) return;
        for (QAction* action : menu->actions())
            if (action->text() == "Copy compile id") action->trigger();
        id = QApplication::clipboard()->text();
        menu->close();
    });
    QContextMenuEvent event(QContextMenuEvent::Keyboard, QPoint(5, 5),
                            panel.tree()->viewport()->mapToGlobal(QPoint(5, 5)));
    QCoreApplication::sendEvent(panel.tree(), &event);
    QCOMPARE(
        id,
        QString::fromStdString(
            m_workspace->session()->compiles[third.data(CaptureModel::CompileRole).toUInt()].id.toString()));
}

void TestMenus::plotsAreCopied_data() {
    QTest::addColumn<int>("plot");
    int i = 0;
    for (const char* name : {"fusions", "lives", "cards", "lanes", "roofline", "shares"})
        QTest::newRow(name) << i++;
}

void TestMenus::plotsAreCopied() {
    QFETCH(int, plot);
    std::unique_ptr<QWidget> widget;
    switch (plot) {
    case 0:
        widget = std::make_unique<FusionStrip>(m_theme);
        break;
    case 1:
        widget = std::make_unique<LivesView>(m_theme);
        break;
    case 2:
        widget = std::make_unique<ScheduleCards>(m_theme);
        break;
    case 3:
        widget = std::make_unique<LanesView>(m_theme);
        break;
    case 4:
        widget = std::make_unique<RooflineView>(m_theme);
        break;
    default:
        widget = std::make_unique<ShareBars>(m_theme);
    }
    widget->resize(400, 300);
    widget->show();
    QVERIFY(QTest::qWaitForWindowExposed(widget.get()));
    auto* area = qobject_cast<QAbstractScrollArea*>(widget.get());
    QWidget& target = area ? *area->viewport() : *widget;
    QVERIFY(chooseAt(target, target.rect().center(), "Copy as image"));
    const QImage image = QApplication::clipboard()->image();
    QCOMPARE(image.size(), target.size() * 2);
}

/// Also the lanes that the panel has no room for, and no scroll bar.
void TestMenus::aFlameChartIsCopiedWhole() {
    test::addSample(*m_workspace, "graph_breaks");
    const session::SessionPtr session = m_workspace->capture()->session;
    FlameChart chart(m_theme);
    chart.resize(500, 70);
    chart.setTree(session, std::make_shared<const session::SpanTree>(session::makeSpans(*session)), false);
    chart.show();
    QVERIFY(QTest::qWaitForWindowExposed(&chart));
    const int hidden = chart.verticalScrollBar()->maximum();
    QVERIFY(hidden > 0);
    QVERIFY(chooseAt(*chart.viewport(), QPoint(490, 5), "Copy as image"));
    const QImage image = QApplication::clipboard()->image();
    QCOMPARE(image.width(), chart.viewport()->width() * 2);
    QCOMPARE(image.height(), (chart.viewport()->height() + hidden) * 2);
    // The same where it is scrolled down.
    chart.verticalScrollBar()->setValue(hidden);
    QVERIFY(chooseAt(*chart.viewport(), QPoint(490, 5), "Copy as image"));
    QCOMPARE(QApplication::clipboard()->image(), image);
}

/// Also what is scrolled away; it is where it was afterwards.
void TestMenus::pictureOfAScrolledViewIsWhole() {
    class Bands : public QAbstractScrollArea {
    protected:
        void resizeEvent(QResizeEvent* event) override {
            verticalScrollBar()->setRange(0, std::max(0, 300 - event->size().height()));
        }
        void paintEvent(QPaintEvent*) override {
            QPainter painter(viewport());
            const Qt::GlobalColor colours[] = {Qt::red, Qt::green, Qt::blue};
            for (int i = 0; i < 3; ++i)
                painter.fillRect(0, i * 100 - verticalScrollBar()->value(), 200, 100, colours[i]);
        }
    };
    Bands bands;
    bands.setFrameShape(QFrame::NoFrame);
    bands.resize(120, 80);
    bands.show();
    QVERIFY(QTest::qWaitForWindowExposed(&bands));
    bands.verticalScrollBar()->setValue(150);
    const QImage image = imageOf(pictureOf(bands, "bands"), 1);
    QCOMPARE(image.height(), 300);
    for (const auto& [y, colour] :
         {std::pair(50, Qt::red), std::pair(150, Qt::green), std::pair(250, Qt::blue)})
        QCOMPARE(image.pixelColor(20, y), QColor(colour));
    QCOMPARE(bands.verticalScrollBar()->value(), 150);
    QCOMPARE(bands.viewport()->height(), 80);
}

void TestMenus::pictureOfAScrolledViewHasNoBars() {
    QTreeView tree;
    tree.resize(200, 100);
    tree.setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    tree.show();
    QVERIFY(QTest::qWaitForWindowExposed(&tree));
    const Drawing drawing = pictureOf(tree, "tree");
    QCOMPARE(drawing.size, QSizeF(tree.viewport()->size()));
    QVERIFY(drawing.size.width() < tree.width());
}

QTEST_MAIN(TestMenus)
#include "tst_menus.moc"
