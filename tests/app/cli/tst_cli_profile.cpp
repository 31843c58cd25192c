// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli profile, on the profiles and traces of tests/data/profile.
#include "tests/support/programs.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QtTest>

using namespace dynascope;

namespace {

const QString folder = QStringLiteral(DYNASCOPE_TEST_DATA "/profile/");

struct Run {
    int exitCode = -1;
    QByteArray out, err;
};

Run cli(const QStringList& arguments) {
    QProcess process;
    process.start(test::program("dynascope-cli"), QStringList{"profile"} + arguments);
    process.closeWriteChannel();
    if (!process.waitForFinished(60000) || process.exitStatus() != QProcess::NormalExit) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

QJsonObject json(const QStringList& arguments) {
    return QJsonDocument::fromJson(cli(arguments + QStringList{"--json"}).out).object();
}

} // namespace

class TestCliProfile : public QObject {
    Q_OBJECT
private slots:
    void saysWhereTimeGoes() {
        const Run run = cli({folder + "breaks", "--by", "break"});
        QVERIFY2(run.exitCode == 0, run.err);
        QVERIFY2(run.out.contains("3 steps, median 5468.3 us") &&
                     run.out.contains("9 of 9 compiled regions") &&
                     run.out.contains("graph break at profiles.py:16"),
                 run.out);
        const Run top = cli({folder + "encoder_inductor", "--top", "2"});
        QVERIFY2(top.out.contains("further rows with"), top.out);
    }

    void itsDocumentAddsUp() {
        for (const char* const by :
             {"node", "kernel", "line", "module", "compile", "break", "step", "operator"}) {
            const QJsonObject document = json({folder + "mlp_aot", "--by", by});
            double sum = 0;
            for (const QJsonValue& row : document["rows"].toArray())
                sum += row["self_us"].toDouble();
            QVERIFY2(std::abs(sum - document["busy_us"]["cpu"].toDouble()) < 1, by);
            QCOMPARE(document["steps"].toArray().size(), 3);
            QCOMPARE(document["joined"]["operators"]["all"].toInt(), 69);
        }
        const QJsonObject nodes = json({folder + "mlp_aot"});
        const auto rows = nodes["rows"].toArray();
        const auto gelu = std::find_if(
            rows.begin(), rows.end(), [](const QJsonValue& row) { return row["node"].toString() == "gelu"; });
        QVERIFY(gelu != rows.end());
        const QJsonObject row = (*gelu).toObject();
        QCOMPARE(row["stage"].toString(), QStringLiteral("aot_forward_graph"));
        QCOMPARE(row["kernel"].toString(), QStringLiteral("aten.gelu.default"));
        QVERIFY(row["median_us"].toDouble() > 0);
    }

    void itsTableIsCsv() {
        const Run run = cli({folder + "mlp_aot", "--csv"});
        const QList<QByteArray> lines = run.out.split('\n');
        QVERIFY(lines.size() > 20);
        QVERIFY(lines.front().startsWith("key,device,part,compile"));
        QVERIFY(run.out.contains("\ngelu,cpu,node,0/0,aot_forward_graph,gelu,"));
        QVERIFY(lines.front().endsWith(",evidence,flop,flop_type,bytes,saveable_us"));
        const Run ranked = cli({folder + "mlp_aot", "--csv", "--peaks", "1e11,1e10"});
        const QList<QByteArray> rows = ranked.out.split('\n');
        const QByteArray saved = rows[1].mid(rows[1].lastIndexOf(',') + 1);
        QVERIFY2(saved.toDouble() > 0, rows[1]); // the row that could save most stands first
    }

