// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli completion bash|zsh|fish|man
#include "app/cli/command.h"
#include "app/cli/shell_help.h"

#include <memory>

namespace dynascope::cli {

void addCompletion(Parser& parser) {
    auto form = std::make_shared<std::string>();
    Command command =
        parser.command("completion", "Print what a shell completes the command line by, or a manual page");
    command.add("form", *form, "bash, zsh, fish, or man for a manual page")
        .required()
        .oneOf({"bash", "zsh", "fish", "man"});
    command.note("  source <(dynascope-cli completion bash)\n"
                 "  dynascope-cli completion fish > ~/.config/fish/completions/dynascope-cli.fish\n"
                 "  dynascope-cli completion man | man -l -\n");
    command.run([form, &parser] {
        const ProgramHelp program = parser.describe();
        if (*form == "man") {
            print(manualPage(program));
            return exitOk;
        }
        const Result<std::string> text = completions(program, *form);
        if (!text) return fail(text.error());
        print(*text);
        return exitOk;
    });
}

} // namespace dynascope::cli
