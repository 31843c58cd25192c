// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/command.h"
#include "core/base/log.h"

using namespace dynascope;

int main(int argc, char** argv) {
    log::chooseByEnvironment();
    cli::Parser parser(
        "Reads what torch.compile and torch.export leave behind: the headless twin of dynascope.",
        "dynascope-cli", DYNASCOPE_VERSION,
        "Exit status: 0 success, 1 a difference or a failed check, 2 bad usage or unreadable input.");
    cli::addInfo(parser);
    cli::addSave(parser);
    cli::addPrint(parser);
    cli::addDiff(parser);
    cli::addCompare(parser);
    cli::addLayout(parser);
    cli::addExec(parser);
    cli::addPass(parser);
    cli::addPasses(parser);
    cli::addPassesOf(parser);
    cli::addFusions(parser);
    cli::addProfile(parser);
    cli::addOracle(parser);
    cli::addCoverage(parser);
    cli::addCudagraphs(parser);
    cli::addMemory(parser);
    cli::addRanks(parser);
    cli::addDigest(parser);
    cli::addReport(parser);
    cli::addFind(parser);
    cli::addTraceNode(parser);
    cli::addRecompiles(parser);
    cli::addRederive(parser);
    cli::addReplay(parser);
    cli::addSymbols(parser);
    cli::addSteps(parser);
    cli::addCapture(parser);
    cli::addRun(parser);
    cli::addRuns(parser);
    cli::addDoctor(parser);
    cli::addServe(parser);
    cli::addStatus(parser);
    cli::addCompletion(parser);
    return parser.run(argc, argv);
}
