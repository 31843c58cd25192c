// SPDX-License-Identifier: BSD-3-Clause
//
// What is asked about across the stages, its answer, and the panel that shows it; on view_mutation
// (cap.py:43, `y=y+3; y[:,0]=x[:,0]`) and graph_breaks (cap.py:29 is in 0/0 and its recompile 0/1).
#include "tests/support/archive.h"
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/base/code_view.h"
#include "views/base/output_code_panel.h"
#include "views/base/source_panel.h"
#include "views/base/text_diff_panel.h"
#include "views/provenance/provenance_model.h"
#include "views/provenance/provenance_panel.h"
#include "views/workspace/trace.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QMenu>
#include <QTableView>

using namespace dynascope;
using namespace dynascope::views;

namespace {

constexpr auto capPy = "/home/user/models/cap.py";

int stageOf(const Workspace& workspace, const char* label) {
    const auto& stages = workspace.compile()->stages;
    for (std::size_t i = 0; i < stages.size(); ++i)
        if (stages[i]->label() == label) return int(i);
    return -1;
}

QStringList namesOf(const Workspace& workspace, Side side, const std::vector<ir::NodeIndex>& nodes) {
    QStringList out;
    for (const ir::NodeIndex node : nodes)
        out << QString::fromStdString(workspace.stage(side).graph->node(node).name);
    return out;
}

/// "aot_inference | select_1 copy select_scatter": a level's cells, headings before a bar.
QString cells(const ProvenanceModel& model, Level level) {
    QString out;
    for (const ProvenanceRow& row : model.rows()) {
        const auto& item = row.items[std::size_t(level)];
        if (!item) continue;
        if (!out.isEmpty()) out += u' ';
        out += item->text + (item->kind == ProvenanceItem::Kind::Heading ? QStringLiteral(" |") : QString());
    }
    return out;
}

QModelIndex cell(const ProvenanceModel& model, Level level, const QString& text) {
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex at = model.index(row, int(level));
        if (model.itemAt(at) && model.itemAt(at)->text == text) return at;
    }
    return {};
}

void click(const ProvenancePanel& panel, Level level, const QString& text) {
    const QModelIndex at = cell(panel.model(), level, text);
    QVERIFY2(at.isValid(), qPrintable(text + u'\n' + panel.model().plainText()));
    test::part<QTableView>(panel, "provenance.table")->scrollTo(at);
    QTest::mouseClick(test::part<QTableView>(panel, "provenance.table")->viewport(), Qt::LeftButton, {},
                      test::part<QTableView>(panel, "provenance.table")->visualRect(at).center());
}

} // namespace

