// SPDX-License-Identifier: BSD-3-Clause
//
// The commands that need the engine, as programs.
#include "tests/support/archive.h"
#include "tests/support/programs.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

using namespace dynascope;

namespace {

struct Run {
    int exit = -1;
    QByteArray out;
    QByteArray err;
};

Run cli(const QStringList& arguments) {
    QProcess process;
    process.start(test::program("dynascope-cli"), arguments);
    if (!process.waitForFinished(120000) || process.exitStatus() != QProcess::NormalExit) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

} // namespace

class TestEngineCli : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        QVERIFY(m_folder.isValid());
        for (const auto& [name, text] : test::oracleCases()) {
            if (!name.starts_with("hand_view_then") && !name.starts_with("rand_000")) continue;
            const QByteArray content = QByteArray::fromStdString(text);
            write(QString::fromStdString(name) + ".json", content);
            if (name.starts_with("hand"))
                write("graph.txt", QJsonDocument::fromJson(content)["before"].toString().toUtf8());
        }
    }

    void pass() {
        const Run run = cli({"pass", "functionalize", path("graph.txt"), "--inputs",
                             path("hand_view_then_inplace_add.json"), "--verify"});
        QCOMPARE(run.err, QByteArray());
        QCOMPARE(run.exit, 0);
        QVERIFY2(run.out.startsWith("graph():\n") && run.out.endsWith("verified: the same values as eager\n"),
                 run.out);
    }

    /// What another release captured is verified with this one's kernels, and the verdict says so.
    void passNamesAnotherRelease() {
        QFile file(path("hand_view_then_inplace_add.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        nlohmann::json document = nlohmann::json::parse(file.readAll().toStdString());
        document["torch_version"] = "2.6.1+cpu";
        write("other.case", QByteArray::fromStdString(document.dump()));
        const Run run = cli({"pass", "functionalize", path("other.case"), "--verify"});
        QVERIFY2(run.out.contains("verified: the same values as eager (PyTorch 2.") &&
                     run.out.endsWith(" here, 2.6 there)\n"),
                 run.out + run.err);
        QCOMPARE(run.exit, 0);
    }

    /// PyTorch's own graph on inputs that share memory: where it goes wrong is said.
    void passThatFailsVerification() {
        write("alias.txt", "graph():\n    %a : [num_users=1] = placeholder[target=a]\n    %b : [num_users=1] "
                           "= placeholder[target=b]\n"
                           "    %add_ : [num_users=0] = "
                           "call_function[target=torch.ops.aten.add_.Tensor](args = (%a, 1), kwargs = {})\n"
                           "    %neg : [num_users=1] = call_function[target=torch.ops.aten.neg.default](args "
                           "= (%b,), kwargs = {})\n"
                           "    return (neg,)");
        nlohmann::json input{{"name", "a"},         {"storage", 0},       {"shape", {2}}, {"stride", {1}},
                             {"storage_offset", 0}, {"dtype", "float32"}, {"via", "set"}};
        const nlohmann::json inputs{{"storages", {{{"dtype", "float32"}, {"data", {1, 2}}}}},
                                    {"inputs", {input, input}}};
        write("alias.inputs", QByteArray::fromStdString(inputs.dump()));
        const Run run = cli({"pass", "functionalize", path("alias.txt"), "--inputs", path("alias.inputs"),
                             "--faithful", "--verify"});
        QCOMPARE(run.exit, 1);
        QVERIFY2(run.out.contains("verification failed\n") &&
                     run.out.contains(
                         "  first at 'neg', which stands for 'neg': cell [0] is -1.0 instead of -2.0"),
                 run.out);
        QCOMPARE(
            cli({"pass", "functionalize", path("alias.txt"), "--inputs", path("alias.inputs"), "--verify"})
                .exit,
            0);
    }

    /// A graph of a capture that writes its input, and a break after it.
    void passNamesTheBreakThatForcesAWriteBack() {
        const QStringList arguments{"pass",
                                    "functionalize",
                                    DYNASCOPE_TEST_DATA "/captures/write_before_break.log.gz",
                                    "--frame",
                                    "0/0",
                                    "--stage",
                                    "dynamo_output_graph"};
        const Run text = cli(arguments + QStringList{"--steps"});
        QCOMPARE(text.err, QByteArray());
        QVERIFY2(text.out.contains(
                     "input l_x_: 48 bytes written back by copy_, before the break at cap.py:6 (Builtin "
                     "print cannot be traced): 1/0 reads it as L['x']\n"),
                 text.out);
        const auto reply = nlohmann::json::parse(cli(arguments + QStringList{"--json"}).out.toStdString());
        const nlohmann::json& back = reply["passes"][0]["write_back"][0];
        QCOMPARE(back["source"].get<std::string>(), std::string("L['x']"));
        QCOMPARE(back["break"]["line"].get<int>(), 6);
        QCOMPARE(back["break"]["resumed"]["compile"].get<std::string>(), std::string("1/0"));
        // Its own frame ends without a break: the tensor is the caller's.
        const auto last = nlohmann::json::parse(
            cli({"pass", "functionalize", DYNASCOPE_TEST_DATA "/captures/write_before_break.log.gz",
                 "--frame", "1/0", "--stage", "dynamo_output_graph", "--json"})
                .out.toStdString());
        QVERIFY(last["passes"][0]["write_back"][0]["break"].is_null());
    }

    /// What the page Functionalize shows at each phase, and how the graph is called.
    void passPrintsTheScoreboard() {
        const QStringList arguments{"pass", "functionalize",
                                    DYNASCOPE_SOURCE_DIR "/resources/samples/sibling_views.json",
                                    "--scoreboard"};
        const Run text = cli(arguments);
        QCOMPARE(text.err, QByteArray());
        QCOMPARE(text.exit, 0);
        // The row was written: the column is behind in the cell that both have.
        QVERIFY2(text.out.contains("op 4: r.add_(10)\n"), text.out);
        QVERIFY2(text.out.contains("generation 1 of 3: -4→6 -1→9 0→10 -3 0 -4 1 0 2\n"
                                   "      pending: add through select(dim 0, index 0)\n"),
                 text.out);
        QVERIFY2(text.out.contains("select_1 (storage 1, select(dim 1, index 0)) is select_1, generation 0, "
                                   "1 behind: -4! -3 1\n"),
                 text.out);
        QVERIFY2(text.out.contains("1 outer argument, none written\n") &&
                     text.out.contains("No epilogue: nothing has to be written back\n"),
                 text.out);
        const auto reply = nlohmann::json::parse(cli(arguments + QStringList{"--json"}).out.toStdString());
        const auto commit = std::find_if(reply["scoreboard"].begin(), reply["scoreboard"].end(),
                                         [](const nlohmann::json& phase) {
                                             return phase["source"] == "add_" && phase["phase"] == "commit";
                                         });
        QVERIFY(commit != reply["scoreboard"].end());
        QCOMPARE((*commit)["storages"][1]["cells"][0]["before"].get<double>(), -4.0);
        QCOMPARE((*commit)["views"][3]["cells"][0]["state"].get<std::string>(), std::string("stale"));
        QCOMPARE(reply["convention"]["arguments"].size(), std::size_t{1});

        const Run other = cli({"pass", "dce", path("graph.txt"), "--scoreboard"});
        QCOMPARE(other.exit, 2);
        QVERIFY2(other.err.contains("--scoreboard is of functionalize alone"), other.err);
    }

    /// Needs no engine: it is the capture's own metadata.
    void rederivePrintsTheCallingConvention() {
        const QString capture = DYNASCOPE_SOURCE_DIR "/resources/samples/encoder_train.log";
        const Run text = cli({"rederive", capture, "--convention", "--engine", "/nowhere"});
        QCOMPARE(text.err, QByteArray());
        QCOMPARE(text.exit, 0);
        const auto reply = nlohmann::json::parse(
            cli({"rederive", capture, "--convention", "--json"}).out.toStdString())["conventions"];
        QVERIFY(!reply.empty() && reply[0].contains("outer"));
        QVERIFY(reply[0]["training"].get<bool>());
        QVERIFY2(text.out.contains(QByteArray::number(qulonglong(reply[0]["inner"].size())) +
                                   " inner arguments\n"),
                 text.out);
        // A log without metadata says so.
        const Run none = cli({"rederive", path("graph.txt"), "--convention"});
        QVERIFY2(none.out.contains("no calling convention: "), none.out + none.err);
        QCOMPARE(none.exit, 0);
    }

    /// Inductor's graphs of an optimizer's step index what aten._foreach_add_ returns, which is nothing.
    void inPlaceForeachGivesItsList() {
        write("step.txt", "class GraphModule(torch.nn.Module):\n"
                          "    def forward(self, a: \"f32[2][1]cpu\", b: \"f32[3][1]cpu\"):\n"
                          "        added = torch.ops.aten._foreach_add_.Scalar([a, b], 1)\n"
                          "        getitem: \"f32[2][1]cpu\" = added[0]\n"
                          "        getitem_1: \"f32[3][1]cpu\" = added[1]\n"
                          "        mul: \"f32[3][1]cpu\" = torch.ops.aten.mul.Tensor(getitem_1, 2)\n"
                          "        return (getitem, mul)\n");
        const QByteArray one = "\"stride\": [1], \"storage_offset\": 0, \"dtype\": \"float32\"}";
        write("step.inputs", "{\"inputs\": {\"storages\": [{\"dtype\": \"float32\", \"data\": [1, 2]}, "
                             "{\"dtype\": \"float32\", \"data\": [3, 4, 5]}], "
                             "\"inputs\": [{\"storage\": 0, \"shape\": [2], " +
                                 one + ", {\"storage\": 1, \"shape\": [3], " + one + "]}}");
        const Run run = cli({"exec", path("step.txt"), "--inputs", path("step.inputs")});
        QCOMPARE(run.err, QByteArray());
        QVERIFY2(run.out.contains("[2.0, 3.0]") && run.out.contains("[8.0, 10.0, 12.0]"), run.out);
        QVERIFY2(run.out.contains("[4.0, 5.0, 6.0]"), run.out); // the input after the call
        const Run replay = cli({"replay", path("step.txt")});
        QCOMPARE(replay.err, QByteArray());
        QVERIFY2(replay.out.contains("0 allocator calls") && replay.out.contains(", 0 different"),
                 replay.out);
    }

    void severalPassesAreNamedWithCommas() {
        const Run run = cli({"pass", "functionalize,polish", path("graph.txt"), "--inputs",
                             path("hand_view_then_inplace_add.json")});
        QCOMPARE(run.exit, 2);
        QVERIFY2(run.err.contains("polish"), run.err);
    }

    void oracle_data() {
        QTest::addColumn<QStringList>("options");
        QTest::newRow("one engine") << QStringList{};
        QTest::newRow("several engines") << QStringList{"--jobs", "3"};
    }
    void oracle() {
        QFETCH(QStringList, options);
        const Run run = cli(QStringList{"oracle", m_folder.path(), "--json"} + options);
        QCOMPARE(run.exit, 0);
        const QJsonObject report = QJsonDocument::fromJson(run.out).object();
        const QJsonObject random = report["kinds"]["random"].toObject();
        QCOMPARE(random["failed"].toInt(), 0);
        QVERIFY(random["passed"].toInt() > 0);
        QCOMPARE(report["kinds"]["hand"]["passed"].toInt(), 1);
        QVERIFY(report["failures"].toArray().isEmpty());
    }

    void oracleFailsOnATamperedCase() {
        QTemporaryDir folder;
        QFile file(path("hand_view_then_inplace_add.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        nlohmann::json changed = nlohmann::json::parse(file.readAll().toStdString());
        changed["eager"]["outputs"][0]["data"][0] = 0.5;
        QFile tampered(folder.filePath("case.json"));
        QVERIFY(tampered.open(QIODevice::WriteOnly));
        tampered.write(QByteArray::fromStdString(changed.dump()));
        tampered.close();
        const Run run = cli({"oracle", folder.path()});
        QCOMPARE(run.exit, 1);
        QVERIFY2(run.out.contains("failed hand_view_then_inplace_add: eager: output 0") &&
                     run.out.endsWith("0 passed, 1 failed, 0 skipped\n"),
                 run.out);
    }

    void theEnginesCommandMayHoldOptions() {
        const Run run = cli({"oracle", m_folder.path(), "--engine", "sh", "-c",
                             "exec \"$0\" --memory-limit 4096", test::program("dynascope-engine")});
        QCOMPARE(run.err, QByteArray());
        QCOMPARE(run.exit, 0);
    }

    void anEngineThatIsNone() {
        const Run run = cli({"oracle", m_folder.path(), "--engine", "sh", "-c", "exit 7"});
        QCOMPARE(run.exit, 2);
        QCOMPARE(run.err,
                 QByteArray("dynascope-cli: no engine from 'sh': the engine ended by exit status 7\n"));
    }

    /// What needs no engine is derived all the same, and the exit status says that something is missing.
    void derivingWithoutAnEngine() {
        const Run run = cli({"rederive", DYNASCOPE_SOURCE_DIR "/resources/samples/encoder_train.log",
                             "--engine", "sh", "-c", "exit 7"});
        QCOMPARE(run.exit, 2);
        QVERIFY2(run.err.contains("no engine from 'sh': the engine ended by exit status 7"), run.err);
        QVERIFY2(run.out.contains("aot_joint_graph from dynamo_output_graph: not derived: no engine"),
                 run.out);
        QVERIFY2(run.out.endsWith("2 isomorphic, 0 equivalent, 0 different, 0 declined, 2 not derived\n"),
                 run.out);
    }

    /// The roofs of a profile's rows.
    void peaksAreMeasured() {
        const QStringList profile{"profile", DYNASCOPE_SOURCE_DIR "/tests/data/profile/mlp_aot", "--peaks",
                                  "measure"};
        const Run run = cli(profile + QStringList{"--json"});
        QCOMPARE(run.err, QByteArray());
        QCOMPARE(run.exit, 0);
        const QJsonObject document = QJsonDocument::fromJson(run.out).object();
        QVERIFY(document["peaks"].toObject()["flop_per_s"].toDouble() > 1e6);
        QVERIFY(document["peaks"].toObject()["bytes_per_s"].toDouble() > 1e6);
        int known = 0;
        for (const QJsonValue& row : document["rows"].toArray())
            if (!row["saveable_us"].isNull()) ++known;
        QVERIFY(known > 3);
        QVERIFY(cli(profile).out.startsWith("peaks: "));
        const Run none = cli(profile + QStringList{"--engine", "sh", "-c", "exit 7"});
        QCOMPARE(none.exit, 2);
        QVERIFY2(none.err.contains("exit status 7"), none.err);
    }

    /// Ranks share compile ids.
    void derivingNamesTheRank() {
        QVERIFY(QDir(m_folder.path()).mkpath(QStringLiteral("ranks")));
        for (const char* name :
             {"ranks/dedicated_log_torch_trace_rank_0_a.log", "ranks/dedicated_log_torch_trace_rank_1_b.log"})
            QVERIFY(QFile::copy(DYNASCOPE_SOURCE_DIR "/resources/samples/encoder_train.log", path(name)));
        const Run run = cli({"rederive", path("ranks"), "--engine", "sh", "-c", "exit 7"});
        QVERIFY2(run.out.startsWith("0:0/0 "), run.out);
        QVERIFY2(run.out.contains("\n1:0/0 "), run.out);
    }

private:
    [[nodiscard]] QString path(const QString& name) const { return m_folder.filePath(name); }
    void write(const QString& name, const QByteArray& content) const {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestEngineCli)
#include "tst_engine_cli.moc"
