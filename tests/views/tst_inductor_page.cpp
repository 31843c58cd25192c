// SPDX-License-Identifier: BSD-3-Clause
//
// The page Inductor on the recording of tests/data/passes: its list, where rows and keys lead, and what it says of a
// node.
#include "core/capture/open.h"
#include "tests/views/panel_test.h"
#include "views/canvas/compare_view.h"
#include "views/canvas/graph_canvas.h"
#include "views/inductor/inductor_page.h"
#include "views/inductor/pass_place.h"
#include "views/inductor/pass_texts.h"
#include "views/inspector/fact_view.h"
#include "views/text/row_table.h"

#include <QAbstractButton>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QTemporaryDir>

using namespace dynascope;
using namespace dynascope::views;

namespace {

session::SessionPtr recorded() {
    const auto session = capture::open(DYNASCOPE_TEST_DATA "/passes");
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}

class Shown {
public:
    Shown() {
        f.workspace.addCapture({session, session::summarizeBreaks(*session)}, true);
        Place place = f.workspace.place();
        place.page = Page::Inductor;
        place.compile = f.compileIndex("0/0");
        f.workspace.go(place);
        page = f.show<InductorPage>(1500, 900);
        page->applyDefaultSizes(1500);
        page->canvases()->setLayoutProgram({});
        settle();
    }
    void settle() { QTRY_VERIFY_WITH_TIMEOUT(f.isCalm() && page->isSettled() && page->row() >= 0, 30000); }
    [[nodiscard]] QString rowText(int row) const {
        QStringList out;
        for (const TableCell& cell : page->table()->rows().rows()[std::size_t(row)])
            out << cell.text.trimmed();
        return out.join(u'|');
    }
    [[nodiscard]] int rowWith(const QString& pass) const {
        for (int row = 0; row < page->table()->rows().rowCount(); ++row)
            if (page->table()->rows().rows()[std::size_t(row)].back().text.trimmed() == pass) return row;
        return -1;
    }
    [[nodiscard]] QString names(Side side) const {
        QStringList out;
        const auto canvases = page->canvases()->findChildren<canvas::GraphCanvas*>();
        for (const auto& item : canvases[side == Side::A ? 0 : 1]->scene()->items)
            out << item.name;
        return out.join(u' ');
    }

    test::Fixture f;
    session::SessionPtr session = recorded();
    std::unique_ptr<InductorPage> page;
};

} // namespace

