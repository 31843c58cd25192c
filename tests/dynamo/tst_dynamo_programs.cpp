// SPDX-License-Identifier: BSD-3-Clause
//
// The oracle's programs of kind dynamo_program: what was recorded of them is what PyTorch said itself, and a
// case that was tampered with fails.
#include "core/base/sanitizers.h"
#include "core/dynamo/recording.h"
#include "core/oracle/oracle_case.h"
#include "core/session/byte_source.h"
#include "tests/support/archive.h"
#include "tests/support/recordings.h"
#include "tests/support/tampered.h"

#include <QTest>
#include <map>
#include <set>

using namespace dynascope;
using engine::CaseReport;
using Verdict = engine::CaseVerdict;
using nlohmann::json;

namespace {

/// Facts that only PyTorch can check, or that nothing else says; of all programs, or of those named.
struct Unjudged {
    std::set<std::string> facts, programs;
};

const std::vector<Unjudged>& unjudgedFacts() {
    static const std::vector<Unjudged> unjudged{
        // What the case is of and was made with: the runner chooses the judge by the kind.
        {{"kind", "python", "schema", "torch"}, {}},
        // What the program printed, as eager and compiled; where compiling raises there is no result to compare.
        {{"eager/stdout", "run/stdout"}, {}},
        {{"eager/result", "run/result"}, {"ct09", "ds01"}},
        // What print_locals realized in a run of its own, which no recording is of.
        {{"at_marks/forced_locals/*/guards_added_by_printing", "at_marks/forced_locals/*/guards_after/*",
          "at_marks/forced_locals/*/nodes_added_by_printing", "observation_effect/locals/graphs_same",
          "observation_effect/locals/result_same", "observation_effect/locals/state_same"},
         {}},
        {{"observation_effect/locals/guards_added/*", "observation_effect/locals/guards_removed"},
         {"cl08", "ds03", "gb13", "gb24", "gb25", "se20"}},
        {{"observation_effect/locals/n_compiles", "observation_effect/locals/n_graphs",
          "observation_effect/locals/n_recompiles"},
         {"gb13"}},
        // AOTAutograd's guards come after Dynamo's end; the two metrics count what Dynamo alone keeps.
        {{"guards/*/aotautograd_guards", "metrics/*/ir_count", "metrics/*/non_compliant_ops"}, {}},
        // A function that Dynamo skips before it converts it leaves no record.
        {{"frames/*/code", "frames/*/file", "frames/*/firstlineno"}, {"cl08"}},
        // Its compile raised when guards were built: nothing says the graph's symbols a second time.
        {{"graphs/*/symbols/axioms/*", "graphs/*/symbols/guards/*/expr",
          "graphs/*/symbols/guards/*/size_oblivious", "graphs/*/symbols/guards/*/user",
          "graphs/*/symbols/replacements", "graphs/*/symbols/runtime_asserts", "graphs/*/symbols/size_like"},
         {"ds01"}},
        // These compiles raised before there was a graph, and the symbol came before the attempt.
        {{"structured/*/value/source", "structured/*/value/val"}, {"ct09", "gb22"}},
        // A free variable of a branch is a value of the branch's graph; what the branch raised Dynamo caught.
        {{"counters/unimplemented", "graphs/*/inputs/*/example", "graphs/*/inputs/*/source",
          "unsupported_raised/*/gb_type", "unsupported_raised/*/user_stack/*"},
         {"ho02"}},
    };
    return unjudged;
}

bool isListed(const std::string& fact, const std::string& program) {
    return std::any_of(unjudgedFacts().begin(), unjudgedFacts().end(), [&](const Unjudged& one) {
        return one.facts.contains(fact) && (one.programs.empty() || one.programs.contains(program));
    });
}

/// Under a sanitizer, which makes it over thirty times as slow, one program of sixteen is changed fact by fact.
constexpr std::size_t eachProgram = addressSanitized || threadSanitized ? 16 : 1;

} // namespace

class TestDynamoPrograms : public QObject {
    Q_OBJECT

private:
    std::map<std::string, std::string> m_programs, m_recordings;

