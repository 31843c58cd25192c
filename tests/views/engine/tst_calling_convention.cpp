// SPDX-License-Identifier: BSD-3-Clause
//
// The calling convention of a functionalized graph in both forms, and the breaks that force its write-backs.
#include "core/ir/text.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "tests/views/engine/engine_fixture.h"
#include "views/functionalize/calling_convention_panel.h"
#include "views/functionalize/functionalize_page.h"
#include "views/functionalize/step_panel.h"
#include "views/workspace/break_place.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QLabel>
#include <QTabWidget>
#include <QToolButton>
#include <QTreeView>

using namespace dynascope;
using namespace dynascope::test;
using namespace dynascope::computed;
using namespace dynascope::views;

namespace {

using Model = CallingConventionModel;

nlohmann::json replies() {
    QFile file(QStringLiteral(DYNASCOPE_TEST_DATA "/engine/write_before_break.json"));
    if (!file.open(QIODevice::ReadOnly)) qFatal("no fixture");
    return nlohmann::json::parse(file.readAll().toStdString());
}

QString rowText(const QAbstractItemModel& model, int section, int row) {
    const QModelIndex parent = model.index(section, 0);
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column)
        cells << model.index(row, column, parent).data().toString();
    return cells.join(u'|');
}

} // namespace

class TestCallingConvention : public QObject {
    Q_OBJECT

