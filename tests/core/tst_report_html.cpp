// SPDX-License-Identifier: BSD-3-Clause
//
// The HTML report as text: its form, what it says, and that a capture's texts stay texts. What it does in a browser,
// tests/report/test_browser.py asks.
#include "core/capture/open.h"
#include "core/report/html.h"
#include "core/session/breaks.h"
#include "tests/support/captures.h"
#include "tests/support/hostile_text.h"

#include <QCryptographicHash>
#include <QFile>
#include <QRegularExpression>
#include <QSet>
#include <QTest>
#include <QXmlStreamReader>

using namespace dynascope;

namespace {

session::SessionPtr openedCapture(const QString& path) {
    const auto session = capture::open(path.toStdString());
    if (!session) qFatal("%s", session.error().toString().c_str());
    return *session;
}

report::Contents contentsOf(const session::Session& session, const report::Budgets& budgets = {}) {
    report::Contents out;
    out.title = session.title;
    for (const answers::Question question : answers::questions)
        out.answers.push_back(answers::answer(session, question));
    out.figures = report::figuresOf(session);
    out.checks = report::check(budgets, out.figures, nullptr);
    return out;
}

QString reportOf(const session::SessionPtr& session, const report::HtmlOptions& options = {}) {
    return QString::fromStdString(report::html(contentsOf(*session), session, options));
}

/// Style sheets and scripts are texts of another kind.
QString withoutRawTexts(QString html) {
    static const QRegularExpression raw("(<(script|style)[^>]*>).*?(</\\2>)",
                                        QRegularExpression::DotMatchesEverythingOption);
    return html.replace(raw, "\\1\\3");
}

struct Form {
    QString error; ///< empty where every element ends
    QSet<QString> ids, links, elements, attributes;
    QString twice; ///< an id that two elements have
};

Form formOf(const QString& html) {
    Form out;
    QXmlStreamReader xml(withoutRawTexts(html));
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement) continue;
        out.elements << xml.name().toString();
        for (const QXmlStreamAttribute& attribute : xml.attributes()) {
            const QString value = attribute.value().toString();
            out.attributes << attribute.name().toString();
            if (attribute.name() == QLatin1String("id")) {
                if (out.ids.contains(value)) out.twice = value;
                out.ids << value;
            }
            if (attribute.name() == QLatin1String("href")) out.links << value;
        }
    }
    if (xml.hasError()) out.error = QString("%1 in line %2").arg(xml.errorString()).arg(xml.lineNumber());
    return out;
}

/// Every element ends, ids are unique, links lead somewhere in the file, nothing runs by an attribute.
void checkForm(const QString& html) {
    const Form form = formOf(html);
    QVERIFY2(form.error.isEmpty(), qPrintable(form.error));
    QVERIFY2(form.twice.isEmpty(), qPrintable(form.twice));
    for (const QString& link : form.links)
        QVERIFY2(link.startsWith('#') && form.ids.contains(link.mid(1)), qPrintable(link));
    for (const QString& attribute : form.attributes)
        QVERIFY2(!attribute.startsWith("on") && attribute != "src" && attribute != "srcset",
                 qPrintable(attribute));
    for (const char* element : {"img", "iframe", "object", "embed", "form", "link", "base"})
        QVERIFY2(!form.elements.contains(element), element);
}

} // namespace

