// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli info PATH [--json | --follow]
#include "app/cli/command.h"
#include "app/cli/info.h"

#include <memory>

namespace dynascope::cli {

namespace {

struct InfoOptions {
    std::string path;
    bool json = false;
    bool follow = false;
};

int run(const InfoOptions& options) {
    if (options.follow && options.json) return fail("--follow prints lines, not JSON");
    if (options.follow) return followInfo(options.path);
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    print(options.json ? infoJson(**session) + '\n' : infoText(**session));
    return exitOk;
}

} // namespace

void addInfo(Parser& parser) {
    auto options = std::make_shared<InfoOptions>();
    Command command =
        parser.command("info", "Summarise a capture: frames, stages, graph breaks, recompiles, caches");
    command.add("path", options->path, "Trace log, folder of rank logs or graph text; - for standard input")
        .required();
    command.flag("--json", options->json, "One JSON document on stdout");
    command.flag("--follow", options->follow,
                 "Print a line for each compile, graph break and recompile as it is written, until Ctrl-C");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