    struct Shown : EngineFixture {
        FunctionalizePage page{workspace, passes, stepper, theme};
        Shown()
            : EngineFixture("", "write_before_break") {
            Place place = workspace.place();
            place.page = Page::Functionalize;
            workspace.go(place);
            page.resize(1500, 900);
            page.applyDefaultSizes(1600);
            page.lowerTabs().setCurrentWidget(&page.convention());
            page.show();
            functionalize();
            QCoreApplication::processEvents();
        }
    };

private slots:
    void writesAtTheEndOfTheGraph() {
        Shown s;
        Model& model = s.page.convention().model();
        const QAbstractItemModelTester tester(&model);
        QCOMPARE(model.index(Model::Arguments, 0).data().toString(),
                 QStringLiteral("2 outer arguments, 1 written"));
        QCOMPARE(
            rowText(model, Model::Arguments, 0),
            QStringLiteral("0|l_x_|f32[3, 4]|written|48 B written back, before the break at cap.py:6: 1/0 "
                           "reads it as L['x']"));
        QCOMPARE(rowText(model, Model::Arguments, 1), QStringLiteral("1|l_w_|f32[3, 4]|read|"));
        QCOMPARE(rowText(model, Model::Outputs, 0),
                 QStringLiteral("0|add|f32[3, 4]|user result 0|memory of its own"));
        QCOMPARE(model.rowCount(model.index(Model::Outputs, 0)), 1);
        QCOMPARE(model.index(Model::Epilogue, 0).data().toString(),
                 QStringLiteral("1 epilogue step, in the graph before it returns"));
        QCOMPARE(
            rowText(model, Model::Epilogue, 0),
            QStringLiteral("1|l_x_.copy_(mul)|48 B|new values|before the break at cap.py:6: 1/0 reads it "
                           "as L['x']"));
        QVERIFY(test::part<QLabel>(s.page, "calling.note")->text().contains(QStringLiteral("at the end")));
        QVERIFY(model.index(0, Model::Why, model.index(Model::Epilogue, 0))
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("Builtin print")));
    }

    void writesByTheCaller() {
        Shown s;
        Model& model = s.page.convention().model();
        const QAbstractItemModelTester tester(&model);
        const int stages = s.workspace.stageCount();
        auto* caller = s.page.convention().findChild<QToolButton*>(QStringLiteral("conventionCaller"));
        QVERIFY(caller && !caller->isChecked());
        QTest::mouseClick(caller, Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(s.stepper.mode().callerWritesBack, test::patience);
        QTRY_VERIFY(model.convention().callerWritesBack);
        QCOMPARE(s.workspace.stageCount(), stages + 1); // both stay
        QCOMPARE(s.stepper.stage()->stage->detail, std::string("caller writes back"));
        QCOMPARE(model.index(Model::Outputs, 0).data().toString(),
                 QStringLiteral("2 outputs of the graph: new values of inputs first, then 1 for the user"));
        QCOMPARE(rowText(model, Model::Outputs, 0),
                 QStringLiteral("0|mul|f32[3, 4]|new value of l_x_|the user never sees it"));
        QCOMPARE(rowText(model, Model::Outputs, 1),
                 QStringLiteral("1|add|f32[3, 4]|user result 0|memory of its own"));
        QCOMPARE(rowText(model, Model::Epilogue, 0).section(u'|', 0, 2),
                 QStringLiteral("1|l_x_.copy_(output 0)|48 B"));
        QCOMPARE(model.index(Model::Epilogue, 0).data().toString(),
                 QStringLiteral("1 epilogue step, by the caller after the graph"));
        QVERIFY(
            test::part<QLabel>(s.page, "calling.note")->text().contains(QStringLiteral("no write at all")));
        // Back: that form is known, so no engine is asked.
        auto* graph = s.page.convention().findChild<QToolButton*>(QStringLiteral("conventionGraph"));
        QTest::mouseClick(graph, Qt::LeftButton);
        QVERIFY(!s.stepper.mode().callerWritesBack);
        QCOMPARE(s.workspace.stageCount(), stages + 1);
    }

    void aClickLeadsToTheBreak() {
        Shown s;
        Model& model = s.page.convention().model();
        QTreeView& tree = *test::part<QTreeView>(s.page.convention(), "calling.tree");
        const QModelIndex written = model.index(Model::Arguments, 0);
        const QModelIndex read = model.index(1, Model::Why, written);
        QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(read).center());
        QCOMPARE(s.workspace.place().page, Page::Functionalize);
        // Enter on a row selects its node.
        tree.setCurrentIndex(model.index(0, 0, model.index(Model::Outputs, 0)));
        tree.setFocus();
        QTest::keyClick(&tree, Qt::Key_Return);
        QCOMPARE(s.workspace.selectedNode()->name, std::string("add"));
        const QModelIndex why = model.index(0, Model::Why, written);
        QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(why).center());
        QCOMPARE(s.workspace.place().page, Page::Breaks);
        QCOMPARE(breakGroup(s.workspace.place()), 0);
    }

    void theStepSaysItToo() {
        Shown s;
        s.stepper.last();
        const QString end = test::part<StepPanel>(s.page)->plainText();
        QVERIFY2(end.contains(QStringLiteral("Write-backs")), qPrintable(end));
        QVERIFY2(end.contains(QStringLiteral("48 B by copy_, before the break at cap.py:6")),
                 qPrintable(end));
        QVERIFY2(end.contains(QStringLiteral("1/0 reads it as L['x']")), qPrintable(end));
        s.stepper.first();
        QVERIFY(s.stepper.stepWrite(1)); // the commit of mul_
        QVERIFY2(test::part<StepPanel>(s.page)->plainText().contains(QStringLiteral("Written back")),
                 qPrintable(test::part<StepPanel>(s.page)->plainText()));
    }

    void kindsOfMutationAndMemory() {
        // Geometry, aliases of inputs and of outputs, an input returned as it is.
        const auto source = *ir::readGraph("class m(torch.nn.Module):\n    def forward(self, x, y):\n"
                                           "        v = torch.ops.aten.view.default(x, [4])\n"
                                           "        p = torch.ops.aten.add.Tensor(y, 1)\n"
                                           "        q = torch.ops.aten.view.default(p, [4])\n"
                                           "        return (v, x, p, q, None)\n");
        FunctionalRun run;
        run.source = source;
        run.graph = source;
        const auto step = [&](const std::string& value, int group) {
            OpStep made;
            made.source = value;
            ScoreRow row;
            row.value = value;
            row.storage = group;
            row.shape = {4};
            made.rows.push_back(row);
            run.steps.push_back(made);
        };
        step("x", 0);
        step("y", 1);
        step("v", 0);
        step("p", 2);
        step("q", 2);
        run.steps.emplace_back();
        run.steps.back().source = "output";
        run.writeBacks = {{"x", 0, {"as_strided_"}, {}, -1}, {"y", 16, {"resize_", "copy_"}, {}, -1}};
        const CallingConvention c = callingConvention(FunctionalRecording(run), {});
        using Memory = ConventionOutput::Memory;
        QVERIFY(c.arguments.at(0).mutation == OuterArgument::Mutation::Geometry);
        QVERIFY(c.arguments.at(1).mutation == OuterArgument::Mutation::DataAndGeometry);
        QVERIFY(!c.arguments.at(0).forcedBy);
        QCOMPARE(c.epilogue.size(), std::size_t{3});
        QCOMPARE(c.epilogue.at(2).bytes, std::uint64_t{16});
        QCOMPARE(c.outputs.size(), std::size_t{5});
        QVERIFY(c.outputs.at(0).memory == Memory::AliasOfInput);
        QCOMPARE(c.outputs.at(0).with, std::string("x"));
        QVERIFY(c.outputs.at(1).memory == Memory::IsInput);
        QVERIFY(c.outputs.at(2).memory == Memory::Own);
        QVERIFY(c.outputs.at(3).memory == Memory::SameAsOutput);
        QCOMPARE(c.outputs.at(3).with, std::string("p"));
        QVERIFY(c.outputs.at(4).memory == Memory::Unknown);
        QCOMPARE(c.outputs.at(4).node, std::string("None"));
        QCOMPARE(c.outputs.at(0).type, std::string("[4]"));
        Model model;
        const QAbstractItemModelTester tester(&model);
        model.setConvention(c);
        QCOMPARE(rowText(model, Model::Outputs, 1),
                 QStringLiteral("1|x|[4]|user result 1|in eager input x itself"));
        model.setConvention({});
        QCOMPARE(model.rowCount(model.index(Model::Epilogue, 0)), 0);
    }

    /// Two inputs in one storage: its new content goes there once, through the first of them.
    void sharedMemory() {
        const auto source =
            *ir::readGraph("graph():\n    %a : [num_users=1] = placeholder[target=a]\n"
                           "    %b : [num_users=1] = placeholder[target=b]\n    return (a, b)");
        FunctionalRun run;
        run.source = run.graph = source;
        for (const char* name : {"a", "b", "output"}) {
            run.steps.emplace_back();
            run.steps.back().source = name;
        }
        InputWriteBack back{"a", 20, {"copy_"}, {}, -1};
        back.wholeStorage = true;
        back.sharedWith = {"b"};
        run.writeBacks = {back};
        Model model;
        model.setConvention(callingConvention(FunctionalRecording(run), {}));
        QVERIFY2(rowText(model, Model::Arguments, 0).contains("its memory is written"),
                 qPrintable(rowText(model, Model::Arguments, 0)));
        QVERIFY2(rowText(model, Model::Arguments, 1)
                     .contains("shares memory with a|lies in the memory of a, which is written back"),
                 qPrintable(rowText(model, Model::Arguments, 1)));
        QVERIFY2(rowText(model, Model::Epilogue, 0).contains("storage of a.copy_("),
                 qPrintable(rowText(model, Model::Epilogue, 0)));
        QVERIFY(rowText(model, Model::Epilogue, 0).contains("new values of the memory that b has too"));
    }

    void oddWriteBacks() {
        auto whole = wire::decode<wire::PassReply>(replies()["functionalize/mutations/caller"],
                                                   wire::Missing::NotSaid);
        QVERIFY2(whole, whole ? "" : whole.error().message.c_str());
        const auto source = *ir::readGraph("graph():\n    %l_x_ : [num_users=1] = placeholder[target=L_x_]\n"
                                           "    return l_x_");
        wire::WriteBack gone, nowhere;
        gone.input = "gone";
        gone.how = {"copy_"};
        gone.output = 99;
        nowhere.input = "l_x_";
        nowhere.nodes = {"nowhere"};
        using Backs = std::vector<wire::WriteBack>;
        for (const Backs& backs : {Backs{}, Backs{{}}, Backs{gone}, Backs{nowhere}}) {
            whole->passes.at(0).functionalize->writeBacks = backs;
            const FunctionalRecording recording(functionalRun(*whole, source));
            const CallingConvention c = callingConvention(recording, {});
            QCOMPARE(c.arguments.size(), std::size_t{1});
        }
    }
};

QTEST_MAIN(TestCallingConvention)
#include "tst_calling_convention.moc"
