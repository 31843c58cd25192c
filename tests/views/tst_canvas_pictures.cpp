// SPDX-License-Identifier: BSD-3-Clause
//
// The picture of a graph: blocks that open and fold, labels, cards that slide, layouts that fail, and what is written of it.
#include "core/base/sanitizers.h"
#include "core/session/provenance.h"
#include "tests/support/captures.h"
#include "tests/views/shown_canvases.h"
#include "views/canvas/pane_header.h"
#include "views/canvas/zoom.h"

#include <QApplication>
#include <QClipboard>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QXmlStreamReader>
#include <set>

using namespace dynascope;
using namespace dynascope::views;
using canvas::GraphCanvas;

class TestCanvasPictures : public QObject, private test::ShownCanvases {
    Q_OBJECT
private slots:
    void init() { enter({1100, 600}); }
    void cleanup() { leave(); }
    void spaceFoldsAndOpens();
    void openingABlockKeepsItInPlace();
    void whatIsSoughtIsOpenedAndReadable();
    void openAllKeepsTheMiddle();
    void kernelsAreBlocks();
    void labelsOfEdgesLieApart();
    void cardsSlideWhenAllowed();
    void codeStageSaysSo();
    void childThatFailsLeavesThePicture();
    void cancelSettles();
    void exportsPictures();
};

void TestCanvasPictures::spaceFoldsAndOpens() {
    open("encoder_train");
    const std::size_t before = b().scene()->items.size();
    QVERIFY(!b().scene()->frames.empty());
    // A node directly in a frame.
    const auto& items = b().scene()->items;
    const auto inside = std::find_if(items.begin(), items.end(),
                                     [](const canvas::SceneItem& i) { return i.isNode() && i.frame >= 0; });
    QVERIFY(inside != items.end());
    const QString frame = b().scene()->frames[static_cast<std::size_t>(inside->frame)].key;
    click(b(), inside->name);
    b().setFocus();
    QTest::keyClick(&b(), Qt::Key_Space);
    settle();
    QVERIFY(b().scene()->items.size() < before);
    const int block = b().scene()->byKey.value(frame, canvas::noItem);
    QVERIFY(block != canvas::noItem);
    QVERIFY(!b().scene()->items[static_cast<std::size_t>(block)].isNode());
    // The selected node is shown by the block that holds it now.
    QCOMPARE(b().selected(), block);
    m_view->openAll();
    settle();
    QCOMPARE(b().scene()->items.size(), b().scene()->graph->size());
    m_view->closeAll();
    settle();
    QVERIFY(b().scene()->frames.empty());
}

void TestCanvasPictures::openingABlockKeepsItInPlace() {
    open("encoder_train");
    m_view->closeAll();
    settle();
    const auto& items = b().scene()->items;
    const auto block =
        std::find_if(items.begin(), items.end(), [](const canvas::SceneItem& i) { return !i.isNode(); });
    QVERIFY(block != items.end());
    const int index = static_cast<int>(block - items.begin());
    const QString key = block->key;
    m_view->setLinked(false);
    b().reveal(block->rect);
    const QRectF before = b().viewRectOf(index);
    QTest::mouseDClick(b().viewport(), Qt::LeftButton, {}, before.center().toPoint());
    settle();
    const auto& frames = b().scene()->frames;
    const auto frame = std::find_if(frames.begin(), frames.end(),
                                    [&key](const canvas::SceneFrame& f) { return f.key == key; });
    QVERIFY(frame != frames.end());
    const QPointF now = (frame->rect.topLeft() - b().offset()) * b().zoom();
    // As far as the edge of the canvas lets it.
    QVERIFY2(std::abs(now.y() - before.top()) < 40, qPrintable(QString::number(now.y() - before.top())));
}

/// Who searched for a node finds it on a card, in both panes, large enough to be read.
void TestCanvasPictures::whatIsSoughtIsOpenedAndReadable() {
    open("encoder_train");
    m_view->closeAll();
    settle();
    ir::NodeIndex hidden = ir::npos;
    for (ir::NodeIndex n = 0; n < a().scene()->graph->size() && hidden == ir::npos; ++n) {
        const canvas::SceneItem& item = a().scene()->items[std::size_t(a().scene()->itemOf(n))];
        if (!item.isNode() && a().scene()->graph->node(n).op != ir::Op::Placeholder) hidden = n;
    }
    QVERIFY(hidden != ir::npos);
    a().zoomTo(0.1);
    m_workspace->selectNode({Side::A, hidden});
    settle();
    QVERIFY(
        !a().scene()->items[std::size_t(a().scene()->itemOf(hidden))].isNode()); // selecting opens nothing
    m_workspace->seekNode();
    QTRY_VERIFY_WITH_TIMEOUT(a().scene()->items[std::size_t(a().scene()->itemOf(hidden))].isNode(),
                             test::patience);
    settle();
    QVERIFY2(a().zoom() >= canvas::legibleZoom, qPrintable(QString::number(a().zoom())));
    const int item = a().scene()->itemOf(hidden);
    QCOMPARE(a().selected(), item);
    QTRY_VERIFY(QRectF(a().viewport()->rect()).contains(a().viewRectOf(item).center()));
    for (const ir::NodeIndex partner : m_workspace->relatedOn(Side::B)) {
        QVERIFY(b().scene()->items[std::size_t(b().scene()->itemOf(partner))].isNode());
        break;
    }
}