class TestProvenance : public QObject {
    Q_OBJECT

private slots:
    void showsEveryLevelOfANode() {
        test::Fixture f;
        test::addSample(f.workspace, "view_mutation");
        auto panel = f.show<ProvenancePanel>(1280, 300);
        QVERIFY(panel->message().contains("Nothing is selected"));
        QAbstractItemModelTester tester(test::part<QTableView>(*panel, "provenance.table")->model(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        f.select(Side::A, "setitem");
        QCOMPARE(panel->message(), QString());
        QCOMPARE(test::part<QLabel>(*panel, "provenance.title")->text(),
                 QStringLiteral("setitem of dynamo_output  0/0"));
        const ProvenanceModel& model = panel->model();
        QCOMPARE(cells(model, Level::Source), QStringLiteral("cap.py:43"));
        QCOMPARE(cells(model, Level::Dynamo),
                 QStringLiteral("dynamo_output | setitem before_pre_grad, after_pre_grad | setitem"));
        QVERIFY(cells(model, Level::Aot).contains("| select_1 copy select_scatter"));
        QVERIFY(cells(model, Level::PostGrad).endsWith("| select_1 select_scatter_default"));
        QCOMPARE(cells(model, Level::Kernels), QStringLiteral("cpp_fused_add_select_0"));
        const QStringList lines = cells(model, Level::Code).split(' ');
        QCOMPARE(lines.size(), 2); // its definition and its only call
        QVERIFY(lines[0].contains(u'–'));
        f.select(Side::A, "getitem");
        QVERIFY(cells(model, Level::Aot).contains("| select"));
    }

    void tellsRecordsFromAlignment() {
        test::Fixture f;
        const auto files = test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/data/compile_debug/trace.tar.xz");
        QCOMPARE(files.size(), std::size_t(1));
        const auto opened = capture::openText(files[0].content, "trace");
        QVERIFY(opened);
        f.workspace.addCapture({*opened, session::summarizeBreaks(**opened)}, true);
        f.workspace.selectCompile(0, 0);
        auto panel = f.show<ProvenancePanel>(1280, 300);
        const ProvenanceModel& model = panel->model();
        // Inductor's record starts at the graph that it was given.
        const int given = stageOf(f.workspace, "after_pre_grad_graph");
        f.workspace.showNode(given, (*f.workspace.stageAt(given)->graph())->find("setitem"));
        f.settle();
        const ProvenanceItem* post =
            model.itemAt(cell(model, Level::PostGrad, QStringLiteral("select_scatter_default")));
        QVERIFY(post);
        QVERIFY(post->recorded);
        QVERIFY(post->evidence == session::LinkEvidence::Record);
        const ProvenanceItem* aot = model.itemAt(cell(model, Level::Aot, QStringLiteral("select_scatter")));
        QVERIFY(aot);
        QVERIFY(!aot->recorded);
        const ProvenanceItem* line = model.itemAt(model.index(0, int(Level::Source)));
        QVERIFY(line && line->recorded && !line->asked);
        const QModelIndex asked = model.askedIndex();
        QCOMPARE(model.itemAt(asked)->text, QStringLiteral("setitem"));
        QVERIFY(model.data(asked, Qt::ToolTipRole).toString().contains("asked"));
        const QModelIndex aligned = cell(model, Level::Aot, QStringLiteral("select_scatter"));
        QVERIFY(model.data(aligned, Qt::ToolTipRole).toString().contains("Aligned by Dynascope"));
        QVERIFY(model.data(aligned, Qt::AccessibleTextRole).toString().endsWith("aligned"));
        const EvidenceCounts counts = countEvidence(model.rows());
        QVERIFY(counts.recorded >= 3 && counts.aligned >= 2);
    }

    void clicksSelectEverywhere() {
        test::Fixture f;
        test::addSample(f.workspace, "view_mutation");
        auto panel = f.show<ProvenancePanel>(1280, 300);
        auto code = f.show<OutputCodePanel>();
        auto source = f.show<SourcePanel>();
        f.select(Side::A, "setitem");
        // A node of a stage that is not on screen becomes B.
        click(*panel, Level::PostGrad, QStringLiteral("select_scatter_default"));
        f.settle();
        QCOMPARE(f.workspace.place().stageB, stageOf(f.workspace, "inductor_post_grad_graph"));
        QCOMPARE(f.workspace.selectedNode()->name, std::string("select_scatter_default"));
        QCOMPARE(test::part<QLabel>(*panel, "provenance.title")->text(),
                 QStringLiteral("select_scatter_default of post_grad  0/0"));
        // A kernel: its lines in the code, its nodes in both graphs, its line in the source.
        QSignalSpy raised(&f.workspace, &Workspace::panelRequested);
        click(*panel, Level::Kernels, QStringLiteral("cpp_fused_add_select_0"));
        f.settle();
        QCOMPARE(raised.last()[0].value<PanelId>(), PanelId::OutputCode);
        QVERIFY(!f.workspace.selectedNode());
        QCOMPARE(namesOf(f.workspace, Side::A, f.workspace.relatedOn(Side::A)),
                 QStringList({"y", "getitem", "setitem"}));
        QVERIFY(
            namesOf(f.workspace, Side::B, f.workspace.relatedOn(Side::B)).contains("select_scatter_default"));
        QCOMPARE(test::part<CodeView>(*code, "outputCode.view")->selectedLines(0).size(), std::size_t(1));
        QVERIFY(test::part<CodeView>(*code, "outputCode.view")->relatedLines(0).size() > 5);
        QCOMPARE(source->view()->relatedLines(0).size(), std::size_t(1));
        // The line: everything that it made.
        click(*panel, Level::Source, QStringLiteral("cap.py:43"));
        f.settle();
        QCOMPARE(raised.last()[0].value<PanelId>(), PanelId::Source);
        QCOMPARE(source->view()->selectedLines(0).size(), std::size_t(1));
        QVERIFY(test::part<CodeView>(*code, "outputCode.view")->relatedLines(0).size() > 5);
        QCOMPARE(test::part<QLabel>(*panel, "provenance.title")->text(), QStringLiteral("cap.py:43  0/0"));
        f.workspace.goBack();
        f.settle();
        QVERIFY(test::part<QLabel>(*panel, "provenance.title")->text().startsWith("line "));
    }

    void linesOfGeneratedCodeCanBeAsked() {
        test::Fixture f;
        test::addSample(f.workspace, "view_mutation");
        auto panel = f.show<ProvenancePanel>(1280, 300);
        auto code = f.show<OutputCodePanel>();
        const auto& lines = test::part<CodeView>(*code, "outputCode.view")->document(0)->lines;
        const auto clickLine = [&](const QString& beginning) {
            const auto line = std::find_if(lines.begin(), lines.end(), [&](const CodeLine& l) {
                return l.text.trimmed().startsWith(beginning);
            });
            QVERIFY(line != lines.end());
            const int index = int(line - lines.begin());
            test::part<CodeView>(*code, "outputCode.view")->reveal(0, index);
            const QRect rect = test::part<CodeView>(*code, "outputCode.view")->lineRect(0, index);
            QTest::mouseClick(test::part<CodeView>(*code, "outputCode.view")->viewport(), Qt::LeftButton, {},
                              QPoint(rect.right() - 2, rect.center().y()));
            f.settle();
            QCOMPARE(test::part<CodeView>(*code, "outputCode.view")->selectedLines(0),
                     std::set<int>({index}));
            QCOMPARE(f.workspace.subject().line, std::uint32_t(index + 1));
        };
        clickLine(QStringLiteral("cpp_fused_add_select_0("));
        if (QTest::currentTestFailed()) return;
        QCOMPARE(panel->message(), QString());
        QVERIFY(cells(panel->model(), Level::Dynamo).contains("setitem"));
        clickLine(QStringLiteral("import torch"));
        QVERIFY(panel->message().contains("belongs to no kernel"));
    }

    void whatBecameOfALine() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        auto panel = f.show<ProvenancePanel>(1280, 400);
        auto source = f.show<SourcePanel>();
        f.workspace.selectCompile(0, f.compileIndex("0/0"));
        f.workspace.selectLine(capPy, 29);
        f.settle();
        QCOMPARE(f.workspace.trace().compiles().size(), std::size_t(1));
        QVERIFY(panel->model().rows().front().band.isEmpty());
        // By the key of the window, and by the view's own caret.
        QVERIFY(f.workspace.traceLine());
        f.settle();
        QCOMPARE(f.workspace.trace().compiles().size(), std::size_t(2));
        QCOMPARE(test::part<QLabel>(*panel, "provenance.title")->text(),
                 QStringLiteral("cap.py:29  in 2 of 20 compiles"));
        QVERIFY(panel->model().rows().front().band.startsWith("0/0"));
        QVERIFY(source->traceCaret() == false || f.workspace.subject().everyCompile);
        f.workspace.selectLine(capPy, 29, {}, true);
        f.settle();
        int second = -1;
        for (int row = 1; row < panel->model().rowCount(); ++row)
            if (panel->model().rows()[std::size_t(row)].band.startsWith("0/1")) second = row;
        QVERIFY(second > 0);
        QCOMPARE(test::part<QTableView>(*panel, "provenance.table")->columnSpan(second, 0), int(levelCount));
        // A cell of the other compile goes there.
        const QModelIndex node = panel->model().index(second + 2, int(Level::Dynamo));
        QVERIFY(panel->model().itemAt(node) &&
                panel->model().itemAt(node)->kind == ProvenanceItem::Kind::Node);
        const std::string name = panel->model().itemAt(node)->name;
        test::part<QTableView>(*panel, "provenance.table")->scrollTo(node);
        QTest::mouseClick(test::part<QTableView>(*panel, "provenance.table")->viewport(), Qt::LeftButton, {},
                          test::part<QTableView>(*panel, "provenance.table")->visualRect(node).center());
        f.settle();
        QCOMPARE(f.workspace.place().compile, f.compileIndex("0/1"));
        QCOMPARE(f.workspace.selectedNode()->name, name);
        // A line that made no node.
        f.workspace.selectLine(capPy, 1);
        f.settle();
        QVERIFY(panel->message().contains("cap.py:1"));
        f.workspace.selectLine(capPy, 1, {}, true);
        f.settle();
        QVERIFY(panel->message().startsWith("No node of this capture"));
    }

    void sourceMenuAndCaretAskForEveryCompile() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        f.workspace.selectCompile(0, f.compileIndex("0/0"));
        auto source = f.show<SourcePanel>();
        const auto& lines = source->view()->document(0)->lines;
        int index = 0;
        while (lines[std::size_t(index)].number != 29)
            ++index;
        QMenu menu;
        source->view()->extendMenu(menu, 0, index);
        QCOMPARE(menu.actions().last()->text(), QStringLiteral("What became of line 29"));
        QSignalSpy raised(&f.workspace, &Workspace::panelRequested);
        menu.actions().last()->trigger();
        QCOMPARE(raised.last()[0].value<PanelId>(), PanelId::Provenance);
        QCOMPARE(f.workspace.subject(), Subject::ofLine(capPy, 29, true));
        f.workspace.clearSelection();
        QVERIFY(f.workspace.subject().isEmpty());
        const QRect rect = source->view()->lineRect(0, index);
        QTest::mouseClick(source->view()->viewport(), Qt::LeftButton, {},
                          QPoint(rect.left() + 60, rect.center().y()));
        QCOMPARE(f.workspace.subject(), Subject::ofLine(capPy, 29, false));
        QVERIFY(f.workspace.selectedNode()); // the first of the line's nodes, as before
        QVERIFY(source->traceCaret());
        QCOMPARE(f.workspace.subject(), Subject::ofLine(capPy, 29, true));
        QVERIFY(f.workspace.selectedNode());
        f.settle();
        QCOMPARE(source->view()->selectedLines(0), std::set<int>({index}));
    }

