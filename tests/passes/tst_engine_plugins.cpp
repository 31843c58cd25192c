// SPDX-License-Identifier: BSD-3-Clause
//
// Plugins: the sample works, and none that is broken takes anything else with it.
#include "core/engine/client/client.h"
#include "core/engine/client/plugin_list.h"
#include "tests/support/programs.h"

#include <QFile>
#include <QMap>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace dynascope;
using nlohmann::json;

namespace {

const std::string graphText =
    "graph():\n    %x : [num_users=1] = placeholder[target=x]\n"
    "    %d : [num_users=1] = call_function[target=torch.ops.aten.detach.default](args = (%x,), kwargs = "
    "{})\n"
    "    %a : [num_users=1] = call_function[target=torch.ops.aten.alias.default](args = (%d,), kwargs = {})\n"
    "    %n : [num_users=1] = call_function[target=torch.ops.aten.neg.default](args = (%a,), kwargs = {})\n"
    "    return (n,)";

const json inputs{{"storages", {{{"dtype", "float32"}, {"data", {1, 2}}}}},
                  {"inputs",
                   {{{"name", "x"},
                     {"storage", 0},
                     {"shape", {2}},
                     {"stride", {1}},
                     {"storage_offset", 0},
                     {"dtype", "float32"},
                     {"via", "set"}}}}};

} // namespace

class TestEnginePlugins : public QObject {
    Q_OBJECT
private slots:
    void theSampleIsListedAndRuns() {
        engine::Client client({test::engineProgram(), "--plugin-path", DYNASCOPE_SAMPLE_PLUGINS});
        const auto list = client.call("passes");
        QVERIFY2(list.has_value(), list ? "" : list.error().message.c_str());
        const json& last = (*list)["passes"].back();
        QCOMPARE(last["name"].get<std::string>(), std::string("drop_detach"));
        QCOMPARE(last["origin"].get<std::string>(), std::string(DYNASCOPE_SAMPLE_PLUGINS "/drop_detach.so"));
        QCOMPARE((*list)["problems"].size(), 0U);

        const auto reply = client.callOnGraph(
            "pass", graphText, {{"passes", {"drop_detach"}}, {"inputs", inputs}, {"verify", true}});
        QVERIFY2(reply.has_value(), reply ? "" : reply.error().message.c_str());
        QCOMPARE((*reply)["verified"].dump(), std::string("true"));
        QCOMPARE((*reply)["nodes_after"].get<int>(), 3);
        QCOMPARE((*reply)["steps"][1]["why"].get<std::string>(), std::string("gives its argument back"));
        QCOMPARE((*reply)["steps"][2]["removed"][0]["replacement"].get<std::string>(), std::string("x"));
        QVERIFY((*reply)["graph"].get<std::string>().find("(args = (%x,)") != std::string::npos);
    }

