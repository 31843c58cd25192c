// SPDX-License-Identifier: BSD-3-Clause
//
// What a program's --help says, for shells that complete its command line and for a manual page. Pure functions.
#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
} // namespace CLI

namespace dynascope::cli {

struct OptionHelp {
    std::vector<std::string> names; ///< "-o", "--output"; of a positional argument its only one, "path"
    bool positional = false, required = false, takesValue = false;
    std::vector<std::string> words; ///< the only values that it takes; empty where others are taken
    std::string help;
};

struct CommandHelp {
    std::string name, help;
    std::vector<OptionHelp> options; ///< in the order of --help
    std::string footer;              ///< lines below the options, as they are
};

struct ProgramHelp {
    std::string name, description, version;
    CommandHelp own; ///< options without a command
    std::vector<CommandHelp> commands;
};

[[nodiscard]] ProgramHelp describe(const CLI::App& app, std::string_view version);

/// A manual page of section 1, in man(7)'s macros.
[[nodiscard]] std::string manualPage(const ProgramHelp& program);

/// A file that "bash", "zsh" or "fish" reads; an Error for another shell.
[[nodiscard]] Result<std::string> completions(const ProgramHelp& program, std::string_view shell);

} // namespace dynascope::cli
