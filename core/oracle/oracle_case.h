// SPDX-License-Identifier: BSD-3-Clause
//
// What the judges of the oracle's kinds share. Internal to the oracle runner.
#pragma once

#include "core/base/json_fields.h"
#include "core/engine/client/client.h"
#include "core/engine/wire/wire.h"
#include "core/oracle/oracle.h"

#include <nlohmann/json.hpp>

namespace dynascope::dynamo {
class Recording;
}

namespace dynascope::engine {

/// Whether two error messages have one cause: sizes and positions come later in them.
[[nodiscard]] bool sameCause(std::string_view expected, std::string_view got);
[[nodiscard]] std::string firstDifferentLine(std::string_view expected, std::string_view got);
/// The strings of an array, separated by semicolons.
[[nodiscard]] std::string joined(const nlohmann::json& sentences);
/// A reply as JSON, which is held against the case's, field by field.
template <typename Reply>
[[nodiscard]] CallResult asJson(const Answer<Reply>& reply) {
    if (!reply) return tl::unexpected(reply.error());
    return wire::encode(*reply);
}
/// Whether the engine did not answer at all, which is not the case's doing.
[[nodiscard]] bool engineGone(const CallError& error);

/// Why a case's graph cannot say what its program does under autograd: the program switches the grad mode,
/// and make_fx does not record that. Empty where nothing is lost.
[[nodiscard]] std::string lostGradMode(const nlohmann::json& oracleCase);

/// One part of a report, judged by comparing JSON values.
class Part {
public:
    Part(CaseReport& report, std::string name)
        : m_report(report)
        , m_name(std::move(name)) {}
    void compare(const nlohmann::json& expected, const nlohmann::json& got) {
        add(difference(expected, got));
    }
    void fail(std::string reason) { add(std::move(reason)); }

private:
    [[nodiscard]] static std::string difference(const nlohmann::json& expected, const nlohmann::json& got);
    void add(std::string reason) {
        const CaseVerdict verdict = reason.empty() ? CaseVerdict::Passed : CaseVerdict::Failed;
        m_report.parts.push_back({m_name, verdict, std::move(reason)});
    }
    CaseReport& m_report;
    std::string m_name;
};

/// Kinds `random` and `hand`: the program itself, and both modes of functionalization.
void judgeFunctionalization(Client& engine, const nlohmann::json& oracleCase, const JudgeOptions& options,
                            CaseReport& report);
/// Part `source graph` of the same kinds.
void judgeSource(Client& engine, const nlohmann::json& oracleCase, const JudgeOptions& options,
                 CaseReport& report);
/// Kind `normalize_ir`.
void judgeNormalizeIr(Client& engine, const nlohmann::json& oracleCase, const JudgeOptions& options,
                      CaseReport& report);
/// Part `find_input_mutations` of kinds `random` and `hand`.
void judgeInputMutations(const nlohmann::json& oracleCase, CaseReport& report);
/// Kinds `cudagraph_check_for_mutation`, `cudagraph_check_for_skip` and `cudagraph_tree_trace`.
void judgeCheckForMutation(const nlohmann::json& oracleCase, CaseReport& report);
void judgeCheckForSkip(const nlohmann::json& oracleCase, CaseReport& report);
void judgeTreeTrace(const nlohmann::json& oracleCase, CaseReport& report);

/// Kinds `random` and `hand`: repeated inputs and synthetic bases, where PyTorch's AOTAutograd kept what it
/// did.
void judgeAotLayers(const nlohmann::json& oracleCase, CaseReport& report);
/// The same kinds: what is written and aliased, as the engine traces it.
void judgeTraced(Client& engine, const nlohmann::json& oracleCase, const JudgeOptions& options,
                 CaseReport& report);
/// Kinds `overlap` and `mutation_type`.
void judgeOverlap(const nlohmann::json& oracleCase, CaseReport& report);
void judgeMutationType(const nlohmann::json& oracleCase, CaseReport& report);
/// Kind `saved_tensors_hooks`.
void judgeHooks(Client& engine, const nlohmann::json& oracleCase, const JudgeOptions& options,
                CaseReport& report);
/// Kinds `backend_match`, `pgo_naming` and `autograd_cache_bypass`.
void judgeBackendMatch(const nlohmann::json& oracleCase, CaseReport& report);
void judgePgoNaming(const nlohmann::json& oracleCase, CaseReport& report);
void judgeAutogradCache(const nlohmann::json& oracleCase, CaseReport& report);
/// Kind `partition`.
void judgePartition(const nlohmann::json& oracleCase, CaseReport& report);

/// Kind `dynamo_program`: a recording of the program, from the folder that the options name.
void judgeProgram(const nlohmann::json& oracleCase, const JudgeOptions& options, CaseReport& report);
void judgeProgram(const nlohmann::json& oracleCase, const dynamo::Recording& recording, CaseReport& report);

} // namespace dynascope::engine
