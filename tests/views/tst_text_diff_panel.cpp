// SPDX-License-Identifier: BSD-3-Clause
#include "core/ir/text.h"
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/base/aligned_text.h"
#include "views/base/code_view.h"
#include "views/base/output_code.h"
#include "views/base/output_code_panel.h"
#include "views/base/syntax.h"
#include "views/base/text_diff_panel.h"

#include <QLineEdit>
#include <QListView>
#include <QScrollBar>
#include <QTemporaryDir>
#include <QToolButton>

using namespace dynascope;
using namespace dynascope::views;
using diff::Change;

class TestTextDiffPanel : public QObject {
    Q_OBJECT
private slots:
    void alignsNodesNotLines();
    void headersStandBesideEachOther();
    void respelledIsQuietOnlyWhenAsked();
    void alignsPlainTexts();
    void clickSelectsTheNodeAndBothSidesLightUp();
    void ctrlClickGoesToTheDefinition();
    void stepsThroughDifferences();
    void chipsChangeTheText();
    void copiesAndExports();
    void findsText();
    void foldsLongSameRuns();
    void changedWordsAreReadable();
    void longTextPaintsFast();
    void highlightsAcrossLines();
    void readsOutputCode();
    void outputCodeLinksToNodes();
    void saysWhatIsMissing();
};

void TestTextDiffPanel::alignsNodesNotLines() {
    const auto a =
        ir::readGraph("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %add : [num_users=1] = "
                      "call_function[target=operator.add](args = (%x, 3), kwargs = {})\n    return add");
    const auto b =
        ir::readGraph("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %neg : [num_users=1] = "
                      "call_function[target=torch.neg](args = (%x,), kwargs = {})\n    %add : [num_users=1] "
                      "= call_function[target=operator.add](args = (%neg, 3), kwargs = {})\n    return add");
    QVERIFY(a && b);
    const AlignedText text = alignGraphs(**a, **b, diff::diffGraphs(**a, **b), {});
    bool addBesideAdd = false, negAlone = false;
    for (const CodeRow& row : text.rows) {
        const auto line = [&](int side) {
            return row.line[std::size_t(side)] < 0 ? QString()
                                                   : text.document[std::size_t(side)]
                                                         ->lines[std::size_t(row.line[std::size_t(side)])]
                                                         .text;
        };
        addBesideAdd = addBesideAdd || (line(0).contains("add = ") && line(1).contains("add = "));
        negAlone = negAlone || (row.line[0] < 0 && line(1).contains("neg = ") && row.change == Change::Added);
    }
    QVERIFY(addBesideAdd);
    QVERIFY(negAlone);
    // Every line of both sides is shown once, in order.
    for (std::size_t side = 0; side < 2; ++side) {
        int next = 0;
        for (const CodeRow& row : text.rows)
            if (row.line[side] >= 0) QCOMPARE(row.line[side], next++);
        QCOMPARE(next, int(text.document[side]->lines.size()));
    }
}

/// One graph has its inputs in one line, the other each in its own, and none of them is a node of both.
void TestTextDiffPanel::headersStandBesideEachOther() {
    const auto a = ir::readGraph("class GraphModule(torch.nn.Module):\n"
                                 "    def forward(self, L_x_: \"f32[4]\"):\n"
                                 "        l_x_ = L_x_\n"
                                 "        sin: \"f32[4]\" = torch.sin(l_x_);  l_x_ = None\n"
                                 "        return (sin,)\n");
    const auto b =
        ir::readGraph("class <lambda>(torch.nn.Module):\n"
                      "    def forward(\n"
                      "        self,\n"
                      "        arg0_1: \"i64[2]\",  # PlainAOTInput(idx=7)\n"
                      "        arg1_1: \"i64[2]\",  # PlainAOTInput(idx=8)\n"
                      "    ):\n"
                      "        cos: \"i64[2]\" = torch.ops.aten.cos.default(arg1_1);  arg1_1 = None\n"
                      "        return (cos,)\n");
    QVERIFY2(a.has_value(), a ? "" : a.error().toString().c_str());
    QVERIFY2(b.has_value(), b ? "" : b.error().toString().c_str());
    const AlignedText text = alignGraphs(**a, **b, diff::diffGraphs(**a, **b), {});
    for (const std::size_t row : {0, 1}) {
        QCOMPARE(text.rows[row].line[0], int(row));
        QCOMPARE(text.rows[row].line[1], int(row));
    }
    for (std::size_t side = 0; side < 2; ++side) { // every line once
        int next = 0;
        for (const CodeRow& row : text.rows)
            if (row.line[side] >= 0) QCOMPARE(row.line[side], next++);
        QCOMPARE(next, int(text.document[side]->lines.size()));
    }
}

