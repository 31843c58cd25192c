// SPDX-License-Identifier: BSD-3-Clause
//
// The page Recompiles: what it lists, what it says of one, and where its rows and links lead.
#include "core/capture/open.h"
#include "core/session/compile_counts.h"
#include "tests/support/parts.h"
#include "tests/views/panel_test.h"
#include "views/base/code_view.h"
#include "views/base/row_table.h"
#include "views/inspector/fact_view.h"
#include "views/recompiles/recompile_texts.h"
#include "views/recompiles/recompiles_page.h"
#include "views/workspace/labels.h"
#include "views/workspace/recompile_place.h"

#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>

using namespace dynascope;
using namespace dynascope::views;

namespace {

/// A function that was compiled for two strings, and refused the third.
session::SessionPtr atTheLimit() {
    auto out = std::make_shared<session::Session>();
    for (int i = 0; i < 3; ++i) {
        session::Compile compile;
        compile.id.frame = 0;
        compile.id.compile = i;
        compile.function = "f";
        compile.status = session::Status::Compiled;
        compile.isRecompile = i == 1;
        session::Guard guard;
        guard.source = "L['mode']";
        guard.type = "EQUALS_MATCH";
        guard.code = "L['mode'] == 'm" + std::to_string(i) + '\'';
        compile.guards = {guard};
        if (i > 0)
            compile.recompileReasons = {"0/" + std::to_string(i - 1) + ": mode == 'm" +
                                        std::to_string(i - 1) + '\''};
        out->compiles.push_back(compile);
    }
    out->compiles[2].status = session::Status::Failed;
    out->compiles[2].failReason =
        "Dynamo recompile limit exceeded\n exceeding the limit (currently set to 2).";
    return out;
}

QString textOf(const Facts& facts) {
    return FactView::plainText(facts);
}

} // namespace

class TestRecompilesPage : public QObject {
    Q_OBJECT

    static void goTo(Workspace& workspace, int compile) {
        Place place = workspace.place();
        setRecompile(place, compile);
        workspace.go(place);
    }

private slots:
    void listsThemInOrder() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        goTo(f.workspace, -1);
        auto page = f.show<RecompilesPage>(1280, 860);
        QVERIFY(page->message().isEmpty());
        QAbstractItemModelTester tester(&test::part<RowTable>(*page, "recompiles.table")->rows(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        const std::vector<TableRow>& rows = test::part<RowTable>(*page, "recompiles.table")->rows().rows();
        QVERIFY(rows.front()[1].cutMiddle); // resume functions differ in their ends alone
        QCOMPARE(rows.size(), std::size_t(10));
        qulonglong last = 0;
        for (const TableRow& row : rows) {
            QVERIFY(row[0].sort.toULongLong() > last || last == 0);
            last = row[0].sort.toULongLong();
            QVERIFY2(row[7].text.contains("size mismatch"), qPrintable(row[7].text));
        }
        // The time is that of the compile, and sorts by seconds.
        QCOMPARE(test::part<RowTable>(*page, "recompiles.table")
                     ->model()
                     ->headerData(2, Qt::Horizontal)
                     .toString(),
                 QString("Time"));
        for (const TableRow& row : rows) {
            const auto& made = f.workspace.session()->compiles[std::size_t(row[0].sort.toULongLong())];
            QCOMPARE(row[2].text, secondsText(session::compileTime(made)));
            QCOMPARE(row[2].sort.toDouble(), session::compileTime(made));
        }
        // The one that took longest is chosen, and told about.
        const auto longest =
            std::ranges::max_element(rows, {}, [](const TableRow& row) { return row[2].sort.toDouble(); });
        QVERIFY(longest != rows.begin());
        QCOMPARE(test::part<RowTable>(*page, "recompiles.table")->selected(), int(longest - rows.begin()));
        QVERIFY(f.workspace.place().own.of<RecompilePlace>().compile > 0);
        QCOMPARE(test::part<RowTable>(*page, "recompiles.asked")->rows().rowCount(), 1);
    }

    void clickingARowTellsOfIt() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        goTo(f.workspace, -1);
        auto page = f.show<RecompilesPage>(1280, 860);
        const QString third = test::part<RowTable>(*page, "recompiles.table")->rows().rows()[2][0].text;
        QTest::mouseClick(test::part<RowTable>(*page, "recompiles.table")->viewport(), Qt::LeftButton, {},
                          test::part<RowTable>(*page, "recompiles.table")->cellRect(2, 1).center());
        f.settle();
        const int compile = f.workspace.place().own.of<RecompilePlace>().compile;
        QCOMPARE(QString::fromStdString(f.workspace.session()->compiles[std::size_t(compile)].id.toString()),
                 third);
        // Both guards texts have the size that changed.
        const std::vector<TableRow>& changes =
            test::part<RowTable>(*page, "recompiles.changes")->rows().rows();
        QVERIFY(std::any_of(changes.begin(), changes.end(), [](const TableRow& row) {
            return row[1].text == "TENSOR_MATCH" && row[2].text.contains("size=[8, 8]") &&
                   row[3].text != row[2].text;
        }));
        QVERIFY(!test::part<CodeView>(*page, "recompiles.source")->rows().empty());
        QTest::keyClick(test::part<RowTable>(*page, "recompiles.table"), Qt::Key_Down);
        QVERIFY(f.workspace.place().own.of<RecompilePlace>().compile > compile);
        f.workspace.goBack();
        f.settle();
        QCOMPARE(f.workspace.place().own.of<RecompilePlace>().compile, compile);
        QTest::keyClick(test::part<RowTable>(*page, "recompiles.table"), Qt::Key_Return);
        QCOMPARE(f.workspace.place().page, Page::Stages);
        QCOMPARE(f.workspace.place().compile, compile);
    }

