// SPDX-License-Identifier: BSD-3-Clause
#include "core/oracle/oracle.h"

#include "core/oracle/oracle_case.h"

#include <algorithm>
#include <iterator>

namespace dynascope::engine {

using nlohmann::json;

namespace {

using Judge = void (*)(Client& engine, const json& oracleCase, const JudgeOptions& options,
                       CaseReport& report);

/// A judge that asks no engine.
template <void (*judge)(const json&, CaseReport&)>
void alone(Client& /*engine*/, const json& oracleCase, const JudgeOptions& /*options*/, CaseReport& report) {
    judge(oracleCase, report);
}

/// Of a program: what it does, and everything that PyTorch made of it.
void judgeWhole(Client& engine, const json& oracleCase, const JudgeOptions& options, CaseReport& report) {
    judgeFunctionalization(engine, oracleCase, options, report);
    judgeSource(engine, oracleCase, options, report);
    judgeAotLayers(oracleCase, report);
    judgeTraced(engine, oracleCase, options, report);
    judgeInputMutations(oracleCase, report);
}

void judgeRecorded(Client& /*engine*/, const json& oracleCase, const JudgeOptions& options,
                   CaseReport& report) {
    judgeProgram(oracleCase, options, report);
}

struct Kind {
    std::string_view name; ///< the case's `kind`
    Judge judge;
};

constexpr Kind kinds[] = {
    {"random", judgeWhole},
    {"hand", judgeWhole},
    {"normalize_ir", judgeNormalizeIr},
    {"saved_tensors_hooks", judgeHooks},
    {"overlap", alone<judgeOverlap>},
    {"mutation_type", alone<judgeMutationType>},
    {"partition", alone<judgePartition>},
    {"backend_match", alone<judgeBackendMatch>},
    {"pgo_naming", alone<judgePgoNaming>},
    {"autograd_cache_bypass", alone<judgeAutogradCache>},
    {"cudagraph_check_for_mutation", alone<judgeCheckForMutation>},
    {"cudagraph_check_for_skip", alone<judgeCheckForSkip>},
    {"cudagraph_tree_trace", alone<judgeTreeTrace>},
    {"dynamo_program", judgeRecorded},
};

} // namespace

std::string_view verdictName(CaseVerdict verdict) {
    switch (verdict) {
    case CaseVerdict::Passed:
        return "passed";
    case CaseVerdict::Failed:
        return "failed";
    case CaseVerdict::Declined:
        return "declined";
    case CaseVerdict::Skipped:
        return "skipped";
    }
    return {};
}

CaseVerdict CaseReport::verdict() const {
    for (const CaseVerdict verdict : {CaseVerdict::Failed, CaseVerdict::Declined, CaseVerdict::Skipped}) {
        if (std::any_of(parts.begin(), parts.end(),
                        [&](const PartReport& p) { return p.verdict == verdict; }))
            return verdict;
    }
    return CaseVerdict::Passed;
}

std::string CaseReport::reason() const {
    const CaseVerdict worst = verdict();
    const auto part =
        std::find_if(parts.begin(), parts.end(), [&](const PartReport& p) { return p.verdict == worst; });
    return part == parts.end() || part->reason.empty() ? std::string() : part->part + ": " + part->reason;
}

CaseReport judgeCase(Client& engine, std::string_view caseText, const std::string& label,
                     const JudgeOptions& options) {
    CaseReport report{label, "unknown", {}};
    const json oracleCase = json::parse(caseText, nullptr, false);
    if (!oracleCase.is_object() || stringField(oracleCase, "kind").empty()) {
        report.parts.push_back(
            {"case", CaseVerdict::Failed, "this is no case: an object with a kind is needed"});
        return report;
    }
    report.kind = stringField(oracleCase, "kind");
    if (const std::string name = stringField(oracleCase, "name"); !name.empty()) report.name = name;
    const auto* const kind = std::find_if(std::begin(kinds), std::end(kinds),
                                          [&](const Kind& known) { return known.name == report.kind; });
    if (kind != std::end(kinds))
        kind->judge(engine, oracleCase, options, report);
    else
        report.parts.push_back(
            {"case", CaseVerdict::Skipped, "kind '" + report.kind + "' is not judged by this version"});
    return report;
}

} // namespace dynascope::engine
