// SPDX-License-Identifier: BSD-3-Clause
//
// What every command of dynascope-cli shares. A command is one file: a function that adds itself to the
// parser and a function that runs. Exit codes: 0 success, 1 a reported failure (a difference, a failed
// check), 2 bad usage or unreadable input.
#pragma once

#include "app/cli/options.h"
#include "core/base/result.h"
#include "core/base/shown_text.h"
#include "core/base/words.h"
#include "core/session/session.h"

#include <string>
#include <string_view>

namespace dynascope::cli {

inline constexpr int exitOk = 0;
inline constexpr int exitFailure = 1;
inline constexpr int exitUsage = 2;

/// One line on stderr: "dynascope-cli: file:line: cause", through withoutControlCodes(). Returns exitUsage.
int fail(const Error& error);
int fail(std::string_view message, std::string_view file = {});

/// Text for stdout, through withoutControlCodes() when that is a terminal, so that a capture cannot drive
/// it.
void print(std::string_view text);

/// At the end of every command: what was printed is written, and every file that was read is still whole, or
/// one line on stderr says what failed (a full disk, a closed output, a file that was cut short, another machine that
/// did not answer) and the status is exitUsage.
[[nodiscard]] int written(int status);

/// Opens a capture or a graph text, also "ssh://HOST/PATH"; "-" reads standard input.
[[nodiscard]] Result<session::SessionPtr> openInput(const std::string& path);

/// Whether somebody means this compile by "0/0", "RANK:0/0" or nothing at all.
[[nodiscard]] bool matchesFrame(const session::Compile& compile, const std::string& frame);

/// A stage by "NAME" or "NAME#K" of a compile "0/0" or "RANK:0/0"; an empty frame means the first compile
/// that has it, an empty stage the first graph. "PHASE/PASS" is the graph that a recorded pass left.
struct StageChoice {
    const session::Compile* compile = nullptr;
    session::StagePtr stage;
};
[[nodiscard]] Result<StageChoice> chooseStage(const session::Session& session, const std::string& frame,
                                              const std::string& stage);

/// The stage's graph; an error names the line of the file that the stage lies in.
[[nodiscard]] Result<ir::GraphPtr> graphOf(const session::Session& session, const session::Stage& stage);

/// "cap.py:42"; without the line where it is 0, empty where the file is unknown.
[[nodiscard]] std::string placeText(const ir::SourceLocation& at);

void addInfo(Parser& parser);
void addSave(Parser& parser);
void addPrint(Parser& parser);
void addDiff(Parser& parser);
void addCompare(Parser& parser);
void addLayout(Parser& parser);
void addExec(Parser& parser);
void addPass(Parser& parser);
void addPasses(Parser& parser);
void addPassesOf(Parser& parser);
void addFusions(Parser& parser);
void addProfile(Parser& parser);
void addOracle(Parser& parser);
void addCoverage(Parser& parser);
void addCudagraphs(Parser& parser);
void addMemory(Parser& parser);
void addRanks(Parser& parser);
void addDigest(Parser& parser);
void addReport(Parser& parser);
void addFind(Parser& parser);
void addTraceNode(Parser& parser);
void addRecompiles(Parser& parser);
void addRederive(Parser& parser);
void addReplay(Parser& parser);
void addSymbols(Parser& parser);
void addSteps(Parser& parser);
void addCapture(Parser& parser);
void addRun(Parser& parser);
void addRuns(Parser& parser);
void addDoctor(Parser& parser);
void addServe(Parser& parser);
void addStatus(Parser& parser);
void addCompletion(Parser& parser);

} // namespace dynascope::cli
