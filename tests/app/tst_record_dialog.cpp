// SPDX-License-Identifier: BSD-3-Clause
//
// File > Record: what can be filled in, what keeps a program from being recorded, and what is remembered.
#include "app/gui/record_command.h"
#include "app/gui/record_dialog.h"
#include "tests/support/patience.h"
#include "tests/support/record_parts.h"
#include "views/theme/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFile>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;
using namespace dynascope::app;

class TestRecordDialog : public QObject {
    Q_OBJECT

private:
    QTemporaryDir m_folder;

    QString make(const QString& name, bool runs) {
        const QString path = m_folder.filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly)) return {};
        file.write("#!/bin/sh\n");
        file.close();
        if (runs) file.setPermissions(file.permissions() | QFile::ExeOwner | QFile::ExeUser);
        return path;
    }

    void makeTwoPrograms() {
        make("bin/python3", true);
        make("a.py", false);
        make("b.py", false);
        qputenv("PATH", m_folder.filePath("bin").toLocal8Bit());
    }

private slots:
    void findsInterpreters() {
        const QString own = make(".venv/bin/python", true);
        make("venv/bin/python", false); // cannot be run
        const QString onPath = make("bin/python3", true);
        qputenv("PATH", m_folder.filePath("bin").toLocal8Bit());
        qunsetenv("VIRTUAL_ENV");
        qunsetenv("CONDA_PREFIX");
        QCOMPARE(pythonInterpreters(m_folder.path()), (QStringList{own, onPath}));
        qputenv("VIRTUAL_ENV", m_folder.filePath(".venv").toLocal8Bit());
        QCOMPARE(pythonInterpreters({}), (QStringList{own, onPath}));
    }

    void putsThemIntoTheCommand() {
        QCOMPARE(withInterpreter("python3.11 train.py --lr 1", "/v/bin/python"),
                 QString("/v/bin/python train.py --lr 1"));
        QCOMPARE(withInterpreter("train.py", "/v/bin/python"), QString("/v/bin/python train.py"));
        QCOMPARE(withInterpreter("", "/my env/python"), QString("\"/my env/python\""));
        QCOMPARE(withInterpreter("torchrun --nproc-per-node 2 t.py", "/v/bin/python"),
                 QString("/v/bin/python -m torch.distributed.run --nproc-per-node 2 t.py"));
        QCOMPARE(withScript("python a.py --n \"two words\"", "/b c/d.py", {}),
                 QString("python \"/b c/d.py\" --n \"two words\""));
        QCOMPARE(withScript("", "d.py", "/v/bin/python"), QString("/v/bin/python d.py"));
        QCOMPARE(withScript("python -u", "d.py", {}), QString("python d.py -u"));
        const QStringList words{"say \"so\"", "plain"};
        QCOMPARE(QProcess::splitCommand(withScript("python \"say \"\"\"so\"\"\"\" plain", "s.py", {})),
                 (QStringList{"python", "s.py"} + words));
    }

    void saysWhyItCannotRecord() {
        const QString python = make("bin/python3", true);
        make("train.py", false);
        qputenv("PATH", m_folder.filePath("bin").toLocal8Bit());
        ProgramToRecord request{"python3", {"train.py"}, m_folder.path(), m_folder.filePath("out"), {}, {}};
        QCOMPARE(whyNotRecorded(request), QString());
        const auto why = [&](const QString& program, const QStringList& arguments) {
            request.program = program;
            request.arguments = arguments;
            return whyNotRecorded(request);
        };
        QVERIFY(why("", {}).contains("python train.py"));
        QVERIFY(why("train.py", {}).contains("put python before it"));
        QVERIFY(why("pyhton", {"train.py"}).contains("no program pyhton on the PATH"));
        QVERIFY(why("./nothing", {}).contains("no file"));
        QVERIFY(why("python3", {}).contains("Name the script"));
        QVERIFY(why("python3", {"trian.py"}).contains("no script trian.py"));
        QCOMPARE(why(python, {"-c", "pass"}), QString());
        request.outputFolder.clear();
        QVERIFY(whyNotRecorded(request).contains("folder"));
        request.outputFolder = "out";
        request.workingFolder = m_folder.filePath("gone");
        QVERIFY(whyNotRecorded(request).contains("does not exist"));
    }

    void showsItInTheDialog() {
        make("bin/python3", true);
        make("train.py", false);
        qputenv("PATH", m_folder.filePath("bin").toLocal8Bit());
        qunsetenv("VIRTUAL_ENV");
        views::Theme theme;
        RecordDialog dialog(theme);
        dialog.show();
        test::in(dialog).workingFolder()->setText(m_folder.path());
        test::in(dialog).outputFolder()->setText("out");
        QVERIFY(!test::in(dialog).startButton()->isEnabled());
        QVERIFY(test::in(dialog).state().startsWith("Name the program"));
        test::in(dialog).command()->setText("python3 train.py");
        QVERIFY(test::in(dialog).startButton()->isEnabled());
        QCOMPARE(test::in(dialog).state(), QString());
        // The picker lists what there is, and takes it into the command.
        QMenu* menu = test::in(dialog).interpreterButton()->menu();
        QVERIFY(QMetaObject::invokeMethod(menu, "aboutToShow"));
        QVERIFY(menu->actions().size() >= 3);
        for (QAction* action : menu->actions())
            if (action->text().endsWith("bin/python3")) action->trigger();
        QCOMPARE(test::in(dialog).command()->text(), m_folder.filePath("bin/python3") + " train.py");
        for (QPlainTextEdit* field : dialog.findChildren<QPlainTextEdit*>())
            QCOMPARE(field->property("box").toString(), QString("field")); // its frame
    }

    /// A trial fills in what the capture was recorded with, a folder of its own, and the setting.
    void fillsInATrial() {
        makeTwoPrograms();
        views::Theme theme;
        RecordDialog dialog(theme);
        const auto past = [&](const QString& command, const QString& output) {
            return QVariantMap{
                {"command", command}, {"working", m_folder.path()}, {"output", output}, {"variables", ""}};
        };
        dialog.setValues(
            {{"command", "python3 a.py"},
             {"working", m_folder.path()},
             {"output", "outA"},
             {"past", QVariantList{past("python3 a.py", "outA"), past("python3 b.py", "outB")}}});
        QDir(m_folder.path()).mkdir("outB-trial"); // there was one already
        dialog.setTrial(m_folder.filePath("outB"), "capture_scalar_outputs=True", "compared with B");
        QCOMPARE(test::in(dialog).command()->text(), QString("python3 b.py"));
        QCOMPARE(test::in(dialog).outputFolder()->text(), m_folder.filePath("outB-trial-2"));
        QCOMPARE(test::in(dialog).trialNote(), QString("compared with B"));
        QCOMPARE(dialog.values()["output"].toString(), m_folder.filePath("outB")); // what is remembered
        QCOMPARE(dialog.request().settings, QStringList{"capture_scalar_outputs=True"});
        QVERIFY(test::in(dialog).environment()->toPlainText().contains(
            "DYNASCOPE_SETTINGS=capture_scalar_outputs=True"));
        test::in(dialog).settings()->setText(" a=1 ;; b+=print ");
        QCOMPARE(dialog.request().settings, QStringList({"a=1", "b+=print"}));
        QVERIFY(test::in(dialog).environment()->toPlainText().contains("DYNASCOPE_SETTINGS=a=1; b+=print"));
        dialog.endTrial();
        QCOMPARE(test::in(dialog).trialNote(), QString());
        QCOMPARE(test::in(dialog).outputFolder()->text(), m_folder.filePath("outB"));
        QVERIFY(!test::in(dialog).environment()->toPlainText().contains("DYNASCOPE_SETTINGS"));
        // Of a capture that nobody recorded here the last command stays.
        dialog.setTrial("/somewhere/else", {}, "note");
        QCOMPARE(test::in(dialog).command()->text(), QString("python3 b.py"));
        QVERIFY(dialog.request().settings.isEmpty());
    }

    /// Each box is a variable of the program, and is remembered.
    void whatElseIsRecorded_data() {
        QTest::addColumn<QString>("box");
        QTest::addColumn<QString>("variable");
        QTest::newRow("memory") << "record.memory"
                                << "DYNASCOPE_MEMORY=1";
        QTest::newRow("values") << "record.values"
                                << "DYNASCOPE_VALUES=1";
        QTest::newRow("flight recorder") << "record.flight"
                                         << "DYNASCOPE_FLIGHT=1";
        QTest::newRow("passes") << "record.passes"
                                << "DYNASCOPE_PASSES=1";
    }
    void whatElseIsRecorded() {
        QFETCH(QString, box);
        QFETCH(QString, variable);
        views::Theme theme;
        RecordDialog dialog(theme);
        auto* check = dialog.findChild<QCheckBox*>(box);
        QVERIFY(check && !check->isChecked() && !check->toolTip().isEmpty());
        const auto environment = [&] { return test::in(dialog).environment()->toPlainText().split('\n'); };
        QVERIFY(!environment().contains(variable));
        check->click();
        QVERIFY(environment().contains(variable));
        const QVariantMap kept = dialog.values();
        check->click();
        dialog.setValues(kept);
        QVERIFY(check->isChecked());
        check->click();
    }

    void remembersWhatWasRecorded() {
        makeTwoPrograms();
        views::Theme theme;
        RecordDialog dialog(theme);
        test::in(dialog).workingFolder()->setText(m_folder.path());
        for (const char* name : {"a", "b", "a"}) {
            test::in(dialog).command()->setText(QString("python3 %1.py").arg(name));
            test::in(dialog).outputFolder()->setText(QString("out_%1").arg(name));
            QSignalSpy ended(&dialog, &RecordDialog::ended);
            test::in(dialog).startButton()->click();
            QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, test::patience);
        }
        // The program there compiles nothing, and that is said where it would have been opened.
        QVERIFY2(test::in(dialog).state().startsWith("Nothing was recorded"),
                 qPrintable(test::in(dialog).state()));
        RecordDialog next(theme);
        next.setValues(dialog.values());
        QCOMPARE(test::in(next).history()->count(), 2);
        QCOMPARE(test::in(next).history()->itemText(0), QString("python3 a.py"));
        emit test::in(next).history()->activated(1);
        QCOMPARE(test::in(next).command()->text(), QString("python3 b.py"));
        QCOMPARE(test::in(next).outputFolder()->text(), QString("out_b"));
    }
};

QTEST_MAIN(TestRecordDialog)
#include "tst_record_dialog.moc"