    CaseReport judge(const std::string& name, const json& program) const {
        CaseReport report{name, "dynamo_program", {}};
        const auto recording =
            dynamo::Recording::read(session::makeByteSource(m_recordings.at(name)), nullptr);
        if (recording) engine::judgeProgram(program, **recording, report);
        return report;
    }

private slots:
    void initTestCase() {
        m_programs = test::oraclePrograms();
        m_recordings = test::oracleRecordings();
        QCOMPARE(m_programs.size(), 41U);
        QCOMPARE(m_recordings.size(), 41U);
    }

    void everyProgram_data() {
        QTest::addColumn<QString>("name");
        for (const auto& [name, text] : m_programs)
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }

    void everyProgram() {
        QFETCH(QString, name);
        const json program = json::parse(m_programs.at(name.toStdString()));
        const CaseReport report = judge(name.toStdString(), program);
        const std::size_t hits = program["at_marks"].value("nonforcing", json::array()).size();
        QVERIFY(report.parts.size() >= hits + 3);
        for (const engine::PartReport& part : report.parts) {
            // PyTorch's answer has a function under disable(recursive=False) compiled, which 2.13 does not do
            // when the program is run, with the recorder or without it.
            if (name == "gb17_disabled_function" &&
                (part.part == "graph 2/0" || part.part == "ends of graphs"))
                continue;
            QVERIFY2(part.verdict == Verdict::Passed, (part.part + ": " + part.reason).c_str());
        }
    }

    /// What the whole run came to is held to the case in both directions.
    void aRunThatCameToSomethingElseFails() {
        int frames = 0;
        for (const auto& [name, text] : m_programs) {
            const json program = json::parse(text);
            if (name == "gb17_disabled_function") continue; // it fails as it is
            const auto fails = [&](const char* what, const auto& change) {
                json other = program;
                change(other);
                QVERIFY2(judge(name, other).verdict() == Verdict::Failed, (name + ": " + what).c_str());
            };
            for (const auto& [key, number] : program["counts"].items())
                fails(key.c_str(), [&](json& other) { other["counts"][key] = number.get<int>() + 1; });
            for (const char* key : {"code", "result", "file"})
                fails(key, [&](json& other) {
                    json& word = other["frames"][0][key];
                    word = word.get<std::string>() + "x";
                });
            fails("a frame's line", [](json& other) { other["frames"][0]["firstlineno"] = 9999; });
            fails("no frame", [](json& other) { other["frames"].erase(0); });
            frames += static_cast<int>(program["frames"].size());
            for (const char* key : {"graphs", "guards", "subgraphs"})
                if (!program[key].empty())
                    fails(key, [&](json& other) { other[key].erase(other[key].size() - 1); });
            if (!program["graphs"].empty()) {
                fails("nodes", [](json& other) { other["graphs"][0]["n_nodes"] = 99; });
                fails("an input", [](json& other) {
                    other["graphs"][0]["inputs"].push_back({{"name", "y"}});
                });
            }
            if (!program["subgraphs"].empty()) {
                fails("a line", [](json& other) { other["subgraphs"][0]["lineno"] = 9999; });
                fails("a stack",
                      [](json& other) { other["subgraphs"][0]["user_stack"].push_back("f.py:1 in g"); });
            }
            if (!program["guards"].empty())
                fails("a guard",
                      [](json& other) { other["guards"][0]["guards"][0]["create_fn"] = "NO_MATCH"; });
            for (const char* key : {"n_instructions_original", "n_instructions_modified", "firstlineno"})
                if (!program["bytecode"].empty())
                    fails(key, [&](json& other) { other["bytecode"][0][key] = 9999; });
            fails("the log's end", [](json& other) {
                other["step_log"]["truncated"] = !other["step_log"]["truncated"].get<bool>();
            });
            if (!program["metrics"].empty())
                for (const char* key : {"cache_size", "co_firstlineno"})
                    fails(key, [&](json& other) { other["metrics"][0][key] = 77; });
            if (!program["unsupported_raised"].empty())
                fails("an attempt", [](json& other) { other["unsupported_raised"][0]["attempt"] = 77U; });
            if (!program["graphs"].empty())
                fails("a graph's code", [](json& other) { other["graphs"][0]["code"] = "class Module:"; });
            if (program["step_log"]["truncated"] == false)
                fails("steps", [](json& other) { other["step_log"]["n_ops"] = 1; });
        }
        QCOMPARE(frames, 69);
    }

