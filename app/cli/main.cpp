// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/command.h"
#include "app/cli/engine_command.h"

#include <algorithm>

using namespace dynascope;

int main(int argc, char** argv) {
    CLI::App app("Reads what torch.compile and torch.export leave behind: the headless twin of dynascope.",
                 "dynascope-cli");
    app.set_version_flag("--version", "dynascope-cli " DYNASCOPE_VERSION);
    app.require_subcommand(1);
    app.fallthrough(false);
    app.footer("Exit status: 0 success, 1 a difference or a failed check, 2 bad usage or unreadable input.");

    cli::Action action;
    cli::addInfo(app, action);
    cli::addSave(app, action);
    cli::addPrint(app, action);
    cli::addDiff(app, action);
    cli::addCompare(app, action);
    cli::addLayout(app, action);
    cli::addExec(app, action);
    cli::addPass(app, action);
    cli::addPasses(app, action);
    cli::addOracle(app, action);
    cli::addCoverage(app, action);
    cli::addMemory(app, action);
    cli::addTraceNode(app, action);

    try {
        std::vector<std::string> words = cli::joinEngineCommand(app, argc, argv);
        std::reverse(words.begin(), words.end()); // as CLI11 takes them
        app.parse(std::move(words));
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) return app.exit(e); // --help, --version
        return cli::fail(e.what());
    }
    return action ? action() : cli::exitUsage;
}
