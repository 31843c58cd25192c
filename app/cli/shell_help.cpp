// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/shell_help.h"

#include "core/base/text.h"

#include <algorithm>

namespace dynascope::cli {

namespace {

// ---- Manual page

/// Text of a line of roff: nothing in it is a request, and a hyphen is the sign that options begin with.
std::string roff(std::string_view text) {
    std::string out;
    bool begins = true;
    for (const char c : text) {
        if (begins && (c == '.' || c == '\'')) out += "\\&";
        begins = c == '\n';
        if (c == '\\')
            out += "\\e";
        else if (c == '-')
            out += "\\-";
        else
            out += c;
    }
    return out;
}

std::string synopsis(const CommandHelp& command) {
    std::string out;
    for (const OptionHelp& option : command.options) {
        if (!option.positional) continue;
        const std::string name = "\\fI" + roff(option.names.front()) + "\\fR";
        out += option.required ? ' ' + name : " [" + name + ']';
    }
    return out;
}

std::string optionList(const CommandHelp& command) {
    std::string out;
    for (const OptionHelp& option : command.options) {
        out += ".TP\n";
        std::string names;
        for (const std::string& name : option.names)
            names += (names.empty() ? "" : ", ") + std::string(option.positional ? "\\fI" : "\\fB") +
                     roff(name) + "\\fR";
        std::string values;
        for (const std::string& word : option.words)
            values += (values.empty() ? "" : "|") + roff(word);
        if (option.takesValue && !option.positional)
            names += values.empty() ? " \\fIVALUE\\fR" : " \\fI" + values + "\\fR";
        out += names + '\n' + roff(option.help) + '\n';
    }
    return out;
}

std::string verbatim(std::string_view footer) {
    const std::string_view text = trimmed(footer);
    return text.empty() ? std::string() : ".PP\n.nf\n" + roff(text) + "\n.fi\n";
}

// ---- Shells

/// Within single quotes of every shell.
std::string quoted(std::string_view text, std::string_view quote) {
    std::string out = "'";
    for (const char c : text)
        c == '\'' ? out += quote : out += c == '\n' ? ' ' : c;
    return out + '\'';
}

constexpr std::string_view shellQuote = R"('\'')";
constexpr std::string_view fishQuote = R"(\')";

std::vector<std::string> optionNames(const CommandHelp& command) {
    std::vector<std::string> out;
    for (const OptionHelp& option : command.options)
        if (!option.positional) out.insert(out.end(), option.names.begin(), option.names.end());
    return out;
}

/// The program's name as that of a function.
std::string functionName(const ProgramHelp& program) {
    std::string out = '_' + program.name;
    std::replace(out.begin(), out.end(), '-', '_');
    return out;
}

std::string bash(const ProgramHelp& program) {
    const std::string function = functionName(program);
    std::string out = "# bash completion of " + program.name + ' ' + program.version + "\n" + function +
                      "() {\n"
                      "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} words=\n"
                      "    COMPREPLY=()\n";
    const auto cases = [&out](const CommandHelp& command, const std::string& indent) {
        out += indent + "case $before in\n";
        for (const OptionHelp& option : command.options) {
            if (option.positional || !option.takesValue) continue;
            std::string names;
            for (const std::string& name : option.names)
                names += (names.empty() ? "" : "|") + name;
            out += indent + names + ") ";
            out += option.words.empty()
                       ? "COMPREPLY=($(compgen -f -- \"$word\"));"
                       : "COMPREPLY=($(compgen -W " + quoted(joined(option.words, " "), shellQuote) +
                             " -- \"$word\"));";
            out += " return ;;\n";
        }
        out += indent + "esac\n" + indent + "words=" + quoted(joined(optionNames(command), " "), shellQuote) +
               '\n';
    };
    if (program.commands.empty()) {
        cases(program.own, "    ");
    } else {
        std::vector<std::string> names;
        for (const CommandHelp& command : program.commands)
            names.push_back(command.name);
        out += "    if ((COMP_CWORD == 1)) && [[ $word != -* ]]; then\n"
               "        COMPREPLY=($(compgen -W " +
               quoted(joined(names, " "), shellQuote) +
               " -- \"$word\"))\n"
               "        return\n    fi\n    case ${COMP_WORDS[1]} in\n";
        for (const CommandHelp& command : program.commands) {
            out += "    " + command.name + ")\n";
            cases(command, "        ");
            out += "        ;;\n";
        }
        out +=
            "    *) words=" + quoted(joined(optionNames(program.own), " "), shellQuote) + " ;;\n    esac\n";
    }
    return out +
           "    if [[ $word == -* ]]; then\n        COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n    "
           "else\n"
           "        COMPREPLY=($(compgen -f -- \"$word\"))\n    fi\n}\ncomplete -o filenames -F " +
           function + ' ' + program.name + '\n';
}

/// What _arguments of zsh takes apart: "[" and ":" would end the words.
std::string zshHelp(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
        out += c;
    }
    return out;
}

std::string zshArguments(const CommandHelp& command, const std::string& indent) {
    std::string out = indent + "_arguments";
    for (const OptionHelp& option : command.options) {
        std::string value;
        if (option.takesValue)
            value = option.words.empty() ? ":value:_files" : ":value:(" + joined(option.words, " ") + ')';
        if (option.positional) continue;
        for (const std::string& name : option.names)
            out += " \\\n" + indent + "    " +
                   quoted(name + '[' + zshHelp(option.help) + ']' + value, shellQuote);
    }
    return out + " \\\n" + indent + "    '*:file:_files'\n";
}

std::string zsh(const ProgramHelp& program) {
    const std::string function = functionName(program);
    std::string out = "#compdef " + program.name + "\n# zsh completion of " + program.name + ' ' +
                      program.version + "\n" + function + "() {\n";
    if (program.commands.empty())
        return out + zshArguments(program.own, "    ") + "}\n" + function + " \"$@\"\n";
    out += "    if ((CURRENT == 2)) && [[ $words[2] != -* ]]; then\n        local -a commands=(\n";
    for (const CommandHelp& command : program.commands)
        out += "            " + quoted(command.name + ':' + zshHelp(command.help), shellQuote) + '\n';
    out += "        )\n        _describe command commands\n        return\n    fi\n"
           "    local command=$words[2]\n    shift words\n    ((CURRENT--))\n    case $command in\n";
    for (const CommandHelp& command : program.commands)
        out += "    " + command.name + ")\n" + zshArguments(command, "        ") + "        ;;\n";
    return out + "    *)\n" + zshArguments(program.own, "        ") + "        ;;\n    esac\n}\n" + function +
           " \"$@\"\n";
}

std::string fish(const ProgramHelp& program) {
    std::string out = "# fish completion of " + program.name + ' ' + program.version + '\n';
    const auto options = [&](const CommandHelp& command, const std::string& condition) {
        for (const OptionHelp& option : command.options) {
            if (option.positional) continue;
            out += "complete -c " + program.name + condition;
            for (const std::string& name : option.names)
                out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
            if (option.takesValue)
                out +=
                    option.words.empty() ? " -r" : " -x -a " + quoted(joined(option.words, " "), fishQuote);
            out += " -d " + quoted(option.help, fishQuote) + '\n';
        }
    };
    options(program.own, program.commands.empty() ? "" : " -n __fish_use_subcommand");
    for (const CommandHelp& command : program.commands) {
        out += "complete -c " + program.name + " -f -n __fish_use_subcommand -a " + command.name + " -d " +
               quoted(command.help, fishQuote) + '\n';
        options(command, " -n '__fish_seen_subcommand_from " + command.name + '\'');
    }
    return out;
}

} // namespace

