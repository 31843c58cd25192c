// SPDX-License-Identifier: BSD-3-Clause
//
// Every recorded capture in the window, offscreen, as somebody meets it who opens it for the first time: step
// through all stages and back, find what broke, click a node, follow it to its line.
#include "app/gui/action_registry.h"
#include "app/gui/chrome.h"
#include "app/gui/stages_page.h"
#include "app/gui/window_docks.h"
#include "core/session/stage_order.h"
#include "tests/support/captures.h"
#include "tests/support/message_bar.h"
#include "tests/support/open_window.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "views/base/code_view.h"
#include "views/base/output_code_panel.h"
#include "views/base/source_panel.h"
#include "views/breaks/breaks_page.h"
#include "views/canvas/compare_view.h"
#include "views/canvas/graph_canvas.h"
#include "views/inspector/fact_text.h"
#include "views/inspector/inspector_panel.h"
#include "views/palette/palette.h"
#include "views/palette/palette_model.h"
#include "views/workspace/break_place.h"

#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QScrollArea>
#include <QTabWidget>
#include <QTableView>
#include <QTextBlock>
#include <QtEndian>
#include <QtTest>
#include <algorithm>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;
using canvas::GraphCanvas;

namespace {

/// The bytes as a gzip file. qCompress() writes a length, then a zlib stream: two bytes, deflate data, a sum.
QByteArray gzip(const QByteArray& bytes) {
    const QByteArray packed = qCompress(bytes);
    quint32 crc = ~quint32(0);
    for (const char byte : bytes) {
        crc ^= quint8(byte);
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ (0xedb88320u & (~(crc & 1) + 1));
    }
    const quint32 tail[] = {qToLittleEndian(~crc), qToLittleEndian(quint32(bytes.size()))};
    return QByteArray::fromHex("1f8b08000000000000ff") + packed.sliced(6, packed.size() - 10) +
           QByteArray(reinterpret_cast<const char*>(tail), sizeof tail);
}

} // namespace

class TestEachCapture : public QObject, private test::OpenWindow {
    Q_OBJECT
private slots:
    void initTestCase();
    void init();
    void cleanup();
    void opens_data();
    void opens();
    void saysWhyItCannotOpen();

private:
    void stepThroughStages();
    void findBreaks();
    void selectNode();
    void followToItsLine();
    [[nodiscard]] bool clickNode(bool withLine);
};

void TestEachCapture::initTestCase() {
    QVERIFY(!test::captures().isEmpty());
}

void TestEachCapture::init() {
    QVERIFY(show());
}

void TestEachCapture::cleanup() {
    close();
}

void TestEachCapture::opens_data() {
    QTest::addColumn<QString>("path");
    const QDir root(test::captures());
    for (const QString& log : test::traceLogs()) {
        const QString folder = root.relativeFilePath(QFileInfo(log).path());
        QTest::addRow("%s", qPrintable(folder + '/' + QFileInfo(log).completeBaseName().section('_', 4)))
            << log;
    }
    QFile plain(test::capture("trace_inductor/train"));
    QFile packed(root.filePath("train.log.gz"));
    QVERIFY(plain.open(QIODevice::ReadOnly) && packed.open(QIODevice::WriteOnly));
    packed.write(gzip(plain.readAll()));
    QTest::newRow("compressed") << packed.fileName();
    QTest::newRow("all ranks") << root.filePath("ranks_aot_eager/ddp");
    for (const char* folder : {"text", "torch_logs"})
        for (const QString& file : QDir(root.filePath(folder)).entryList(QDir::Files, QDir::Name))
            QTest::addRow("%s/%s", folder, qPrintable(file))
                << root.filePath(QLatin1String(folder) + '/' + file);
}

