// SPDX-License-Identifier: BSD-3-Clause
#include "core/capture/open.h"
#include "tests/support/parts.h"
#include "tests/support/trace_text.h"
#include "tests/views/panel_test.h"
#include "views/base/bytecode_panel.h"
#include "views/base/code_view.h"
#include "views/breaks/break_facts.h"
#include "views/breaks/breaks_page.h"
#include "views/breaks/cut_strip.h"
#include "views/breaks/reasons_model.h"
#include "views/inspector/fact_view.h"
#include "views/workspace/break_place.h"

#include <QLabel>
#include <QLineEdit>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <algorithm>

using namespace dynascope;
using namespace dynascope::views;

class TestBreaksPage : public QObject {
    Q_OBJECT
private slots:
    void modelHolds();
    void ranksAreNamed();
    void ranksByCost();
    void clickingARowShowsItsBreak();
    void clickingThePictureShowsItsBreak();
    void pillsOfShortFramesLieApart();
    void aTallPageShowsMoreOfThePicture();
    void sortsByAppearance();
    void filters();
    void exportsTheTable();
    void saysWhyThereIsNoBytecode();
    void tellsWhatToDo();
    void showsTheChange_data();
    void showsTheChange();
    void showsTheBytecode();
    void noBreaksSaysSo();
    void survivesClosing();
    void runTimesOfAProfile();
    void oneIsNoPlural();
    void thePictureIsNamedAfterWhatIsCut();
};

/// A function that compiles whole, and `cut` others with a break each.
Workspace::Capture cutFunctions(int cut) {
    session::Session session;
    session.kind = session::Kind::TorchTrace;
    session.ranks = {0};
    for (int i = 0; i <= cut; ++i) {
        session::Compile compile;
        compile.id = {i, 0};
        compile.function = i == 0 ? "whole" : std::string(1, char('e' + i));
        if (i > 0) {
            session::GraphBreak graphBreak;
            graphBreak.title = "Break of " + compile.function;
            graphBreak.userStack = {{"/a/train.py", std::uint32_t(10 * i), compile.function, "h(x)"}};
            compile.breaks = {graphBreak};
            compile.status = session::Status::GraphBreak;
        }
        session::Frame frame;
        frame.function = compile.function;
        frame.compiles = {std::size_t(i)};
        session.frames.push_back(std::move(frame));
        session.compiles.push_back(std::move(compile));
    }
    session::BreakSummary breaks = session::summarizeBreaks(session);
    for (session::BreakGroup& group : breaks.groups)
        group.framesAfter.clear();
    return {std::make_shared<const session::Session>(std::move(session)), std::move(breaks)};
}

/// Not after the first function of the capture, which may have no break.
void TestBreaksPage::thePictureIsNamedAfterWhatIsCut() {
    for (const int cut : {1, 2}) {
        test::Fixture f;
        f.workspace.addCapture(cutFunctions(cut));
        f.settle();
        auto page = f.show<BreaksPage>(1200, 700);
        QStringList titles;
        for (const QLabel* label : page->findChildren<QLabel*>())
            if (label->text().startsWith("How the breaks cut")) titles << label->text();
        QCOMPARE(titles, QStringList(cut == 1 ? "How the breaks cut f into graphs"
                                              : "How the breaks cut 2 functions into graphs"));
    }
}

void TestBreaksPage::aTallPageShowsMoreOfThePicture() {
    test::Fixture f;
    f.workspace.addCapture(cutFunctions(9));
    f.settle();
    auto page = f.show<BreaksPage>(1200, 700);
    const auto* strip = page->findChild<CutStrip*>();
    const auto rowsInSight = [&] {
        int rows = 0;
        for (int row = 0; !strip->pieceRect(row, 0).isNull(); ++row)
            rows += strip->visibleRegion().boundingRect().contains(strip->pieceRect(row, 0)) ? 1 : 0;
        return rows;
    };
    QTRY_COMPARE(rowsInSight(), 2);
    page->resize(1200, 1500);
    QTRY_VERIFY(rowsInSight() > 2);
}

