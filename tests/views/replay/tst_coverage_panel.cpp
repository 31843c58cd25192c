// SPDX-License-Identifier: BSD-3-Clause
//
// Which graphs would be CUDA graphs and why not, clicked through.
#include "core/ir/text.h"
#include "tests/support/captures.h"
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/base/row_table.h"
#include "views/inspector/fact_view.h"
#include "views/replay/coverage_panel.h"
#include "views/replay/coverage_rows.h"

#include <QComboBox>
#include <QLabel>
#include <optional>

using namespace dynascope;
using namespace dynascope::views;

namespace {

struct Shown : test::Fixture {
    std::unique_ptr<CoveragePanel> panel;

    explicit Shown(const QString& name) {
        test::addCapture(workspace, test::capture(name));
        panel = show<CoveragePanel>(1280, 700);
        settle();
    }
    [[nodiscard]] QString cell(const RowTable* table, int row, int column) const {
        return table->rows().index(row, column).data().toString();
    }
    [[nodiscard]] QString graph(int row, CoverageColumn column) const {
        return cell(test::part<RowTable>(*panel, "coverage.graphs"), row, int(column));
    }
    [[nodiscard]] QString input(int row, InputColumn column) const {
        return cell(test::part<RowTable>(*panel, "coverage.inputs"), row, int(column));
    }
    /// Whether a figure has the colour of what is good; empty where there is no such figure.
    [[nodiscard]] std::optional<bool> figureIsGood(const QString& value) const {
        for (const QLabel* label : panel->findChildren<QLabel*>())
            if (label->text() == value) return label->styleSheet().contains(theme.colours().added.name());
        return std::nullopt;
    }
    void click(RowTable* table, int row, int column) {
        table->scrollTo(table->model()->index(row, column));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, table->cellRect(row, column).center());
        settle();
    }
};

} // namespace

class TestCoveragePanel : public QObject {
    Q_OBJECT

private slots:
    /// What is not written is copied only where its address may change, and a number has none.
    void saysWhatIsCopied() {
        const auto graph = ir::readGraph("class GraphModule(torch.nn.Module):\n"
                                         "    def forward(self, s0: \"Sym(s0)\", x: \"f32[s0]cuda:0\", "
                                         "r: \"f32[s0]cuda:0\", w: \"f32[s0]cuda:0\"):\n"
                                         "        a: \"f32[s0]cuda:0\" = torch.ops.aten.add.Tensor(x, r)\n"
                                         "        b: \"f32[s0]cuda:0\" = torch.ops.aten.add.Tensor(a, w)\n"
                                         "        return (b,)\n");
        QVERIFY(graph);
        const std::size_t fixed[]{3}, recorded[]{2};
        QStringList why;
        for (const TableRow& row :
             inputRows(**graph, replay::inputCategories(replay::factsOf(*graph), fixed, recorded), {}))
            why << row[int(InputColumn::Why)].text;
        QCOMPARE(
            why,
            (QStringList{
                "a number: every new value is recorded again",
                "not written; copied to its recorded address before each replay",
                "not written; lies in an earlier recording, where its address stays, so it is not copied",
                "not written; its address stays, so it is not copied"}));
    }