void TestEachCapture::opens() {
    QFETCH(QString, path);
    window().openPaths({path});
    QTRY_VERIFY2_WITH_TIMEOUT(!workspace().captures().empty(), qPrintable(test::messageBar(window()).text()),
                              test::patience);
    QVERIFY(settles());
    QCOMPARE(workspace().place().page, Page::Stages);
    QVERIFY(window().windowTitle().startsWith(QString::fromStdString(workspace().session()->title)));
    const int count = int(workspace().session()->compiles.size());
    for (int i = 1; i < count; ++i)
        press(Qt::Key_Up, Qt::ControlModifier);
    QCOMPARE(workspace().place().compile, count > 0 ? 0 : -1);
    for (int i = 0; i < count; ++i) {
        QCOMPARE(workspace().place().compile, i);
        stepThroughStages();
        if (QTest::currentTestFailed()) return;
        press(Qt::Key_Down, Qt::ControlModifier);
    }
    findBreaks();
    if (QTest::currentTestFailed()) return;
    selectNode();
}

void TestEachCapture::stepThroughStages() {
    const session::Compile& compile = *workspace().compile();
    const int count = int(compile.stages.size());
    if (count == 0) {
        QTRY_VERIFY(!frontPanel()->message().isEmpty());
        QVERIFY(!window().actionRegistry().find("go.nextStage")->isEnabled());
        return;
    }
    press(Qt::Key_Home, Qt::ControlModifier);
    QCOMPARE(workspace().place().stageB, count == 1 ? 0 : 1);
    const auto check = [&](int b) {
        QCOMPARE(workspace().place().stageB, b);
        QTRY_VERIFY(!workspace().stage(Side::B).loading);
        const StageView& view = workspace().stage(Side::B);
        if (view.stage->content == session::Stage::Content::Code)
            QVERIFY(qobject_cast<OutputCodePanel*>(frontPanel()));
        else
            QVERIFY2(view.graph && view.error.isEmpty(), qPrintable(view.error));
    };
    for (int b = count == 1 ? 0 : 1; b < count; ++b) {
        check(b);
        if (QTest::currentTestFailed()) return;
        if (b + 1 < count) press(Qt::Key_Right, Qt::ControlModifier);
    }
    for (int b = count - 2; b >= 1; --b) {
        press(Qt::Key_Left, Qt::ControlModifier);
        check(b);
        if (QTest::currentTestFailed()) return;
    }
}

void TestEachCapture::findBreaks() {
    const session::BreakSummary& breaks = workspace().capture()->breaks;
    QAction* action = window().actionRegistry().find("go.breaks");
    QCOMPARE(action->isEnabled(), !breaks.groups.empty());
    if (breaks.groups.empty()) {
        press(Qt::Key_2, Qt::ControlModifier);
        QCOMPARE(workspace().place().page, Page::Stages);
        return;
    }
    // On the page of breaks, by a click on the last reason.
    press(Qt::Key_2, Qt::ControlModifier);
    QCOMPARE(workspace().place().page, Page::Breaks);
    BreaksPage& page = window().page<BreaksPage>();
    QTableView* table = test::part<QTableView>(page, "breaks.table");
    QCOMPARE(table->model()->rowCount(), int(breaks.groups.size()));
    const QModelIndex row = table->model()->index(table->model()->rowCount() - 1, 1);
    table->scrollTo(row);
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->visualRect(row).center());
    const int clicked = breakGroup(workspace().place());
    QVERIFY(clicked >= 0);
    const ir::SourceLocation& at = breaks.groups[std::size_t(clicked)].location;
    QTRY_VERIFY(test::part<CodeView>(page, "breaks.source")->document(0));
    const auto shows = [&](int number) {
        const auto& lines = test::part<CodeView>(page, "breaks.source")->document(0)->lines;
        for (std::size_t i = 0; i < lines.size(); ++i)
            if (lines[i].number == number)
                return !test::part<CodeView>(page, "breaks.source")->lineRect(0, int(i)).isEmpty();
        return false;
    };
    QTRY_VERIFY(shows(int(at.line)));

    // By its reason, from anywhere.
    press(Qt::Key_1, Qt::ControlModifier);
    press(Qt::Key_K, Qt::ControlModifier);
    Palette& palette = window().palette();
    const session::BreakGroup& first = breaks.groups.front();
    QTest::keyClicks(test::part<QLineEdit>(palette, "palette.field"),
                     "#" + QString::fromStdString(first.reason));
    QTRY_VERIFY(palette.model().hit(1) && palette.model().hit(1)->breakGroup >= 0);
    QTest::keyClick(test::part<QLineEdit>(palette, "palette.field"), Qt::Key_Return);
    QCOMPARE(workspace().place().page, Page::Breaks);
    QCOMPARE(breaks.groups[std::size_t(breakGroup(workspace().place()))].reason, first.reason);
    press(Qt::Key_1, Qt::ControlModifier);
    QCOMPARE(workspace().place().page, Page::Stages);
}