void TestCanvasPictures::openAllKeepsTheMiddle() {
    open("encoder_train");
    m_view->setLinked(false);
    b().zoomTo(1);
    b().reveal(b().scene()->items[b().scene()->items.size() * 2 / 3].rect);
    settle();
    b().setFocus();
    click(b(), b().scene()->items[b().scene()->items.size() * 2 / 3].name);
    settle();
    const QString key = b().middleKey();
    QVERIFY(!key.isEmpty());
    m_view->openAll();
    settle();
    QRectF now;
    if (const int item = b().scene()->byKey.value(key, canvas::noItem); item != canvas::noItem)
        now = b().scene()->items[std::size_t(item)].rect;
    for (const canvas::SceneFrame& frame : b().scene()->frames)
        if (frame.key == key) now = frame.rect;
    QVERIFY(now.isValid());
    QVERIFY(QRectF(b().offset(), QSizeF(b().viewport()->size()) / b().zoom()).intersects(now));
}

/// Those that compute several nodes, by name, wherever they stand among the modules; modules come back.
void TestCanvasPictures::kernelsAreBlocks() {
    test::addCapture(*m_workspace, test::capture("trace_inductor/view_mutation"));
    const session::Compile& compile = *m_workspace->compile();
    const session::Provenance provenance(m_workspace->capture()->session,
                                         std::size_t(m_workspace->place().compile));
    int stage = -1;
    std::vector<session::KernelNodes> kernels;
    for (std::size_t i = 0; i < compile.stages.size() && kernels.empty(); ++i) {
        kernels = provenance.kernelsMadeOf(i);
        stage = int(i);
    }
    QCOMPARE(kernels.size(), std::size_t(1));
    m_workspace->selectStages(stage, stage);
    settle();
    const auto blocks = [this] {
        QStringList out;
        for (const auto& item : b().scene()->items)
            if (!item.isNode() && item.name.startsWith("cpp_fused")) out << item.name;
        for (const auto& frame : b().scene()->frames)
            if (frame.name.startsWith("cpp_fused")) out << frame.name;
        return out;
    };
    QVERIFY(blocks().isEmpty());
    m_view->setKernelBlocks(true);
    settle();
    m_view->openAll();
    settle();
    QVERIFY(!blocks().isEmpty());
    std::set<std::string> names;
    for (const session::KernelNodes& kernel : kernels)
        names.insert(kernel.name);
    for (const QString& block : blocks())
        QVERIFY2(names.contains(block.section(' ', 0, 0).toStdString()), qPrintable(block));
    m_view->setKernelBlocks(false);
    settle();
    QVERIFY(blocks().isEmpty());
}

/// No label of an edge over another, over a card or under the title of a block.
void TestCanvasPictures::labelsOfEdgesLieApart() {
    open("encoder_train");
    m_view->openAll();
    m_view->setEdgeLabels(true);
    settle();
    std::size_t labels = 0, edges = 0;
    for (double y = 0; y < b().scene()->size.height(); y += 400) {
        b().setPlace(1, {0, y});
        b().viewport()->repaint();
        const std::vector<QRectF> places = b().painted().labels;
        labels += places.size();
        edges += b().painted().edges;
        for (std::size_t i = 0; i < places.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k)
                QVERIFY(!places[i].intersects(places[k]));
            for (std::size_t item = 0; item < b().scene()->items.size(); ++item)
                QVERIFY(!places[i].intersects(b().viewRectOf(static_cast<int>(item))));
        }
    }
    qInfo("%zu labels at %zu edges", labels, edges);
    QVERIFY(edges > 50 && labels * 3 > edges * 2);
}

void TestCanvasPictures::cardsSlideWhenAllowed() {
    open("view_mutation");
    m_view->setMotion(true);
    m_workspace->selectStages(0, 5); // select_scatter moves up, copy goes
    settle();
    QVERIFY(b().isMoving());
    QTRY_VERIFY(!b().isMoving());
    m_view->setMotion(false);
    m_workspace->selectStages(0, 3);
    settle();
    QVERIFY(!b().isMoving());
    // A scene that is replaced while its cards still slide.
    m_view->setMotion(true);
    for (const int stage : {5, 3, 5, 4})
        m_workspace->selectStages(0, stage);
    settle();
    QTRY_VERIFY(!b().isMoving());
    QCOMPARE(b().scene()->items.size(), m_workspace->stage(Side::B).graph->size());
}