void TestTextDiffPanel::respelledIsQuietOnlyWhenAsked() {
    const auto a =
        ir::readGraph("graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %y : [num_users=1] = "
                      "call_function[target=operator.add](args = (%x, 3), kwargs = {})\n    return y");
    const auto b = ir::readGraph(
        "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %add : [num_users=1] = "
        "call_function[target=torch.ops.aten.add.Tensor](args = (%x, 3), kwargs = {})\n    return add");
    QVERIFY(a && b);
    const diff::GraphDiff diff = diff::diffGraphs(**a, **b);
    AlignOptions options;
    QCOMPARE(alignGraphs(**a, **b, diff, options).counts[std::size_t(Change::Changed)], std::size_t(0));
    options.quietRespelled = false;
    QVERIFY(alignGraphs(**a, **b, diff, options).counts[std::size_t(Change::Changed)] > 0);
}

void TestTextDiffPanel::alignsPlainTexts() {
    const AlignedText text =
        alignTexts("one\ntwo words\nthree\n", "one\ntwo things\nthree\nfour\n", Language::Plain);
    QCOMPARE(text.counts[std::size_t(Change::Same)], std::size_t(2));
    QCOMPARE(text.counts[std::size_t(Change::Changed)], std::size_t(1));
    QCOMPARE(text.counts[std::size_t(Change::Added)], std::size_t(1));
    QCOMPARE(text.rows[1].words[0].size(), std::size_t(1));
    QCOMPARE(text.rows[1].words[0][0].begin, 4);
    QVERIFY(alignTexts("", "", Language::Plain).rows.size() <= 1);
    const AlignedText code =
        alignBytecode(" 30  0 RESUME 0\n     2 LOAD_CONST 7 (True)\n     4 POP_JUMP 3 (to 8)\n",
                      " 30  0 RESUME 0\n     2 NOP\n     4 LOAD_CONST 1 (True)\n     6 POP_JUMP 3 (to 10)\n");
    QCOMPARE(code.counts[std::size_t(Change::Added)], std::size_t(1));
    QCOMPARE(code.counts[std::size_t(Change::Same)], std::size_t(3));
    // Another variable is another instruction.
    const AlignedText other =
        alignBytecode("  4 0 LOAD_FAST 0 (self)\n    2 LOAD_FAST 1 (x)\n    4 RETURN_VALUE\n",
                      "  4 0 LOAD_FAST 2 (h)\n    4 RETURN_VALUE\n");
    QCOMPARE(other.counts[std::size_t(Change::Changed)], std::size_t(0));
    QCOMPARE(other.counts[std::size_t(Change::Removed)], std::size_t(2));
    QCOMPARE(other.counts[std::size_t(Change::Added)], std::size_t(1));
    QCOMPARE(other.counts[std::size_t(Change::Same)], std::size_t(1));
    for (const CodeRow& row : other.rows)
        QCOMPARE(row.line[0] >= 0 && row.line[1] >= 0, row.change == Change::Same);
}

void TestTextDiffPanel::clickSelectsTheNodeAndBothSidesLightUp() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<TextDiffPanel>();
    CodeView* view = panel->view();
    QCOMPARE(view->paneCount(), 2);
    int line = -1;
    for (int i = 0; i < int(view->document(0)->lines.size()); ++i)
        if (view->document(0)->lines[std::size_t(i)].text.contains("] = getitem")) line = i;
    QVERIFY(line >= 0);
    const QRect at = view->lineRect(0, line);
    QVERIFY(!at.isEmpty());
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, QPoint(at.left() + 90, at.center().y()));
    f.settle();
    QVERIFY(f.workspace.selectedNode());
    QCOMPARE(f.workspace.selectedNode()->name, std::string("setitem"));
    QVERIFY(!f.workspace.related().empty());
    const QImage picture = view->viewport()->grab().toImage();
    QCOMPARE(picture.pixelColor(view->lineRect(0, line).left() - f.theme.scaled(18), at.center().y()),
             f.theme.colours().accent);
}

void TestTextDiffPanel::ctrlClickGoesToTheDefinition() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<TextDiffPanel>();
    emit panel->view()->wordActivated(1, 0, QStringLiteral("copy"));
    QVERIFY(f.workspace.selectedNode());
    QCOMPARE(f.workspace.selectedNode()->name, std::string("copy"));
    QCOMPARE(f.workspace.place().node.side, Side::B);
    const NodeSelection before = f.workspace.place().node;
    emit panel->view()->wordActivated(1, 0, QStringLiteral("no_such_name"));
    QCOMPARE(f.workspace.place().node, before);
}

