// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/options.h"

#include "app/cli/command.h"
#include "app/cli/shell_help.h"
#include "core/session/byte_source.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <new>
#include <utility>

namespace dynascope::cli {

Argument& Argument::required() {
    m_option->required();
    return *this;
}

Argument& Argument::oneOf(const std::vector<std::string>& words) {
    m_option->check(CLI::IsMember(words));
    return *this;
}

Argument& Argument::words(int count) {
    m_option->expected(count);
    return *this;
}

Argument& Argument::between(int least, int most) {
    m_option->check(CLI::Range(least, most));
    return *this;
}

Argument& Argument::showDefault() {
    m_option->capture_default_str();
    return *this;
}

Argument Command::add(const std::string& name, std::string& target, const std::string& help) {
    return Argument(m_app->add_option(name, target, help));
}

Argument Command::add(const std::string& name, int& target, const std::string& help) {
    return Argument(m_app->add_option(name, target, help));
}

Argument Command::addAlone(const std::string& name, int& target, int alone, const std::string& help) {
    m_parser->m_alone.emplace_back(name, alone);
    return Argument(m_app->add_option(name, target, help));
}

Argument Command::add(const std::string& name, unsigned& target, const std::string& help) {
    return Argument(m_app->add_option(name, target, help));
}

Argument Command::add(const std::string& name, std::size_t& target, const std::string& help) {
    return Argument(m_app->add_option(name, target, help));
}

Argument Command::add(const std::string& name, std::vector<std::string>& target, const std::string& help) {
    CLI::Option* option = m_app->add_option(name, target, help);
    if (name.front() == '-') option->allow_extra_args(false); // one value each time, not all that follow
    return Argument(option);
}

void Command::flag(const std::string& name, bool& target, const std::string& help) {
    m_app->add_flag(name, target, help);
}

void Command::note(const std::string& text) {
    m_app->footer(text + '\n' + m_app->get_footer());
}

void Command::rest(const std::string& name, std::vector<std::string>& target, const std::string& help) {
    m_app->add_option(name, target, help)->type_name("ARGUMENTS...")->expected(1);
    m_parser->m_rests.push_back({m_app->get_name(), name, &target});
}

void Command::run(std::function<int()> action) {
    m_app->callback([parser = m_parser, action = std::move(action)] { parser->m_action = action; });
}

Parser::Parser(const std::string& description, const std::string& program, const std::string& version,
               const std::string& footer)
    : m_app(std::make_unique<CLI::App>(description, program))
    , m_version(version) {
    m_app->set_version_flag("--version", program + ' ' + version);
    m_app->require_subcommand(1);
    m_app->fallthrough(false);
    m_app->footer(footer);
    m_app
        ->add_option_function<std::uint64_t>(
            "--max-unpacked", [](std::uint64_t gib) { session::Spool::setMost(gib << 30U); },
            "Most temporary files that archives, pipes and sessions may take, in GiB (16); the disk keeps 5 "
            "% anyway")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20U));
}

Parser::~Parser() = default;

Command Parser::command(const std::string& name, const std::string& help) {
    return {m_app->add_subcommand(name, help), *this};
}

ProgramHelp Parser::describe() const {
    return cli::describe(*m_app, m_version);
}

std::vector<std::string> Parser::cutRest(std::vector<std::string>& words) const {
    for (const Rest& rest : m_rests) {
        if (words.empty() || words.front() != rest.command) continue;
        const auto found = std::find(words.begin(), words.end(), rest.option);
        if (found == words.end() || found + 1 == words.end()) continue;
        std::vector<std::string> out(found + 1, words.end());
        words.erase(found + 2, words.end());
        return out;
    }
    return {};
}

void Parser::completeAlone(std::vector<std::string>& words) const {
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i)
        for (const auto& [option, number] : m_alone) {
            const std::string_view next =
                i + 1 < words.size() ? std::string_view(words[i + 1]) : std::string_view();
            const bool hasNumber =
                !next.empty() && next.find_first_not_of("0123456789") == std::string_view::npos;
            if (words[i] == option && !hasNumber) words[i] += '=' + std::to_string(number);
        }
}

int Parser::run(int argc, const char* const* argv) {
    std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
    const std::string command = words.empty() ? std::string() : words.front();
    const bool known =
        command.empty() || command.front() == '-' ||
        !m_app->get_subcommands([&](const CLI::App* app) { return app->get_name() == command; }).empty();
    if (!known) return fail("no command '" + command + "'; --help lists them");
    completeAlone(words);
    std::vector<std::string> rest = cutRest(words);
    std::reverse(words.begin(), words.end()); // as CLI11 takes them
    try {
        m_app->parse(std::move(words));
    } catch (const CLI::ParseError& error) {
        if (error.get_exit_code() == 0) return written(m_app->exit(error)); // --help, --version
        return fail(error.what());
    }
    const auto taken = std::ranges::find(m_rests, command, &Rest::command);
    if (taken != m_rests.end() && !rest.empty()) *taken->target = std::move(rest);
    if (!m_action) return exitUsage;
    try {
        return written(m_action());
    } catch (const std::bad_alloc&) {
        return fail("there is not enough memory for this");
    }
}

} // namespace dynascope::cli