void TestCanvasPictures::codeStageSaysSo() {
    open("view_mutation");
    const int last = static_cast<int>(m_workspace->compile()->stages.size()) - 1;
    QCOMPARE(m_workspace->compile()->stages.back()->content, session::Stage::Content::Code);
    m_workspace->selectStages(0, last);
    settle();
    QVERIFY(!b().scene());
    QVERIFY2(b().message().contains("is code, not a graph"), qPrintable(b().message()));
    QVERIFY(a().scene());
    m_workspace->selectStages(0, 3);
    settle();
    QVERIFY(b().scene());
}

void TestCanvasPictures::childThatFailsLeavesThePicture() {
    m_view->setLayoutProgram("/bin/false");
    open("view_mutation");
    QCOMPARE(QString::fromStdString(a().scene()->engine), QString("layered"));
    m_view->setLayoutProgram("/no/such/program");
    m_workspace->selectStages(0, 4);
    settle();
    QVERIFY(b().scene());
}

void TestCanvasPictures::cancelSettles() {
    if (threadSanitized) QSKIP("no program is started under the thread sanitizer");
    QTemporaryDir folder;
    const QString slow = folder.filePath("slow");
    QFile script(slow);
    QVERIFY(script.open(QIODevice::WriteOnly));
    script.write("#!/bin/sh\nexec sleep 30\n");
    script.close();
    script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    m_view->setLayoutProgram(slow);
    test::addSample(*m_workspace, "view_mutation");
    QTRY_VERIFY(b().scene());
    QVERIFY(!m_view->isSettled());
    auto* header = m_view->findChildren<canvas::PaneHeader*>()[1];
    QTRY_VERIFY2(header->progress().startsWith("Laying out"), qPrintable(header->progress()));
    const QSignalSpy spy(m_view.get(), &CompareView::settled);
    m_view->cancelLayout();
    QVERIFY(m_view->isSettled());
    QCOMPARE(spy.count(), 1);
    QVERIFY(b().scene());
    QVERIFY(header->progress().isEmpty());
}

void TestCanvasPictures::exportsPictures() {
    open("view_mutation");
    QTemporaryDir folder;
    const auto write = [&](const char* name) {
        const WrittenPicture written = writePicture(m_view->picture(), folder.filePath(name));
        return written.problem + written.note;
    };
    QCOMPARE(write("graph.svg"), QString());
    QFile file(folder.filePath("graph.svg"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QXmlStreamReader reader(&file);
    QString texts;
    while (!reader.atEnd()) {
        reader.readNext();
        if (reader.isCharacters()) texts += reader.text();
    }
    QVERIFY2(!reader.hasError(), qPrintable(reader.errorString()));
    for (const char* name : {"setitem", "select_scatter", "aten.copy.default"})
        QVERIFY2(texts.contains(name), name);
    QCOMPARE(write("graph.png"), QString());
    const QImage image(folder.filePath("graph.png"));
    QCOMPARE(image.size(), (m_view->picture().size * 2).toSize());
    QCOMPARE(write("graph.pdf"), QString());
    QFile pdf(folder.filePath("graph.pdf"));
    QVERIFY(pdf.open(QIODevice::ReadOnly) && pdf.read(5) == "%PDF-");
    copyPicture(m_view->picture());
    QCOMPARE(QApplication::clipboard()->image().size(), image.size());

    QVERIFY(write("graph.jpeg").contains(".svg, .pdf or .png"));
    QVERIFY(!QFile::exists(folder.filePath("graph.jpeg")));
    QVERIFY(!writePicture(m_view->picture(), "/no/such/folder/graph.svg").problem.isEmpty());
    // What is too large for pixels is scaled, and the reader told.
    Drawing huge{"<b>&", QSizeF(40'000, 40'000),
                 [](QPainter& painter) { painter.drawLine(0, 0, 40'000, 40'000); }};
    const WrittenPicture scaled = writePicture(huge, folder.filePath("huge.png"));
    QVERIFY2(scaled.problem.isEmpty() && scaled.note.contains("14 %"),
             qPrintable(scaled.problem + scaled.note));
    QCOMPARE(QImage(folder.filePath("huge.png")).width(), 5'657);
    QCOMPARE(writePicture(huge, folder.filePath("huge.svg")).problem, QString());
    QFile escaped(folder.filePath("huge.svg"));
    QVERIFY(escaped.open(QIODevice::ReadOnly));
    QVERIFY(escaped.readAll().contains("<title>&lt;b&gt;&amp;</title>"));
    QCOMPARE(writePicture(huge, folder.filePath("huge.pdf")).problem, QString());
}

QTEST_MAIN(TestCanvasPictures)
#include "tst_canvas_pictures.moc"