    /// Programs on which the recorder or the judge was wrong once (tests/oracle/README.md).
    void foundPrograms() {
        std::map<std::string, std::string> recordings;
        std::vector<json> programs;
        for (const test::ArchiveFile& file :
             test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/found.tar.xz")) {
            const std::string name = file.path.substr(file.path.rfind('/') + 1);
            if (name.ends_with(".dsteps")) recordings[name.substr(0, name.size() - 7)] = file.content;
            if (!name.ends_with(".json")) continue;
            if (json program = json::parse(file.content); program["kind"] == "dynamo_program")
                programs.push_back(std::move(program));
        }
        QCOMPARE(programs.size(), 10U);
        const std::map<std::string, std::string> declined{
            {"gb07_raise_caught", "it goes from line 11 to line 16, past line 13"},
            {"in08_lazy_untouched", "compile 2 times instead of 1"}};
        for (const json& program : programs) {
            const std::string name = program["name"];
            const auto judged = [&](const json& oracleCase) {
                CaseReport report{name, "dynamo_program", {}};
                const auto recording =
                    dynamo::Recording::read(session::makeByteSource(recordings.at(name)), nullptr);
                if (recording) engine::judgeProgram(oracleCase, **recording, report);
                return report;
            };
            const CaseReport report = judged(program);
            const auto cause = declined.find(name);
            QVERIFY2(report.verdict() == (cause == declined.end() ? Verdict::Passed : Verdict::Declined),
                     (name + ": " + report.reason()).c_str());
            if (cause == declined.end()) continue;
            QVERIFY2(report.reason().find(cause->second) != std::string::npos, report.reason().c_str());
            // What declines a mark excuses no other compile, and no other state.
            json other = program;
            other["at_marks"]["forced_locals"].back()["compile_id"] = "7/0";
            if (name == "gb07_raise_caught") QCOMPARE(judged(other).verdict(), Verdict::Failed);
            other = program;
            other["at_marks"]["nonforcing"][0]["guards"].push_back("local \"L['y']\" TYPE_MATCH");
            QCOMPARE(judged(other).verdict(), Verdict::Failed);
        }
    }

    /// Each class of facts that a case states, changed by itself: the case fails, but for what is listed.
    void tamperedCasesFail() {
        std::set<std::string> missed, listed;
        std::size_t seen = 0;
        for (const auto& [name, text] : m_programs) {
            if (name == "gb17_disabled_function") continue; // it fails as it is
            if (seen++ % eachProgram != 0) continue;
            const json program = json::parse(text);
            const auto recording =
                dynamo::Recording::read(session::makeByteSource(m_recordings.at(name)), nullptr);
            QVERIFY(recording.has_value());
            const test::FactClasses classes(program, {"locals_unforced", "ops_per_compile_attempt", "ranges",
                                                      "hints", "sources", "replacements", "runtime_asserts",
                                                      "graph_break", "unimplemented", "resumes"});
            for (const auto& [fact, where] : classes.facts()) {
                const std::string id = name.substr(0, name.find('_'));
                if (isListed(fact, id)) listed.insert(fact + " of " + id);
                json changed = program;
                changed[where] = test::otherThan(changed[where]);
                CaseReport report{name, "dynamo_program", {}};
                engine::judgeProgram(changed, **recording, report);
                if (report.verdict() != Verdict::Failed) missed.insert(fact + " of " + id);
            }
        }
        std::string wrong;
        for (const std::string& fact : missed)
            if (!listed.contains(fact)) wrong += "not seen: " + fact + '\n';
        for (const std::string& fact : listed)
            if (!missed.contains(fact)) wrong += "seen, and listed as not: " + fact + '\n';
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    /// Where a list has something more, or another word, the case fails too.
    void longerListsFail() {
        for (const auto& [name, text] : m_programs) {
            const json program = json::parse(text);
            for (const char* key : {"guards", "mutated", "attr_stores", "bt"}) {
                json other = program;
                json& hits = other["at_marks"]["nonforcing"];
                if (hits.empty()) continue;
                hits.back()[key].push_back("more");
                QVERIFY2(judge(name, other).verdict() == Verdict::Failed, (name + ' ' + key).c_str());
            }
            for (const char* key : {"breaks_log", "recompiles"}) {
                json other = program;
                other[key].push_back({{"text", "another"}});
                QVERIFY2(judge(name, other).verdict() == Verdict::Failed, (name + ' ' + key).c_str());
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestDynamoPrograms)
#include "tst_dynamo_programs.moc"