void TestBreaksPage::oneIsNoPlural() {
    test::TraceText text;
    text.string(1, "/a/train.py").start("f", 9);
    text.artifact("dynamo_graph_break_reason",
                  "Graph break in user code at /a/train.py:9\nGraph Break Reason: odd\n"
                  "User code traceback:\n  File \"/a/train.py\", line 9, in f\n    g(x)\n");
    const auto session = capture::openText(text.metrics().text(), "one");
    QVERIFY(session);
    test::Fixture f;
    f.workspace.addCapture({*session, session::summarizeBreaks(**session)});
    f.settle();
    auto page = f.show<BreaksPage>(1200, 700);
    QStringList names;
    for (const QLabel* label : page->findChildren<QLabel*>())
        names << label->text();
    for (const char* const name : {"graph break", "reason", "compile", "recompiles"})
        QVERIFY2(names.contains(QString(name)), qPrintable(names.join(u';')));
}

void TestBreaksPage::modelHolds() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    ReasonsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
    ReasonsFilter filter;
    filter.setSourceModel(&model);
    QAbstractItemModelTester filterTester(&filter, QAbstractItemModelTester::FailureReportingMode::QtTest);
    model.setGroups(f.workspace.capture()->breaks.groups);
    QCOMPARE(model.rowCount(), 7);
    filter.setText("print");
    QCOMPARE(filter.rowCount(), 1);
    filter.setText({});
    QVERIFY(!model.data(model.index(99, 0), Qt::DisplayRole).isValid());
    model.setGroups({});
    QCOMPARE(model.rowCount(), 0);
    session::BreakGroup here, there;
    here.location = {"/home/me/train.py", 9, "f", "print(x)"};
    there.location = {"/usr/lib/python3.11/contextlib.py", 105, "__init__", "func()"};
    model.setGroups({here});
    QCOMPARE(model.index(0, ReasonsModel::Line).data().toString(), QStringLiteral("9 in f"));
    model.setGroups({here, there});
    QCOMPARE(model.index(1, ReasonsModel::Line).data().toString(), QStringLiteral("105 in contextlib.py"));
}

/// Ranks share compile ids: without the rank "1/0" is two compiles.
void TestBreaksPage::ranksAreNamed() {
    session::GraphBreak graphBreak;
    graphBreak.title = "Attempted to call function marked as skipped";
    graphBreak.userStack = {
        {"/home/me/train.py", 12, "main", "model(x)"},
        {"/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", 1789, "_call_impl", "f()"},
        {"/usr/lib/python3.11/contextlib.py", 105, "__init__", "func()"}};
    session::Session session;
    session.kind = session::Kind::TorchTrace;
    session.ranks = {0, 1};
    for (const int rank : session.ranks) {
        for (const bool resumed : {false, true}) {
            session::Compile compile;
            compile.id = {resumed ? 1 : 0, 0};
            compile.rank = rank;
            compile.status = resumed ? session::Status::Compiled : session::Status::GraphBreak;
            compile.function = resumed ? "torch_dynamo_resume_in___init___at_105" : "__init__";
            compile.userStack = {graphBreak.userStack.back()};
            if (!resumed) compile.breaks = {graphBreak};
            session.frames.push_back({});
            session.frames.back().rank = rank;
            session.frames.back().compiles = {session.compiles.size()};
            session.compiles.push_back(std::move(compile));
        }
    }
    Workspace::Capture capture;
    capture.session = std::make_shared<const session::Session>(std::move(session));
    capture.breaks = session::summarizeBreaks(*capture.session);
    const Facts facts = breakFacts(capture, 0);
    QString subtitle, cost;
    for (const Token& token : facts.subtitle)
        subtitle += token.text;
    QCOMPARE(subtitle,
             QStringLiteral("contextlib.py:105 in __init__, called from train.py:12 in main, by way of "
                            "module.py:1789"));
    for (const Fact& fact : facts.sections.front().facts)
        for (const Token& token : fact.tokens)
            cost += token.text;
    QVERIFY2(cost.contains(QStringLiteral("0:1/0 1:1/0")), qPrintable(cost));
}

