// SPDX-License-Identifier: BSD-3-Clause
//
// Recording from the window, steps by its actions, and its end of live mode, with a program that is a socket
// of this test.
#include "app/gui/action_registry.h"
#include "app/gui/record_dialog.h"
#include "tests/support/dynamo_parts.h"
#include "tests/support/key_conflicts.h"
#include "tests/support/open_window.h"
#include "tests/support/patience.h"
#include "tests/support/record_parts.h"
#include "tests/support/recordings.h"
#include "tests/views/panel_test.h"
#include "views/dynamo/breakpoints_model.h"
#include "views/dynamo/breakpoints_view.h"
#include "views/dynamo/dynamo_page.h"
#include "views/dynamo/live_bar.h"
#include "views/dynamo/live_session.h"

#include <QCheckBox>
#include <QFile>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

namespace {

/// Speaks as the recorder does (docs/live-protocol.md).
class Program {
public:
    explicit Program(const QString& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const QByteArray name = path.toLocal8Bit();
        std::memcpy(address.sun_path, name.constData(), std::size_t(name.size()));
        m_socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        if (::connect(m_socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) != 0)
            qFatal("connect");
    }
    ~Program() { hangUp(); }
    void hangUp() {
        if (m_socket >= 0) ::close(std::exchange(m_socket, -1));
    }
    void say(const QByteArray& line) {
        const QByteArray whole = line + '\n';
        QCOMPARE(::send(m_socket, whole.constData(), std::size_t(whole.size()), 0), ssize_t(whole.size()));
    }
    /// What it was told since the last time; waits until there is something.
    QStringList told() {
        QByteArray out;
        const auto read = [&] {
            QCoreApplication::processEvents();
            char bytes[4096];
            const ssize_t count = ::recv(m_socket, bytes, sizeof(bytes), 0);
            if (count > 0) out.append(bytes, count);
            return !out.isEmpty();
        };
        if (!QTest::qWaitFor(read, test::patience)) return {};
        return QString::fromUtf8(out).trimmed().split(u'\n');
    }

private:
    int m_socket = -1;
};

} // namespace

class TestDynamoWindow : public QObject, private test::OpenWindow {
    Q_OBJECT

    QTemporaryDir m_folder;

    /// A shell that does what a recorded Python would leave behind.
    RecordDialog& dialogFor(const QString& script) {
        window().actionRegistry().trigger("file.record");
        RecordDialog& dialog = *test::part<RecordDialog>(window());
        test::in(dialog).command()->setText(QStringLiteral("/bin/sh -c \"%1\"").arg(script));
        test::in(dialog).workingFolder()->setText(m_folder.path());
        test::in(dialog).outputFolder()->setText("out");
        return dialog;
    }
    void writeFile(const QString& path, const std::string& bytes) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(bytes.data(), qint64(bytes.size())), qint64(bytes.size()));
    }
    void writeRecording(const QString& path) {
        writeFile(path, test::oracleRecordings().at("gb13_break_in_callee"));
    }

