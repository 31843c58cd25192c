// SPDX-License-Identifier: BSD-3-Clause
//
// What the judges of the oracle's kinds share. Internal to the oracle runner.
#pragma once

#include "core/engine/client/oracle.h"

#include <nlohmann/json.hpp>

namespace dynascope::engine {

/// The member, or null.
[[nodiscard]] const nlohmann::json& field(const nlohmann::json& object, const char* key);
/// The member if it is a string, or nothing.
[[nodiscard]] std::string text(const nlohmann::json& object, const char* key);
/// Whether two error messages have one cause: sizes and positions come later in them.
[[nodiscard]] bool sameCause(std::string_view expected, std::string_view got);
[[nodiscard]] std::string firstDifferentLine(std::string_view expected, std::string_view got);
/// The strings of an array, separated by semicolons.
[[nodiscard]] std::string joined(const nlohmann::json& sentences);
/// Whether the engine did not answer at all, which is not the case's doing.
[[nodiscard]] bool engineGone(const CallError& error);

/// Kinds `random` and `hand`: the program itself, and both modes of functionalization.
void judgeFunctionalization(Client& engine, const nlohmann::json& oracleCase, const JudgeOptions& options,
                            CaseReport& report);
/// Kind `normalize_ir`.
void judgeNormalizeIr(Client& engine, const nlohmann::json& oracleCase, const JudgeOptions& options,
                      CaseReport& report);
/// Part `find_input_mutations` of kinds `random` and `hand`.
void judgeInputMutations(const nlohmann::json& oracleCase, CaseReport& report);
/// The kinds about CUDA graphs; false where the kind is another.
bool judgeReplay(const nlohmann::json& oracleCase, CaseReport& report);

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
/// Kind `partition`.
void judgePartition(const nlohmann::json& oracleCase, CaseReport& report);

} // namespace dynascope::engine