class TestReportHtml : public QObject {
    Q_OBJECT

private slots:
    void capturesMakeWholeDocuments_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"trace_inductor/graph_breaks", "trace_inductor/recompiles", "trace_inductor/train",
              "trace_inductor/fail", "trace_inductor/view_mutation"})
            QTest::newRow(name) << name;
    }
    void capturesMakeWholeDocuments() {
        QFETCH(QString, name);
        const session::SessionPtr session = openedCapture(test::capture(name));
        const QString html = reportOf(session);
        checkForm(html);
        QCOMPARE(reportOf(session), html);
        QCOMPARE(reportOf(openedCapture(test::capture(name))), html);
        QVERIFY2(html.toUtf8().size() < 5'000'000, qPrintable(QString::number(html.toUtf8().size())));
    }

    /// A folder with a profile, or with several ranks.
    void runTimeAndRanks() {
        const QString profiled =
            reportOf(openedCapture(QStringLiteral(DYNASCOPE_TEST_DATA "/profile/breaks")));
        checkForm(profiled);
        QVERIFY(profiled.contains("<section class=\"card wide\" id=\"profile\"") &&
                profiled.contains("Time of each graph break") && profiled.contains("guards</td>"));
        const QString ranks = reportOf(openedCapture(QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/diverge")));
        checkForm(ranks);
        QVERIFY(ranks.contains("id=\"ranks\"") && ranks.contains("will hang</span>"));
        // Ranks compile the same graphs: what is the same is there once, and the others lead to it.
        const QString alike = reportOf(openedCapture(QStringLiteral(DYNASCOPE_TEST_DATA "/ranks/moe")));
        checkForm(alike);
        QVERIFY(alike.contains("word for word") &&
                alike.contains(QRegularExpression("data-same=\"s\\d+\"|those of <a")));
        const QString plain = reportOf(openedCapture(test::capture("trace_inductor/view_mutation")));
        QVERIFY(!plain.contains("id=\"profile\"") && !plain.contains("id=\"ranks\""));
    }

    void saysWhatTheCaptureSays() {
        const session::SessionPtr session = openedCapture(test::capture("trace_inductor/graph_breaks"));
        report::Budgets budgets;
        budgets.graphBreaks = 3;
        const QString html = QString::fromStdString(report::html(contentsOf(*session, budgets), session));
        checkForm(html);
        const session::BreakSummary summary = session::summarizeBreaks(*session);
        for (const session::BreakGroup& group : summary.groups)
            QVERIFY2(html.contains(QString::fromStdString(group.reason).toHtmlEscaped()),
                     group.reason.c_str());
        QCOMPARE(html.count("<tr class=\"opener\" id=\"b"), qsizetype(summary.groups.size()));
        QVERIFY(html.contains("1 of 1 budget exceeded") && html.contains("max-graph-breaks"));
        // A break shows its line: the source around it, marked, and as a link into the source of the appendix.
        QVERIFY(html.contains("<mark><i>   30  </i>"));
        QVERIFY(html.contains(
            QRegularExpression("<a class=\"at\" href=\"#L\\d+-30\" title=\"[^\"]*cap.py\">cap.py:30</a>")));
    }

    void everyStageIsThere() {
        const session::SessionPtr session = openedCapture(test::capture("trace_inductor/train"));
        const QString html = reportOf(session);
        qsizetype stages = 0, graphs = 0, pictures = 0;
        for (const session::Compile& compile : session->compiles)
            for (const session::StagePtr& stage : compile.stages) {
                const QString figure = QString("<figure class=\"stage\" id=\"s%1\" data-name=\"%2\"")
                                           .arg(stages++)
                                           .arg(QString::fromStdString(stage->label()));
                QVERIFY2(html.contains(figure), qPrintable(figure));
                const auto graph = stage->graph();
                if (!graph) continue;
                ++graphs;
                for (const ir::NodePtr& node : (*graph)->nodes())
                    QVERIFY2(html.contains(QString::fromStdString(node->name)), node->name.c_str());
            }
        // What blocks hold is drawn as well.
        const qsizetype insides = html.count("<details class=\"inside\"");
        QVERIFY(insides > 4 && html.contains("role=\"button\" data-i=\"0\" data-n=\""));
        pictures = html.count("<svg class=\"graph\"") - insides;
        // What is word for word the stage before is there once.
        QVERIFY(graphs > 8 && pictures > 4);
        QCOMPARE(pictures + html.count(" data-same=\""), graphs);
        QCOMPARE(html.count("<script type=\"application/json\">"), pictures);
        QVERIFY(!html.contains("class=\"left\""));
        // Folded or not, an item has a title, and a place for the keyboard.
        QCOMPARE(html.count("<g class=\"n k"), html.count("role=\"button\" data-i=\""));
    }

    /// Beyond its size a report leaves out pictures and texts, and says so in each place.
    void largeCapturesSayWhatIsLeftOut() {
        const session::SessionPtr session = openedCapture(test::capture("trace_inductor/gpt2_tiny"));
        const qsizetype whole = reportOf(session).toUtf8().size();
        qsizetype last = whole;
        report::HtmlOptions narrow;
        narrow.mostBytes = std::size_t(whole * 9 / 10);
        const QString withoutInsides = reportOf(session, narrow);
        checkForm(withoutInsides);
        QVERIFY(withoutInsides.contains("is not drawn: it would exceed") &&
                !withoutInsides.contains("For want of room"));
        for (const qsizetype most : {whole * 2 / 5, whole / 3, whole / 4}) {
            report::HtmlOptions options;
            options.mostBytes = std::size_t(most);
            const QString html = reportOf(session, options);
            checkForm(html);
            QVERIFY2(html.contains("For want of room") && html.contains("would exceed the size of a report"),
                     qPrintable(QString::number(most)));
            const qsizetype bytes = html.toUtf8().size();
            QVERIFY2(bytes < last, qPrintable(QString("%1 and %2").arg(bytes).arg(last)));
            QVERIFY2(bytes < std::max<qsizetype>(most, whole / 3) + 20'000,
                     qPrintable(QString("%1 of %2").arg(bytes).arg(most)));
            last = bytes;
            qsizetype stages = 0;
            for (const session::Compile& compile : session->compiles)
                stages += qsizetype(compile.stages.size());
            QCOMPARE(html.count("<figure class=\"stage\""), stages);
        }
    }

    /// A policy that names the digest of the one script lets no other run, and nothing be loaded.
    void onlyItsOwnScriptRuns() {
        const QString html = reportOf(openedCapture(test::capture("trace_inductor/view_mutation")));
        static const QRegularExpression scripts("<script>(.*?)</script>",
                                                QRegularExpression::DotMatchesEverythingOption);
        auto each = scripts.globalMatch(html);
        QVERIFY(each.hasNext());
        const QByteArray digest =
            QCryptographicHash::hash(each.next().captured(1).toUtf8(), QCryptographicHash::Sha256).toBase64();
        QVERIFY(!each.hasNext());
        QVERIFY(html.contains("default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-" + digest +
                              "'"));
        QVERIFY(!html.contains("http://www.w3.org/1999/xlink") && !html.contains("url(http"));
    }

    void hostileTextIsText() {
        QFile file(test::capture("trace_inductor/graph_breaks"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        test::HostileText hostile("</script><img src=x onerror=alert(1)>\"'><b>&amp;" +
                                      QString(QChar(0x202e)) + "\x1b]0;t\x07",
                                  QString(2000, u'A'));
        const auto session = capture::openText(hostile.on(file.readAll()).toStdString(), "<b>hostile</b>");
        QVERIFY2(session, session ? "" : session.error().toString().c_str());
        QVERIFY(hostile.count() > 100);
        const QString html = reportOf(*session);
        checkForm(html);
        QVERIFY(!html.contains("<img") && !html.contains("<b>hostile"));
        QVERIFY(!html.contains(QChar(0x202e)) && !html.contains(QChar(0x1b)) && !html.contains(QChar(1)));
        QVERIFY(html.contains("&lt;img src=x onerror=alert(1)&gt;") && html.contains("&lt;U+202E&gt;"));
        // What stands in scripts ends none of them.
        QCOMPARE(html.count("<script"), html.count("</script>"));
    }

    void graphsByThemselves() {
        const auto session =
            capture::openText("def forward(self, x):\n    sin = torch.sin(x)\n    return sin\n", "a");
        QVERIFY(session);
        const QString html = reportOf(*session);
        checkForm(html);
        QVERIFY(html.contains("nothing in the capture was compiled by torch.compile"));
    }
};

QTEST_GUILESS_MAIN(TestReportHtml)
#include "tst_report_html.moc"
