// SPDX-License-Identifier: BSD-3-Clause
//
// A pasted graph that lacks what it takes to run: the form for its inputs. With the real engine.
#include "app/gui/action_registry.h"
#include "app/gui/main_window.h"
#include "core/capture/open.h"
#include "tests/support/programs.h"
#include "views/engine/functionalize_page.h"
#include "views/engine/inputs_dialog.h"
#include "views/engine/passes.h"

#include <QLineEdit>
#include <QPushButton>
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
            return QTest::qWaitFor([this] { return window.isSettled() && !window.engine().isBusy(); }, 60000);
        }
        [[nodiscard]] InputsDialog* dialog() { return window.findChild<InputsDialog*>(); }
    };

    /// Types into the cell that is current, and ends with a key.
    static void type(InputsDialog& dialog, const char* text, Qt::Key then) {
        QTest::keyClick(dialog.table()->viewport(), text[0]); // opens the editor
        auto* editor = dialog.table()->findChild<QLineEdit*>();
        if (!editor) return;
        QTest::keyClicks(editor, text + 1);
        QTest::keyClick(editor, then);
    }

private slots:
    void opensWhereSomethingIsMissing() {
        Opened w;
        QVERIFY(QTest::qWaitForWindowExposed(&w.window));
        w.workspace.openText(QString::fromLatin1(bareGraph), "pasted text");
        QVERIFY(w.settles());
        QTest::keyClick(&w.window, Qt::Key_3, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(w.dialog(), 60000);
        InputsDialog& form = *w.dialog();
        QVERIFY(!form.acceptButton()->isEnabled());
        QCOMPARE(form.state(), QString("input 'x_1' has no dtype"));
        QCOMPARE(form.table()->currentRow(), 0);
        QCOMPARE(form.table()->currentColumn(), int(InputsDialog::Dtype));
        type(form, "f32", Qt::Key_Tab);
        QCOMPARE(form.state(), QString("input 'x_1' has no shape"));
        form.reject();
    }

    /// Somebody who does not fill it in is told what is missing, and can ask for it again.
    void theFormIsNoDeadEnd() {
        Opened w;
        w.workspace.openText(QString::fromLatin1(bareGraph), "pasted text");
        QVERIFY(w.settles());
        w.window.actionRegistry().trigger("go.functionalize");
        QTRY_VERIFY_WITH_TIMEOUT(w.dialog(), 60000);
        w.dialog()->reject();
        QTRY_VERIFY(!w.dialog());
        auto* page = w.window.findChild<FunctionalizePage*>();
        QCOMPARE(page->message(), QString("This graph cannot be run as it is: input 'x_1' has no dtype."));
        for (auto* button : page->findChildren<QPushButton*>())
            if (button->text() == "Give inputs...") button->click();
        QTRY_VERIFY(w.dialog());
        w.dialog()->reject();
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
            passes->restoreInputs(**session, nlohmann::json::parse(text));
        QVERIFY(passes->inputsToSave(**session).is_null());
    }
};

QTEST_MAIN(TestInputsWindow)
#include "tst_inputs_window.moc"
