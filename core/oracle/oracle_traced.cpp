// SPDX-License-Identifier: BSD-3-Clause
//
// Judges what the engine finds out of a function by tracing it: kinds `hand` and `random`, where PyTorch's
// AOTAutograd kept its ViewAndMutationMeta and its graphs. Calls through the traced graph must do what eager
// does, also where PyTorch's raise or do otherwise.
#include "core/engine/cases/aot_case.h"
#include "core/engine/cases/compare.h"
#include "core/engine/cases/traced_graph.h"
#include "core/engine/wire/aot.h"
#include "core/ir/text.h"
#include "core/oracle/oracle_case.h"
#include "core/passes/partition/captured_joint.h"

namespace dynascope::engine {

using nlohmann::json;

namespace {

using Differences = std::vector<Difference>;

/// One of a case's two runs of AOTAutograd, traced.
class TracedJudge {
public:
    /// `lost` says what of the program the graph lacks that PyTorch traced; empty for nothing.
    TracedJudge(std::string run, const json& answer, std::string lost, CaseReport& report)
        : m_run(std::move(run))
        , m_answer(answer)
        , m_lost(std::move(lost))
        , m_report(report) {}

    /// What the call through the graph did, by what eager does.
    void judgeRun(const json& reply, json eager) {
        json run = field(reply, "run");
        if (eager.contains("error") || run.is_null()) return;
        for (json* side : {&eager, &run}) { // how a gradient lies in memory is nobody's promise
            if (!side->contains("grads")) continue;
            for (json& gradient : (*side)["grads"])
                if (gradient.is_object()) gradient.erase("stride");
        }
        std::string different = stringField(field(run, "error"), "message");
        for (const Difference& difference : different.empty() ? compareRuns(eager, run) : Differences()) {
            const bool counts = difference.aspect != Aspect::OutputStrides &&
                                difference.aspect != Aspect::OutputAliasing &&
                                difference.aspect != Aspect::OutputLayout;
            if (counts && different.empty()) different = difference.text;
        }
        const std::string known = joined(field(reply, "graph_warnings"));
        if (different.empty() || known.empty()) return add("end to end", different);
        m_report.parts.push_back({m_run + " end to end", CaseVerdict::Declined, known});
    }

    /// Where PyTorch's call raised or left other values behind than eager, the engine has to say why.
    void judgeWarnings(const json& reply, const json& whole) {
        bool parted = whole.contains("error") && m_answer.contains("metadata_outer"); // else it did not trace
        for (const char* what : {"output_values", "storages", "input_values", "input_strides"})
            parted = parted || field(field(m_answer, "matches_eager"), what) == false;
        const json& warnings = field(reply, "warnings");
        if (parted)
            add("deviation", warnings.is_array() && !warnings.empty()
                                 ? std::string()
                                 : "PyTorch differs from eager, and nothing says so");
    }

    void failed(const CallError& error, const json& whole, const json& eager) {
        if (engineGone(error)) {
            m_report.parts.push_back({m_run + " refusal", CaseVerdict::Failed, error.message});
            return;
        }
        refused(error.message, whole, eager);
    }

    /// PyTorch traces without values, and so without what only running finds. What it refuses may be refused.
    void refused(const std::string& message, const json& whole, const json& eager) {
        bool same = sameCause(stringField(field(eager, "error"), "message"), message);
        for (const json* run : {&whole, &field(whole, "retry_without_view_replay")})
            same = same || sameCause(stringField(field(*run, "error"), "message"), message);
        const bool recorded = m_answer.contains("metadata_outer");
        if (!same && recorded) return add("traced metadata", message);
        m_report.parts.push_back({m_run + (recorded ? " traced metadata" : " refusal"),
                                  same ? CaseVerdict::Passed : CaseVerdict::Declined,
                                  same ? std::string() : message});
    }

    void judge(const json& reply) {
        add("traced metadata", firstDifference(m_answer["metadata_outer"], field(reply, "metadata_outer")));
        const auto said = wire::decode<wire::AotReply>(reply);
        if (!said) return add("traced graph", said.error().message);
        const auto traced = readTracedGraph(*said);
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
        const CaseVerdict other = m_lost.empty() ? CaseVerdict::Failed : CaseVerdict::Declined;
        const CaseVerdict verdict = difference.empty() ? CaseVerdict::Passed : other;
        if (verdict == CaseVerdict::Declined) difference = m_lost;
        m_report.parts.push_back({m_run + ' ' + what, verdict, std::move(difference)});
    }

    void compare(const std::string& what, const char* key, const ir::Graph& got) {
        std::string expected = stringField(m_answer, key);
        expected.erase(expected.find_last_not_of(" \n") + 1);
        const std::string printed = ir::printFx(got);
        std::string different = expected == printed ? std::string() : firstDifferentLine(expected, printed);
        const json& constants = field(m_answer, (std::string(key) + "_attrs").c_str());
        for (const ir::NodePtr& node : got.nodes()) // those of the source are inputs of the case
            if (different.empty() && node->op == ir::Op::GetAttr && constants.is_object() &&
                !constants.contains(node->target))
                different = "the case lacks the constant '" + node->target + '\'';
        for (const auto& [name, constant] : constants.items())
            if (different.empty() && printed.find("get_attr[target=" + name + ']') == std::string::npos)
                different = "there is no constant '" + name + '\'';
        add(what, different);
    }

    std::string m_run;
    const json& m_answer;
    std::string m_lost;
    CaseReport& m_report;
};

} // namespace

void judgeTraced(Client& engine, const json& oracleCase, const JudgeOptions& options, CaseReport& report) {
    if (!field(oracleCase, "before").is_string()) return;
    const json& eager = field(oracleCase, "eager");
    for (const std::string run : {"aot", "aot_keep_input_mutations"}) {
        const json& whole = field(oracleCase, run.c_str());
        const json& answer = whole.contains("error") ? field(whole, "retry_without_view_replay") : whole;
        const bool recorded = answer.contains("metadata_outer");
        if (!recorded && eager.contains("error")) continue;
        TracedJudge judge(run, answer, lostGradMode(oracleCase), report);
        wire::AotRequest request;
        request.on = {field(oracleCase, "inputs"), field(oracleCase, "before_attrs"), {}};
        request.keepInputMutations = run != "aot";
        request.run = true;
        const CallResult got = asJson(engine.aot(stringField(oracleCase, "before"), request, options.call));
        if (!got) {
            judge.failed(got.error(), whole, eager);
            continue;
        }
        const bool refused = got->contains("refused");
        if (refused && whole.is_object()) // else PyTorch was not asked
            judge.refused(stringField(*got, "refused"), whole, eager);
        else if (recorded)
            judge.judge(*got);
        judge.judgeRun(*got, eager);
        if (!eager.contains("error")) judge.judgeWarnings(*got, whole);
    }
}

} // namespace dynascope::engine