    void subjectOutlivesItsStage() {
        test::Fixture f;
        test::addSample(f.workspace, "view_mutation");
        auto text = f.show<TextDiffPanel>();
        f.select(Side::A, "setitem");
        const int dynamo = f.workspace.place().stageA;
        const int post = stageOf(f.workspace, "inductor_post_grad_graph");
        f.workspace.selectStages(post - 1, post);
        f.settle();
        QVERIFY(!f.workspace.selectedNode());
        QCOMPARE(f.workspace.subject().stage, dynamo);
        QCOMPARE(namesOf(f.workspace, Side::B, f.workspace.relatedOn(Side::B)),
                 QStringList({"select_1", "select_scatter_default"}));
        QVERIFY(!text->view()->relatedLines(1).empty());
        // Back on screen it is the selection again.
        f.workspace.selectStages(dynamo, post);
        f.settle();
        QVERIFY(f.workspace.selectedNode());
        QCOMPARE(f.workspace.selectedNode()->name, std::string("setitem"));
        QVERIFY(f.workspace.place().subject.isEmpty());
        f.workspace.clearSelection();
        QVERIFY(f.workspace.subject().isEmpty());
        QVERIFY(f.workspace.trace().compiles().empty());
        QVERIFY(f.workspace.relatedOn(Side::B).empty());
        // Another node is another question.
        f.workspace.selectLine(capPy, 43);
        Place place = f.workspace.place();
        place.node = {Side::B, 0};
        f.workspace.go(place);
        QVERIFY(f.workspace.subject().kind == Subject::Kind::Node);
        // So is another capture.
        f.workspace.selectLine(capPy, 43);
        test::addSample(f.workspace, "graph_breaks");
        f.workspace.selectCompile(1, 0);
        QVERIFY(f.workspace.subject().isEmpty());
        f.workspace.selectLine(capPy, 29);
        f.workspace.close(1);
        f.settle();
        QVERIFY(f.workspace.subject().isEmpty());
        f.workspace.close(0);
        f.settle();
        QVERIFY(f.workspace.trace().compiles().empty());
    }