std::string manualPage(const ProgramHelp& program) {
    std::string upper = program.name;
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
    std::string out =
        ".TH " + upper + " 1 \"\" \"dynascope " + program.version + "\" \"User Commands\"\n.SH NAME\n" +
        roff(program.name) + " \\- a debugger for PyTorch's compiler\n.SH SYNOPSIS\n.B " +
        roff(program.name) + '\n' +
        (program.commands.empty() ? "[\\fIOPTIONS\\fR]" + synopsis(program.own)
                                  : "\\fICOMMAND\\fR [\\fIOPTIONS\\fR] ...") +
        "\n.SH DESCRIPTION\n" + roff(program.description) + "\n.SH OPTIONS\n" + optionList(program.own);
    if (!program.commands.empty()) out += ".SH COMMANDS\n";
    for (const CommandHelp& command : program.commands)
        out += ".SS " + roff(command.name) + "\n.B " + roff(program.name + ' ' + command.name) +
               "\n[\\fIOPTIONS\\fR]" + synopsis(command) + "\n.PP\n" + roff(command.help) + ".\n" +
               optionList(command) + verbatim(command.footer);
    return out + verbatim(program.own.footer);
}

Result<std::string> completions(const ProgramHelp& program, std::string_view shell) {
    if (shell == "bash") return bash(program);
    if (shell == "zsh") return zsh(program);
    if (shell == "fish") return fish(program);
    return failure("no completions for the shell '" + std::string(shell) + "': bash, zsh or fish");
}

} // namespace dynascope::cli