    void anEntryLeadsToItsGuards() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        goTo(f.workspace, -1);
        auto page = f.show<RecompilesPage>(1280, 860);
        QSignalSpy panels(&f.workspace, &Workspace::panelRequested);
        QTest::mouseClick(test::part<RowTable>(*page, "recompiles.asked")->viewport(), Qt::LeftButton, {},
                          test::part<RowTable>(*page, "recompiles.asked")->cellRect(0, 0).center());
        QCOMPARE(panels.size(), 1);
        QCOMPARE(panels[0][0].value<PanelId>(), PanelId::Guards);
        QCOMPARE(QString::fromStdString(f.workspace.compile()->id.toString()),
                 test::part<RowTable>(*page, "recompiles.asked")->rows().rows()[0][0].text);
    }

    void aLinkComparesBoth() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        goTo(f.workspace, -1);
        auto page = f.show<RecompilesPage>(1280, 860);
        const int made = f.workspace.place().own.of<RecompilePlace>().compile;
        emit test::part<FactView>(*page, "recompiles.detail")
            ->followed(QStringLiteral("pair:0:%1").arg(made));
        QTRY_VERIFY(!f.workspace.comparisons().empty());
        QCOMPARE(f.workspace.comparisons().back().compileB, made);
    }

    void filters() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        goTo(f.workspace, -1);
        auto page = f.show<RecompilesPage>(1280, 860);
        test::part<RowTable>(*page, "recompiles.table")->setFocus();
        QTest::keyClick(test::part<RowTable>(*page, "recompiles.table"), Qt::Key_Slash);
        auto* field = page->findChild<QLineEdit*>();
        QTest::keyClicks(field, "helper");
        QCOMPARE(test::part<RowTable>(*page, "recompiles.table")->rows().rowCount(), 2);
        field->setText("zzz");
        QCOMPARE(test::part<RowTable>(*page, "recompiles.table")->rows().rowCount(), 0);
        QVERIFY(test::part<RowTable>(*page, "recompiles.table")->emptyText().contains("zzz"));
        field->clear();
        QCOMPARE(test::part<RowTable>(*page, "recompiles.table")->rows().rowCount(), 10);
    }

    void refusedAtTheLimit() {
        const session::SessionPtr session = atTheLimit();
        const auto caches = dynamo::explainRecompiles(*session);
        QCOMPARE(caches.size(), std::size_t(1));
        const QString made = textOf(recompileFacts(*session, caches[0], caches[0].recompiles[0]));
        QVERIFY2(made.contains("2 of at most 2") && made.contains("'m0'") && made.contains("'m1'"),
                 qPrintable(made));
        QVERIFY(!made.contains("refused"));
        const QString refused = textOf(recompileFacts(*session, caches[0], caches[0].recompiles[1]));
        QVERIFY2(refused.contains("refused to compile") && refused.contains("recompile_limit"),
                 qPrintable(refused));
        QCOMPARE(recompileRow(*session, caches[0].recompiles[1], 0)[0].tone, Tone::Bad);

        test::Fixture f;
        f.workspace.addCapture({session, {}}, true);
        goTo(f.workspace, 2);
        auto page = f.show<RecompilesPage>(1280, 860);
        QCOMPARE(test::part<RowTable>(*page, "recompiles.table")->rows().rowCount(), 2);
        QCOMPARE(test::part<RowTable>(*page, "recompiles.table")->selected(), 1);
        QCOMPARE(test::part<RowTable>(*page, "recompiles.changes")->rows().rowCount(), 1);
        QCOMPARE(test::part<RowTable>(*page, "recompiles.changes")->rows().rows()[0][2].text,
                 QString("L['mode'] == 'm1'"));
    }

    /// Compile ids of two ranks are alike: each names its rank.
    void ranksAreNamed() {
        auto session = std::make_shared<session::Session>(*atTheLimit());
        const std::size_t one = session->compiles.size();
        for (std::size_t i = 0; i < one; ++i) {
            session->compiles.push_back(session->compiles[i]);
            session->compiles.back().rank = 1;
        }
        session->ranks = {0, 1};
        const auto caches = dynamo::explainRecompiles(*session);
        QCOMPARE(caches.size(), std::size_t(2));
        QStringList ids, asked;
        for (const dynamo::FrameCache& cache : caches) {
            ids << recompileRow(*session, cache.recompiles[0], 0)[0].text;
            asked << askedRows(*session, cache.recompiles[0])[0][0].text;
        }
        QCOMPARE(ids, QStringList({"0:0/1", "1:0/1"}));
        QCOMPARE(asked, QStringList({"0:0/0", "1:0/0"}));
    }

    void exportsTheTable() {
        test::Fixture f;
        test::addSample(f.workspace, "graph_breaks");
        goTo(f.workspace, -1);
        auto page = f.show<RecompilesPage>(1280, 860);
        QTemporaryDir folder;
        QVERIFY(page->exportTo(folder.filePath("out.csv")));
        QFile file(folder.filePath("out.csv"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 11);
        QVERIFY(lines[1].contains("size mismatch"));
        QVERIFY(!page->exportTo("/no/such/folder/out.csv"));
    }

    void saysHowOftenEntriesRan() {
        test::Fixture f;
        const auto opened = capture::open(DYNASCOPE_TEST_DATA "/profile/recompiles");
        QVERIFY(opened);
        f.workspace.addCapture({*opened, session::summarizeBreaks(**opened)}, true);
        goTo(f.workspace, 2);
        auto page = f.show<RecompilesPage>(1280, 860);
        f.settle();
        const auto& rows = test::part<RowTable>(*page, "recompiles.table")->rows().rows();
        QCOMPARE(rows.size(), std::size_t(2));
        QVERIFY(!test::part<RowTable>(*page, "recompiles.table")->isColumnHidden(ranColumn));
        QCOMPARE(rows[0][ranColumn].text, QStringLiteral("0")); // 0/1 never
        QCOMPARE(rows[1][ranColumn].text, QStringLiteral("3")); // 0/2 once a step
        QVERIFY(rows[1][runTimeColumn].sort.toDouble() > 0);
        const std::vector<dynamo::FrameCache> caches = dynamo::explainRecompiles(**opened);
        const auto joined =
            profile::join(*opened, session::attachedAs<profile::Profile>((*opened)->profiles.front()));
        QVERIFY(joined);
        const QString said = textOf(recompileFacts(**opened, caches.front(),
                                                   caches.front().recompiles.front(), compileRuns(**joined)));
        QVERIFY2(said.contains("0/0 6 runs") && said.contains("0/1 0 runs"), qPrintable(said));
        f.workspace.close(0);
        test::addSample(f.workspace, "graph_breaks");
        goTo(f.workspace, -1);
        f.settle();
        QVERIFY(test::part<RowTable>(*page, "recompiles.table")->isColumnHidden(ranColumn)); // no profile
    }

    /// No text of a capture becomes a formula of a table program.
    void exportsNoFormula() {
        session::Session session;
        session.compiles.resize(2);
        session.compiles[1].function = "=f()";
        dynamo::FailedGuard guard;
        guard.check = "+1, \"2\"";
        dynamo::Recompile again;
        again.compile = 1;
        again.failed = {guard};
        dynamo::FrameCache cache;
        cache.recompiles = {again};
        const QString line = recompilesAsCsv(session, {cache}).section(u'\n', 1, 1);
        QVERIFY2(line.contains(",'=f(),"), qPrintable(line));
        QVERIFY2(line.contains(",\"'+1, \"\"2\"\"\","), qPrintable(line));
    }

    void saysWhatIsNotThere() {
        test::Fixture f;
        test::addSample(f.workspace, "view_mutation");
        goTo(f.workspace, -1);
        auto page = f.show<RecompilesPage>(1280, 860);
        QVERIFY2(page->message().contains("Nothing was compiled a second time"), qPrintable(page->message()));
        f.workspace.close(0);
        f.settle();
        QVERIFY(!page->message().isEmpty());
    }
};

QTEST_MAIN(TestRecompilesPage)
#include "tst_recompiles_page.moc"
