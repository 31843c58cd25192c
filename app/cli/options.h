// SPDX-License-Identifier: BSD-3-Clause
//
// The command line as the commands see it. CLI11 stays in options.cpp: a unit that includes it compiles for
// several seconds, and every command would.
//
// Targets are references to fields of an options struct that must live as long as the Parser.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace dynascope::cli {

struct ProgramHelp; ///< app/cli/shell_help.h

/// One option or positional argument of a command.
class Argument {
public:
    explicit Argument(CLI::Option* option)
        : m_option(option) {}
    Argument& required();
    /// Anything else is bad usage.
    Argument& oneOf(const std::vector<std::string>& words);
    Argument& between(int least, int most);
    /// Of a list: takes so many words each time, and is given once.
    Argument& words(int count);
    /// The target's value at this moment, shown by --help.
    Argument& showDefault();

private:
    CLI::Option* m_option; ///< owned by the parser
};

class Parser;

/// One subcommand; valid as long as its parser. `name` of an argument: "path" is positional, "--json" or
/// "-o,--output" an option.
class Command {
public:
    Command(CLI::App* app, Parser& parser)
        : m_app(app)
        , m_parser(&parser) {}

    Argument add(const std::string& name, std::string& target, const std::string& help);
    Argument add(const std::string& name, int& target, const std::string& help);
    Argument add(const std::string& name, unsigned& target, const std::string& help);
    Argument add(const std::string& name, std::size_t& target, const std::string& help);
    /// May stand without a number, which then is `alone`: --profile, --profile=7.
    Argument addAlone(const std::string& name, int& target, int alone, const std::string& help);
    /// May be given several times.
    Argument add(const std::string& name, std::vector<std::string>& target, const std::string& help);
    void flag(const std::string& name, bool& target, const std::string& help);
    /// Shown by --help below the options, as it is.
    void note(const std::string& text);
    /// Everything that follows on the command line, options included: --engine ssh -p 2222 host
    /// dynascope-engine. A command has one at most.
    void rest(const std::string& name, std::vector<std::string>& target, const std::string& help);

    /// What the command does; returns the exit code.
    void run(std::function<int()> action);

private:
    CLI::App* m_app; ///< owned by the parser
    Parser* m_parser;
};

/// The program: its commands, --help and --version.
class Parser {
public:
    Parser(const std::string& description, const std::string& program, const std::string& version,
           const std::string& footer);
    ~Parser();
    Parser(const Parser&) = delete;
    Parser& operator=(const Parser&) = delete;

    Command command(const std::string& name, const std::string& help);
    /// Its commands and options so far, as --help tells them.
    [[nodiscard]] ProgramHelp describe() const;
    /// Parses and carries out the command that was chosen. Bad usage gives one line on stderr and exitUsage.
    int run(int argc, const char* const* argv);

private:
    friend class Command;
    struct Rest {
        std::string command, option;
        std::vector<std::string>* target;
    };
    /// What belongs to an option that takes the rest, cut off `words` but for its first word: CLI11 would
    /// read options in it as the command's own.
    [[nodiscard]] std::vector<std::string> cutRest(std::vector<std::string>& words) const;

    std::unique_ptr<CLI::App> m_app;
    std::string m_version;
    /// Gives options that stand alone their number. CLI11 would read what follows, "--" too, as theirs.
    void completeAlone(std::vector<std::string>& words) const;

    std::vector<Rest> m_rests;
    std::vector<std::pair<std::string, int>> m_alone; ///< options of addAlone()
    std::function<int()> m_action;                    ///< of the command that was chosen
};

} // namespace dynascope::cli