class TestInductorPage : public QObject {
    Q_OBJECT
private slots:
    void listsPassesByPhase() {
        Shown s;
        QVERIFY2(s.page->message().isEmpty(), qPrintable(s.page->message()));
        QAbstractItemModelTester tester(&s.page->table()->rows(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        QVERIFY(s.rowWith("pre_grad · dynamo") == 0);
        QVERIFY(s.rowWith("post_grad · backward") > s.rowWith("post_grad · forward"));
        const int row = s.rowWith("pass_pattern_0");
        QVERIFY2(s.rowText(row).contains("204 → 169|+13 −48 ~4"), qPrintable(s.rowText(row)));
        // It begins at the first pass that changed something.
        QCOMPARE(s.page->table()->rows().rows()[std::size_t(s.page->table()->selected())].back().text,
                 QStringLiteral("remove_noop_ops"));

        const int folded = s.page->table()->rows().rowCount();
        for (QCheckBox* box : s.page->findChildren<QCheckBox*>())
            if (box->text() == "Fold unchanged") box->click();
        QVERIFY(s.page->table()->rows().rowCount() > folded + 20);
        QLineEdit* filter = s.page->findChild<QLineEdit*>();
        filter->setText("noop");
        for (const TableRow& row : s.page->table()->rows().rows())
            QVERIFY(row.back().text.contains("noop") || row.back().text.contains(u'·'));
        filter->setText("no such pass");
        QCOMPARE(s.page->table()->rows().rowCount(), 0);
    }

    void clickingAPassShowsBothGraphs() {
        Shown s;
        const int row = s.rowWith("pass_pattern_0");
        QTest::mouseClick(s.page->table()->viewport(), Qt::LeftButton, {},
                          s.page->table()->cellRect(row, 0).center());
        s.settle();
        QCOMPARE(s.page->graphs().stage(Side::A).graph->size(), std::size_t(204));
        QCOMPARE(s.page->graphs().stage(Side::B).graph->size(), std::size_t(169));
        QCOMPARE(s.page->graphs().stage(Side::B).stage->name, std::string("joint/pass_pattern_0"));
        // What the pass made stands on B alone, what it removed on A alone.
        QVERIFY2(!s.names(Side::A).contains("permute_default"), qPrintable(s.names(Side::A)));
        QVERIFY2(s.names(Side::B).contains("permute_default"), qPrintable(s.names(Side::B)));
        QVERIFY(s.f.workspace.canGoBack());
        s.f.workspace.goBack();
        s.settle();
        QVERIFY(s.page->graphs().stage(Side::A).graph->size() != 204);
    }

    void keysGoFromChangeToChange() {
        Shown s;
        int seen = 1;
        while (s.page->canRun(StepCommand::Run)) {
            const int before = s.page->row();
            s.page->run(StepCommand::Run);
            s.settle();
            QVERIFY(s.page->row() > before);
            QVERIFY(s.page->graphs().place().stageA != s.page->graphs().place().stageB);
            ++seen;
        }
        QVERIFY2(seen >= 8, qPrintable(QString::number(seen)));
        int back = 1;
        while (s.page->canRun(StepCommand::BackRun)) {
            s.page->run(StepCommand::BackRun);
            s.settle();
            ++back;
        }
        QCOMPARE(back, seen);
        s.page->run(StepCommand::Last);
        s.settle();
        QVERIFY(!s.page->canRun(StepCommand::Over) && !s.page->canRun(StepCommand::Last));
        s.page->run(StepCommand::First);
        s.settle();
        QCOMPARE(s.page->row(), 0);
    }

    void tellsWhoMadeANode() {
        Shown s;
        s.page->table()->setCurrentIndex(s.page->table()->model()->index(s.rowWith("pass_pattern_0"), 0));
        s.settle();
        const ir::GraphPtr graph = s.page->graphs().stage(Side::B).graph;
        s.page->graphs().selectNode({Side::B, graph->find("permute_default")});
        s.settle();
        QStringList titles;
        for (const QAbstractButton* button : s.page->detail()->findChildren<QAbstractButton*>())
            titles << button->text();
        QVERIFY2(titles.join(u'\n').contains("Made and changed by"), qPrintable(titles.join(u'\n')));
        inductor::CompilePasses passes = inductor::passesOf(*s.session, s.session->compiles[0]);
        QVERIFY(inductor::addStages(passes).has_value());
        const auto nodes = passes.recording->nodes(passes.rows[std::size_t(s.page->row())].after);
        const auto made = std::ranges::find(nodes, std::string("permute_default"), &inductor::NodeRef::name);
        QVERIFY(made != nodes.end());
        Facts facts;
        facts.sections = {nodeSection(passes, made->id, "permute_default")};
        const QString said = FactView::plainText(facts);
        QVERIFY2(said.contains("Made") && said.contains("pattern_matcher") && said.contains("joint"),
                 qPrintable(said));
    }

    void patternsSayWhatRefusedThem() {
        Shown s;
        const int inner = s.rowWith("pattern_matcher");
        QVERIFY(inner >= 0);
        // The one within pass_pattern_0.
        s.page->table()->setCurrentIndex(s.page->table()->model()->index(s.rowWith("pass_pattern_0") + 1, 0));
        s.settle();
        QStringList answers;
        for (const TableRow& row : s.page->matches()->rows().rows())
            answers << row.back().text;
        QVERIFY2(answers.contains("refused by its check"), qPrintable(answers.join(u'\n')));
        QVERIFY(std::ranges::any_of(answers,
                                    [](const QString& answer) { return answer.startsWith("replaced by "); }));
    }

    void theSchedulerSaysWhatItFused() {
        Shown s;
        const auto texts = [](const RowTable* table) {
            QString out;
            for (const TableRow& row : table->rows().rows()) {
                for (const TableCell& cell : row)
                    out += cell.text + u'|';
                out += u'\n';
            }
            return out;
        };
        QVERIFY2(
            texts(s.page->kernels()).contains("cpp_fused_native_layer_norm_0|op0 op1 op2 op3 op4|var_mean"),
            qPrintable(texts(s.page->kernels())));
        const QString forward = texts(s.page->fusions());
        QVERIFY2(forward.contains("fusion 1|op22 with op23|128 B|1|"), qPrintable(forward));
        QVERIFY(forward.contains("intermediate nodes between node1 & node2") &&
                forward.contains("Mismatch loop orders"));
        // Of backward at its passes.
        s.page->run(StepCommand::Last);
        s.settle();
        QVERIFY(texts(s.page->fusions()) != forward);
    }

    void otherCapturesSayHowToMakeOne() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        auto page = f.show<InductorPage>(1200, 800);
        QVERIFY2(page->message().contains("capture --passes"), qPrintable(page->message()));
    }

    void writesATable() {
        Shown s;
        QTemporaryDir folder;
        const QString path = folder.filePath("passes.csv");
        QVERIFY(s.page->exportTo(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray text = file.readAll();
        QVERIFY(text.startsWith("number,phase,graph,pass,ms,"));
        QVERIFY(text.contains("\"joint\",\"joint\",\"pass_pattern_0\""));
        QVERIFY(!s.page->exportTo(folder.filePath("no/such/folder.csv")));
    }
};

QTEST_MAIN(TestInductorPage)
#include "tst_inductor_page.moc"
