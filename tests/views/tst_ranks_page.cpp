// SPDX-License-Identifier: BSD-3-Clause
//
// The page Ranks: its verdict, what its tables list, where rows, lanes and links lead, dumps of the flight recorder.
#include "core/capture/open.h"
#include "tests/support/parts.h"
#include "tests/support/trace_pairs.h"
#include "tests/views/panel_test.h"
#include "views/base/row_table.h"
#include "views/compile_time/flame_chart.h"
#include "views/inspector/fact_view.h"
#include "views/ranks/collective_lanes.h"
#include "views/ranks/rank_time_chart.h"
#include "views/ranks/ranks_page.h"
#include "views/ranks/ranks_rows.h"
#include "views/workspace/ranks_place.h"

#include <QDataStream>
#include <QDir>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabBar>
#include <QTemporaryDir>

using namespace dynascope;
using namespace dynascope::views;

namespace {

const QString data = QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/");

session::SessionPtr opened(const QString& path) {
    const auto session = capture::open(path.toStdString());
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}

/// A page on a folder of logs.
struct Shown {
    test::Fixture f;
    std::unique_ptr<RanksPage> page;

    explicit Shown(const QString& folder, const std::string& flight = {}) {
        const session::SessionPtr session = opened(folder);
        f.workspace.addCapture({session, session::summarizeBreaks(*session)});
        Place place = f.workspace.place();
        setRanks(place);
        if (!flight.empty()) attachFlight(place, *f.workspace.capture(), flight);
        f.workspace.go(place);
        page = f.show<RanksPage>(1280, 860);
    }
    [[nodiscard]] RowTable& table(const char* name) const { return *test::part<RowTable>(*page, name); }
    [[nodiscard]] QString cell(const char* name, int row, int column) const {
        return table(name).rows().rows()[std::size_t(row)][std::size_t(column)].text;
    }
    [[nodiscard]] CollectiveLanes& lanes() const {
        return *test::part<CollectiveLanes>(*page, "ranks.lanes");
    }
    [[nodiscard]] QString label(const char* name) const { return test::part<QLabel>(*page, name)->text(); }
    [[nodiscard]] RanksPlace place() const { return f.workspace.place().own.of<RanksPlace>(); }
    void click(const char* name, int row, int column) {
        QTest::mouseClick(table(name).viewport(), Qt::LeftButton, {},
                          table(name).cellRect(row, column).center());
        f.settle();
    }
    void follow(const QString& target) {
        emit test::part<FactView>(*page, "ranks.detail")->followed(target);
        f.settle();
    }
};

void copyInto(const QString& folder, const QString& from) {
    for (const QString& file : QDir(data + from).entryList(QDir::Files))
        if (!QFile::copy(data + from + u'/' + file, folder + u'/' + file)) qFatal("cannot copy");
}

} // namespace

class TestRanksPage : public QObject {
    Q_OBJECT

private slots:
    void canBeCancelled() {
        Shown shown(data + "diverge");
        auto* stop = test::part<QPushButton>(*shown.page, "ranks.stop");
        QVERIFY(!stop->isVisible());
        bool pressed = false;
        connect(&shown.f.workspace.tasks(), &TaskRunner::started, stop, [&](const QString& tag) {
            if (tag != QStringLiteral("ranks") || std::exchange(pressed, true)) return;
            QVERIFY(stop->isVisible());
            stop->click();
        });
        Place place = shown.f.workspace.place();
        attachFlight(place, *shown.f.workspace.capture(), (data + "flight_tp").toStdString());
        shown.f.workspace.go(place); // compares anew
        shown.f.settle();
        QVERIFY(pressed);
        QVERIFY2(shown.label("ranks.verdict").contains("cancelled"),
                 qPrintable(shown.label("ranks.verdict")));
        QCOMPARE(stop->text(), QStringLiteral("Compare"));
        QTest::mouseClick(stop, Qt::LeftButton);
        QCOMPARE(stop->text(), QStringLiteral("Cancel"));
        shown.f.settle();
        QVERIFY2(shown.label("ranks.verdict").startsWith("Will hang"),
                 qPrintable(shown.label("ranks.verdict")));
        QVERIFY(!stop->isVisible());
    }

