// SPDX-License-Identifier: BSD-3-Clause
//
// A pasted graph that lacks what it takes to run: the form for its inputs. With the real engine.
#include "app/gui/action_registry.h"
#include "app/gui/engine_actions.h"
#include "app/gui/main_window.h"
#include "core/capture/open.h"
#include "tests/support/parts.h"
#include "tests/support/patience.h"
#include "tests/support/programs.h"
#include "views/engine/inputs_dialog.h"
#include "views/engine/passes.h"
#include "views/functionalize/functionalize_page.h"
#include "views/functionalize/scorecard_view.h"
#include "views/functionalize/stepper.h"

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTableWidget>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

namespace {

/// The plainest example of functionalization there is, as str(gm.graph) prints it.
constexpr const char* bareGraph = R"(graph():
    %x_1 : [num_users=1] = placeholder[target=x_1]
    %_tensor_constant0 : [num_users=1] = get_attr[target=_tensor_constant0]
    %lift_fresh_copy : [num_users=1] = call_function[target=torch.ops.aten.lift_fresh_copy.default](args = (%_tensor_constant0,), kwargs = {})
    %add_ : [num_users=1] = call_function[target=torch.ops.aten.add_.Tensor](args = (%lift_fresh_copy, %x_1), kwargs = {})
    return add_)";

/// What is still missing, or what the rest is made of.
QString stateOf(const InputsDialog& dialog) {
    return test::part<QLabel>(dialog, "inputs.state")->text();
}

} // namespace

class TestInputsWindow : public QObject {
    Q_OBJECT

    struct Opened {
        Theme theme;
        Settings settings{QString()};
        TaskRunner tasks;
        Workspace workspace{tasks};
        MainWindow window{workspace, theme, settings, nullptr, {test::engineProgram()}};

        Opened() {
            settings.setOpensOnAnswers(false);
            window.resize(1280, 800);
            window.show();
        }
        [[nodiscard]] bool settles() {
            return QTest::qWaitFor(
                [this] { return window.isSettled() && !window.engineActions().engine().isBusy(); },
                test::patience);
        }
        [[nodiscard]] InputsDialog* dialog() { return window.findChild<InputsDialog*>(); }
    };

    /// Types into the cell that is current, and ends with a key.
    static void type(InputsDialog& dialog, const char* text, Qt::Key then) {
        // The editor before closes, and then goes.
        QCoreApplication::processEvents();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QTest::keyClick(test::part<QTableWidget>(dialog, "inputs.table")->viewport(),
                        text[0]); // opens the editor
        auto* editor = test::part<QTableWidget>(dialog, "inputs.table")->findChild<QLineEdit*>();
        if (!editor) return;
        QTest::keyClicks(editor, text + 1);
        QTest::keyClick(editor, then);
    }

private slots:
    /// A storage of a thousand cells is shown through a window, which goes to where the write is.
    void largeStoragesHaveAWindowOfCells() {
        Opened w;
        w.window.resize(1600, 1000);
        w.workspace.openText(QStringLiteral("class GraphModule(torch.nn.Module):\n"
                                            "    def forward(self, x: \"f32[1000]\"):\n"
                                            "        part = torch.ops.aten.slice.Tensor(x, 0, 900, 910)\n"
                                            "        add_ = torch.ops.aten.add_.Tensor(part, 1)\n"
                                            "        neg = torch.ops.aten.neg.default(x)\n"
                                            "        return (neg,)\n"),
                             "pasted text");
        QVERIFY(w.settles());
        w.window.actionRegistry().trigger("go.functionalize");
        QVERIFY(QTest::qWaitFor([&] { return w.window.engineActions().stepper().recording() != nullptr; },
                                60000));
        QVERIFY(w.settles());
        auto* card = w.window.findChild<ScorecardView*>();
        QVERIFY(card && card->isVisible());
        Stepper& stepper = w.window.engineActions().stepper();
        stepper.first();
        QCOMPARE(stepper.scoreboard().storages.front().cells.size(), std::size_t(1000));
        const int number = stepper.scoreboard().storages.front().group;
        card->horizontalScrollBar()->setValue(0);
        QVERIFY(!card->cellRect(number, 0).isEmpty());
        QVERIFY(card->cellRect(number, 905).isEmpty());
        QVERIFY(card->horizontalScrollBar()->maximum() > 900);
        QVERIFY(stepper.stepWrite(1));
        const QRect written = card->cellRect(number, 905);
        QVERIFY(card->viewport()->rect().contains(written));
        QVERIFY(card->toolTipAt(written.center()).startsWith(QStringLiteral("Cell 905 of storage")));
        QVERIFY2(card->plainText().contains("[905] ") && card->plainText().size() < 2000,
                 qPrintable(card->plainText()));
        card->horizontalScrollBar()->setValue(0);
        QVERIFY(!card->cellRect(number, 0).isEmpty());
        card->setFocus();
        QTest::keyClick(card, Qt::Key_Right);
        QVERIFY(card->cellRect(number, 0).isEmpty());
        const QImage at = card->grab().toImage();
        QTest::keyClick(card, Qt::Key_Left);
        QVERIFY(card->grab().toImage() != at);
    }