private slots:
    void init() { QVERIFY(show()); }
    void cleanup() { close(); }

    void recordsAndOpens() {
        writeRecording(m_folder.filePath("made.dsteps"));
        RecordDialog& dialog = dialogFor("echo printed; echo $TORCH_TRACE; echo $MORE; cp made.dsteps "
                                         "$DYNASCOPE_CAPTURE/dynamo_steps_1.dsteps");
        QVERIFY(dialog.isVisible());
        test::in(dialog).variables()->setPlainText("MORE=and more");
        QVERIFY2(test::in(dialog).environment()->toPlainText().contains("MORE=and more"),
                 qPrintable(test::in(dialog).environment()->toPlainText()));
        QVERIFY(test::in(dialog).environment()->toPlainText().contains("DYNASCOPE_CAPTURE=" +
                                                                       m_folder.filePath("out")));
        QTest::mouseClick(test::in(dialog).startButton(), Qt::LeftButton);
        QVERIFY(test::in(dialog).cancelButton()->isEnabled());
        QTRY_VERIFY(!dialog.run().isRunning());
        QTRY_VERIFY(workspace().capture());
        QCOMPARE(workspace().place().page, Page::Dynamo);
        QVERIFY(settles());
        const QString printed = test::in(dialog).printed()->toPlainText();
        QVERIFY2(printed.contains("printed\n" + m_folder.filePath("out") + "\nand more"),
                 qPrintable(printed));
        QVERIFY2(test::in(dialog).state().startsWith("Done. "), qPrintable(test::in(dialog).state()));
        QVERIFY(test::in(dialog).state().contains("1 recording"));
        dialog.hide();

        // The actions that step, as on other pages.
        const auto act = [this](const char* id) { window().actionRegistry().trigger(QLatin1String(id)); };
        DynamoPage& page = window().page<DynamoPage>();
        QTRY_VERIFY(page.canStep());
        QCOMPARE(window().actionRegistry().find("step.opForward")->text(), QString("Step over"));
        act("step.first");
        QCOMPARE(page.step(), dynamo::StepIndex(0));
        QVERIFY(!window().actionRegistry().find("step.opBack")->isEnabled());
        act("step.forward");
        act("step.opForward");
        QVERIFY(page.step() > 1);
        act("step.opBack");
        QCOMPARE(page.step(), dynamo::StepIndex(1));
        act("step.nextWrite");
        QVERIFY(page.recording()->steps()[page.step()].has(dynamo::Happening::GraphBreak));
        act("go.back");
        QCOMPARE(page.step(), dynamo::StepIndex(1));
        QVERIFY2(test::keyConflicts(window().actionRegistry()).isEmpty(),
                 qPrintable(test::keyConflicts(window().actionRegistry()).join(u'\n')));
    }

    void keepsWhatWasFilledIn() {
        {
            RecordDialog& dialog = dialogFor("exit 3");
            QTest::mouseClick(test::in(dialog).startButton(), Qt::LeftButton);
            QTRY_VERIFY(!dialog.run().isRunning());
            QVERIFY2(test::in(dialog).state().contains("ended with status 3"),
                     qPrintable(test::in(dialog).state()));
            test::in(window().page<DynamoPage>()).breakpoints()->model().add("a.py:7");
        }
        QVERIFY(reopen());
        window().actionRegistry().trigger("file.record");
        QVERIFY(test::in(*test::part<RecordDialog>(window())).command()->text().contains("exit 3"));
        QCOMPARE(test::in(window().page<DynamoPage>()).breakpoints()->model().saved(),
                 QStringList("+a.py:7"));
    }

    void cancelling() {
        RecordDialog& dialog = dialogFor("echo begun; sleep 100");
        QTest::mouseClick(test::in(dialog).startButton(), Qt::LeftButton);
        QTRY_VERIFY(test::in(dialog).printed()->toPlainText().contains("begun"));
        QTest::mouseClick(test::in(dialog).cancelButton(), Qt::LeftButton);
        QTRY_VERIFY(!dialog.run().isRunning());
        QVERIFY2(test::in(dialog).state().contains("cancelled"), qPrintable(test::in(dialog).state()));
        test::in(dialog).command()->setText("/no/such/program");
        QVERIFY(!test::in(dialog).startButton()->isEnabled());
        QVERIFY2(test::in(dialog).state().contains("There is no file"), qPrintable(test::in(dialog).state()));
        // What has no format that the system runs is found out only by starting it.
        QFile broken(m_folder.filePath("broken"));
        QVERIFY(broken.open(QIODevice::WriteOnly) && broken.write("\x7f"
                                                                  "ELF, cut short") > 0);
        broken.close();
        QVERIFY(broken.setPermissions(broken.permissions() | QFile::ExeOwner));
        test::in(dialog).command()->setText(broken.fileName());
        QTest::mouseClick(test::in(dialog).startButton(), Qt::LeftButton);
        QTRY_VERIFY2(test::in(dialog).state().contains("could not be started"),
                     qPrintable(test::in(dialog).state()));
    }

    /// The program finds the socket, and the page shows it.
    void aProgramThatPauses() {
        RecordDialog& dialog = dialogFor("echo $DYNASCOPE_LIVE; sleep 100");
        test::in(dialog).pauses()->setChecked(true);
        test::in(dialog).stopsAtStart()->setChecked(true);
        QTest::mouseClick(test::in(dialog).startButton(), Qt::LeftButton);
        QVERIFY(dialog.live());
        QTRY_VERIFY(test::in(dialog).printed()->toPlainText().contains(dialog.live()->path()));
        Program program(dialog.live()->path());
        program.say(R"({"event":"hello","protocol":1,"pid":7,"arguments":["a.py"],"recording":"/r"})");
        program.say(R"({"event":"stopped","reason":"start"})");
        // Nothing is open yet: what it recorded is opened when it stops in a frame.
        writeRecording(m_folder.filePath("out/dynamo_steps_7.dsteps"));
        program.say(
            QStringLiteral(R"({"event":"stopped","reason":"step","recording":"%1","step":12,"op":"CALL"})")
                .arg(m_folder.filePath("out/dynamo_steps_7.dsteps"))
                .toUtf8());
        QTRY_VERIFY(workspace().capture());
        QTRY_COMPARE(workspace().place().page, Page::Dynamo);
        QTRY_COMPARE(window().page<DynamoPage>().step(), dynamo::StepIndex(12));
        QVERIFY(test::in(window().page<DynamoPage>()).live()->isVisible());
        dialog.run().cancel();
        QTRY_VERIFY(!dialog.run().isRunning());
    }

    /// Its recording has no step yet; the keys are the program's all the same.
    void keysBeforeAnythingIsTraced() {
        RecordDialog& dialog = dialogFor("echo $DYNASCOPE_LIVE; sleep 100");
        test::in(dialog).pauses()->setChecked(true);
        test::in(dialog).stopsAtStart()->setChecked(true);
        QTest::mouseClick(test::in(dialog).startButton(), Qt::LeftButton);
        QTRY_VERIFY(test::in(dialog).printed()->toPlainText().contains(dialog.live()->path()));
        const QString path = m_folder.filePath("out/dynamo_steps_9.dsteps");
        const std::string empty = test::RecordingWriter().record('H', R"({"format":1})").endBlock().file();
        writeFile(path, empty);
        Program program(dialog.live()->path());
        program.say(
            QStringLiteral(R"({"event":"hello","protocol":1,"pid":9,"arguments":["a.py"],"recording":"%1"})")
                .arg(path)
                .toUtf8());
        program.say(R"({"event":"stopped","reason":"start"})");
        QTRY_COMPARE(workspace().place().page, Page::Dynamo);
        QVERIFY(settles());
        DynamoPage& page = window().page<DynamoPage>();
        QVERIFY(test::in(page).live()->isVisible());
        const auto enabled = [this](const char* id) {
            return window().actionRegistry().find(QLatin1String(id))->isEnabled();
        };
        for (const char* id : {"step.forward", "step.opForward", "step.back", "step.nextWrite"})
            QVERIFY2(enabled(id), id);
        for (const char* id : {"step.first", "step.last", "step.opBack", "step.previousWrite"})
            QVERIFY2(!enabled(id), id);
        press(Qt::Key_F10);
        QCOMPARE(program.told(), QStringList{R"({"command":"next"})"});
        press(Qt::Key_F11);
        QCOMPARE(program.told(), QStringList{R"({"command":"step"})"});
        press(Qt::Key_F11, Qt::ShiftModifier);
        QCOMPARE(program.told(), QStringList{R"({"command":"out"})"});
        press(Qt::Key_F5);
        QCOMPARE(program.told(), QStringList{R"({"command":"continue"})"});
        // Once it runs they have nobody to tell.
        program.say(R"({"event":"running"})");
        QTRY_VERIFY(test::in(page).live()->text().startsWith("Running"));
        QVERIFY(!enabled("step.opForward"));
        dialog.run().cancel();
        QTRY_VERIFY(!dialog.run().isRunning());
    }

    void setsBreakpointsAndRunsOn() {
        auto session = *LiveSession::listen();
        session->setBreakpoints(
            {*dynamo::readLiveBreakpoint("a.py:3"), *dynamo::readLiveBreakpoint("nodes > 1")});
        Program program(session->path());
        program.say(
            R"({"event":"hello","protocol":1,"pid":7,"arguments":["python","/x/a.py"],"recording":"/r"})");
        program.say(R"({"event":"stopped","reason":"start"})");
        const QStringList told = program.told();
        QCOMPARE(told.size(), 3);
        QVERIFY(told[0].contains("\"line\":3"));
        QVERIFY(told[1].contains("nodes > 1"));
        QVERIFY(told[2].contains("continue"));
        // One is taken away and another comes, once the numbers of both are known.
        program.say(R"({"event":"breakpoint","id":1})");
        session->setBreakpoints(
            {*dynamo::readLiveBreakpoint("a.py:3"), *dynamo::readLiveBreakpoint("a.py:4")});
        QVERIFY(program.told().join(u' ').contains("\"line\":4"));
        program.say(R"({"event":"breakpoint","id":2})");
        program.say(R"({"event":"breakpoint","id":3})");
        QCOMPARE(program.told(), QStringList{R"({"command":"delete","id":2})"});
        // Nonsense ends it, and the socket goes with the session.
        QSignalSpy gone(session.get(), &LiveSession::programGone);
        program.say("[]");
        QTRY_COMPARE(gone.count(), 1);
        const QString path = session->path();
        QVERIFY(QFile::exists(path));
        session.reset();
        QVERIFY(!QFile::exists(path));
    }

    void aStopIsShownAndSteppedFrom() {
        QTemporaryDir folder;
        const QString path = folder.filePath("dynamo_steps_7.dsteps");
        writeRecording(path);
        test::Fixture f;
        const auto page = f.show<DynamoPage>(1200, 700);
        auto session = *LiveSession::listen();
        session->setStopsAtStart(true);
        page->setLive(session.get());
        QCOMPARE(test::in(*page).live()->text(), QString());
        QSignalSpy wanted(page.get(), &DynamoPage::recordingWanted);
        Program program(session->path());
        program.say(
            R"({"event":"hello","protocol":1,"pid":7,"arguments":["python","/x/a.py"],"recording":"/r"})");
        program.say(R"({"event":"stopped","reason":"start"})");
        QTRY_VERIFY2(test::in(*page).live()->text().contains("before anything is traced"),
                     qPrintable(test::in(*page).live()->text()));
        QVERIFY(test::in(*page).live()->text().contains("a.py pid 7"));
        QCOMPARE(wanted.count(), 1);
        QCOMPARE(wanted.first().first().toString(), QString("/r"));
        QVERIFY(!test::in(*page).live()->button(dynamo::LiveCommand::BreakGraph)->isEnabled());
        QTest::mouseClick(test::in(*page).live()->button(dynamo::LiveCommand::Continue), Qt::LeftButton);
        QCOMPARE(program.told(), QStringList{R"({"command":"continue"})"});
        program.say(R"({"event":"running"})");
        QTRY_VERIFY(test::in(*page).live()->text().startsWith("Running"));

        f.workspace.open(path);
        QTRY_VERIFY(f.workspace.session());
        f.settle();
        const auto last = dynamo::StepIndex(page->recording()->steps().size() - 1);
        page->goToStep(3);
        program.say(QStringLiteral(R"({"event":"stopped","reason":"breakpoint","recording":"%1","step":%2,)"
                                   R"("file":"/x/a.py","line":16,"op":"CALL"})")
                        .arg(path)
                        .arg(last)
                        .toUtf8());
        QTRY_COMPARE(page->step(), last);
        QVERIFY2(test::in(*page).live()->text().contains("CALL a.py:16"),
                 qPrintable(test::in(*page).live()->text()));
        QCOMPARE(wanted.count(), 1); // that of the start alone: this one is shown
        // At the end a step is the program's; elsewhere one through the recording.
        page->run(StepCommand::Over);
        QCOMPARE(program.told(), QStringList{R"({"command":"next"})"});
        page->run(StepCommand::BackIn);
        QCOMPARE(page->step(), last - 1);
        page->run(StepCommand::In);
        QCOMPARE(page->step(), last);
        QTest::mouseClick(test::in(*page).live()->button(dynamo::LiveCommand::BreakGraph), Qt::LeftButton);
        QCOMPARE(program.told(), QStringList{R"({"command":"graph_break"})"});
        program.say(R"({"event":"error","text":"not now"})");
        QTRY_VERIFY(test::in(*page).live()->text().contains("not now"));
        // A breakpoint of the page is the program's as well.
        test::in(*page).breakpoints()->model().add("a.py:9");
        QVERIFY(program.told().join(u' ').contains("\"line\":9"));
        program.hangUp();
        QTRY_COMPARE(test::in(*page).live()->text(), QString());
    }
};

QTEST_MAIN(TestDynamoWindow)
#include "tst_dynamo_window.moc"
