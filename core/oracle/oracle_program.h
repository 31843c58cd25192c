// SPDX-License-Identifier: BSD-3-Clause
//
// What the judges of kind `dynamo_program` share. Internal to the oracle runner.
#pragma once

#include "core/dynamo/recording.h"
#include "core/oracle/oracle_case.h"

#include <map>

namespace dynascope::engine::program {

/// The member as a list; empty if it is none.
[[nodiscard]] const nlohmann::json& list(const nlohmann::json& object, const char* key);
/// The member as a natural number: 0 if there is none, UINT32_MAX if it is anything else.
[[nodiscard]] std::uint32_t natural(const nlohmann::json& object, const char* key);
/// Without what differs from run to run or from machine to machine, as cases are written: ids and addresses,
/// and of the path of a file or module all but its name.
[[nodiscard]] std::string masked(std::string text);
/// What print_locals printed, by name.
[[nodiscard]] std::map<std::string, std::string> printedLocals(std::string_view text);
/// The operation in each line of what `dis` prints.
[[nodiscard]] std::vector<std::string> instructionsOf(const std::string& disassembly);
/// "WHAT: wanted A, got B", or nothing where they are equal.
[[nodiscard]] std::string differ(const std::string& what, const std::string& wanted, const std::string& got);
/// ["gb13.py:16 in f", ...], as cases name the entries of a stack.
[[nodiscard]] nlohmann::json stackOf(const dynamo::EventInfo& event);
/// Whether the attempt ended with a graph for the backend.
[[nodiscard]] bool handedOver(const dynamo::Recording& recording, std::uint32_t attempt);

/// The marks: a part for each hit.
void judgeMarks(const nlohmann::json& oracleCase, const dynamo::Recording& recording, CaseReport& report);

/// What the run came to: `counts`, `frames`, `graphs` that are not in the list, `subgraphs` as to stacks and
/// lines. The first difference, or nothing.
[[nodiscard]] std::string differentRun(const nlohmann::json& oracleCase, const dynamo::Recording& recording);

/// Facts of single compiles of a run that came to the same: guards, symbols, steps, bytecode, metrics.
void judgeCompiles(const nlohmann::json& oracleCase, const dynamo::Recording& recording, CaseReport& report);

/// What the case says of the run twice, or the recording says too: marks, observed runs, counters.
void judgeWords(const nlohmann::json& oracleCase, const dynamo::Recording& recording, CaseReport& report);

/// The same of compiles: metrics, logs, symbols, checks of guards.
void judgeFacts(const nlohmann::json& oracleCase, const dynamo::Recording& recording, CaseReport& report);

} // namespace dynascope::engine::program