    void saysTheVerdictAndWhatItRestsOn() {
        Shown s(data + "diverge");
        QVERIFY(s.page->message().isEmpty());
        QVERIFY2(s.label("ranks.verdict").startsWith("Will hang: rank 3 calls "),
                 qPrintable(s.label("ranks.verdict")));
        QVERIFY(s.label("ranks.evidence").contains("nothing was run"));
        QVERIFY(s.label("ranks.evidence").contains("no flight-recorder dump"));
        for (const char* name : {"ranks.reasons", "ranks.matrix", "ranks.waiting", "ranks.alone",
                                 "ranks.caches", "ranks.measured", "ranks.estimates", "ranks.notes"})
            QAbstractItemModelTester(&s.table(name).rows(),
                                     QAbstractItemModelTester::FailureReportingMode::QtTest);
    }

    /// Rank 1 sleeps before each step, and rank 0 waits for it in the first collective.
    void measuredTimesSayWhoCameLast() {
        Shown s(data + "late");
        QCOMPARE(s.table("ranks.measured").rows().rowCount(), 3);
        QCOMPARE(s.cell("ranks.measured", 0, 1), QString("kernels and nodes, no collective"));
        QVERIFY(s.cell("ranks.measured", 1, 1).startsWith("all_reduce  late.py:19"));
        QVERIFY(s.cell("ranks.measured", 1, 2).startsWith("rank 1, "));
        QVERIFY(s.cell("ranks.measured", 1, 3).startsWith("rank 0, 2"));
        QCOMPARE(s.cell("ranks.measured", 1, 5), QString("rank 1 came last; the others waited for it"));
        Shown none(data + "tp");
        QCOMPARE(none.table("ranks.measured").rows().rowCount(), 0);
    }

    void theMatrixHasAColumnForEachGroup() {
        Shown s(data + "diverge");
        const ranks::Report report = *ranks::examine(*s.f.workspace.session());
        const auto& matrix = s.table("ranks.matrix").rows();
        QCOMPARE(matrix.rowCount(), int(report.rows.size()));
        QCOMPARE(matrix.columnCount(), int(report.compiles.size()) + 4);
        for (std::size_t g = 0; g < report.compiles.size(); ++g)
            QCOMPARE(matrix.columns()[3 + g].title, words(report.compiles[g]));
        // The compile that one rank has alone is not compiled by the others.
        const auto alone = std::ranges::find_if(report.rows, [](const ranks::CompileRow& row) {
            return std::ranges::count(row.letters, -1) == 3;
        });
        QVERIFY(alone != report.rows.end());
        const TableRow& row = matrix.rows()[std::size_t(alone - report.rows.begin())];
        QCOMPARE(std::ranges::count(row, QString("not compiled"), &TableCell::text), 3);
        QVERIFY(row.back().text.contains("only rank 2"));
        QCOMPARE(s.table("ranks.alone").rows().rowCount(), 1);
        QCOMPARE(s.cell("ranks.alone", 0, 2), QString("rank 2"));
        QVERIFY2(s.cell("ranks.alone", 0, 4).contains("size mismatch"),
                 qPrintable(s.cell("ranks.alone", 0, 4)));
    }

    void aReasonLeadsToNodeAndLineOfItsRank() {
        Shown s(data + "diverge");
        QCOMPARE(s.table("ranks.reasons").selected(), 0);
        QCOMPARE(s.cell("ranks.reasons", 0, 0), QString("will hang"));
        QSignalSpy sources(&s.f.workspace, &Workspace::sourceRequested);
        s.click("ranks.reasons", 0, reasonPlaceColumn);
        QCOMPARE(sources.size(), 1);
        const ranks::Report report = *ranks::examine(*s.f.workspace.session());
        QCOMPARE(sources[0][1].toInt(), int(report.reasons.front().line));
        s.follow("ranknode");
        QCOMPARE(s.f.workspace.place().page, Page::Stages);
        QCOMPARE(s.f.workspace.compile()->rank, 3);
        QVERIFY(s.f.workspace.selectedNode());
        QCOMPARE(s.f.workspace.selectedNode()->name, report.reasons.front().node);
        s.f.workspace.goBack();
        s.f.settle();
        QCOMPARE(s.f.workspace.place().page, Page::Ranks);
    }

