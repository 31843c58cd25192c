// SPDX-License-Identifier: BSD-3-Clause
//
// Every fact that an oracle case states, changed by itself: the case fails. What is not judged is listed
// here, with the reason, and nothing else may be missing.
#include "core/oracle/oracle_case.h"
#include "tests/support/archive.h"
#include "tests/support/programs.h"
#include "tests/support/tampered.h"

#include <QTest>
#include <set>

using namespace dynascope;
using Verdict = engine::CaseVerdict;
using nlohmann::json;

namespace {

/// Facts that a judge computes from, and notes for people; by the beginning of their class.
const std::map<std::string, std::vector<std::string>>& givenFacts() {
    static const std::vector<std::string> program{"python_source", "inputs",    "before", "before_attrs",
                                                  "tags",          "generator", "timing"};
    static const std::map<std::string, std::vector<std::string>> given{
        {"hand", program},
        {"random", program},
        {"autograd_cache_bypass",
         {"graph", "note", "nodes/*/is_wrapped", "nodes/*/target", "nodes/*/user_cache_hash",
          "nodes/*/has_example_value"}},
        {"backend_match", {"backends_compare_equal", "calls", "n_backends"}},
        {"cudagraph_check_for_mutation",
         {"cudagraph_recorded_inputs", "cudagraph_trees", "mutated_input_idxs", "n_inputs",
          "placeholder_mutating_stack_traces", "static_input_idxs"}},
        {"cudagraph_check_for_skip",
         {"config_cudagraph_backend_support_input_mutation", "graph", "node_device", "node_dtype",
          "num_fixed", "storage_group"}},
        {"cudagraph_tree_trace", {"cudagraph_unexpected_rerecord_limit", "events", "functions", "notes"}},
        {"mutation_type",
         {"rows/*/keep_input_mutations", "rows/*/mutates_", "rows/*/mutations_", "rows/*/mutation_inductor",
          "rows/*/requires_grad"}},
        {"normalize_ir", {"before", "inputs", "pass_source"}},
        {"overlap", {"tensors"}},
        {"partition",
         {"attrs", "config", "decompositions", "dynamic", "frontend", "joint", "keep_input_mutations",
          "node_meta", "num_fwd_outputs", "partitioner", "python_source", "static_lifetime_input_indices"}},
        {"pgo_naming", {"entries", "shape_env"}},
        {"saved_tensors_hooks",
         {"filtering_mode", "function", "fw_pre", "bw_pre", "pack", "unpack", "static_input_indices", "x",
          "y", "num_inner_fwd_outputs"}},
    };
    return given;
}

/// Facts that only PyTorch itself can check.
const std::map<std::string, std::vector<std::string>>& unjudgedFacts() {
    // How PyTorch's compiled function returns its outputs, and in what words it fails where it is wrong:
    // calls through the engine do what eager does.
    static const std::vector<std::string> compiled{"aot/error",
                                                   "aot_keep_input_mutations/error",
                                                   "aot/matches_eager/",
                                                   "aot_keep_input_mutations/matches_eager/",
                                                   "aot/retry_without_view_replay/",
                                                   "aot_keep_input_mutations/retry_without_view_replay/",
                                                   "aot/grads_match_eager"};
    static const std::map<std::string, std::vector<std::string>> unjudged{
        {"hand", compiled},
        {"random", compiled},
        // What PyTorch's own halves gave when they were run.
        {"partition", {"matches_eager"}},
    };
    return unjudged;
}

bool listed(const std::map<std::string, std::vector<std::string>>& table, const std::string& kind,
            const std::string& fact) {
    static const std::set<std::string> everywhere{"name", "kind", "torch_version"};
    const auto found = table.find(kind);
    return everywhere.contains(fact) ||
           (found != table.end() &&
            std::any_of(found->second.begin(), found->second.end(),
                        [&](const std::string& beginning) { return fact.starts_with(beginning); }));
}

} // namespace

class TestEngineTampered : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { QVERIFY(m_engine.start().has_value()); }

    void everyFact_data() {
        QTest::addColumn<QString>("text");
        std::map<std::string, int> taken;
        std::map<std::string, std::string> cases = test::oracleCases();
        for (const test::ArchiveFile& file :
             test::readArchive(DYNASCOPE_SOURCE_DIR "/tests/oracle/oracle.tar.xz"))
            if (file.path.starts_with("partition/") && file.path.ends_with(".json"))
                cases[file.path] = file.content;
        for (const auto& [name, text] : cases) {
            const json oracleCase = json::parse(text);
            const std::string kind = oracleCase["kind"];
            if (taken[kind] == (kind == "random" ? 6 : 3) || judge(oracleCase) != Verdict::Passed) continue;
            ++taken[kind];
            QTest::newRow((kind + ' ' + name).c_str()) << QString::fromStdString(text);
        }
        QCOMPARE(taken.size(), 13U);
    }
    void everyFact() {
        QFETCH(QString, text);
        const json oracleCase = json::parse(text.toStdString());
        const std::string kind = oracleCase["kind"];
        int judged = 0;
        const test::FactClasses classes(oracleCase, {"node_meta", "node_meta_before", "attrs"});
        for (const auto& [name, where] : classes.facts()) {
            if (listed(givenFacts(), kind, name) || listed(unjudgedFacts(), kind, name)) continue;
            if (saysNothing(oracleCase, name, where)) continue;
            json changed = oracleCase;
            changed[where] = test::otherThan(changed[where]);
            QVERIFY2(judge(changed) == Verdict::Failed, (name + " at " + where.to_string()).c_str());
            ++judged;
        }
        QVERIFY(judged > 0);
    }

private:
    /// How far apart elements lie where there is no second one.
    static bool saysNothing(const json& oracleCase, const std::string& name,
                            const json::json_pointer& where) {
        if (!name.starts_with("node_meta_before") || !name.ends_with("/stride/*")) return false;
        const json& shape = oracleCase[where.parent_pointer().parent_pointer()]["shape"];
        return shape[std::stoul(where.back())] == 1 ||
               std::find(shape.begin(), shape.end(), 0) != shape.end();
    }

    Verdict judge(const json& oracleCase) {
        return engine::judgeCase(m_engine, oracleCase.dump(), "x").verdict();
    }

    engine::Client m_engine{{test::engineProgram()}};
};

QTEST_GUILESS_MAIN(TestEngineTampered)
#include "tst_engine_tampered.moc"
