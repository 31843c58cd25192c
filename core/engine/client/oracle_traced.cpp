// SPDX-License-Identifier: BSD-3-Clause
//
// Judges what the engine finds out of a function by tracing it: kinds `hand` and `random`, where PyTorch's
// AOTAutograd kept its ViewAndMutationMeta and its graphs.
#include "core/engine/client/aot_case.h"
#include "core/engine/client/oracle_case.h"
#include "core/engine/client/traced_graph.h"
#include "core/ir/text.h"
#include "core/passes/partition/captured_joint.h"

namespace dynascope::engine {

using nlohmann::json;

namespace {

/// One of a case's two runs of AOTAutograd, traced.
class TracedJudge {
public:
    TracedJudge(std::string run, const json& answer, CaseReport& report)
        : m_run(std::move(run))
        , m_answer(answer)
        , m_report(report) {}

    void failed(const CallError& error, const json& oracleCase) {
        // PyTorch traces without values, and so without what only running finds.
        const std::string eager = text(field(field(oracleCase, "eager"), "error"), "message");
        const bool same = !engineGone(error) && sameCause(eager, error.message);
        add("traced metadata", same ? std::string() : error.message);
    }

    void judge(const json& reply) {
        add("traced metadata", firstDifference(m_answer["metadata_outer"], field(reply, "metadata_outer")));
        const auto traced = readTracedGraph(reply);
        if (!traced) return add("traced graph", traced.error().toString());
        if (!traced->joint) return compare("traced graph", "fw_graph", *traced->graph);
        const auto joint = passes::partition::capturedJoint(traced->graph, {}, {});
        if (!joint) return add("traced graph", joint.error().toString());
        const auto parts = passes::partition::defaultPartition(*joint);
        if (!parts) return add("traced graph", parts.error().toString());
        compare("traced graph", "fw_graph", *parts->forward);
        if (field(m_answer, "bw_graph").is_string()) compare("traced backward", "bw_graph", *parts->backward);
    }

private:
    void add(const std::string& what, std::string difference) {
        const Verdict verdict = difference.empty() ? Verdict::Passed : Verdict::Failed;
        m_report.parts.push_back({m_run + ' ' + what, verdict, std::move(difference)});
    }

    void compare(const std::string& what, const char* key, const ir::Graph& got) {
        std::string expected = text(m_answer, key);
        expected.erase(expected.find_last_not_of(" \n") + 1);
        const std::string printed = ir::printFx(got);
        add(what, expected == printed ? std::string() : firstDifferentLine(expected, printed));
    }

    std::string m_run;
    const json& m_answer;
    CaseReport& m_report;
};

} // namespace

void judgeTraced(Client& engine, const json& oracleCase, const JudgeOptions& options, CaseReport& report) {
    if (!field(oracleCase, "before").is_string()) return;
    for (const std::string run : {"aot", "aot_keep_input_mutations"}) {
        const json& whole = field(oracleCase, run.c_str());
        const json& answer = whole.contains("error") ? field(whole, "retry_without_view_replay") : whole;
        if (!answer.contains("metadata_outer")) continue;
        TracedJudge judge(run, answer, report);
        const CallResult got = engine.callOnGraph("aot", text(oracleCase, "before"),
                                                  {{"inputs", field(oracleCase, "inputs")},
                                                   {"attrs", field(oracleCase, "before_attrs")},
                                                   {"keep_input_mutations", run != "aot"}},
                                                  options.call);
        if (got)
            judge.judge(*got);
        else
            judge.failed(got.error(), oracleCase);
    }
}

} // namespace dynascope::engine