    void choosingIsAPlaceOfItsOwn() {
        Shown s(data + "diverge");
        QVERIFY(s.table("ranks.reasons").rows().rowCount() > 1);
        s.click("ranks.reasons", 1, 0);
        const RanksPlace second = s.place();
        QCOMPARE(QString::fromStdString(second.reason), s.cell("ranks.reasons", 1, 4));
        QCOMPARE(s.table("ranks.reasons").selected(), 1);
        s.click("ranks.matrix", 2, 1);
        QVERIFY(s.place() != second && s.place().reason.empty());
        QCOMPARE(QString::fromStdString(s.place().compile), s.cell("ranks.matrix", 2, 1));
        s.f.workspace.goBack();
        s.f.settle();
        QVERIFY(s.place() == second);
        QCOMPARE(s.table("ranks.reasons").selected(), 1);
        // As a session file has it.
        const PageSpec spec = ranksPageSpec();
        const QJsonValue saved = spec.savePlace(s.f.workspace);
        Place restored;
        spec.restorePlace(*s.f.workspace.capture(), saved, restored);
        QVERIFY(restored.own.of<RanksPlace>() == second && restored.page == Page::Ranks);
        spec.restorePlace(*s.f.workspace.capture(), QJsonValue(3), restored); // damaged
        QVERIFY(restored.own.of<RanksPlace>() == RanksPlace());
    }

    void lanesStandAtTheFirstCallThatDoesNotFit() {
        Shown s(data + "diverge");
        CollectiveLanes& lanes = s.lanes();
        // Rank 3 makes the two calls the other way round: both lanes part at their first.
        const QRect most = lanes.callRect({0, 0}), odd = lanes.callRect({1, 0});
        QVERIFY(!most.isEmpty() && !odd.isEmpty());
        QCOMPARE(most.left(), odd.left());
        QVERIFY(lanes.description({1, 0}).contains(QStringLiteral("≠")));
        QVERIFY(lanes.description({1, 0}).contains("of rank 3"));
        QVERIFY(!lanes.description({1, 1}).contains(QStringLiteral("≠")));
        QTest::mouseClick(lanes.viewport(), Qt::LeftButton, {}, odd.center());
        QVERIFY((lanes.selected() == CollectiveLanes::At{1, 0}));
        QTest::keyClick(&lanes, Qt::Key_Up);
        QVERIFY((lanes.selected() == CollectiveLanes::At{0, 0}));
        QTest::keyClick(&lanes, Qt::Key_Right);
        QVERIFY((lanes.selected() == CollectiveLanes::At{0, 1}));
        QTest::keyClick(&lanes, Qt::Key_Down);
        QSignalSpy sources(&s.f.workspace, &Workspace::sourceRequested);
        QTest::keyClick(&lanes, Qt::Key_Return);
        s.f.settle();
        QCOMPARE(s.f.workspace.place().page, Page::Stages);
        QCOMPARE(s.f.workspace.compile()->rank, 3);
        QCOMPARE(sources.size(), 1);
    }

    void aCallThatIsMissingHasItsPlace() {
        ranks::CompileRow row;
        row.verdict = ranks::RanksVerdict::WillHang;
        ranks::Call call;
        call.what.kind = "all_reduce";
        row.lanes = {{{0, 1, 2}, {call, call, call}, 2}, {{3}, {call}, 1}};
        Theme theme;
        CollectiveLanes lanes(theme);
        lanes.resize(1000, 300);
        lanes.setRow(std::make_shared<const ranks::CompileRow>(row));
        // The third call of the one and the missing second of the other stand below each other.
        QCOMPARE(lanes.callRect({0, 2}).left(), lanes.callRect({1, 1}).left());
        QCOMPARE(lanes.callRect({0, 0}).left(), lanes.callRect({1, 0}).left());
        QVERIFY(lanes.description({1, 1}).contains("no call here"));
        QSignalSpy activated(&lanes, &CollectiveLanes::activated);
        QTest::mouseDClick(lanes.viewport(), Qt::LeftButton, {}, lanes.callRect({1, 1}).center());
        QCOMPARE(activated.size(), 0);
        QTest::mouseDClick(lanes.viewport(), Qt::LeftButton, {}, lanes.callRect({0, 2}).center());
        QCOMPARE(activated.size(), 1);
        QVERIFY(!lanes.grab().isNull());
    }