void TestTextDiffPanel::stepsThroughDifferences() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<TextDiffPanel>();
    CodeView* view = panel->view();
    int runs = 0;
    while (view->nextDifference(1) && runs < 50)
        ++runs;
    QVERIFY(runs >= 1);
    QVERIFY(runs < 50);
    int back = 0;
    while (view->nextDifference(-1) && back < 50)
        ++back;
    QVERIFY(back >= runs - 1);
    QVERIFY(back < 50);
}

void TestTextDiffPanel::chipsChangeTheText() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<TextDiffPanel>();
    QVERIFY(panel->view()->document(1)->text().contains("= aten.select.int("));
    for (QToolButton* chip : panel->findChildren<QToolButton*>())
        if (chip->text() == "Short names") chip->click();
    f.settle();
    QVERIFY(panel->view()->document(1)->text().contains("torch.ops.aten.select.int("));
    for (QToolButton* chip : panel->findChildren<QToolButton*>())
        if (chip->text() == "Strides") chip->click();
    f.settle();
    QVERIFY(panel->view()->document(1)->text().contains("f32[4, 5][5, 1]"));
}

void TestTextDiffPanel::copiesAndExports() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<TextDiffPanel>();
    panel->copyAll();
    const QString copied = QGuiApplication::clipboard()->text();
    QVERIFY(copied.contains("+        copy: "));
    QTemporaryDir folder;
    QVERIFY(panel->exportTo(folder.filePath("out.diff")));
    QFile file(folder.filePath("out.diff"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(QString::fromUtf8(file.readAll()), copied);
    QVERIFY(!panel->exportTo(folder.filePath("no/such/folder/out.diff")));
    panel->view()->setFocus();
    panel->view()->selectAll();
    panel->view()->copy();
    QVERIFY(QGuiApplication::clipboard()->text().contains("return (y,)"));
}

void TestTextDiffPanel::findsText() {
    Theme theme;
    CodeView view(theme);
    view.setDocument(makeCodeDocument("alpha\nbeta\nALPHA beta", Language::Plain), {});
    view.resize(400, 200);
    view.show();
    QCOMPARE(view.find("alpha"), 2);
    QCOMPARE(view.find("nothing"), 0);
    QTest::keyClick(&view, Qt::Key_F3);
    view.openFind();
    auto* field = view.findChild<QLineEdit*>();
    QVERIFY(field);
    field->setText("beta");
    QCOMPARE(view.findText(), QStringLiteral("beta"));
    QTest::keyClick(field, Qt::Key_Escape);
    QVERIFY(view.findText().isEmpty());
}

void TestTextDiffPanel::foldsLongSameRuns() {
    std::string a, b;
    for (int i = 0; i < 200; ++i)
        a += "line " + std::to_string(i) + "\n";
    b = a + "one more\n";
    Theme theme;
    CodeView view(theme);
    const AlignedText text = alignTexts(a, b, Language::Plain);
    CodeView::Options options;
    options.signs = options.fold = true;
    view.setRows(text.document[0], text.document[1], text.rows, options);
    view.resize(600, 300);
    view.show();
    const auto seesAll = [&] {
        return !view.verticalScrollBar()->isHidden() && view.verticalScrollBar()->maximum() > 0;
    };
    QVERIFY(!seesAll());
    QVERIFY(view.lineRect(0, 100).isEmpty());
    view.reveal(0, 100);
    QVERIFY(seesAll());
    QVERIFY(!view.lineRect(0, 100).isEmpty());
    view.setFolded(true);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(100, 5));
    QVERIFY(seesAll());
}

/// Syntax colours are for the panels: on a word that changed there is the text's own colour alone.
void TestTextDiffPanel::changedWordsAreReadable() {
    for (const bool dark : {true, false}) {
        Theme theme;
        theme.setScheme(dark ? ColourScheme::Dark : ColourScheme::Light);
        const Colours& c = theme.colours();
        CodeView view(theme);
        view.resize(900, 60);
        const AlignedText text = alignTexts("x = 1  # iiiiiiiiiiiiiiii lllll\n",
                                            "x = 1  # IIIIIIIIIIIIIIII lllll\n", Language::Python);
        QCOMPARE(text.rows[0].words[0].size(), std::size_t(1));
        view.setRows(text.document[0], text.document[1], text.rows, {});
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QImage seen = view.viewport()->grab().toImage();
        const QColor ground = c.diff(text.rows[0].change).word;
        // What the letters of the word are drawn with, between its ground and that colour.
        int furthest = 0;
        const auto away = [](const QColor& a, const QColor& b) {
            return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) +
                   std::abs(a.blue() - b.blue());
        };
        for (int y = 0; y < seen.height(); ++y) {
            int first = -1, last = -1;
            for (int x = 0; x < seen.width() / 2; ++x)
                if (seen.pixelColor(x, y) == ground) {
                    if (first < 0) first = x;
                    last = x;
                }
            for (int x = std::max(first, 0); x < last; ++x)
                furthest = std::max(furthest, away(seen.pixelColor(x, y), ground));
        }
        const int towardsText = away(c.text, ground);
        QVERIFY2(furthest > towardsText * 0.8,
                 qPrintable(QStringLiteral("%1 of %2").arg(furthest).arg(towardsText)));
    }
}