void TestBreaksPage::runTimesOfAProfile() {
    test::Fixture f;
    const auto opened = capture::open(DYNASCOPE_TEST_DATA "/profile/breaks");
    QVERIFY(opened);
    f.workspace.addCapture({*opened, session::summarizeBreaks(**opened)}, true);
    f.workspace.showBreak(0);
    auto page = f.show<BreaksPage>(1280, 860);
    QVERIFY(!test::part<QTableView>(*page, "breaks.table")->isColumnHidden(ReasonsModel::RunTime));
    const QAbstractItemModel* model = test::part<QTableView>(*page, "breaks.table")->model();
    QCOMPARE(model->rowCount(), 2);
    for (int row = 0; row < 2; ++row) {
        const QModelIndex cell = model->index(row, ReasonsModel::RunTime);
        QTRY_VERIFY_WITH_TIMEOUT(cell.data(ReasonsModel::SortRole).toDouble() > 1, 30000);
        QVERIFY2(cell.data().toString().endsWith(QStringLiteral("µs")), qPrintable(cell.data().toString()));
        const QString parts = cell.data(Qt::ToolTipRole).toString();
        QVERIFY2(parts.startsWith(QStringLiteral("In a step: eager code ")) &&
                     parts.contains(cell.data().toString()),
                 qPrintable(parts));
    }
    test::Fixture without;
    test::addSample(without.workspace, "graph_breaks");
    without.workspace.showBreak(0);
    page = without.show<BreaksPage>(1280, 860);
    QVERIFY(test::part<QTableView>(*page, "breaks.table")->isColumnHidden(ReasonsModel::RunTime));
}

void TestBreaksPage::ranksByCost() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    f.workspace.showBreak(0);
    auto page = f.show<BreaksPage>(1280, 860);
    QVERIFY(page->message().isEmpty());
    const QAbstractItemModel* model = test::part<QTableView>(*page, "breaks.table")->model();
    QCOMPARE(model->rowCount(), 7);
    double last = 1e9;
    for (int row = 0; row < model->rowCount(); ++row) {
        const double seconds =
            model->index(row, ReasonsModel::Seconds).data(ReasonsModel::SortRole).toDouble();
        QVERIFY(seconds <= last);
        last = seconds;
    }
}

void TestBreaksPage::clickingARowShowsItsBreak() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    f.workspace.showBreak(0);
    auto page = f.show<BreaksPage>(1280, 860);
    const QModelIndex third =
        test::part<QTableView>(*page, "breaks.table")->model()->index(2, ReasonsModel::Reason);
    QTest::mouseClick(test::part<QTableView>(*page, "breaks.table")->viewport(), Qt::LeftButton, {},
                      test::part<QTableView>(*page, "breaks.table")->visualRect(third).center());
    f.settle();
    const int group = third.data(ReasonsModel::GroupRole).toInt();
    QCOMPARE(breakGroup(f.workspace.place()), group);
    const int line = int(f.workspace.capture()->breaks.groups[std::size_t(group)].location.line);
    bool noted = false;
    const CodeView* source = test::part<CodeView>(*page, "breaks.source");
    for (std::size_t row = 1; row < source->rows().size(); ++row)
        if (!source->rows()[row].note.isEmpty())
            noted = source->document(0)->lines[std::size_t(source->rows()[row - 1].line[0])].number == line;
    QVERIFY(noted);
}

void TestBreaksPage::clickingThePictureShowsItsBreak() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    f.workspace.showBreak(0);
    auto page = f.show<BreaksPage>(1280, 860);
    const auto rows = session::cutRows(*f.workspace.session(), f.workspace.capture()->breaks);
    QVERIFY(!rows.empty());
    int piece = 0;
    while (rows[0].pieces[std::size_t(piece)].group == 0 || rows[0].pieces[std::size_t(piece)].breakLine == 0)
        ++piece;
    QTest::mouseClick(test::part<CutStrip>(*page), Qt::LeftButton, {},
                      test::part<CutStrip>(*page)->breakRect(0, piece).center());
    QCOMPARE(breakGroup(f.workspace.place()), int(rows[0].pieces[std::size_t(piece)].group));
    QTest::mouseClick(test::part<CutStrip>(*page), Qt::LeftButton, {},
                      test::part<CutStrip>(*page)->pieceRect(0, 0).center());
    QCOMPARE(f.workspace.place().compile, int(rows[0].pieces[0].compile));
    QCOMPARE(f.workspace.place().page, Page::Stages);
}