    void dumpsBesideTheCaptureAreRead() {
        QTemporaryDir folder;
        copyInto(folder.path(), "tp");
        copyInto(folder.path(), "flight_tp");
        QFile other(folder.filePath("notes_3")); // ends in a number, and is no dump
        QVERIFY(other.open(QIODevice::WriteOnly) && other.write("3") == 1);
        other.close();
        Shown s(folder.path());
        QVERIFY2(s.label("ranks.evidence").contains("Flight-recorder dumps of 2 ranks"),
                 qPrintable(s.label("ranks.evidence")));
        QCOMPARE(s.table("ranks.waiting").emptyText(),
                 QString("By the flight recorder no call was going on: each had ended, or failed."));
        QCOMPARE(s.table("ranks.notes").rows().rowCount(),
                 int(ranks::examine(*s.f.workspace.session())->notes.size()));
    }

    void attachedDumpsAreReadAndSayWhatFails() {
        Shown s(data + "tp", (data + "flight_tp").toStdString());
        QVERIFY(s.label("ranks.evidence").contains("flight_tp"));
        Shown none(data + "tp", (data + "moe").toStdString());
        QVERIFY(none.label("ranks.evidence").contains("no flight-recorder dump"));
        QVERIFY2(none.cell("ranks.notes", none.table("ranks.notes").rows().rowCount() - 1, 0)
                     .contains("no flight-recorder dump in this folder"),
                 "notes");
        // Another compile keeps them.
        s.click("ranks.matrix", 0, 1);
        QVERIFY(s.label("ranks.evidence").contains("flight_tp"));
    }

    void ranksThatAgreeAreAlike() {
        Shown s(data + "tp");
        QVERIFY2(s.label("ranks.verdict").startsWith("The 2 ranks are alike"),
                 qPrintable(s.label("ranks.verdict")));
        QCOMPARE(s.table("ranks.reasons").rows().rowCount(), 0);
        QCOMPARE(s.table("ranks.reasons").emptyText(), QString("Nothing tells these ranks apart."));
        QCOMPARE(s.table("ranks.matrix").selected(), 0); // the first with collectives
        QVERIFY(!s.lanes().callRect({0, 0}).isEmpty());
        QVERIFY(s.lanes().callRect({1, 0}).isEmpty()); // one lane: both ranks make the same calls
    }

    void theFilterNarrowsTheMatrix() {
        Shown s(data + "diverge");
        const int all = s.table("ranks.matrix").rows().rowCount();
        auto* filter = s.page->findChild<QLineEdit*>();
        filter->setText("only rank 2");
        QVERIFY(s.table("ranks.matrix").rows().rowCount() < all);
        filter->setText("no such thing");
        QCOMPARE(s.table("ranks.matrix").rows().rowCount(), 0);
        QVERIFY(s.table("ranks.matrix").emptyText().contains("No compile matches"));
    }

