// SPDX-License-Identifier: BSD-3-Clause
//
// PyTorch's own answers about CUDA graphs, and answers that were tampered with. No engine is needed.
#include "core/oracle/oracle.h"
#include "tests/support/archive.h"

#include <QTest>
#include <map>
#include <nlohmann/json.hpp>

using namespace dynascope;
using Verdict = engine::CaseVerdict;
using nlohmann::json;

namespace {

/// Anything but what it was.
json changed(const json& value) {
    if (value.is_string()) return value.get<std::string>() + "!";
    if (value.is_number_integer()) return value.get<std::int64_t>() + 1;
    if (value.is_boolean()) return !value.get<bool>();
    if (value.is_null()) return "something";
    if (value.is_array()) {
        json out = value;
        out.push_back(17);
        return out;
    }
    json out = value;
    out["error"]["message"] = "something else";
    return out;
}

} // namespace

class TestReplayOracle : public QObject {
    Q_OBJECT

private:
    std::map<std::string, std::string> m_cases;
    engine::Client m_none{{"no-such-engine"}};

    engine::CaseReport judge(const json& oracleCase) {
        return engine::judgeCase(m_none, oracleCase.dump(), "case");
    }

    std::vector<json> ofKind(const std::string& kind) const {
        std::vector<json> out;
        for (const auto& [name, text] : m_cases)
            if (json oracleCase = json::parse(text); oracleCase["kind"] == kind)
                out.push_back(std::move(oracleCase));
        return out;
    }

    void everyCase(const std::string& kind, std::size_t cases) {
        const std::vector<json> all = ofKind(kind);
        QCOMPARE(all.size(), cases);
        for (const json& oracleCase : all) {
            const engine::CaseReport report = judge(oracleCase);
            QVERIFY2(report.verdict() == Verdict::Passed,
                     (oracleCase["name"].get<std::string>() + ": " + report.reason()).c_str());
        }
    }

    /// Changes one expectation of every case at a time.
    void everyTampered(const std::string& kind, const std::vector<std::string>& expectations) {
        for (const json& oracleCase : ofKind(kind)) {
            for (const std::string& name : expectations) {
                json tampered = oracleCase;
                tampered[name] = changed(oracleCase[name]);
                QVERIFY2(judge(tampered).verdict() == Verdict::Failed,
                         (oracleCase["name"].get<std::string>() + ' ' + name).c_str());
                tampered.erase(name);
                QVERIFY2(oracleCase[name].is_null() || judge(tampered).verdict() == Verdict::Failed,
                         (oracleCase["name"].get<std::string>() + " without " + name).c_str());
            }
        }
    }

    const engine::PartReport* part(const engine::CaseReport& report, const std::string& name) const {
        for (const engine::PartReport& part : report.parts)
            if (part.part == name) return &part;
        return nullptr;
    }

private slots:
    void initTestCase() {
        m_cases = test::oracleCases();
        QCOMPARE(m_cases.size(), 385U);
    }

    void checkForMutation() { everyCase("cudagraph_check_for_mutation", 10); }
    void checkForMutationTampered() { everyTampered("cudagraph_check_for_mutation", {"expected_message"}); }

    void checkForSkip() { everyCase("cudagraph_check_for_skip", 21); }
    void checkForSkipTampered() {
        everyTampered("cudagraph_check_for_skip",
                      {"check_for_skip", "find_input_mutations", "get_device_index"});
    }

    void treeTrace() { everyCase("cudagraph_tree_trace", 40); }
    void treeTraceTampered() {
        everyTampered("cudagraph_tree_trace",
                      {"trace", "non_cudagraph_managed_mutation_hint", "num_rerecord"});
    }
    /// Every field of every step counts: in each case the last call's are changed one by one.
    void everyStepTampered() {
        for (const json& oracleCase : ofKind("cudagraph_tree_trace")) {
            std::size_t last = oracleCase["trace"].size() - 1;
            while (oracleCase["trace"][last].empty())
                --last;
            for (const auto& [key, value] : oracleCase["trace"][last].items()) {
                json tampered = oracleCase;
                tampered["trace"][last][key] = changed(value);
                QVERIFY2(judge(tampered).verdict() == Verdict::Failed,
                         (oracleCase["name"].get<std::string>() + ' ' + key).c_str());
            }
        }
    }

    /// The answer follows from the inputs: other inputs, another answer.
    void otherInputsFail() {
        json mutation = json::parse(m_cases.at("cg_mutation_04"));
        mutation["static_input_idxs"] = {0, 2};
        QCOMPARE(judge(mutation).verdict(), Verdict::Failed);
        json skip = json::parse(m_cases.at("cg_skip_index_put_bool_default"));
        skip["node_dtype"]["m"] = "torch.int64";
        QCOMPARE(judge(skip).verdict(), Verdict::Failed);
        skip = json::parse(m_cases.at("cg_skip_mutates_fixed_default"));
        skip["num_fixed"] = 0;
        QCOMPARE(judge(skip).verdict(), Verdict::Failed);
        skip = json::parse(m_cases.at("cg_skip_two_cuda_default"));
        skip["node_device"]["c"] = "cuda:0";
        QCOMPARE(judge(skip).verdict(), Verdict::Failed);
        json tree = json::parse(m_cases.at("cg_tree_003"));
        tree["functions"][0]["static_input_idxs"] = {0};
        QCOMPARE(judge(tree).verdict(), Verdict::Failed);
        tree = json::parse(m_cases.at("cg_tree_003"));
        tree["cudagraph_unexpected_rerecord_limit"] = 0;
        QCOMPARE(judge(tree).verdict(), Verdict::Failed);
    }

    void noCase_data() {
        QTest::addColumn<QString>("kind");
        for (const char* kind :
             {"cudagraph_check_for_mutation", "cudagraph_check_for_skip", "cudagraph_tree_trace"})
            QTest::newRow(kind) << kind;
    }
    /// What is not of the form of a case fails, whatever it is.
    void noCase() {
        QFETCH(QString, kind);
        json empty{{"kind", kind.toStdString()}};
        QCOMPARE(judge(empty).verdict(), Verdict::Failed);
        const json whole = ofKind(kind.toStdString()).front();
        for (const auto& [key, value] : whole.items()) {
            if (key == "kind" || key == "name" || key == "torch_version" || key == "n_inputs" ||
                key == "notes")
                continue;
            json broken = whole;
            broken[key] = "x";
            QVERIFY2(judge(broken).verdict() == Verdict::Failed, key.c_str());
        }
    }

    void findInputMutationsOnEveryGraph() {
        std::size_t judged = 0;
        for (const auto& [name, text] : m_cases) {
            const json oracleCase = json::parse(text);
            if (!oracleCase.contains("cudagraph_find_input_mutations_on_before")) continue;
            const engine::CaseReport report = judge(oracleCase);
            const engine::PartReport* got = part(report, "find_input_mutations");
            QVERIFY(got);
            QVERIFY2(got->verdict == Verdict::Passed, (name + ": " + got->reason).c_str());
            json tampered = oracleCase;
            json& expected = tampered["cudagraph_find_input_mutations_on_before"];
            expected = changed(expected);
            QCOMPARE(part(judge(tampered), "find_input_mutations")->verdict, Verdict::Failed);
            ++judged;
        }
        QCOMPARE(judged, 225U);
    }
};

QTEST_APPLESS_MAIN(TestReplayOracle)
#include "tst_replay_oracle.moc"