void TestBreaksPage::pillsOfShortFramesLieApart() {
    Theme theme;
    CutStrip strip(theme);
    session::CutRow row;
    row.label = "Run 12, forward_features, again";
    for (int i = 0; i < 6; ++i) {
        session::CutPiece piece;
        piece.breakLine = i == 3 ? 0 : 1480 + i;
        if (i == 4) piece.ops = {"add"};
        row.pieces.push_back(piece);
    }
    strip.setRows(nullptr, {row, row});
    strip.resize(300, 200);
    QVERIFY(strip.minimumSizeHint().width() > strip.breakRect(0, 5).right());
    for (int i = 0; i < 5; ++i) {
        const QRect now = strip.breakRect(0, i), next = strip.breakRect(0, i + 1);
        QVERIFY2(now.isNull() || next.isNull() || now.right() + 2 < next.left(),
                 qPrintable(QStringLiteral("%1: %2 to %3").arg(i).arg(now.right()).arg(next.left())));
    }
    // "again" is read where there is room for it, and no label takes more than a share.
    QVERIFY(strip.pieceRect(0, 0).left() > theme.scaled(96));
    row.label = std::string(300, 'f');
    strip.setRows(nullptr, {row});
    QCOMPARE(strip.pieceRect(0, 0).left(), theme.scaled(180));
}

void TestBreaksPage::sortsByAppearance() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    f.workspace.showBreak(0);
    auto page = f.show<BreaksPage>(1280, 860);
    for (QToolButton* button : page->findChildren<QToolButton*>())
        if (button->text() == "Order of appearance") QTest::mouseClick(button, Qt::LeftButton);
    const QAbstractItemModel* model = test::part<QTableView>(*page, "breaks.table")->model();
    qulonglong last = 0;
    for (int row = 0; row < model->rowCount(); ++row) {
        const qulonglong first =
            model->index(row, ReasonsModel::Rank).data(ReasonsModel::SortRole).toULongLong();
        QVERIFY(first >= last);
        last = first;
    }
}

void TestBreaksPage::filters() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    f.workspace.showBreak(0);
    auto page = f.show<BreaksPage>(1280, 860);
    test::part<QTableView>(*page, "breaks.table")->setFocus();
    QTest::keyClick(test::part<QTableView>(*page, "breaks.table"), Qt::Key_Slash);
    auto* field = page->findChild<QLineEdit*>();
    QTest::keyClicks(field, "item");
    QCOMPARE(test::part<QTableView>(*page, "breaks.table")->model()->rowCount(), 1);
    field->setText("zzz");
    QCOMPARE(test::part<QTableView>(*page, "breaks.table")->model()->rowCount(), 0);
}

void TestBreaksPage::saysWhyThereIsNoBytecode() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    const auto& groups = f.workspace.capture()->breaks.groups;
    const auto print = std::ranges::find_if(groups, [](const session::BreakGroup& group) {
        return group.reason.find("print") != std::string::npos;
    });
    QVERIFY(print != groups.end());
    f.workspace.showBreak(int(print - groups.begin())); // in the frame that the program calls
    auto page = f.show<BreaksPage>(1280, 860);
    QVERIFY(test::part<CodeView>(*page, "breaks.bytecode")->lineRect(0, 0).isEmpty());
    const QString why = test::part<CodeView>(*page, "breaks.bytecode")->accessibleDescription();
    QVERIFY2(why.startsWith("This trace has no bytecode artifact of 0/0") &&
                 why.contains("dynascope-cli capture"),
             qPrintable(why));
    session::Session printed;
    printed.kind = session::Kind::TorchLogs;
    printed.compiles.resize(1);
    QVERIFY(noBytecodeText(printed, printed.compiles[0]).contains("TORCH_LOGS=bytecode"));
}

void TestBreaksPage::exportsTheTable() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    f.workspace.showBreak(0);
    auto page = f.show<BreaksPage>(1280, 860);
    QTemporaryDir folder;
    QVERIFY(page->exportTo(folder.filePath("b.csv")));
    QFile file(folder.filePath("b.csv"));
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count('\n'), 8);
    QVERIFY(!page->exportTo(folder.filePath("no/such/b.csv")));
    // No text of a capture becomes a formula of a table program.
    session::BreakSummary breaks;
    breaks.groups.resize(1);
    breaks.groups[0].reason = "=HYPERLINK(\"x\", 1)";
    breaks.groups[0].location = {"@a.py", 3, {}, {}};
    QCOMPARE(breaksAsCsv(breaks).section(u'\n', 1),
             QString("\"'=HYPERLINK(\"\"x\"\", 1)\",'@a.py,3,0,0.000,0,\n"));
}