void TestTextDiffPanel::longTextPaintsFast() {
    QString text;
    for (int i = 0; i < 100000; ++i)
        text += QStringLiteral("    add_%1: \"f32[4, 5]\" = torch.ops.aten.add.Tensor(add_%2, 3)\n")
                    .arg(i)
                    .arg(i - 1);
    Theme theme;
    CodeView view(theme);
    view.setDocument(makeCodeDocument(text, Language::Python), {});
    view.resize(900, 600);
    view.show();
    // Twenty frames anywhere in 100,000 lines; painting all of them each time would run into the test's time
    // limit.
    QPixmap last;
    for (int line = 0; line < 100000; line += 5000) {
        view.reveal(0, line);
        const QPixmap frame = view.viewport()->grab();
        QVERIFY(!frame.isNull());
        QVERIFY(last.isNull() || frame.toImage() != last.toImage());
        last = frame;
    }
}

void TestTextDiffPanel::highlightsAcrossLines() {
    Highlighter python(Language::Python);
    const auto first = python.next("x = '''open");
    QVERIFY(!first.empty());
    const auto second = python.next("still text # no comment");
    QCOMPARE(second.size(), std::size_t(1));
    QCOMPARE(second[0].style, CodeStyle::String);
    (void)python.next("'''");
    const auto code = python.next("return None  # done");
    QCOMPARE(code[0].style, CodeStyle::Keyword);
    QCOMPARE(code.back().style, CodeStyle::Comment);
    Highlighter output(Language::OutputCode);
    (void)output.next("k = async_compile.cpp_pybinding(['float*'], '''");
    const auto cpp = output.next("    for(int64_t x0=0; x0<5; x0++) // loop");
    QCOMPARE(cpp[0].style, CodeStyle::Keyword);
    QCOMPARE(cpp.back().style, CodeStyle::Comment);
    for (const QString& hostile : {QStringLiteral("'"), QStringLiteral("\"\\"), QStringLiteral("1e"),
                                   QStringLiteral("'''"), QString()})
        (void)Highlighter(Language::OutputCode).next(hostile);
}

void TestTextDiffPanel::readsOutputCode() {
    const OutputCode code = readOutputCode(
        "# Topologically Sorted Source Nodes: [y, getitem], Original ATen: [aten.add]\n"
        "# Source node to ATen node mapping:\n#   y => add\ncpp_fused_add_0 = "
        "async_compile.cpp_pybinding(['const float*'], '''\nint x;\n''')\n\ndef call(args):\n");
    QCOMPARE(code.kernels.size(), std::size_t(2));
    QCOMPARE(code.kernels[0].name, QStringLiteral("cpp_fused_add_0"));
    QCOMPARE(code.kernels[0].line, 3);
    QCOMPARE(code.kernels[0].first, 0);
    QCOMPARE(code.kernels[1].name, QStringLiteral("call"));
    QVERIFY(code.linesOfNode.contains("getitem"));
    QCOMPARE(code.linesOfNode.value("y").size(), std::size_t(2));
    QCOMPARE(code.linesOfNode.value("add").size(), std::size_t(1));
}

void TestTextDiffPanel::outputCodeLinksToNodes() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto panel = f.show<OutputCodePanel>();
    QVERIFY(panel->message().isEmpty());
    QVERIFY(test::part<QListView>(*panel, "outputCode.kernels")->model()->rowCount() >= 2);
    emit test::part<CodeView>(*panel, "outputCode.view")->linkActivated(QStringLiteral("setitem"));
    QVERIFY(f.workspace.selectedNode());
    QCOMPARE(f.workspace.selectedNode()->name, std::string("setitem"));
    QAbstractItemModelTester tester(test::part<QListView>(*panel, "outputCode.kernels")->model(),
                                    QAbstractItemModelTester::FailureReportingMode::QtTest);
}

void TestTextDiffPanel::saysWhatIsMissing() {
    test::Fixture f;
    auto panel = f.show<TextDiffPanel>();
    QVERIFY(panel->message().contains("Ctrl+O"));
    auto code = f.show<OutputCodePanel>();
    QVERIFY(code->message().contains("Ctrl+O"));
    // A run of aot_eager: it has graphs, and none of Inductor's.
    test::addSample(f.workspace, "encoder_train");
    QTRY_VERIFY2(code->message().contains("has graphs of it, but none of Inductor's"),
                 qPrintable(code->message()));
}

QTEST_MAIN(TestTextDiffPanel)
#include "tst_text_diff_panel.moc"
