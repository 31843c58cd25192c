// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli runs [DIR] [--compare A B | --keep N] [--json]
#include "app/cli/command.h"
#include "app/cli/table.h"
#include "core/runs/run_list.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace dynascope::cli {

namespace {

using nlohmann::json;
using runs::commandText;
using runs::endText;
using runs::FoundRun;
using runs::localTime;
using runs::RunRecord;
using runs::runsIn;
using runs::RunSummary;
using runs::summaryOf;

struct RunsOptions {
    std::string folder = "dynascope-runs";
    std::vector<std::string> compare;
    std::string keep;
    bool json = false;
};

json document(const FoundRun& run) {
    if (!run.record) return {{"name", run.name}, {"path", run.path}, {"problem", run.record.error().message}};
    const RunRecord& record = *run.record;
    const RunSummary told = summaryOf(run);
    json out{{"name", run.name},
             {"path", run.path},
             {"command", record.command},
             {"folder", record.folder},
             {"host", record.host},
             {"started", record.started},
             {"seconds", record.seconds ? json(*record.seconds) : json()},
             {"exit_status", record.exitStatus ? json(*record.exitStatus) : json()},
             {"what", record.what},
             {"settings", record.settings},
             {"environment", record.environment}};
    if (!told.problem.empty())
        out["problem"] = told.problem;
    else
        out.update({{"torch", told.torch},
                    {"compiles", told.compiles},
                    {"recompiles", told.recompiles},
                    {"graph_breaks", told.breaks},
                    {"compile_seconds", told.compileSeconds}});
    return out;
}

std::string listed(const std::vector<FoundRun>& runs) {
    using enum Table::Align;
    Table table({Left, Left, Right, Left, Right, Right, Right, Left});
    table.add({"run", "started", "took", "end", "compiles", "recompiles", "breaks", "command"});
    constexpr std::size_t widest = 60;
    for (const FoundRun& run : runs) {
        if (!run.record) {
            table.add({run.name, "", "", run.record.error().message});
            continue;
        }
        const RunSummary told = summaryOf(run);
        const auto number = [&told](std::size_t n) { return told.problem.empty() ? std::to_string(n) : "?"; };
        table.add({run.name, localTime(run.record->started, "%Y-%m-%d %H:%M:%S"),
                   run.record->seconds ? formatSeconds(*run.record->seconds) : "", endText(*run.record),
                   number(told.compiles), number(told.recompiles), number(told.breaks),
                   elide(commandText(*run.record), widest)});
    }
    return table.toString("");
}

/// A run by its name, or its beginning; @last is the newest, @last-1 the one before.
Result<const FoundRun*> runNamed(const std::vector<FoundRun>& runs, const std::string& name) {
    constexpr std::string_view last = "@last";
    if (name.starts_with(last)) {
        const std::string rest = name.substr(last.size());
        std::size_t back = 0;
        if (!rest.empty()) {
            if (rest.size() < 2 || rest.size() > 6 || rest[0] != '-' ||
                !std::all_of(rest.begin() + 1, rest.end(), isDigit))
                return failure("'" + name + "' is no run: it is @last, or @last-1 for the one before");
            back = static_cast<std::size_t>(std::stoul(rest.substr(1)));
        }
        if (back >= runs.size())
            return failure("there is no run '" + name + "': " + count(runs.size(), "run"));
        return &runs[runs.size() - 1 - back];
    }
    std::vector<const FoundRun*> found;
    for (const FoundRun& run : runs) {
        if (run.name == name) return &run;
        if (!name.empty() && run.name.starts_with(name)) found.push_back(&run);
    }
    if (found.empty()) return failure("there is no run '" + name + "'");
    if (found.size() > 1) return failure("'" + name + "' is the beginning of " + count(found.size(), "run"));
    return found.front();
}

std::string compared(const FoundRun& a, const FoundRun& b) {
    using enum Table::Align;
    Table table({Left, Left, Left});
    const auto row = [&table](const std::string& what, const std::string& one, const std::string& other) {
        if (one != other) table.add({what, one.empty() ? "-" : one, other.empty() ? "-" : other});
    };
    table.add({"", a.name, b.name});
    const RunSummary ofA = summaryOf(a), ofB = summaryOf(b);
    const RunRecord &one = *a.record, &other = *b.record;
    row("command", commandText(one), commandText(other));
    row("started in", one.folder, other.folder);
    row("host", one.host, other.host);
    row("end", endText(one), endText(other));
    row("took", one.seconds ? formatSeconds(*one.seconds) : "",
        other.seconds ? formatSeconds(*other.seconds) : "");
    row("kept", joined(one.what, ","), joined(other.what, ","));
    row("settings", joined(one.settings, "; "), joined(other.settings, "; "));
    row("cannot be read", ofA.problem, ofB.problem);
    row("PyTorch", ofA.torch, ofB.torch);
    const auto figures = [&](const char* what, const auto& of) {
        row(what, ofA.problem.empty() ? of(ofA) : "?", ofB.problem.empty() ? of(ofB) : "?");
    };
    figures("compiles", [](const RunSummary& told) { return std::to_string(told.compiles); });
    figures("recompiles", [](const RunSummary& told) { return std::to_string(told.recompiles); });
    figures("graph breaks", [](const RunSummary& told) { return std::to_string(told.breaks); });
    figures("compile time", [](const RunSummary& told) { return formatSeconds(told.compileSeconds); });
    std::set<std::string> names;
    for (const RunRecord* record : {&one, &other})
        for (const auto& [name, value] : record->environment)
            names.insert(name);
    const auto valueOf = [](const RunRecord& record, const std::string& name) {
        const auto at = record.environment.find(name);
        return at == record.environment.end() ? std::string() : at->second;
    };
    for (const std::string& name : names)
        row(name, valueOf(one, name), valueOf(other, name));
    return table.toString("") + "What differs in the captures: dynascope-cli compare " + shellWord(a.path) +
           ' ' + shellWord(b.path) + '\n';
}

/// Removes all but the newest; what has not ended may still run, and stays.
int prune(const std::vector<FoundRun>& runs, const std::string& text) {
    constexpr std::size_t longest = 6;
    if (text.size() > longest || !std::ranges::all_of(text, isDigit))
        return fail("--keep takes a number of runs, not '" + text + "'");
    std::size_t removed = 0;
    for (const FoundRun* run : runs::runsBeyond(runs, std::stoul(text))) {
        if (const Result<void> gone = runs::removeRun(run->path); !gone) return fail(gone.error());
        print("removed " + run->path + '\n');
        ++removed;
    }
    print(count(removed, "run") + " removed, " + std::to_string(runs.size() - removed) + " left\n");
    return exitOk;
}

int run(const RunsOptions& options) {
    const auto runs = runsIn(options.folder);
    if (!runs) return fail(runs.error());
    if (!options.keep.empty()) return prune(*runs, options.keep);
    if (!options.compare.empty()) {
        if (options.compare.size() != 2) return fail("--compare takes two runs");
        std::vector<const FoundRun*> chosen;
        for (const std::string& name : options.compare) {
            const auto found = runNamed(*runs, name);
            if (!found) return fail(found.error().message, options.folder);
            if (!(*found)->record) return fail((*found)->record.error());
            chosen.push_back(*found);
        }
        print(compared(*chosen[0], *chosen[1]));
        return exitOk;
    }
    if (options.json) {
        json out = json::array();
        for (const FoundRun& one : *runs)
            out.push_back(document(one));
        print(out.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
        return exitOk;
    }
    if (runs->empty())
        print("no run is in " + options.folder + "; dynascope-cli run -- python train.py makes one\n");
    else
        print(listed(*runs));
    return exitOk;
}

} // namespace

void addRuns(Parser& parser) {
    auto options = std::make_shared<RunsOptions>();
    Command command = parser.command(
        "runs", "List the runs that run recorded, hold two against each other, remove old ones");
    command.add("folder", options->folder, "Folder of the runs").showDefault();
    command.flag("--json", options->json, "One JSON document on stdout");
    command.add("--compare", options->compare,
                "What differs between two runs; given twice: a name, its beginning, @last, or @last-1 for "
                "the one before");
    command.add("--keep", options->keep, "Remove all runs that have ended but so many, the newest");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
