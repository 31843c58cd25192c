// SPDX-License-Identifier: BSD-3-Clause
//
// The window on a capture of another machine: opened by its address, looked at, lost and read again.
#include "app/gui/action_registry.h"
#include "app/gui/window_docks.h"
#include "tests/support/message_bar.h"
#include "tests/support/open_window.h"
#include "tests/support/other_machine.h"
#include "tests/support/parts.h"
#include "tests/support/trace_text.h"
#include "views/base/code_view.h"
#include "views/capture/capture_model.h"
#include "views/capture/capture_panel.h"
#include "views/compile_time/records_panel.h"
#include "views/workspace/follower.h"

#include <QFile>
#include <QInputDialog>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTreeView>

using namespace dynascope;
using namespace dynascope::app;
using namespace dynascope::views;

namespace {

test::TraceText compile(int frame, int ops) {
    test::TraceText text;
    text.at(frame, 0).start("f" + std::to_string(frame));
    text.add("\"dynamo_output_graph\": {}", test::readableGraph(ops)).metrics();
    return text;
}

} // namespace

class TestRemoteWindow : public QObject, private test::OpenWindow {
    Q_OBJECT

private:
    test::OtherMachine m_machine;
    std::unique_ptr<QTemporaryDir> m_folder;
    QString m_log;

    void append(const std::string& text) {
        QFile file(m_log);
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Append));
        QCOMPARE(file.write(text.data(), qint64(text.size())), qint64(text.size()));
    }
    QAction* action(const char* id) { return window().actionRegistry().find(QLatin1String(id)); }
    QInputDialog* dialog() {
        action("file.openElsewhere")->trigger();
        return window().findChild<QInputDialog*>();
    }
    QString recordText() {
        return test::part<CodeView>(window().docks().recordsPanel(), "records.text")->document(0)->text();
    }

private slots:
    void init() {
        QVERIFY(m_machine.isReady());
        m_folder = std::make_unique<QTemporaryDir>();
        m_log = m_folder->filePath("train.log");
        append(compile(0, 40).text());
        QVERIFY(show());
    }
    void cleanup() { close(); }

    void openedByItsAddress() {
        QInputDialog* asked = dialog();
        QVERIFY(asked);
        QCOMPARE(asked->textValue(), QString("ssh://"));
        for (const QPushButton* button : asked->findChildren<QPushButton*>())
            QVERIFY2(button->icon().isNull(), qPrintable(button->text()));
        asked->setTextValue("  there" + m_log); // the scheme goes without saying
        asked->accept();
        QTRY_COMPARE(workspace().captures().size(), 1U);
        QVERIFY(settles());
        QVERIFY(workspace().stage(Side::B).graph);
        const QModelIndex root = window().docks().capturePanel().tree()->model()->index(0, 0);
        QCOMPARE(root.data(CaptureModel::RightRole).toString(), QString("on there"));
        QCOMPARE(settings().recentFiles(), QStringList{"ssh://there" + m_log});
        // It is asked for the next time.
        asked = dialog();
        QVERIFY(asked);
        QCOMPARE(asked->textValue(), "ssh://there" + m_log);
        asked->reject();
    }

    void whatIsWrongIsSaid() {
        window().openPaths({"ssh://nowhere/x.log"});
        QTRY_VERIFY(test::messageBar(window()).isVisible());
        QCOMPARE(test::messageBar(window()).text(),
                 QString("ssh://nowhere/x.log: ssh ended by exit status 255: ssh: no host nowhere"));
    }

    void readAgainAndNotFollowed() {
        window().openPaths({"ssh://there" + m_log});
        QTRY_COMPARE(workspace().captures().size(), 1U);
        QVERIFY(settles());
        QVERIFY(!action("capture.follow")->isEnabled());
        QVERIFY(window().follower().whyNotFollowed(0).contains("another machine"));
        append(compile(1, 30).text());
        QVERIFY(action("capture.reload")->isEnabled());
        action("capture.reload")->trigger();
        QTRY_COMPARE(workspace().captures()[0].session->compiles.size(), std::size_t{2});
        QVERIFY(settles());
        QVERIFY(workspace().stage(Side::B).graph);
    }

    /// A record whose text did not come yet, and one that cannot.
    void recordsComeWhenTheyAreLookedAt() {
        for (int frame = 1; frame < 5; ++frame) // the first comes along with what is shown
            append(compile(frame, 3000).text());
        window().openPaths({"ssh://there" + m_log});
        QTRY_COMPARE(workspace().captures().size(), 1U);
        QVERIFY(settles());
        const session::Session& session = *workspace().captures()[0].session;
        const auto graphOf = [&](std::size_t compile) { return session.compiles[compile].stages[0]->record; };
        const auto isHere = [&](std::size_t record) {
            const session::Payload payload = session.records[record].payload;
            return payload.source->isHere(payload.offset, payload.length);
        };
        QVERIFY(!isHere(graphOf(2)) && !isHere(graphOf(4)));
        window().docks().recordsPanel().showRecord(0, int(graphOf(2)));
        QTRY_VERIFY2(recordText().contains("def forward"), qPrintable(recordText()));

        QVERIFY(m_machine.breakConnection());
        QVERIFY(QFile::rename(m_log, m_log + ".moved"));
        window().docks().recordsPanel().showRecord(0, int(graphOf(4)));
        QTRY_COMPARE(recordText().trimmed(), QString("The other machine does not answer."));
        QTRY_VERIFY(test::messageBar(window()).isVisible());
        QVERIFY(test::messageBar(window()).text().contains("What is shown of it is not all of it"));
    }
};

QTEST_MAIN(TestRemoteWindow)
#include "tst_remote_window.moc"
