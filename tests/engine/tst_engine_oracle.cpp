// SPDX-License-Identifier: BSD-3-Clause
//
// The engine against PyTorch's own answers, and against answers that were tampered with.
#include "core/oracle/oracle.h"
#include "tests/support/archive.h"
#include "tests/support/programs.h"

#include <QTest>
#include <algorithm>
#include <map>

using namespace dynascope;
using Verdict = engine::CaseVerdict;
using nlohmann::json;

class TestEngineOracle : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        m_cases = test::oracleCases();
        QCOMPARE(m_cases.size(), 385U);
        QVERIFY(m_engine.start().has_value());
    }

    /// Programs from fixed seeds, most of them with inputs that alias each other.
    void everySeed() {
        std::map<std::pair<std::string, Verdict>, int> tally;
        const auto cases = test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/seeds.tar.xz");
        QCOMPARE(cases.size(), 400U);
        for (const test::ArchiveFile& file : cases) {
            const engine::CaseReport report = engine::judgeCase(m_engine, file.content, file.path);
            QVERIFY2(report.verdict() != Verdict::Failed, (file.path + ": " + report.reason()).c_str());
            for (const engine::PartReport& part : report.parts)
                ++tally[{part.part, part.verdict}];
        }
        QCOMPARE((tally[{"eager", Verdict::Passed}]), 400);
        QCOMPARE((tally[{"mutations", Verdict::Passed}]), 400);
        QCOMPARE((tally[{"aot end to end", Verdict::Passed}]), 399); // eager raises in one
        QCOMPARE((tally[{"aot refusal", Verdict::Declined}]), 0);
        // Four froze a reshape, and only the text of PyTorch's graph differs.
        QCOMPARE((tally[{"mutations_and_views", Verdict::Passed}]), 396);
    }

    void everyCase() {
        std::map<std::pair<std::string, Verdict>, int> tally;
        for (const auto& [name, text] : m_cases) {
            const engine::CaseReport report = engine::judgeCase(m_engine, text, name);
            QVERIFY2(report.verdict() != Verdict::Failed, (name + ": " + report.reason()).c_str());
            ++tally[{report.kind, report.verdict()}];
            for (const engine::PartReport& part : report.parts)
                ++tally[{report.kind + ' ' + part.part, part.verdict}];
        }
        const std::map<std::string, int> eager{{"hand", 49}, {"random", 176}};
        for (const auto& [kind, passed] : eager)
            QCOMPARE((tally[{kind + " eager", Verdict::Passed}]), passed);
        QCOMPARE((tally[{"hand", Verdict::Passed}]), 49);
        QCOMPARE((tally[{"normalize_ir", Verdict::Passed}]), 14);
        const std::map<std::string, int> metadata{{"hand aot", 46},
                                                  {"hand aot_keep_input_mutations", 40},
                                                  {"random aot", 164},
                                                  {"random aot_keep_input_mutations", 159}};
        for (const auto& [run, passed] : metadata)
            QCOMPARE((tally[{run + " traced metadata", Verdict::Passed}]), passed);
        // Byte for byte. One case raises in eager, so that the engine, which runs on values, traces nothing.
        const std::map<std::string, int> graphs{{"hand aot traced graph", 45},
                                                {"hand aot traced backward", 5},
                                                {"hand aot_keep_input_mutations traced graph", 39},
                                                {"random aot traced graph", 164},
                                                {"random aot_keep_input_mutations traced graph", 159}};
        for (const auto& [part, passed] : graphs)
            QCOMPARE((tally[{part, Verdict::Passed}]), passed);
        // Calls do what eager does wherever eager succeeds, whether PyTorch's AOTAutograd does or not.
        const std::map<std::string, int> calls{{"hand aot end to end", 47},
                                               {"hand aot_keep_input_mutations end to end", 47},
                                               {"random aot end to end", 176},
                                               {"random aot_keep_input_mutations end to end", 176}};
        for (const auto& [part, passed] : calls)
            QCOMPARE((tally[{part, Verdict::Passed}]), passed);
        QCOMPARE((tally[{"overlap", Verdict::Passed}]), 17);
        QCOMPARE((tally[{"mutation_type", Verdict::Passed}]), 4);
        QCOMPARE((tally[{"saved_tensors_hooks", Verdict::Passed}]), 28);
        // Two froze a reshape, and only their text differs.
        QCOMPARE((tally[{"random", Verdict::Passed}]), 174);
    }

    /// Where PyTorch silently overwrites foreign elements, or computes a gradient from an input that forward
    /// overwrote, calls do what eager does, and the way in which PyTorch parts from it is named.
    void wherePyTorchIsWrongTheCallIsRight_data() {
        QTest::addColumn<QString>("run");
        QTest::addColumn<QString>("warning");
        const char *foreign = "overwrites foreign elements", *lost = "the new shape is lost";
        QTest::newRow("rand_0204") << "aot" << foreign;
        QTest::newRow("rand_0490") << "aot" << foreign;
        QTest::newRow("rand_0204 kept") << "aot_keep_input_mutations" << lost;
        QTest::newRow("rand_0490 kept") << "aot_keep_input_mutations" << lost;
        QTest::newRow("hand_grad_overwritten_input") << "aot_keep_input_mutations"
                                                     << "primals_1";
    }
    void wherePyTorchIsWrongTheCallIsRight() {
        QFETCH(QString, run);
        QFETCH(QString, warning);
        const std::string name = QString(QTest::currentDataTag()).section(' ', 0, 0).toStdString();
        std::map<std::string, std::string> cases;
        for (const test::ArchiveFile& file :
             test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/deviations.tar.xz"))
            cases[file.path] = file.content;
        const std::string& content = cases["./" + name + ".json"];
        QVERIFY(!content.empty());
        const engine::CaseReport report = engine::judgeCase(m_engine, content, name);
        QVERIFY2(report.verdict() == Verdict::Passed, report.reason().c_str());
        const auto endToEnd =
            std::find_if(report.parts.begin(), report.parts.end(), [&](const engine::PartReport& part) {
                return part.part == run.toStdString() + " end to end";
            });
        QVERIFY(endToEnd != report.parts.end() && endToEnd->verdict == Verdict::Passed);
        const json oracleCase = json::parse(content);
        const engine::CallResult reply =
            m_engine.callOnGraph("aot", oracleCase["before"].get<std::string>(),
                                 {{"inputs", oracleCase["inputs"]}, {"keep_input_mutations", run != "aot"}});
        QVERIFY(reply.has_value());
        QVERIFY2((*reply)["warnings"].dump().find(warning.toStdString()) != std::string::npos,
                 (*reply)["warnings"].dump().c_str());
    }

    /// Chains of as_strided, views that overlap themselves, windows with gaps, bases that do not fit: where
    /// AOTAutograd raises or parts from eager, a call does what eager does, and what PyTorch says is told.
    void whatPyTorchCannotDoIsCalledAllTheSame() {
        const auto cases = test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/refused.tar.xz");
        std::map<std::pair<std::string, Verdict>, int> tally;
        int refused = 0, overCells = 0;
        for (const test::ArchiveFile& file : cases) {
            const engine::CaseReport report = engine::judgeCase(m_engine, file.content, file.path);
            QVERIFY2(report.verdict() == Verdict::Passed, (file.path + ": " + report.reason()).c_str());
            for (const engine::PartReport& part : report.parts)
                ++tally[{part.part, part.verdict}];
            const json oracleCase = json::parse(file.content);
            const engine::CallResult reply =
                m_engine.callOnGraph("aot", oracleCase["before"].get<std::string>(),
                                     {{"inputs", oracleCase["inputs"]}, {"run", true}});
            QVERIFY2(reply.has_value(), file.path.c_str());
            refused += reply->contains("refused") ? 1 : 0;
            overCells += (*reply)["warnings"].dump().find("flat values") != std::string::npos ? 1 : 0;
        }
        QCOMPARE(cases.size(), 22U);
        QCOMPARE((tally[{"aot end to end", Verdict::Passed}]), 22);
        QCOMPARE((tally[{"aot_keep_input_mutations end to end", Verdict::Passed}]), 22);
        // Of the others one fails when it is called, four have other values, and PyTorch does the rest.
        QCOMPARE((tally[{"aot refusal", Verdict::Passed}]), 12);
        QCOMPARE(refused, 12);
        QCOMPARE(overCells, 17);
    }

    /// An expectation that was changed in one place must fail, whatever the place.
    void tampered_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::newRow("output value") << "/eager/outputs/0/data/0"
                                      << "123.5";
        QTest::newRow("output stride") << "/eager/outputs/0/stride/0"
                                       << "7";
        QTest::newRow("output dtype") << "/eager/outputs/0/dtype"
                                      << "\"float64\"";
        QTest::newRow("output aliasing") << "/eager/outputs/0/aliases_inputs"
                                         << "[3]";
        QTest::newRow("output identity") << "/eager/outputs/0/is_input"
                                         << "2";
        QTest::newRow("storage after the call") << "/eager/post/storages/1/0"
                                                << "-9";
        QTest::newRow("input after the call") << "/eager/post/inputs/0/data/1"
                                              << "0.25";
        QTest::newRow("input stride") << "/eager/post/inputs/0/stride/0"
                                      << "5";
        QTest::newRow("storage identity") << "/eager/post/inputs/0/same_storage"
                                          << "false";
        QTest::newRow("an error") << "/eager/error"
                                  << R"({"type":"RuntimeError","message":"no such thing"})";
        QTest::newRow("graph") << "/after/mutations/graph"
                               << R"("graph():\n    return None")";
        QTest::newRow("graph without views") << "/after/mutations_and_views/graph"
                                             << R"("graph():\n    return None")";
        QTest::newRow("matches_eager values") << "/after/mutations/matches_eager/output_values"
                                              << "false";
        QTest::newRow("matches_eager strides") << "/after/mutations/matches_eager/input_strides"
                                               << "false";
    }
    void tampered() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        const std::string name = "rand_0002";
        QCOMPARE(engine::judgeCase(m_engine, m_cases.at(name), name).verdict(), m_originalOfRand0002);
        json changed = json::parse(m_cases.at(name));
        changed[json::json_pointer(pointer.toStdString())] = json::parse(value.toStdString());
        const engine::CaseReport report = engine::judgeCase(m_engine, changed.dump(), name);
        QVERIFY2(report.verdict() == Verdict::Failed, report.reason().c_str());
    }

    /// The same for fields that only some cases have.
    void tamperedElsewhere_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");
        QTest::newRow("gradient") << "hand_grad_intermediate_inplace"
                                  << "/eager/grads/0/data/2"
                                  << "5";
        QTest::newRow("number of gradients") << "hand_grad_output_alias_input"
                                             << "/eager/grads"
                                             << "[]";
        QTest::newRow("eager's error") << "hand_internal_overlap_write_error"
                                       << "/eager/error/message"
                                       << R"("something else")";
        QTest::newRow("no error") << "hand_grad_leaf_mutation_error"
                                  << "/eager"
                                  << R"({"outputs":[],"post":{"storages":[],"inputs":[]}})";
        QTest::newRow("the pass's error") << "rand_0459"
                                          << "/after/mutations/error/message"
                                          << R"("something else")";
        const char* alias = "hand_alias_both_mutated";
        QTest::newRow("traced leaf") << alias << "/aot/metadata_outer/input_info/0/is_leaf"
                                     << "false";
        QTest::newRow("traced mutation")
            << alias << "/aot/metadata_outer/input_info/1/mutations_hidden_from_autograd"
            << "true";
        QTest::newRow("traced output") << alias << "/aot/metadata_outer/output_info/0/raw_type"
                                       << "\"int\"";
        const char* hooks = "hooks_no_static_scale_square";
        const char* noGraph = "\"graph():\\n    return ()\"";
        QTest::newRow("traced graph") << alias << "/aot_keep_input_mutations/fw_graph" << noGraph;
        QTest::newRow("traced forward") << "hand_grad_intermediate_inplace"
                                        << "/aot/fw_graph" << noGraph;
        QTest::newRow("traced backward") << "hand_grad_intermediate_inplace"
                                         << "/aot/bw_graph" << noGraph;
        QTest::newRow("forward with hooks") << hooks << "/fw_post" << noGraph;
        QTest::newRow("backward with hooks") << hooks << "/bw_post" << noGraph;
        QTest::newRow("output with hooks") << hooks << "/outputs/1/0"
                                           << "7";
        QTest::newRow("gradient with hooks") << hooks << "/grads/0/0"
                                             << "7";
        QTest::newRow("pack hook") << hooks << "/pack_graph" << noGraph;
        QTest::newRow("a scalar") << "hand_aot_int_output"
                                  << "/eager/outputs/1/scalar"
                                  << "17";
    }
    void tamperedElsewhere() {
        QFETCH(QString, name);
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        const std::string& text = m_cases.at(name.toStdString());
        QVERIFY(engine::judgeCase(m_engine, text, "x").verdict() != Verdict::Failed);
        json changed = json::parse(text);
        const json::json_pointer where(pointer.toStdString());
        QVERIFY(changed.contains(where));
        changed[where] = json::parse(value.toStdString());
        QCOMPARE(engine::judgeCase(m_engine, changed.dump(), "x").verdict(), Verdict::Failed);
    }

    void faithfulJudgesByPyTorchsOwnGraph() {
        engine::JudgeOptions faithful;
        faithful.faithful = true;
        const std::string& text = m_cases.at("rand_0459");
        QCOMPARE(engine::judgeCase(m_engine, text, "x", faithful).verdict(), Verdict::Passed);
        json changed = json::parse(text);
        changed["after"]["mutations"]["error"]["message"] = "something else";
        QCOMPARE(engine::judgeCase(m_engine, changed.dump(), "x", faithful).verdict(), Verdict::Failed);
    }

    /// Where PyTorch's own graph only reshapes otherwise, its text is declined, and says why.
    void declinedIsNeverPassedAndNamesTheCause() {
        const engine::CaseReport report = engine::judgeCase(m_engine, m_cases.at("rand_0160"), "rand_0160");
        QCOMPARE(report.verdict(), Verdict::Declined);
        QVERIFY(report.reason().find("froze a reshape") != std::string::npos);
    }

    void otherKindsAreSkippedWithAReason() {
        const engine::CaseReport report = engine::judgeCase(m_engine, R"({"kind": "weather"})", "x");
        QCOMPARE(report.verdict(), Verdict::Skipped);
        QCOMPARE(report.reason(), std::string("case: kind 'weather' is not judged by this version"));
    }

    void whatIsNoCaseFails() {
        for (const char* text : {"", "[]", "{}", "{\"kind\": 3}"})
            QCOMPARE(engine::judgeCase(m_engine, text, "x").verdict(), Verdict::Failed);
        const json noInputs{{"kind", "hand"}, {"before", "graph():\n    return (1,)"}};
        QCOMPARE(engine::judgeCase(m_engine, noInputs.dump(), "x").verdict(), Verdict::Failed);
    }

private:
    engine::Client m_engine{{test::engineProgram()}};
    std::map<std::string, std::string> m_cases;
    Verdict m_originalOfRand0002 = Verdict::Passed;
};

QTEST_GUILESS_MAIN(TestEngineOracle)
#include "tst_engine_oracle.moc"