    void oneRankIsOneLine() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        auto page = f.show<RanksPage>(900, 500);
        QVERIFY(page->message().startsWith("This capture has one rank."));
        QVERIFY(page->message().contains("torchrun"));
        QVERIFY(ranksPageSpec().lacks(f.workspace).contains("one rank"));
    }

    void compileTimesStandOnOneClock() {
        Shown s(data + "diverge");
        test::part<QTabBar>(*s.page, "ranks.tabs")->setCurrentIndex(6);
        s.f.settle();
        auto& chart = *test::part<FlameChart>(*s.page, "ranks.times");
        QCOMPARE(chart.tree()->lanes.size(), std::size_t(4));
        QCOMPARE(chart.tree()->spans.size(), std::size_t(9));
        QCOMPARE(chart.tree()->endUs, 1'672'985.0);
        QVERIFY(s.label("ranks.times.summary").startsWith("Some rank compiles for 1.67 s of 1.67 s"));
        QVERIFY(s.label("ranks.times.clock").startsWith("0 is 2026-11-22 09:03:18.415 UTC. "));
        const auto spanOf = [&](int rank, const char* name) {
            for (std::size_t i = 0; i < chart.tree()->spans.size(); ++i) {
                const session::Span& span = chart.tree()->spans[i];
                if (span.lane == rank && chart.tree()->nameOf(span) == name) return int(i);
            }
            return -1;
        };
        const int again = spanOf(2, "0/1 g");
        QVERIFY(again >= 0);
        QVERIFY2(chart.description(again).contains("from 0.95 s to 1.20 s: 0.25 s"),
                 qPrintable(chart.description(again)));
        QVERIFY(chart.description(again).contains("Not all ranks have this compile."));
        // Titles stand left of the axis, and what begins first there.
        const QRectF first = chart.spanRect(spanOf(0, "0/0 g")), box = chart.spanRect(again);
        QVERIFY(first.left() > 20 && box.left() > first.right());
        QCOMPARE(chart.spanAt({2, int(first.center().y())}), -1);
        // A click chooses the compile, a second one shows it.
        QTest::mouseClick(chart.viewport(), Qt::LeftButton, {}, box.center().toPoint());
        s.f.settle();
        QCOMPARE(chart.selected(), again);
        QCOMPARE(s.place().compile, std::string("0/1"));
        QCOMPARE(s.f.workspace.place().page, Page::Ranks);
        QTest::keyClick(&chart, Qt::Key_Down); // to the next rank, at about that time
        QCOMPARE(chart.selected(), spanOf(3, "1/0 f"));
        QTest::mouseDClick(chart.viewport(), Qt::LeftButton, {}, box.center().toPoint());
        s.f.settle();
        QVERIFY(s.f.workspace.place().page == Page::Stages);
        QCOMPARE(s.f.workspace.compile()->rank, 2);
        QCOMPARE(s.f.workspace.compile()->id.toString(), std::string("0/1"));
        // Zoomed in and out again, all is where it was.
        chart.zoomTo(again);
        QVERIFY(chart.spanRect(again).width() > box.width());
        chart.zoomAll();
        QCOMPARE(chart.spanRect(again).left(), box.left());
        // What one rank has alone has another colour than what all have.
        const QImage picture = chart.viewport()->grab().toImage();
        const auto stripe = [&](int span) {
            const QRectF at = chart.spanRect(span);
            return picture.pixelColor(int(at.left()) + 2, int(at.center().y()));
        };
        QVERIFY(stripe(again) != stripe(spanOf(2, "0/0 g")));
        QCOMPARE(stripe(spanOf(1, "0/0 g")), stripe(spanOf(2, "0/0 g")));
    }

    void anotherNumberOfRanksIsEstimated() {
        Shown s(data + "moe");
        auto* number = test::part<QSpinBox>(*s.page, "ranks.estimate.number");
        QCOMPARE(number->value(), 4);
        QVERIFY(s.label("ranks.estimate.words").startsWith("in place of 2: an estimate"));
        const auto& rows = s.table("ranks.estimate").rows();
        QCOMPARE(s.cell("ranks.estimate", 0, 0), QString("0/0"));
        QCOMPARE(s.cell("ranks.estimate", 0, 1), QString("all_to_all_single  f32[8, 16]"));
        QCOMPARE(s.cell("ranks.estimate", 0, 3), QString("256 B"));
        QCOMPARE(s.cell("ranks.estimate", 0, 4), QString("192 B"));
        QCOMPARE(s.cell("ranks.estimate", 0, 5), QString("384 B"));
        QCOMPARE(s.cell("ranks.estimate", 5, 1), QString("all collectives, each time they run"));
        QCOMPARE(s.cell("ranks.estimate", 5, 4), QString("864 B"));
        QCOMPARE(s.cell("ranks.estimate", 6, 1), QString("taken for granted"));
        QCOMPARE(rows.rowCount(), 11);
        number->setValue(1);
        s.f.settle();
        QCOMPARE(s.cell("ranks.estimate", 5, 4), QString("0 B"));
        QSignalSpy sources(&s.f.workspace, &Workspace::sourceRequested);
        emit s.table("ranks.estimate").linkActivated(0, 2);
        QCOMPARE(sources.size(), 1);
        emit s.table("ranks.estimate").rowActivated(5); // the sum leads nowhere
        QCOMPARE(s.f.workspace.place().page, Page::Ranks);
        emit s.table("ranks.estimate").rowActivated(0);
        s.f.settle();
        QCOMPARE(s.f.workspace.place().page, Page::Stages);
        QCOMPARE(s.f.workspace.selectedNode()->name, std::string("all_to_all_single"));
        // Weights that are split over the ranks.
        Shown tp(data + "tp");
        QCOMPARE(tp.cell("ranks.estimate", 6, 3), QString("4 KiB"));
        QCOMPARE(tp.cell("ranks.estimate", 6, 4), QString("2 KiB"));
        QCOMPARE(tp.cell("ranks.estimate", 6, 6), QString("DTensor, S(0) of f32[64, 32]"));
    }

    void manyRanksShareLanes() {
        auto session = std::make_shared<session::Session>();
        session->compiles.resize(1024);
        capture::RanksReading reading;
        reading.session = session;
        reading.report.rows.resize(1);
        reading.report.rows[0].id = "0/0";
        for (int rank = 0; rank < 1024; ++rank) {
            ranks::RankTime one;
            one.rank = rank;
            one.endUs = rank == 7 ? 5e6 : 1e6 + rank;
            one.compiles = {{0, std::size_t(rank), {{0, one.endUs}}, ranks::TimeSource::Events}};
            reading.compileTimes.ranks.push_back(std::move(one));
        }
        reading.compileTimes.wholeUs = 5e6;
        reading.compileTimes.lastToEnd = 7;
        Theme theme;
        RankTimeChart times(theme);
        times.resize(900, 300);
        times.setReading(reading);
        const auto& chart = *test::part<FlameChart>(times, "ranks.times");
        QCOMPARE(chart.tree()->lanes.size(), std::size_t(2));
        QVERIFY2(chart.description(0).contains("One of ranks 0, 1 and 1021 more"),
                 qPrintable(chart.description(0)));
        QVERIFY(test::part<QLabel>(times, "ranks.times.summary")->text().contains("are one lane"));
        reading.compileTimes = {};
        times.setReading(reading);
        QCOMPARE(test::part<QLabel>(times, "ranks.times.clock")->text(),
                 QString("These ranks compiled nothing."));
    }

    void whatThePageKeepsIsRestored() {
        Shown s(data + "tp");
        auto* tabs = test::part<QTabBar>(*s.page, "ranks.tabs");
        tabs->setCurrentIndex(3);
        const QByteArray state = s.page->saveState();
        Shown other(data + "tp");
        other.page->restoreState(state);
        QCOMPARE(test::part<QTabBar>(*other.page, "ranks.tabs")->currentIndex(), 3);
        other.page->restoreState("damaged");
        QCOMPARE(test::part<QTabBar>(*other.page, "ranks.tabs")->currentIndex(), 3);
        // Before there were tabs of compile times and other numbers of ranks, notes were the seventh.
        QByteArray old;
        QDataStream(&old, QIODevice::WriteOnly) << 1 << 6 << QByteArray() << QByteArray();
        other.page->restoreState(old);
        auto* restored = test::part<QTabBar>(*other.page, "ranks.tabs");
        QCOMPARE(restored->tabText(restored->currentIndex()), QString("Notes"));
    }

    void cachesAndEstimatesAreListedByRank() {
        capture::RanksReading reading;
        auto session = std::make_shared<session::Session>();
        reading.session = session;
        reading.report.ranks = {0, 1, 2};
        reading.report.runtime = {{"0/0", 0, 2, {{0, 1000.0}, {1, 1000.0}, {2, 3000.0}}}};
        reading.caches = {{"0/0", "fx_graph_cache", {{"hit", {0, 1}}, {"miss", {2}}}, {}}};
        const std::vector<TableRow> estimates = estimateRows(reading);
        QCOMPARE(estimates.size(), std::size_t(2));
        QCOMPARE(estimates[0][1].text, QString("ranks 0 and 1"));
        QVERIFY(estimates[0][3].text.isEmpty());
        QCOMPARE(estimates[1][1].text, QString("rank 2"));
        QVERIFY(!estimates[1][3].text.isEmpty());
        const std::vector<TableRow> caches = cacheRows(reading);
        QCOMPARE(caches[0][2].text, QString("ranks 0 and 1"));
        QCOMPARE(caches[0][3].text, QString("rank 2"));
        QVERIFY(caches[0][3].tone == Tone::Warn);
    }
};

QTEST_MAIN(TestRanksPage)
#include "tst_ranks_page.moc"