    void opensWhereSomethingIsMissing() {
        Opened w;
        QVERIFY(QTest::qWaitForWindowExposed(&w.window));
        w.workspace.openText(QString::fromLatin1(bareGraph), "pasted text");
        QVERIFY(w.settles());
        QTest::keyClick(&w.window, Qt::Key_3, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(w.dialog(), test::patience);
        InputsDialog& form = *w.dialog();
        QVERIFY(!test::part<QPushButton>(form, "inputs.accept")->isEnabled());
        QCOMPARE(stateOf(form), QString("input 'x_1' has no dtype"));
        QCOMPARE(test::part<QTableWidget>(form, "inputs.table")->currentRow(), 0);
        QCOMPARE(test::part<QTableWidget>(form, "inputs.table")->currentColumn(), int(InputsDialog::Dtype));
        type(form, "f32", Qt::Key_Tab);
        QCOMPARE(stateOf(form), QString("input 'x_1' has no shape"));
        form.reject();
    }

    /// Somebody who does not fill it in is told what is missing, and can ask for it again.
    void theFormIsNoDeadEnd() {
        Opened w;
        w.workspace.openText(QString::fromLatin1(bareGraph), "pasted text");
        QVERIFY(w.settles());
        w.window.actionRegistry().trigger("go.functionalize");
        QTRY_VERIFY_WITH_TIMEOUT(w.dialog(), test::patience);
        w.dialog()->reject();
        QTRY_VERIFY(!w.dialog());
        auto* page = w.window.findChild<FunctionalizePage*>();
        QCOMPARE(page->message(), QString("This graph cannot be run as it is: input 'x_1' has no dtype."));
        for (auto* button : page->findChildren<QPushButton*>())
            if (button->text() == "Give inputs...") button->click();
        QTRY_VERIFY(w.dialog());
        w.dialog()->reject();
    }

    /// What is wrong is said of the input or constant that has it, and nothing runs until it is right.
    void wrongAnswersAreNamed() {
        Theme theme;
        engine::InputRow input, constant;
        input.name = "x_1";
        constant.name = "_tensor_constant0";
        constant.constant = true;
        InputsDialog form(theme, "Inputs", {input, constant}, "Run");
        const auto enter = [&form](int row, int column, const char* text) {
            test::part<QTableWidget>(form, "inputs.table")->item(row, column)->setText(text);
        };
        enter(0, InputsDialog::Dtype, "f33");
        QCOMPARE(stateOf(form), QString("input 'x_1' has the unknown dtype 'f33'"));
        enter(0, InputsDialog::Dtype, "f32");
        enter(0, InputsDialog::Shape, "2, x");
        QCOMPARE(stateOf(form), QString("input 'x_1' has the shape '2, x', which is not made of numbers"));
        enter(0, InputsDialog::Shape, "-2");
        QVERIFY2(stateOf(form).contains("which is not made of numbers"), qPrintable(stateOf(form)));
        enter(0, InputsDialog::Shape, "2");
        QCOMPARE(stateOf(form), QString("constant '_tensor_constant0' has no dtype"));
        enter(1, InputsDialog::Dtype, "int64");
        enter(1, InputsDialog::Shape, "2");
        enter(1, InputsDialog::Values, "1 2 3");
        QCOMPARE(stateOf(form), QString("constant '_tensor_constant0' has 3 values for 2 elements"));
        enter(1, InputsDialog::Values, "1 2.5");
        QCOMPARE(stateOf(form),
                 QString("constant '_tensor_constant0' has the value '2.5', which is no integer"));
        QVERIFY(!test::part<QPushButton>(form, "inputs.accept")->isEnabled());
        enter(1, InputsDialog::Values, "1 2");
        QVERIFY2(test::part<QPushButton>(form, "inputs.accept")->isEnabled(), qPrintable(stateOf(form)));
        QVERIFY(!(test::part<QTableWidget>(form, "inputs.table")->item(1, InputsDialog::Strides)->flags() &
                  Qt::ItemIsEditable));
    }

    void changesAreTakenBack() {
        Theme theme;
        engine::InputRow row;
        row.name = "x";
        InputsDialog form(theme, "Inputs", {row}, "Run");
        form.show();
        QVERIFY(QTest::qWaitForWindowExposed(&form));
        form.activateWindow();
        const auto text = [&form](int column) {
            return test::part<QTableWidget>(form, "inputs.table")->item(0, column)->text();
        };
        test::part<QTableWidget>(form, "inputs.table")->item(0, InputsDialog::Dtype)->setText("f32");
        test::part<QTableWidget>(form, "inputs.table")->item(0, InputsDialog::Shape)->setText("4");
        QVERIFY(test::part<QPushButton>(form, "inputs.accept")->isEnabled());
        QTest::keyClick(&form, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(text(InputsDialog::Shape), QString());
        QCOMPARE(stateOf(form), QString("input 'x' has no shape"));
        QCOMPARE(test::part<QTableWidget>(form, "inputs.table")->currentColumn(), int(InputsDialog::Shape));
        QTest::keyClick(&form, Qt::Key_Z, Qt::ControlModifier);
        QTest::keyClick(&form, Qt::Key_Z, Qt::ControlModifier); // there is no more
        QCOMPARE(text(InputsDialog::Dtype), QString());
        QTest::keyClick(&form, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(text(InputsDialog::Dtype), QString("f32"));
        QCOMPARE(form.rows().front().dtype, std::string("float32"));
        // Another change ends what could be made again.
        test::part<QTableWidget>(form, "inputs.table")->item(0, InputsDialog::Shape)->setText("2, 3");
        QTest::keyClick(&form, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(form.rows().front().shape, std::string("2, 3"));
    }

    /// From the pasted text to the functional graph without the mouse; and what was typed, as JSON, is enough
    /// for another window.
    void keysAlone() {
        std::string saved;
        {
            Opened w;
            QVERIFY(QTest::qWaitForWindowExposed(&w.window));
            w.workspace.openText(QString::fromLatin1(bareGraph), "pasted text");
            QVERIFY(w.settles());
            QTest::keyClick(&w.window, Qt::Key_3, Qt::ControlModifier);
            QTRY_VERIFY_WITH_TIMEOUT(w.dialog(), test::patience);
            InputsDialog& form = *w.dialog();
            type(form, "f32", Qt::Key_Return);
            QTest::keyClick(test::part<QTableWidget>(form, "inputs.table"), Qt::Key_Right);
            type(form, "2", Qt::Key_Return);
            QTest::keyClick(test::part<QTableWidget>(form, "inputs.table"), Qt::Key_Down);
            type(form, "2", Qt::Key_Return);
            QTest::keyClick(test::part<QTableWidget>(form, "inputs.table"), Qt::Key_Left);
            type(form, "float32", Qt::Key_Return);
            QTest::keyClick(test::part<QTableWidget>(form, "inputs.table"), Qt::Key_End);
            QCOMPARE(test::part<QTableWidget>(form, "inputs.table")->currentColumn(),
                     int(InputsDialog::Values));
            type(form, "1.5 -2", Qt::Key_Return);
            QVERIFY2(test::part<QPushButton>(form, "inputs.accept")->isEnabled(), qPrintable(stateOf(form)));
            QCoreApplication::processEvents(); // the last editor closes
            QTest::keyClick(test::part<QTableWidget>(form, "inputs.table"), Qt::Key_Return);
            QTRY_VERIFY(!w.dialog());
            QVERIFY(w.settles());
            QTRY_COMPARE(w.workspace.stageCount(), 2);
            saved = engine::formsText(w.window.findChild<Passes*>()->inputsToSave(*w.workspace.session()));
        }
        const std::vector<engine::SavedForm> forms = engine::readForms(saved);
        QCOMPARE(forms.size(), std::size_t(1));
        QCOMPARE(forms.front().rows.at(0).dtype, std::string("float32"));
        QCOMPARE(forms.front().rows.at(1).values, std::string("1.5 -2"));
        Opened other;
        other.workspace.openText(QString::fromLatin1(bareGraph), "pasted text");
        QVERIFY(other.settles());
        auto* passes = other.window.findChild<Passes*>();
        passes->restoreInputs(*other.workspace.session(), forms);
        QVERIFY(passes->inputsToSave(*other.workspace.session()) == forms);
        other.window.actionRegistry().trigger("go.functionalize");
        QVERIFY(other.settles());
        QTRY_COMPARE(other.workspace.stageCount(), 2);
        QVERIFY(!other.dialog());
    }

    /// What the text has is filled in, and strangers' files say what they like.
    void filledInAsFarAsTheTextGoes() {
        const auto session = capture::openText(
            "class GraphModule(torch.nn.Module):\n    def forward(self, x: \"f32[2, s0][1, 2]cpu\", n: "
            "\"Sym(s0)\"):\n"
            "        neg: \"f32[2, s0][1, 2]cpu\" = torch.ops.aten.neg.default(x)\n        return (neg, n)\n",
            "g");
        QVERIFY(session);
        const auto graph = (*session)->compiles.front().stages.front()->graph();
        QVERIFY(graph);
        const auto rows = engine::inputForm(**graph, nullptr);
        QCOMPARE(rows[0].dtype, std::string("float32"));
        QCOMPARE(rows[0].shape, std::string("[2, s0]"));
        QCOMPARE(rows[0].stride, std::string("[1, 2]"));
        QCOMPARE(rows[1].dtype, std::string("int"));
        QCOMPARE(engine::lackOf(rows[1]), std::string("has no value"));
        Opened w;
        Passes* passes = w.window.findChild<Passes*>();
        for (const char* text :
             {"7", "[7]", R"([{"compile":0,"stage":0,"rows":7}])", R"([{"compile":9,"stage":0,"rows":[]}])",
              R"([{"compile":0,"stage":0,"rows":[]}])",
              R"([{"compile":0,"stage":0,"rows":[{"name":"x","shape":"-1"}]}])"})
            passes->restoreInputs(**session, engine::readForms(text));
        QVERIFY(passes->inputsToSave(**session).empty());
    }
};

QTEST_MAIN(TestInputsWindow)
#include "tst_inputs_window.moc"