    void eachBrokenOneIsOneLine() {
        QTemporaryDir folder;
        for (const QString name : {"no_entry", "throwing_entry", "wrong_abi", "wrong_torch"})
            QVERIFY(QFile::copy(QString(DYNASCOPE_BAD_PLUGINS "/%1.so").arg(name),
                                folder.filePath(name + ".so")));
        QVERIFY(QFile::copy(QString(DYNASCOPE_SAMPLE_PLUGINS "/drop_detach.so"), folder.filePath("z.so")));
        QFile text(folder.filePath("not_elf.so"));
        QVERIFY(text.open(QFile::WriteOnly));
        text.write("this is no shared object\n");
        text.close();

        engine::Client client({test::engineProgram(), "--plugin-path", folder.path().toStdString()});
        const auto list = client.call("passes");
        QVERIFY2(list.has_value(), list ? "" : list.error().message.c_str());
        QCOMPARE((*list)["passes"].back()["name"].get<std::string>(), std::string("drop_detach"));
        const json& problems = (*list)["problems"];
        QCOMPARE(problems.size(), 5U);
        const std::vector<std::pair<std::string, std::string>> expected{
            {"no_entry.so", "is no plugin: it has no dynascope_plugin entry"},
            {"not_elf.so", "cannot be loaded: "},
            {"throwing_entry.so", "cannot start: it threw: no licence"},
            {"wrong_abi.so", "is built for plugin interface 7, this engine has 1"},
            {"wrong_torch.so", "is built for PyTorch 1.4.0, this engine has "}};
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const auto line = problems[i].get<std::string>();
            QVERIFY2(line.find('\n') == std::string::npos, line.c_str());
            QVERIFY2(line.find(expected[i].first + ": " + expected[i].second) != std::string::npos,
                     line.c_str());
        }
    }

    void aThrowingPassEndsAlone_data() {
        QTest::addColumn<QString>("pass");
        QTest::addColumn<QString>("message");
        QTest::newRow("exception") << "throws_error"
                                   << "it threw: the sky fell";
        QTest::newRow("number") << "throws_number"
                                << "it threw something that is no exception";
        QTest::newRow("failure") << "fails"
                                 << "not today";
        QTest::newRow("nonsense") << "nonsense"
                                  << "it rewrites 'd' as what is no node";
    }
    void aThrowingPassEndsAlone() {
        QFETCH(QString, pass);
        QFETCH(QString, message);
        engine::Client client({test::engineProgram(), "--plugin-path", DYNASCOPE_BAD_PLUGINS});
        const auto before = client.start();
        const auto reply = client.callOnGraph("pass", graphText,
                                              {{"passes", {"dce", pass.toStdString()}}, {"inputs", inputs}});
        QVERIFY(!reply);
        QCOMPARE(reply.error().kind, engine::CallError::Kind::Refused);
        QCOMPARE(QString::fromStdString(reply.error().message), message);
        QCOMPARE(QString::fromStdString(reply.error().data["pass"].get<std::string>()), pass);
        // The same engine goes on.
        QVERIFY(client.callOnGraph("pass", graphText, {{"passes", {"dce"}}, {"inputs", inputs}}));
        QCOMPARE(client.start()->pid, before->pid);
    }

    /// What was found and what was refused, whose it is, and why.
    void saysWhatWasLoaded() {
        QTemporaryDir folder;
        QVERIFY(QFile::copy(DYNASCOPE_SAMPLE_PLUGINS "/drop_detach.so", folder.filePath("good.so")));
        QVERIFY(QFile::copy(DYNASCOPE_SAMPLE_PLUGINS "/drop_detach.so", folder.filePath("open.so")));
        QVERIFY(
            QFile::copy(QStringLiteral(DYNASCOPE_BAD_PLUGINS "/wrong_abi.so"), folder.filePath("old.so")));
        QVERIFY(::chmod(folder.filePath("open.so").toLocal8Bit().constData(), 0666) == 0);
        const std::vector<std::string> command{test::engineProgram(), "--plugin-path",
                                               folder.path().toStdString()};
        engine::Client client(command);
        const auto answer = client.plugins();
        QVERIFY2(answer.has_value(), answer ? "" : answer.error().message.c_str());
        const engine::PluginList list = engine::pluginListOf(*answer);
        QCOMPARE(list.folders.back(), folder.path().toStdString());
        QMap<QString, engine::PluginEntry> found;
        for (const engine::PluginEntry& plugin : list.plugins)
            if (plugin.path.starts_with(folder.path().toStdString()) ||
                plugin.kind == engine::PluginEntry::Kind::Backend)
                found[QString::fromStdString(plugin.name)] = plugin;
        QCOMPARE(found.keys(), QStringList({"cuda", "good", "old", "open"}));
        QVERIFY(found["good"].loaded);
        QCOMPARE(found["good"].passes, std::vector<std::string>{"drop_detach"});
        QCOMPARE(engine::stateWords(found["good"]), std::string("loaded: drop_detach"));
        const passwd* user = ::getpwuid(::geteuid());
        QCOMPARE(found["good"].owner, user ? std::string(user->pw_name) : std::to_string(::geteuid()));
        QVERIFY(!found["open"].loaded);
        QCOMPARE(engine::stateWords(found["open"]),
                 std::string("not loaded: others than its owner can write it"));
        QVERIFY(engine::stateWords(found["old"]).find("plugin interface 7") != std::string::npos);
        QVERIFY(!found["cuda"].path.empty());
        QVERIFY(engine::pluginText(list).find(folder.path().toStdString() + "/good.so (passes, of ") !=
                std::string::npos);

        // On the command line: the same, with what confines the engine, by which it ends.
        QStringList arguments{"status", "--json", "--engine"};
        for (const std::string& word : command)
            arguments << QString::fromStdString(word);
        const auto run = [](const QStringList& words) {
            QProcess process;
            process.start(test::program("dynascope-cli"), words);
            return process.waitForFinished(60000)
                       ? std::pair(process.exitCode(), process.readAllStandardOutput())
                       : std::pair(-1, QByteArray());
        };
        const auto [status, out] = run(arguments);
        const json said = json::parse(out.toStdString(), nullptr, false);
        QVERIFY2(said.is_object(), out);
        QCOMPARE(said["plugins"], wire::encode(*answer)["plugins"]);
        const json& confinement = said["confinement"];
        QCOMPARE(status, confinement["confined"].get<bool>() ? 0 : 1);
        QCOMPARE(confinement["confined"].get<bool>(), confinement["could"].empty());
        QVERIFY(confinement["no_new_privileges"].get<bool>() || confinement["landlock_abi"] == 0);
        arguments.removeAll("--json");
        const auto [again, text] = run(arguments);
        QCOMPARE(again, status);
        QVERIFY2(text.startsWith("engine      dynascope-engine "), text);
        QVERIFY2(text.contains("\nLandlock    ") && text.contains("\nseccomp     ") &&
                     text.contains("good.so (passes, of ") &&
                     text.contains("others than its owner can write it"),
                 text);
        QCOMPARE(run({"status", "--engine", "/no/such/engine"}).first, 2);
    }

    void aFolderThatIsNotThereHasNoPlugins() {
        engine::Client client({test::engineProgram(), "--plugin-path", "/no/such/folder"});
        const auto list = client.call("passes");
        QVERIFY(list.has_value());
        QCOMPARE((*list)["problems"].size(), 0U);
    }
};

QTEST_GUILESS_MAIN(TestEnginePlugins)
#include "tst_engine_plugins.moc"