    void saysWhichAndWhy() {
        Shown s("trace_aot_eager/relu_input_mutation");
        const QAbstractItemModelTester graphs(test::part<RowTable>(*s.panel, "coverage.graphs")->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        const QAbstractItemModelTester inputs(test::part<RowTable>(*s.panel, "coverage.inputs")->model(),
                                              QAbstractItemModelTester::FailureReportingMode::Fatal);
        QCOMPARE(s.panel->message(), QString());
        QCOMPARE(test::part<RowTable>(*s.panel, "coverage.graphs")->rows().rowCount(), 1);
        QCOMPARE(s.graph(0, CoverageColumn::Graph), QString("0/0 inference"));
        QCOMPARE(s.graph(0, CoverageColumn::OnGpu), QString("skipped"));
        QCOMPARE(s.graph(0, CoverageColumn::Captured), QString("skipped"));
        QCOMPARE(s.graph(0, CoverageColumn::Why), QString("writes an input"));
        QVERIFY(s.graph(0, CoverageColumn::Line).startsWith("cap.py:"));
        // No graph of it would be one, which is nothing to be shown as good.
        QCOMPARE(s.figureIsGood("0 of 1"), std::optional(false));
        Shown good("trace_aot_eager/kvcache");
        QCOMPARE(good.figureIsGood("1 of 1"), std::optional(true));
        // Of its inputs the one that is written is chosen.
        const int row = test::part<RowTable>(*s.panel, "coverage.inputs")->selected();
        QCOMPARE(s.input(row, InputColumn::Category), QString("other tensors"));
        QVERIFY(!s.input(row, InputColumn::WrittenBy).isEmpty());
        QVERIFY(s.input(row, InputColumn::Why).contains("eagerly"));
    }

    void leadsToGraphAndLine() {
        Shown s("trace_aot_eager/relu_input_mutation");
        QSignalSpy source(&s.workspace, &Workspace::sourceRequested);
        s.click(test::part<RowTable>(*s.panel, "coverage.graphs"), 0, int(CoverageColumn::Line));
        QCOMPARE(source.size(), 1);
        QVERIFY(source[0][0].toString().endsWith("cap.py"));
        QCOMPARE(s.workspace.place().page, Page::Stages);
        s.workspace.goBack();
        s.settle();
        s.click(test::part<RowTable>(*s.panel, "coverage.inputs"),
                test::part<RowTable>(*s.panel, "coverage.inputs")->selected(), int(InputColumn::Line));
        QCOMPARE(source.size(), 2);
        QVERIFY(s.workspace.selectedNode());
        QCOMPARE(ir::opKind(*s.workspace.selectedNode()), ir::OpKind::Write);
        // By keyboard as well.
        s.workspace.clearSelection();
        test::part<RowTable>(*s.panel, "coverage.graphs")->setFocus();
        QTest::keyClick(test::part<RowTable>(*s.panel, "coverage.graphs"), Qt::Key_Return);
        QCOMPARE(s.workspace.stage(Side::B).stage->name, std::string("aot_inference_graph"));
        emit test::part<FactView>(*s.panel, "coverage.detail")->followed("place:0:0");
        s.settle();
        QVERIFY(s.workspace.selectedNode());
        emit test::part<FactView>(*s.panel, "coverage.detail")->followed("place:7:0"); // no such problem
        emit test::part<FactView>(*s.panel, "coverage.detail")->followed("line:0:99");
    }

    void parametersMayBeWritten() {
        Shown s("trace_aot_eager/kvcache");
        QStringList categories;
        for (int row = 0; row < test::part<RowTable>(*s.panel, "coverage.inputs")->rows().rowCount(); ++row)
            categories << s.input(row, InputColumn::Category);
        QVERIFY2(categories.contains("parameters and buffers"), qPrintable(categories.join(u',')));
        QVERIFY(categories.contains("none"));
        QVERIFY(!categories.contains("other tensors"));
        QCOMPARE(s.graph(0, CoverageColumn::OnGpu), QString("CUDA graph"));
        QCOMPARE(s.graph(0, CoverageColumn::Why), QString("as captured it runs on the CPU"));
        QCOMPARE(s.graph(0, CoverageColumn::Captured), QString("skipped"));
    }

    void followsGraphsAndBackends() {
        Shown s("trace_aot_eager/gpt2_train");
        QCOMPARE(test::part<RowTable>(*s.panel, "coverage.graphs")->rows().rowCount(), 2);
        QCOMPARE(s.graph(0, CoverageColumn::Graph), QString("0/0 forward"));
        QCOMPARE(s.graph(1, CoverageColumn::Graph), QString("0/0 backward"));
        const int before = test::part<RowTable>(*s.panel, "coverage.inputs")->rows().rowCount();
        s.click(test::part<RowTable>(*s.panel, "coverage.graphs"), 1, int(CoverageColumn::Graph));
        QVERIFY(test::part<RowTable>(*s.panel, "coverage.inputs")->rows().rowCount() != before);
        QCOMPARE(test::part<RowTable>(*s.panel, "coverage.graphs")->selected(), 1);
        auto* backend = s.panel->findChild<QComboBox*>();
        QTest::keyClick(backend, Qt::Key_Down);
        s.settle();
        QCOMPARE(backend->currentIndex(), 1);
        QCOMPARE(test::part<RowTable>(*s.panel, "coverage.graphs")->selected(),
                 1); // the same graph, judged anew
        QVERIFY(test::part<RowTable>(*s.panel, "coverage.graphs")->rows().rowCount() == 2);
    }

    void copiesRows() {
        Shown s("trace_aot_eager/relu_input_mutation");
        test::part<RowTable>(*s.panel, "coverage.graphs")->setFocus();
        QTest::keyClick(test::part<RowTable>(*s.panel, "coverage.graphs"), Qt::Key_C, Qt::ControlModifier);
        QVERIFY(QApplication::clipboard()->text().startsWith("0/0 inference\t"));
    }

    void changesWithTheCapture() {
        Shown s("trace_aot_eager/gpt2_train");
        s.workspace.addCapture(test::captureOf(session::Session{}));
        s.settle();
        QVERIFY(s.panel->message().contains("no compiled graph"));
        QCOMPARE(test::part<RowTable>(*s.panel, "coverage.graphs")->rows().rowCount(), 0);
        s.workspace.goBack();
        s.settle();
        QCOMPARE(test::part<RowTable>(*s.panel, "coverage.graphs")->rows().rowCount(), 2);
        s.workspace.close(1);
        s.workspace.close(0);
        s.settle();
        QVERIFY(!s.panel->message().isEmpty());
    }

    /// A capture that is closed while it is judged.
    void closesWhileJudging() {
        test::Fixture f;
        test::addCapture(f.workspace, test::capture("trace_inductor/gpt2_tiny"));
        const auto panel = f.show<CoveragePanel>();
        f.workspace.close(0);
        f.settle();
        QCOMPARE(test::part<RowTable>(*panel, "coverage.graphs")->rows().rowCount(), 0);
        QVERIFY(!panel->message().isEmpty());
    }
};

QTEST_MAIN(TestCoveragePanel)
#include "tst_coverage_panel.moc"