    void limitsMakeTheStatus() {
        QCOMPARE(cli({folder + "mlp_aot", "--max-step-us", "1e6", "--min-joined", "0.5"}).exitCode, 0);
        const Run slow = cli({folder + "mlp_aot", "--max-step-us", "10"});
        QVERIFY(slow.exitCode == 1 && slow.out.contains("more than 10"));
        const Run loose = cli({folder + "mlp_aot", "--min-joined", "0.99", "--json"});
        QVERIFY2(loose.exitCode == 1 && loose.err.contains("less than 0.99"), loose.err);
        QCOMPARE(cli({folder + "mlp_aot", "--min-joined", "much"}).exitCode, 2);
        QCOMPARE(cli({folder + "mlp_aot", "--by", "colour"}).exitCode, 2);
        QCOMPARE(cli({folder + "mlp_aot", "--csv", "--json"}).exitCode, 2);
    }

    void aProfileAloneAndItsCapture() {
        const QString profile = folder + "mlp_aot/profile.json.gz";
        const QJsonObject alone = json({profile});
        QCOMPARE(alone["joined_share"].toDouble(), 0.0);
        QVERIFY(alone["unjoined_us"].toDouble() > 9000);
        const QJsonObject joined = json({profile, "--capture", folder + "mlp_aot/trace.log.xz"});
        QVERIFY(joined["joined_share"].toDouble() > 0.8);
        const Run none = cli({folder + "mlp_aot/trace.log.xz"});
        QVERIFY(none.exitCode == 2 && none.err.contains("export_chrome_trace"));
    }

    void peaksRankRows() {
        const QJsonArray rows = json({folder + "mlp_aot", "--peaks", "1.6e11,9e9"})["rows"].toArray();
        QCOMPARE(rows[0]["node"].toString(), QStringLiteral("addmm"));
        QCOMPARE(rows[0]["flop"].toDouble(), 3 * 524288.0);
        for (qsizetype i = 1; i < rows.size(); ++i)
            QVERIFY(rows[i - 1]["saveable_us"].toDouble(-1) >= rows[i]["saveable_us"].toDouble(-1));
        const Run text = cli({folder + "mlp_aot"});
        QVERIFY2(text.out.contains("GFLOP/s") && text.out.contains("GB/s"), text.out);
        for (const char* const odd : {"fast", "1", "0,0", "1,x"})
            QCOMPARE(cli({folder + "mlp_aot", "--peaks", odd}).exitCode, 2);
    }

    void twoProfilesAreCompared() {
        const QString profile = folder + "mlp_aot/profile.json.gz";
        const QJsonObject same = json({folder + "mlp_aot", folder + "mlp_aot"});
        QVERIFY(same["rows"].toArray().size() > 20);
        for (const QJsonValue& row : same["rows"].toArray())
            QVERIFY(row["change_us"].toDouble() == 0 && !row["beyond_noise"].toBool());
        const Run other = cli({folder + "mlp_aot", folder + "breaks", "--by", "kernel"});
        QVERIFY2(other.exitCode == 0 && other.out.contains("only in A") && other.out.contains("only in B"),
                 other.out);
        QCOMPARE(cli({profile, profile, "--by", "step"}).exitCode, 2);
    }

    void recompilesSayHowOftenTheyRan() {
        QProcess process;
        process.start(test::program("dynascope-cli"), {"recompiles", folder + "recompiles", "--json"});
        QVERIFY(process.waitForFinished(60000));
        const QJsonObject cache =
            QJsonDocument::fromJson(process.readAllStandardOutput()).array().at(0).toObject();
        QCOMPARE(cache["first_run"].toObject()["count"].toInt(), 6);
        const QJsonArray again = cache["recompiles"].toArray();
        QCOMPARE(again.at(0).toObject()["run"].toObject()["count"].toInt(), 0);
        QCOMPARE(again.at(1).toObject()["run"].toObject()["count"].toInt(), 3);
        QVERIFY(again.at(1).toObject()["run"].toObject()["median_us"].toDouble() > 0);
        process.start(test::program("dynascope-cli"), {"recompiles", folder + "recompiles"});
        QVERIFY(process.waitForFinished(60000));
        const QByteArray text = process.readAllStandardOutput();
        QVERIFY2(text.contains("did not run in the profile") && text.contains("ran 3 times in the profile"),
                 text);
        // Without a profile nothing is said of running.
        process.start(test::program("dynascope-cli"),
                      {"recompiles", folder + "recompiles/trace.log.xz", "--json"});
        QVERIFY(process.waitForFinished(60000));
        QVERIFY(QJsonDocument::fromJson(process.readAllStandardOutput())
                    .array()
                    .at(0)
                    .toObject()["first_run"]
                    .isNull());
    }

