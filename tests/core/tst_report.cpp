// SPDX-License-Identifier: BSD-3-Clause
//
// Reports of captures: their figures, budgets on them, and the documents for pull requests and build jobs.
#include "core/capture/open.h"
#include "core/report/documents.h"
#include "core/session/breaks.h"
#include "tests/support/captures.h"
#include "tests/support/trace_text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTest>
#include <QXmlStreamReader>

using namespace dynascope;
using report::BudgetCheck;
using report::Budgets;
using report::Kind;

namespace {

session::SessionPtr opened(const char* name) {
    const auto session = capture::open(test::capture(name).toStdString());
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}

report::Contents contentsOf(const session::Session& session, const Budgets& budgets) {
    report::Contents out;
    out.title = session.title;
    for (const answers::Question question : answers::questions)
        out.answers.push_back(answers::answer(session, question));
    out.figures = report::figuresOf(session);
    out.checks = report::check(budgets, out.figures, nullptr);
    return out;
}

Budgets none() {
    Budgets out;
    out.graphBreaks = out.recompiles = out.compileSeconds = out.peakBytes = 0;
    out.requireCudagraph = true;
    return out;
}

QJsonArray resultsOf(const std::string& sarif) {
    const QJsonObject document = QJsonDocument::fromJson(QByteArray::fromStdString(sarif)).object();
    return document["runs"].toArray().at(0).toObject()["results"].toArray();
}

/// A frame that breaks with this reason, at line 9 of this file.
session::SessionPtr breaking(const std::string& reason, const std::string& file) {
    test::TraceText text;
    text.string(1, file);
    text.start("f", 9);
    text.artifact("dynamo_graph_break_reason",
                  "Graph break in user code at " + file + ":9\nGraph Break Reason: " + reason +
                      "\nUser code traceback:\n  File \"" + file + "\", line 9, in f\n    g(x)\n");
    text.metrics();
    const auto session = capture::openText(text.text(), "breaking");
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}

} // namespace

class TestReport : public QObject {
    Q_OBJECT

private slots:
    void figuresAreThoseOfThePages() {
        const session::SessionPtr session = opened("trace_inductor/graph_breaks");
        const report::Figures figures = report::figuresOf(*session);
        const session::BreakSummary summary = session::summarizeBreaks(*session);
        QVERIFY(summary.breaks > 3);
        QCOMPARE(*figures[Kind::GraphBreaks].value, double(summary.breaks));
        double breaks = 0;
        for (const report::Part& part : figures[Kind::GraphBreaks].parts) {
            breaks += part.value;
            QVERIFY(!part.text.empty() && part.at.line > 0 && !part.compile.empty());
        }
        QCOMPARE(breaks, double(summary.breaks));
        QVERIFY(std::abs(*figures[Kind::CompileSeconds].value - summary.compileSeconds) < 1e-6 ||
                *figures[Kind::CompileSeconds].value > summary.compileSeconds);
        QVERIFY(*figures[Kind::Nodes].value > 0 && *figures[Kind::PeakBytes].value > 0);
        const report::Figures again = report::figuresOf(*opened("trace_inductor/recompiles"));
        QVERIFY(*again[Kind::Recompiles].value > 0);
        QCOMPARE(*again[Kind::Recompiles].value, double(again[Kind::Recompiles].parts.size()));
        QVERIFY2(again[Kind::Recompiles].parts.front().text.find("was compiled again: ") != std::string::npos,
                 again[Kind::Recompiles].parts.front().text.c_str());
        // A graph by itself was not compiled, so that nothing is said of compiling.
        const auto graph =
            capture::openText("def forward(self, x):\n    sin = torch.sin(x)\n    return sin\n", "a");
        QVERIFY(graph);
        const report::Figures of = report::figuresOf(**graph);
        QVERIFY(!of[Kind::GraphBreaks].value && !of[Kind::GraphBreaks].unknown.empty());
    }

    void budgetsHoldOrSayWhat() {
        const report::Figures figures = report::figuresOf(*opened("trace_inductor/graph_breaks"));
        const auto most = [&](double breaks) {
            Budgets budgets;
            budgets.graphBreaks = breaks;
            return report::check(budgets, figures, nullptr).at(0);
        };
        const double breaks = *figures[Kind::GraphBreaks].value;
        QVERIFY(most(breaks).holds && most(breaks).parts.empty());
        const BudgetCheck exceeded = most(breaks - 1);
        QVERIFY(!exceeded.holds);
        QCOMPARE(exceeded.parts.size(), figures[Kind::GraphBreaks].parts.size());
        QVERIFY2(QString::fromStdString(exceeded.text)
                     .contains(QString("%1 graph breaks; the limit is %2").arg(breaks).arg(breaks - 1)),
                 exceeded.text.c_str());
        QVERIFY(report::check({}, figures, nullptr).empty());
        // What the capture does not say is no reason to pass.
        Budgets growth;
        growth.nodesGrowth = 5;
        QVERIFY(!report::check(growth, figures, nullptr).at(0).holds);
        report::Figures before = figures, unknown = figures;
        QVERIFY(report::check(growth, figures, &before).at(0).holds);
        before[Kind::Nodes].value = *before[Kind::Nodes].value / 1.06;
        const BudgetCheck grown = report::check(growth, figures, &before).at(0);
        QVERIFY2(!grown.holds && grown.text.find("+6.0 %, at most +5.0 %") != std::string::npos,
                 grown.text.c_str());
        unknown[Kind::PeakBytes].value = 100;
        unknown[Kind::PeakBytes].atLeast = true;
        Budgets peak;
        peak.peakBytes = 200;
        const BudgetCheck doubtful = report::check(peak, unknown, nullptr).at(0);
        QVERIFY2(!doubtful.holds && doubtful.text.starts_with("cannot be judged: at least "),
                 doubtful.text.c_str());
    }