    void computedStagesAreFollowedByTheirOrigins() {
        test::Fixture f;
        test::addSample(f.workspace, "view_mutation");
        const ir::GraphPtr dynamo = f.workspace.stage(Side::A).graph;
        auto stage = std::make_shared<session::Stage>();
        stage->name = "functionalize";
        stage->phase = session::Phase::Computed;
        stage->setGraph(f.workspace.stage(Side::B).graph);
        const ir::NodeIndex setitem = dynamo->find("setitem"), y = dynamo->find("y");
        const int made = f.workspace.addComputed(stage, 0, {{y, 2}, {setitem, 3}, {setitem, 4}});
        auto panel = f.show<ProvenancePanel>(1280, 300);
        f.workspace.showNode(made, 4);
        f.settle();
        QCOMPARE(panel->message(), QString());
        QVERIFY(cells(panel->model(), Level::Dynamo).contains("setitem"));
        QVERIFY(cells(panel->model(), Level::Kernels).contains("cpp_fused"));
        f.workspace.selectLine(capPy, 43);
        f.settle();
        QCOMPARE(f.workspace.trace().nodesOf(made), (std::vector<ir::NodeIndex>{2, 3, 4}));
    }

    void saysWhatIsMissing() {
        test::Fixture f;
        auto panel = f.show<ProvenancePanel>();
        QVERIFY(panel->message().contains("Ctrl+O"));
        f.workspace.addCapture(test::captureOf({}), true);
        f.settle();
        QVERIFY(panel->message().contains("Nothing is selected"));
        QVERIFY(!f.workspace.traceLine());
        // Levels that a compile does not have say so.
        test::Fixture eager;
        test::addSample(eager.workspace, "encoder_train");
        auto other = eager.show<ProvenancePanel>(1280, 300);
        eager.select(Side::A, "relu");
        if (!cells(other->model(), Level::Kernels).startsWith("cpp"))
            QCOMPARE(cells(other->model(), Level::Kernels), QStringLiteral("not in this compile"));
    }

    void copiesTheTable() {
        test::Fixture f;
        test::addSample(f.workspace, "view_mutation");
        auto panel = f.show<ProvenancePanel>(1280, 300);
        f.select(Side::A, "setitem");
        const QStringList text = panel->model().plainText().split('\n');
        QVERIFY(text.front().startsWith("Source\tDynamo\t"));
        QVERIFY(text.join(' ').contains("cpp_fused_add_select_0"));
        test::part<QTableView>(*panel, "provenance.table")->setFocus();
        test::part<QTableView>(*panel, "provenance.table")->actions().front()->trigger();
        QCOMPARE(QGuiApplication::clipboard()->text(), panel->model().plainText());
    }
};

QTEST_MAIN(TestProvenance)
#include "tst_provenance.moc"
