// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli serve
#include "app/cli/command.h"
#include "core/engine/server/server.h"
#include "core/remote/service.h"

#include <unistd.h>

namespace dynascope::cli {

namespace {

int run() {
    if (isatty(STDIN_FILENO) != 0)
        return fail(
            "serve speaks to a program, not to a terminal: open ssh://HOST/PATH on the other machine");
    remote::Service service;
    return engine::serve(
        STDIN_FILENO, STDOUT_FILENO,
        [&service](const std::string& method, const nlohmann::json& params,
                   const engine::RequestContext& task) { return service.carryOut(method, params, task); });
}

} // namespace

void addServe(Parser& parser) {
    Command command = parser.command(
        "serve",
        "Read captures of this machine for a program on another one, over standard input and output");
    command.note("Started by opening ssh://HOST/PATH, with dynascope or any command: ssh runs it on HOST. It "
                 "reads what whoever\n"
                 "logged in may read, writes nothing and opens no port.");
    command.run([] { return run(); });
}

} // namespace dynascope::cli
