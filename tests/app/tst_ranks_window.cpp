// SPDX-License-Identifier: BSD-3-Clause
//
// Ranks in the window: the ways to the page, and flight-recorder dumps that are dropped on it.
#include "app/gui/action_registry.h"
#include "tests/support/open_window.h"
#include "tests/support/parts.h"
#include "views/answers/answer_links.h"
#include "views/ranks/ranks_page.h"
#include "views/workspace/ranks_place.h"

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QTemporaryDir>

using namespace dynascope;
using namespace dynascope::views;

namespace {

QString data(const char* name) {
    return QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/") + QLatin1String(name);
}

} // namespace

class TestRanksWindow : public QObject, private test::OpenWindow {
    Q_OBJECT

private:
    void open(const QString& path) {
        const std::size_t before = workspace().captures().size();
        window().openPaths({path});
        QTRY_VERIFY_WITH_TIMEOUT(workspace().captures().size() > before, 30000);
        QVERIFY(settles());
    }
    [[nodiscard]] QString evidence() {
        return test::part<QLabel>(window().page<RanksPage>(), "ranks.evidence")->text();
    }

private slots:
    void init() { QVERIFY(show()); }
    void cleanup() { close(); }

    void theAnswerAndTheKeyLeadThere() {
        open(data("diverge"));
        press(Qt::Key_7, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(settles());
        QCOMPARE(workspace().place().page, Page::Ranks);
        QVERIFY(window().page<RanksPage>().isVisible());
        workspace().goBack();
        QVERIFY(workspace().place().page != Page::Ranks);
        const answers::Answer answer = answers::answer(*workspace().session(), answers::Question::Ranks);
        openProof(workspace(), answer);
        QVERIFY(settles());
        QCOMPARE(workspace().place().page, Page::Ranks);
        // An item leads to its compile.
        openItem(workspace(), answer, answer.items.front());
        QVERIFY(settles());
        const std::size_t compile = answer.items.front().target.compile;
        QCOMPARE(workspace().place().own.of<RanksPlace>().compile,
                 workspace().session()->compiles[compile].id.toString());
    }

    void droppedDumpsAreAttached() {
        QVERIFY(!window().actionRegistry().find(QStringLiteral("file.attachFlight"))->isEnabled());
        open(data("tp"));
        QVERIFY(window().actionRegistry().find(QStringLiteral("file.attachFlight"))->isEnabled());
        drop({data("flight_tp/flight_0"), data("flight_tp/flight_1")});
        QVERIFY(settles());
        QCOMPARE(workspace().place().page, Page::Ranks);
        QCOMPARE(workspace().captures().size(), std::size_t(1));
        QVERIFY2(evidence().contains("Flight-recorder dumps of 2 ranks"), qPrintable(evidence()));
        // They are not those of another capture.
        open(data("moe"));
        window().actionRegistry().trigger(QStringLiteral("go.ranks"));
        QVERIFY(settles());
        QVERIFY2(evidence().contains("no flight-recorder dump"), qPrintable(evidence()));
        drop({data("flight_moe")}); // a folder of nothing else
        QVERIFY(settles());
        QVERIFY2(evidence().contains("flight_moe"), qPrintable(evidence()));
        // What is no dump opens.
        drop({data("diverge")});
        QTRY_COMPARE_WITH_TIMEOUT(workspace().captures().size(), std::size_t(3), 30000);
    }
};

QTEST_MAIN(TestRanksWindow)
#include "tst_ranks_window.moc"