bool TestEachCapture::clickNode(bool withLine) {
    for (GraphCanvas* pane : window().page<StagesPage>().compare()->findChildren<GraphCanvas*>()) {
        if (!pane->isVisible() || !pane->scene()) continue;
        const auto click = [pane](int item) {
            pane->reveal(pane->scene()->items[std::size_t(item)].rect);
            QVERIFY(QTest::qWaitFor([pane] { return !pane->isMoving(); }));
            QTest::mouseClick(pane->viewport(), Qt::LeftButton, {},
                              pane->viewRectOf(item).center().toPoint());
        };
        const auto nodeItem = [&] {
            const canvas::ScenePtr scene = pane->scene();
            for (int i = 0; i < int(scene->items.size()); ++i) {
                const canvas::SceneItem& item = scene->items[std::size_t(i)];
                if (item.isNode() && (scene->graph->node(item.node).location() != nullptr) == withLine)
                    return i;
            }
            return canvas::noItem;
        };
        // Large graphs open as blocks: open one after the other until a node shows.
        for (int depth = 0; depth < 6 && nodeItem() == canvas::noItem; ++depth) {
            const auto& items = pane->scene()->items;
            const auto block =
                std::find_if(items.begin(), items.end(), [](const auto& i) { return !i.isNode(); });
            if (block == items.end()) break;
            click(int(block - items.begin()));
            QTest::keyClick(pane, Qt::Key_Space);
            if (!settles()) return false;
        }
        const int item = nodeItem();
        if (item == canvas::noItem) continue;
        const std::string name =
            pane->scene()->graph->node(pane->scene()->items[std::size_t(item)].node).name;
        click(item);
        return workspace().selectedNode() && workspace().selectedNode()->name == name;
    }
    return false;
}

void TestEachCapture::selectNode() {
    const session::Session& session = *workspace().session();
    int withGraph = -1;
    for (int i = 0; i < int(session.compiles.size()); ++i) {
        const session::Compile& compile = session.compiles[std::size_t(i)];
        if (compile.stages.empty()) continue;
        withGraph = i;
        const auto says = [](const session::StagePtr& stage) {
            const auto graph = stage->graph();
            return graph && std::any_of((*graph)->nodes().begin(), (*graph)->nodes().end(),
                                        [](const ir::NodePtr& node) { return node->location() != nullptr; });
        };
        const auto [a, b] = defaultStages(compile);
        if (!says(compile.stages[std::size_t(a)]) && !says(compile.stages[std::size_t(b)])) continue;
        workspace().selectCompile(0, i);
        QVERIFY(settles());
        QVERIFY(clickNode(true));
        followToItsLine();
        return;
    }
    if (withGraph < 0) return; // nothing but failures
    // No node says where it was made: the window says so, in place of a link.
    workspace().selectCompile(0, withGraph);
    QVERIFY(settles());
    QVERIFY(clickNode(false));
    auto* inspector = qobject_cast<InspectorPanel*>(window().docks().find(PanelId::Inspector)->content());
    QTRY_VERIFY(inspector->plainText().contains("This text has no source comment for the node."));
    emit workspace().panelRequested(PanelId::Source);
    auto* source = qobject_cast<SourcePanel*>(frontPanel());
    QVERIFY(source);
    if (session.sources.empty())
        QTRY_VERIFY(source->message().contains("quotes no source line"));
    else
        QTRY_VERIFY(source->view()->document(0) && source->view()->selectedLines(0).empty());
}

