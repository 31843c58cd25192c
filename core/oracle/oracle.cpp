// SPDX-License-Identifier: BSD-3-Clause
#include "core/oracle/oracle.h"

#include "core/oracle/oracle_case.h"

#include <algorithm>

namespace dynascope::engine {

using nlohmann::json;

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
    if (report.kind == "random" || report.kind == "hand") {
        judgeFunctionalization(engine, oracleCase, options, report);
        judgeSource(engine, oracleCase, options, report);
        judgeAotLayers(oracleCase, report);
        judgeTraced(engine, oracleCase, options, report);
        judgeInputMutations(oracleCase, report);
    } else if (report.kind == "overlap") {
        judgeOverlap(oracleCase, report);
    } else if (report.kind == "mutation_type") {
        judgeMutationType(oracleCase, report);
    } else if (report.kind == "saved_tensors_hooks") {
        judgeHooks(engine, oracleCase, options, report);
    } else if (report.kind == "dynamo_program") {
        judgeProgram(oracleCase, options, report);
    } else if (report.kind == "partition") {
        judgePartition(oracleCase, report);
    } else if (report.kind == "backend_match") {
        judgeBackendMatch(oracleCase, report);
    } else if (report.kind == "pgo_naming") {
        judgePgoNaming(oracleCase, report);
    } else if (report.kind == "autograd_cache_bypass") {
        judgeAutogradCache(oracleCase, report);
    } else if (report.kind == "normalize_ir") {
        judgeNormalizeIr(engine, oracleCase, options, report);
    } else if (!judgeReplay(oracleCase, report)) {
        report.parts.push_back(
            {"case", CaseVerdict::Skipped, "kind '" + report.kind + "' is not judged by this version"});
    }
    return report;
}

} // namespace dynascope::engine
