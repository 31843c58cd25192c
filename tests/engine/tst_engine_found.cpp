// SPDX-License-Identifier: BSD-3-Clause
//
// Cases on which an answer was wrong once, or a case failed that lacks what decided (tests/oracle/README.md).
#include "core/engine/cases/frozen_reshapes.h"
#include "core/oracle/oracle.h"
#include "tests/support/archive.h"
#include "tests/support/programs.h"

#include <QTest>
#include <map>

using namespace dynascope;
using Verdict = engine::CaseVerdict;
using nlohmann::json;

class TestEngineFound : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        for (const test::ArchiveFile& file :
             test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/found.tar.xz"))
            if (file.path.ends_with(".json") && json::parse(file.content)["kind"] != "dynamo_program")
                m_cases[file.path.substr(file.path.rfind('/') + 1)] = file.content;
        QCOMPARE(m_cases.size(), 22U);
        QVERIFY(m_engine.start().has_value());
    }

    void everyCase_data() {
        QTest::addColumn<QString>("cause"); // of a decline; empty: the case passes
        for (const auto& [name, text] : m_cases)
            QTest::newRow(name.c_str()) << QString::fromStdString(cause(name));
    }
    void everyCase() {
        QFETCH(QString, cause);
        const engine::CaseReport report = judge(json::parse(m_cases.at(QTest::currentDataTag())));
        QVERIFY2(report.verdict() == (cause.isEmpty() ? Verdict::Passed : Verdict::Declined),
                 report.reason().c_str());
        QVERIFY2(QString::fromStdString(report.reason()).contains(cause), report.reason().c_str());
    }

    /// What declines a case is no excuse for anything else that is wrong with it.
    void declinedCasesAreHeldToTheRest_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        const char* noGraph = R"("graph():\n    return None")";
        const auto row = [](const char* name, const char* pointer, const char* value) {
            QTest::addRow("%s %s", name, pointer) << pointer << value;
        };
        row("cache_freezing.json", "/expected", R"("bypass: the weather")");
        row("cache_fx_cache_off.json", "/expected", R"("bypass: FX graph cache is not enabled on Sundays")");
        row("cache_freezing.json", "/nodes/1/result",
            R"("bypass: Cannot cache a graph with freezing enabled")");
        row("cache_unpack_hook_bad.json", "/expected",
            R"("bypass: Unsupported call_function target <function f>. \n Function module: torch.functional, \nFunction name: einsum")");
        row("hand_grad_nograd_block_mutation.json", "/eager/outputs/0/data/0", "5");
        row("hand_grad_nograd_block_mutation.json", "/eager/post/storages/0/0", "5");
        row("hand_instance_norm_running_stats.json", "/after/mutations/graph", noGraph);
        row("hand_instance_norm_running_stats.json", "/after/mutations/matches_eager/storages", "false");
        row("rand_731088.json", "/after/mutations_and_views/graph", noGraph);
        row("rand_731088.json", "/after/mutations_and_views/matches_eager/output_values", "true");
        row("rand_731088.json", "/after/mutations/graph", noGraph);
    }
    void declinedCasesAreHeldToTheRest() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        json changed =
            json::parse(m_cases.at(QString(QTest::currentDataTag()).section(' ', 0, 0).toStdString()));
        const json::json_pointer where(pointer.toStdString());
        QVERIFY(changed.contains(where));
        changed[where] = json::parse(value.toStdString());
        const engine::CaseReport report = judge(changed);
        QVERIFY2(report.verdict() == Verdict::Failed, report.reason().c_str());
    }

    /// A view whose size was inferred is the same with the size written out, and with no other.
    void inferredSizes_data() {
        QTest::addColumn<QString>("written");
        QTest::addColumn<bool>("same");
        QTest::newRow("equal") << "[-1]" << true;
        QTest::newRow("inferred") << "[3]" << true;
        QTest::newRow("nothing to infer from") << "[0]" << false;
        QTest::newRow("another rank") << "[3, 1]" << false;
        QTest::newRow("no number") << "[%x]" << false;
    }
    void inferredSizes() {
        QFETCH(QString, written);
        QFETCH(bool, same);
        const QString line = "graph():\n    %v : [num_users=1] = "
                             "call_function[target=torch.ops.aten.%2.default](args = (%x, %1), kwargs = {})";
        const auto with = [&](const QString& sizes, const char* target) {
            return QString(line).replace("%1", sizes).replace("%2", target).toStdString();
        };
        QCOMPARE(engine::FrozenReshapes::sameButInferredSizes(with("[-1]", "view_copy"),
                                                              with(written, "view_copy")),
                 same);
        if (written != "[-1]")
            QVERIFY(!engine::FrozenReshapes::sameButInferredSizes(with("[-1]", "expand"),
                                                                  with(written, "expand")));
    }

private:
    static std::string cause(const std::string& name) {
        static const std::map<std::string, std::string> causes{
            {"cache_freezing.json", "the setting freezing"},
            {"cache_fx_cache_off.json", "the setting fx_graph_cache"},
            {"cache_unpack_hook_bad.json", "a node of a hook's graph"},
            {"hand_grad_nograd_block_mutation.json", "torch.no_grad"},
            {"hand_instance_norm_running_stats.json", "leaves the write 'copy_'"},
            {"rand_731088.json", "froze a reshape"}};
        const auto found = causes.find(name);
        return found == causes.end() ? std::string() : found->second;
    }

    engine::CaseReport judge(const json& oracleCase) {
        return engine::judgeCase(m_engine, oracleCase.dump(), "x");
    }

    engine::Client m_engine{{test::engineProgram()}};
    std::map<std::string, std::string> m_cases;
};

QTEST_GUILESS_MAIN(TestEngineFound)
#include "tst_engine_found.moc"