void TestEachCapture::followToItsLine() {
    const ir::SourceLocation at = *workspace().selectedNode()->location();
    auto* inspector = qobject_cast<InspectorPanel*>(window().docks().find(PanelId::Inspector)->content());
    const QString name = QString::fromStdString(workspace().selectedNode()->name);
    QTRY_COMPARE(inspector->facts().title, name);
    // The last link to a source: the innermost frame.
    FactText* text = nullptr;
    int position = -1;
    const auto findLink = [&] {
        for (FactText* each : inspector->findChildren<FactText*>()) {
            if (!each->isVisible()) continue;
            for (QTextBlock block = each->document()->begin(); block.isValid(); block = block.next())
                for (auto part = block.begin(); !part.atEnd(); ++part) {
                    const QString link =
                        QUrl::fromPercentEncoding(part.fragment().charFormat().anchorHref().toLatin1());
                    if (link !=
                        QStringLiteral("source:%1:%2").arg(QString::fromStdString(at.file)).arg(at.line))
                        continue;
                    text = each;
                    position = part.fragment().position() + 1;
                }
        }
        return text != nullptr;
    };
    QTRY_VERIFY2(findLink(), qPrintable(inspector->plainText()));
    inspector->findChild<QScrollArea*>()->ensureWidgetVisible(text);
    QCoreApplication::processEvents();
    QTextCursor cursor(text->document());
    cursor.setPosition(position);
    QTest::mouseClick(text->viewport(), Qt::LeftButton, {}, text->cursorRect(cursor).center());

    QTabWidget* tabs = window().page<StagesPage>().tabs();
    QCOMPARE(tabs->tabText(tabs->currentIndex()), QString("Source"));
    auto* source = qobject_cast<SourcePanel*>(frontPanel());
    QVERIFY(source);
    const auto selectedNumber = [source] {
        const CodeDocumentPtr& document = source->view()->document(0);
        const std::set<int>& lines = source->view()->selectedLines(0);
        if (!document || lines.size() != 1 || *lines.begin() >= int(document->lines.size())) return 0;
        if (source->view()->lineRect(0, *lines.begin()).isEmpty()) return -1; // not in view
        return document->lines[std::size_t(*lines.begin())].number;
    };
    QTRY_COMPARE(selectedNumber(), int(at.line));
    const int line = *source->view()->selectedLines(0).begin();
    const QString shown = source->view()->document(0)->lines[std::size_t(line)].text;
    QVERIFY2(shown.trimmed() == QString::fromStdString(at.code).trimmed(), qPrintable(shown));
    const QImage picture = source->view()->viewport()->grab().toImage();
    const QRect rect = source->view()->lineRect(0, line);
    // Above its letters, which may reach the edge.
    QCOMPARE(picture.pixelColor(rect.right() - 3, rect.top() + 1), theme().colours().accentBg);
}

void TestEachCapture::saysWhyItCannotOpen() {
    // The start of a gzip file, and no more.
    QTemporaryDir folder;
    QFile file(folder.filePath("train.log.gz"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray::fromHex("1f8b08088eb7206a0203747261696e2e6c6f6700"));
    file.close();
    window().openPaths({file.fileName()});
    QTRY_VERIFY(test::messageBar(window()).isVisible());
    QVERIFY(test::messageBar(window()).text().contains("train.log.gz"));
    QVERIFY(workspace().captures().empty());
}

QTEST_MAIN(TestEachCapture)
#include "tst_each_capture.moc"