void TestBreaksPage::tellsWhatToDo() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    const Facts facts = breakFacts(*f.workspace.capture(), 0);
    const QString text = FactView::plainText(facts);
    QVERIFY(text.contains("What to do"));
    QVERIFY(text.contains("Frames after: "));
    QVERIFY(text.contains("What comes after each"));
    // Nothing follows what the program cannot change.
    Workspace::Capture left = *f.workspace.capture();
    for (session::BreakGroup& group : left.breaks.groups)
        group.waysOut = {{"leave", "Leave it", {}, {}}};
    QVERIFY(!FactView::plainText(breakFacts(left, 0)).contains("What comes after each"));
    QVERIFY(!rawReason(*f.workspace.capture(), 0).isEmpty());
    QVERIFY(breakFacts(*f.workspace.capture(), 999).sections.empty());
    QVERIFY(rawReason(*f.workspace.capture(), 999).isEmpty());
}

void TestBreaksPage::showsTheChange_data() {
    QTest::addColumn<QString>("line");
    QTest::addColumn<QString>("changed");
    QTest::newRow("between") << "y=x.cos(); f.stop(); return y+1"
                             << "y=x.cos(); return y+1";
    QTest::newRow("alone") << "    f.stop ( a, b )"
                           << "pass";
    QTest::newRow("in brackets") << "g((f.stop(); 1))"
                                 << "";
    QTest::newRow("used") << "y = f.stop()"
                          << "";
    QTest::newRow("longer name") << "f.stopped()"
                                 << "";
    QTest::newRow("strings") << "s = \";f.stop()\"; f.stop(';')"
                             << "s = \";f.stop()\"";
    QTest::newRow("comment") << "f.stop() # a; b"
                             << "pass";
    QTest::newRow("open string") << "f.stop(); s = 'a\\"
                                 << "";
    QTest::newRow("nothing") << ""
                             << "";
}

void TestBreaksPage::showsTheChange() {
    QFETCH(QString, line);
    QFETCH(QString, changed);
    if (QByteArray(QTest::currentDataTag()) == "open string") {
        (void)withoutCall(line, "f.stop"); // no closing quote: anything but a crash
        return;
    }
    QCOMPARE(withoutCall(line, "f.stop"), changed);
    QCOMPARE(withoutCall(line, {}), QString());
}

void TestBreaksPage::showsTheBytecode() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    f.workspace.showBreak(0);
    auto page = f.show<BreaksPage>(1280, 860);
    const QString text = FactView::plainText(breakFacts(*f.workspace.capture(), 0));
    QVERIFY2(text.contains("\ny=x.cos(); return y+1\n"), qPrintable(text));
    bool recorded = false;
    for (std::size_t group = 0; group < f.workspace.capture()->breaks.groups.size(); ++group) {
        f.workspace.showBreak(int(group));
        f.settle();
        bool expected = false;
        for (const session::BreakOccurrence& o : f.workspace.capture()->breaks.groups[group].occurrences)
            expected |= !f.workspace.session()->compiles[o.compile].bytecode.empty();
        QTRY_COMPARE(test::part<CodeView>(*page, "breaks.bytecode")->paneCount() == 2, expected);
        recorded |= expected;
    }
    QVERIFY(recorded);
}

void TestBreaksPage::noBreaksSaysSo() {
    test::Fixture f;
    test::addSample(f.workspace, "view_mutation");
    auto page = f.show<BreaksPage>(1280, 860);
    QVERIFY(page->message().startsWith("No graph breaks: every frame was captured whole"));
    QVERIFY(page->message().contains("1 compile"));
}

void TestBreaksPage::survivesClosing() {
    test::Fixture f;
    test::addSample(f.workspace, "graph_breaks");
    f.workspace.showBreak(0);
    auto page = f.show<BreaksPage>(1280, 860);
    f.workspace.close(0);
    f.settle();
    QVERIFY(page->message().contains("Ctrl+O"));
    (void)page->grab();
    test::addSample(f.workspace, "view_mutation");
    test::addSample(f.workspace, "graph_breaks");
    f.settle();
    (void)page->grab();
}

QTEST_MAIN(TestBreaksPage)
#include "tst_breaks_page.moc"