    void budgetsFromAFile() {
        const auto read =
            report::readBudgets("[budgets]\nmax-graph-breaks = 2\nmax-compile-seconds = 1.5\n"
                                "require-cudagraph = true\nbaseline = \"main.log\"\n[other]\nx = 1\n",
                                "/a/dynascope.toml");
        QVERIFY2(read, read ? "" : read.error().toString().c_str());
        QVERIFY(read->graphBreaks == 2 && read->compileSeconds == 1.5 && read->requireCudagraph &&
                !read->recompiles);
        QCOMPARE(read->baseline, std::string("/a/main.log"));
        QVERIFY(report::readBudgets("", "a.toml")->empty());
        const auto error = [](const char* text) {
            return report::readBudgets(text, "a.toml").error().toString();
        };
        QCOMPARE(error("[budgets]\n\nmax-graph-breakz = 2\n"),
                 std::string("a.toml:3:20: no budget is called max-graph-breakz"));
        QVERIFY(
            error("[budgets]\nmax-recompiles = -1\n").starts_with("a.toml:2:18: max-recompiles is a number"));
        QVERIFY(error("[budgets]\nmax-recompiles = [1]\n").starts_with("a.toml:2:18: "));
        QVERIFY(error("budgets = 3\n").ends_with("budgets is no table"));
        QVERIFY(error("[budgets\n").starts_with("a.toml:1"));
    }

    void documentsOfACapture() {
        const session::SessionPtr session = opened("trace_inductor/graph_breaks");
        const report::Contents contents = contentsOf(*session, none());
        const QString text = QString::fromStdString(report::markdown(contents));
        QVERIFY2(text.count('\n') <= 60, qPrintable(text));
        QVERIFY(text.contains("| `max-graph-breaks` | **exceeded** |") && text.contains("## Graph breaks"));
        QCOMPARE(report::markdown(contentsOf(*session, none())), text.toStdString());

        const QJsonArray results = resultsOf(report::sarif(contents, ""));
        std::size_t breaks = 0;
        for (const QJsonValue& result : results) {
            if (result["ruleId"].toString() != "graph-breaks") continue;
            ++breaks;
            const QJsonValue place = result["locations"][0]["physicalLocation"];
            QVERIFY(place["region"]["startLine"].toInt() > 0);
            QVERIFY(place["artifactLocation"]["uri"].toString().startsWith("file:///"));
        }
        QCOMPARE(breaks, contents.figures[Kind::GraphBreaks].parts.size());

        QXmlStreamReader xml(QByteArray::fromStdString(report::junit(contents)));
        int cases = 0, failures = 0;
        while (!xml.atEnd()) {
            xml.readNext();
            cases += xml.isStartElement() && xml.name() == QLatin1String("testcase") ? 1 : 0;
            failures += xml.isStartElement() && xml.name() == QLatin1String("failure") ? 1 : 0;
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QCOMPARE(cases, int(contents.checks.size()));
        QCOMPARE(failures, int(std::ranges::count(contents.checks, false, &BudgetCheck::holds)));
    }

    void pathsBelowTheRootAreRelative() {
        Budgets budgets;
        budgets.graphBreaks = 0;
        const report::Contents contents = contentsOf(*breaking("odd", "/home/a b/repo/train.py"), budgets);
        const QJsonValue inside =
            resultsOf(report::sarif(contents, "/home/a b/")).at(0)["locations"][0]["physicalLocation"];
        QCOMPARE(inside["artifactLocation"]["uri"].toString(), QStringLiteral("repo/train.py"));
        QCOMPARE(inside["region"]["startLine"].toInt(), 9);
        const QJsonValue outside =
            resultsOf(report::sarif(contents, "/home/a")).at(0)["locations"][0]["physicalLocation"];
        QCOMPARE(outside["artifactLocation"]["uri"].toString(),
                 QStringLiteral("file:///home/a%20b/repo/train.py"));
    }

    /// What a capture says is text in every document.
    void hostileTextIsText() {
        Budgets budgets;
        budgets.graphBreaks = 0;
        const std::string evil = "<img src=x> | `tick` @all [x](http://y) **b** \x1b[31m ]]> &";
        const report::Contents contents = contentsOf(*breaking(evil, "/a/<b>|`.py"), budgets);
        const QString text = QString::fromStdString(report::markdown(contents));
        qsizetype columns = 0; // of the table that the line before is of; 0 where it is of none
        for (const QString& line : text.split('\n')) {
            QVERIFY(!line.contains(QChar(0x1b)));
            // Outside of code spans nothing is left that means something.
            QString rest = line;
            rest.remove(QRegularExpression("(`+)[^`](?:.*?[^`])?\\1(?!`)"));
            QVERIFY2(!rest.contains("<img") && !rest.contains(QRegularExpression("(?<!\\\\)\\[x\\]")),
                     qPrintable(line));
            // Every row of a table has the columns of its first.
            const auto bars = line.startsWith('|') ? QString(line).remove("\\|").count('|') : 0;
            QVERIFY2(bars == 0 || columns == 0 || bars == columns, qPrintable(line));
            columns = bars;
        }
        QXmlStreamReader xml(QByteArray::fromStdString(report::junit(contents)));
        while (!xml.atEnd())
            xml.readNext();
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(!resultsOf(report::sarif(contents, "")).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestReport)
#include "tst_report.moc"