    void damagedInput() {
        QTemporaryDir temporary;
        QFile file(temporary.filePath("profile.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"schemaVersion\": 1, \"traceEvents\": [");
        file.close();
        const Run run = cli({file.fileName()});
        QVERIFY2(run.exitCode == 2 && run.err.count('\n') == 1, run.err);
    }

    /// What is there is shown, with what is not.
    void cutOff() {
        QTemporaryDir temporary;
        QFile file(temporary.filePath("profile.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("{\"schemaVersion\": 1, \"traceEvents\": [\n"
                   "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":1,"
                   "\"dur\":5},\n"
                   "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::a");
        file.close();
        const Run run = cli({file.fileName()});
        QVERIFY2(run.exitCode == 0 && run.out.contains("warning: "), run.out + run.err);
        QVERIFY(!json({file.fileName()})["warnings"].toArray().isEmpty());
    }

    /// A packed file that ends early: what was unpacked is told, and that it is not all.
    void cutOffPacked() {
        QTemporaryDir temporary;
        QFile whole(folder + "mlp_aot/profile.json.gz"), half(temporary.filePath("profile.json.gz"));
        QVERIFY(whole.open(QIODevice::ReadOnly) && half.open(QIODevice::WriteOnly));
        half.write(whole.readAll().left(static_cast<int>(whole.size() * 3 / 4)));
        half.close();
        const Run run = cli({half.fileName()});
        QCOMPARE(run.exitCode, 0);
        QVERIFY2(run.out.count("warning: ") >= 2, run.out);
        QVERIFY(json({half.fileName()})["warnings"].toArray().size() >= 2);
    }

    void breaksHaveTheirLines() {
        std::size_t breaks = 0;
        for (const QJsonValue& value : json({folder + "breaks", "--by", "break"})["rows"].toArray()) {
            const QJsonObject row = value.toObject();
            if (!row["key"].toString().startsWith("graph break at ")) continue;
            ++breaks;
            QVERIFY(row["file"].toString().endsWith("profiles.py"));
            QCOMPARE("graph break at profiles.py:" + QString::number(row["line"].toInt()),
                     row["key"].toString());
        }
        QCOMPARE(breaks, std::size_t(2));
    }

    /// What a stream waited, and what this program does not know of PyTorch's, told as what it is.
    void categoriesThatAreNoWork() {
        QTemporaryDir temporary;
        QFile file(temporary.filePath("profile.json"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        const auto event = [](const char* category, int at) {
            return QByteArray("{\"ph\":\"X\",\"pid\":0,\"tid\":7,\"dur\":10,\"args\":{\"device\":0},\"name\":"
                              "\"a\",\"cat\":\"") +
                   category + "\",\"ts\":" + QByteArray::number(at) + "}";
        };
        file.write("{\"schemaVersion\": 1, \"traceEvents\": [" + event("kernel", 1) + ',' +
                   event("cuda_sync", 11) + ',' + event("cuda_event", 12) + ',' + event("of_tomorrow", 30) +
                   "]}");
        file.close();
        const QJsonObject document = json({file.fileName()});
        QCOMPARE(document["busy_us"]["gpu:0"].toDouble(), 10.0);
        QCOMPARE(document["busy_us"]["other"].toDouble(), 10.0);
        QCOMPARE(document["warnings"].toArray().size(), 1);
        QVERIFY(document["warnings"].toArray()[0].toString().contains(
            "1 event of categories that are not known (of_tomorrow)"));
    }
};

QTEST_GUILESS_MAIN(TestCliProfile)
#include "tst_cli_profile.moc"
