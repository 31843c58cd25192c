// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/shell_help.h"

#include "core/base/text.h"

#include <CLI/CLI.hpp>

namespace dynascope::cli {

namespace {

/// "{fx,readable}" behind the type is what IsMember() tells of its words.
std::vector<std::string> wordsOf(const std::string& type) {
    std::vector<std::string> out;
    const std::size_t open = type.find('{');
    const std::size_t close = type.find('}', open == std::string::npos ? 0 : open);
    if (open == std::string::npos || close == std::string::npos) return out;
    std::string_view rest = std::string_view(type).substr(open + 1, close - open - 1);
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find(','));
        out.emplace_back(word);
        rest.remove_prefix(std::min(word.size() + 1, rest.size()));
    }
    return out;
}

CommandHelp commandOf(const CLI::App& app) {
    CommandHelp out{app.get_name(), app.get_description(), {}, app.get_footer()};
    for (const CLI::Option* option : app.get_options()) {
        if (option->get_group().empty()) continue; // hidden
        OptionHelp& help = out.options.emplace_back();
        for (const std::string& name : option->get_snames())
            help.names.push_back('-' + name);
        for (const std::string& name : option->get_lnames())
            help.names.push_back("--" + name);
        help.positional = help.names.empty();
        if (help.positional) help.names.push_back(option->get_name(true));
        help.required = option->get_required();
        help.takesValue = option->get_items_expected_max() != 0;
        if (help.takesValue) help.words = wordsOf(option->get_type_name());
        help.help = option->get_description();
    }
    return out;
}

} // namespace

ProgramHelp describe(const CLI::App& app, std::string_view version) {
    ProgramHelp out{app.get_name(), app.get_description(), std::string(version), commandOf(app), {}};
    for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        out.commands.push_back(commandOf(*command));
    return out;
}

} // namespace dynascope::cli
