// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli passes-of PATH [--frame ID] [--all] [--node NAME] [--line FILE:LINE] [--verify] [--json]
#include "app/cli/command.h"
#include "app/cli/passes_verify.h"
#include "app/cli/recorded_compiles.h"
#include "app/cli/table.h"
#include "core/inductor/line_history.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace dynascope::cli {

namespace {

using inductor::CompilePasses;
using inductor::NodeRef;
using inductor::PassRow;
using inductor::RecordedPass;
using nlohmann::json;

struct PassesOfOptions {
    std::string path, frame, node, line;
    bool all = false, verify = false, json = false;
    VerifyPassesOptions verification;
};

std::string milliseconds(double us) {
    char text[32];
    std::snprintf(text, sizeof text, us < 10'000 ? "%.2f ms" : "%.1f ms", us / 1000);
    return text;
}

std::string passCount(std::size_t n) {
    return std::to_string(n) + (n == 1 ? " pass" : " passes");
}

/// "2 patterns applied, 3 refused"; empty where none fitted.
std::string matchText(const RecordedPass& pass) {
    if (pass.fits == 0 && pass.matches.empty()) return {};
    const std::size_t refused = pass.refused();
    std::string out = count(pass.matches.size() - refused, "pattern") + " applied";
    if (refused > 0) out += ", " + std::to_string(refused) + " refused";
    return out;
}

std::string noteOf(const PassRow& row) {
    if (row.pass == nullptr) return {};
    if (!row.pass->skipped.empty())
        return (row.pass->kind == "skipped" ? "did not run: " : "") + row.pass->skipped;
    if (!row.pass->exception.empty()) return "failed: " + std::string(firstLine(row.pass->exception));
    if (!row.pass->ended) return "the recording ends within it";
    return matchText(*row.pass);
}

/// Stage by its name in --stage; empty where the row left no graph of its own.
std::string stageName(const CompilePasses& passes, const PassRow& row) {
    if (!row.changed()) return {};
    const int stage = passes.stageOf(row.after);
    return stage < 0 ? std::string() : passes.stages[std::size_t(stage)].stage->label();
}

void addRow(Table& table, const CompilePasses& passes, const PassRow& row) {
    std::string change = inductor::changeText(*row.change);
    // Values that are printed as before, such as those of other sizes' symbols.
    if (change.empty() && row.changed()) change = row.part.empty() ? "text only" : "split";
    table.add({row.pass ? std::to_string(row.pass->index) : "-",
               std::string(std::size_t(row.depth) * 2, ' ') + row.name(),
               row.pass && row.pass->kind != "skipped" ? milliseconds(row.pass->us) : std::string(),
               row.changed() ? std::to_string(row.nodesBefore) + " -> " + std::to_string(row.nodesAfter)
                             : std::string(),
               change, stageName(passes, row), noteOf(row)});
}

/// Passes of one phase that changed nothing, for one row.
struct Quiet {
    std::size_t passes = 0, skipped = 0;
    std::size_t outer = 0; ///< of `passes`, those within no other pass
    double us = 0; ///< of those alone: the others' time is within theirs, or within that of a row above

    void add(const PassRow& row) {
        ++passes;
        if (row.depth > 0) return;
        ++outer;
        us += row.pass->us;
    }
};

void addQuiet(Table& table, const Quiet& quiet) {
    if (quiet.passes > 0 && quiet.outer > 0)
        table.add({"", passCount(quiet.passes) + " changed nothing", milliseconds(quiet.us)});
    else if (quiet.passes > 0)
        table.add({"", passCount(quiet.passes) + " within the last changed nothing"});
    if (quiet.skipped > 0) table.add({"", passCount(quiet.skipped) + " did not run"});
}

std::string phaseTitle(const inductor::PassPhase& phase) {
    std::string out = phase.name == "other" ? "outside these phases" : phaseName(phase);
    if (phase.us > 0) out += ", " + milliseconds(phase.ownTime());
    if (!phase.exception.empty()) out += ", failed: " + std::string(firstLine(phase.exception));
    if (!phase.ended) out += ", the recording ends within it";
    return out;
}

std::string report(const CompilePasses& passes, bool all) {
    std::string out;
    for (std::size_t i = 0; i < passes.rows.size();) {
        const inductor::PassPhase* phase = passes.rows[i].phase;
        Table table({Table::Align::Right, Table::Align::Left, Table::Align::Right, Table::Align::Left,
                     Table::Align::Left, Table::Align::Left, Table::Align::Left});
        Quiet quiet;
        bool changed = false;
        const auto endQuiet = [&] { addQuiet(table, std::exchange(quiet, {})); };
        for (; i < passes.rows.size() && passes.rows[i].phase == phase; ++i) {
            const PassRow& row = passes.rows[i];
            const bool said =
                all || row.changed() || (row.pass && (!row.pass->exception.empty() || !row.pass->ended));
            changed = changed || said;
            if (said) {
                endQuiet();
                addRow(table, passes, row);
            } else if (row.pass->kind == "skipped") {
                ++quiet.skipped;
            } else {
                quiet.add(row);
            }
        }
        endQuiet();
        // A function that ran by itself and changed nothing.
        if (!all && phase->name == "other" && !changed) continue;
        out += "  " + phaseTitle(*phase) + '\n' + table.toString("    ");
    }
    return out;
}

json names(const std::vector<NodeRef>& nodes) {
    json out = json::array();
    for (const NodeRef& node : nodes)
        out.push_back(node.name);
    return out;
}

json matchJson(const CompilePasses& passes, const inductor::Match& match) {
    const inductor::Pattern* pattern = passes.recording->pattern(match.pattern);
    json out = {{"pattern", pattern ? pattern->name : ""}, {"nodes", names(match.nodes)}};
    if (!match.refused.empty())
        out["refused"] = match.refused;
    else
        out["replacement"] = names(match.added);
    return out;
}

json rowJson(const CompilePasses& passes, const PassRow& row) {
    json out = {{"index", nullptr},
                {"name", row.name()},
                {"phase", row.phase->name},
                {"changed", row.changed()},
                {"nodes_before", row.nodesBefore},
                {"nodes_after", row.nodesAfter},
                {"added", names(row.change->created)},
                {"removed", names(row.change->erased)},
                {"matches", json::array()}};
    if (const std::string stage = stageName(passes, row); !stage.empty()) out["stage"] = stage;
    if (row.pass == nullptr) return out;
    const RecordedPass& pass = *row.pass;
    out["index"] = pass.index;
    out["kind"] = pass.kind;
    out["subsystem"] = pass.subsystem;
    out["file"] = pass.place.file;
    out["line"] = pass.place.line;
    out["time_us"] = pass.us;
    out["parent"] = pass.parent;
    if (!pass.skipped.empty()) out["skipped"] = pass.skipped;
    if (!pass.exception.empty()) out["exception"] = pass.exception;
    for (const inductor::Match& match : pass.matches)
        out["matches"].push_back(matchJson(passes, match));
    return out;
}

/// A document for each graph of the compile.
void addJson(json& out, const RecordedCompile& compile) {
    const CompilePasses& passes = compile.passes;
    const std::size_t first = out.size();
    for (const PassRow& row : passes.rows) {
        std::size_t at = first;
        while (at < out.size() && out[at]["graph"] != row.phase->graph)
            ++at;
        if (at == out.size())
            out.push_back(
                {{"compile", compile.name}, {"graph", row.phase->graph}, {"passes", json::array()}});
        out[at]["passes"].push_back(rowJson(passes, row));
    }
}

std::string list(const std::vector<NodeRef>& nodes) {
    std::string out;
    for (const NodeRef& node : nodes)
        out += (out.empty() ? "" : ", ") + node.name;
    return out;
}

/// The nodes that ever had this name, by number and so in the order of their making, with the phase that each was
/// first seen in.
std::map<std::uint64_t, const inductor::PassPhase*> nodesNamed(const CompilePasses& passes,
                                                               const std::string& name) {
    std::map<std::uint64_t, const inductor::PassPhase*> phases, out;
    for (const inductor::PassStage& stage : passes.stages)
        for (const NodeRef& node : passes.recording->nodes(stage.state)) {
            const auto first = phases.try_emplace(node.id, stage.phase).first;
            if (node.name == name) out.insert(*first);
        }
    return out;
}

std::string historyReport(const CompilePasses& passes, const std::string& name) {
    Table table({Table::Align::Left, Table::Align::Left, Table::Align::Right, Table::Align::Left,
                 Table::Align::Left});
    for (const auto& [id, phase] : nodesNamed(passes, name)) {
        const auto steps = inductor::historyOf(passes, id);
        const bool made = !steps.empty() && steps.front().what == inductor::NodeStep::What::Made;
        if (!made) table.add({phaseName(*phase), "", "", "is there from the beginning", ""});
        for (const inductor::NodeStep& step : steps) {
            const PassRow& row = passes.rows[step.row];
            const char* what = step.what == inductor::NodeStep::What::Made      ? "made"
                               : step.what == inductor::NodeStep::What::Removed ? "removed"
                               : step.what == inductor::NodeStep::What::Renamed ? "renamed"
                                                                                : "changed";
            const std::string from = list(step.from);
            table.add({phaseName(*row.phase), row.name(), row.pass ? std::to_string(row.pass->index) : "-",
                       what,
                       from.empty()                                  ? ""
                       : step.what == inductor::NodeStep::What::Made ? "takes the place of " + from
                                                                     : from + " takes its place"});
        }
    }
    return table.empty() ? std::string() : table.toString("    ");
}

struct SourceLine {
    std::string file;
    std::uint32_t line = 0;
};

Result<SourceLine> sourceLine(const std::string& text) {
    SourceLine out;
    const std::size_t colon = text.rfind(':');
    const char* const end = text.data() + text.size();
    const char* const digits = colon == std::string::npos ? end : text.data() + colon + 1;
    const auto [read, error] = std::from_chars(digits, end, out.line);
    if (colon == 0 || digits == end || error != std::errc() || read != end)
        return failure("not a line (FILE:LINE): " + text);
    out.file = text.substr(0, colon);
    return out;
}

std::string words(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names)
        out += (out.empty() ? "" : " ") + name;
    return out;
}

std::string lineReport(const CompilePasses& passes, const std::vector<inductor::LineStep>& steps) {
    Table table({Table::Align::Left, Table::Align::Right, Table::Align::Left, Table::Align::Left});
    for (const inductor::LineStep& step : steps) {
        const PassRow* row = step.row < 0 ? nullptr : &passes.rows[std::size_t(step.row)];
        std::string what;
        const auto add = [&what](const char* word, const std::vector<std::string>& names) {
            if (!names.empty()) what += (what.empty() ? "" : "; ") + (word + words(names));
        };
        add(row ? "made " : "", step.made);
        add("removed ", step.gone);
        add("changed ", step.changed);
        table.add({phaseName(*step.phase), row && row->pass ? std::to_string(row->pass->index) : "-",
                   row ? row->name() : "the graph at the beginning",
                   count(step.nodes.size(), "node") + (what.empty() ? "" : ": " + what)});
    }
    return table.empty() ? std::string() : table.toString("    ");
}

json lineJson(const RecordedCompile& compile, const std::vector<inductor::LineStep>& steps) {
    json out = json::array();
    for (const inductor::LineStep& step : steps) {
        const PassRow* row = step.row < 0 ? nullptr : &compile.passes.rows[std::size_t(step.row)];
        out.push_back({{"phase", step.phase->name},
                       {"graph", step.phase->graph},
                       {"index", row && row->pass ? json(row->pass->index) : json()},
                       {"name", row ? json(row->name()) : json()},
                       {"nodes", step.nodes},
                       {"made", step.made},
                       {"removed", step.gone},
                       {"changed", step.changed}});
    }
    return {{"compile", compile.name}, {"steps", std::move(out)}};
}

int runLine(std::vector<RecordedCompile>& compiles, const PassesOfOptions& options) {
    const Result<SourceLine> line = sourceLine(options.line);
    if (!line) return fail(line.error());
    json document = json::array();
    std::string out;
    for (RecordedCompile& compile : compiles) {
        if (const auto read = inductor::addStages(compile.passes); !read) return fail(read.error());
        const auto steps = inductor::historyOfLine(compile.passes, line->file, line->line);
        if (!steps) return fail(steps.error());
        if (steps->empty()) continue;
        document.push_back(lineJson(compile, *steps));
        out += compile.title + lineReport(compile.passes, *steps);
    }
    if (document.empty()) out = "no node comes from " + options.line + '\n';
    print(options.json ? document.dump(2, ' ', false, json::error_handler_t::replace) + '\n' : out);
    return document.empty() ? exitFailure : exitOk;
}

Error nothingRecorded(const PassesOfOptions& options) {
    return {options.frame.empty() ? "the recording of passes has none of these compiles"
                                  : "the recording of passes has no compile '" + options.frame + "'",
            options.path, 0, 0};
}

int run(const PassesOfOptions& options) {
    auto compiles = recordedCompiles(options.path, options.frame);
    if (!compiles) return fail(compiles.error());
    if (options.verify) {
        std::erase_if(*compiles, [](const RecordedCompile& compile) { return compile.passes.rows.empty(); });
        if (compiles->empty()) return fail(nothingRecorded(options));
        VerifyPassesOptions verification = options.verification;
        verification.path = options.path;
        verification.json = options.json;
        return verifyRecorded(*compiles, verification);
    }
    if (!options.line.empty()) return runLine(*compiles, options);
    json document = json::array();
    std::string out;
    std::size_t found = 0;
    for (RecordedCompile& compile : *compiles) {
        CompilePasses& passes = compile.passes;
        if (passes.rows.empty()) continue;
        if (const auto read = inductor::addStages(passes); !read) return fail(read.error());
        ++found;
        if (options.json) {
            addJson(document, compile);
            continue;
        }
        const std::string text =
            options.node.empty() ? report(passes, options.all) : historyReport(passes, options.node);
        if (!text.empty()) out += compile.title + text;
    }
    if (found == 0) return fail(nothingRecorded(options));
    if (options.json) {
        print(document.dump(2, ' ', false, json::error_handler_t::replace) + '\n');
        return exitOk;
    }
    if (out.empty()) {
        print("no pass met a node " + options.node + "\n");
        return exitFailure;
    }
    print(out);
    return exitOk;
}

} // namespace

void addPassesOf(Parser& parser) {
    auto options = std::make_shared<PassesOfOptions>();
    Command command = parser.command(
        "passes-of", "What each pass of AOTAutograd and Inductor changed, as capture --passes recorded it");
    command.add("path", options->path, "Folder of the trace and its recordings, or a recording").required();
    command.add("--frame", options->frame, "Compile id, such as 0/0, or RANK:0/0");
    command.add("--node", options->node, "Which passes made, changed and removed the node of this name");
    command.add("--line", options->line,
                "What became of this line of the program after every pass: FILE:LINE");
    command.flag("--all", options->all, "Also passes that changed nothing or did not run");
    command.flag(
        "--verify", options->verify,
        "Run every graph that a pass left beside the graph before it; exit status 1 where a pass changed a "
        "value, 2 without an engine");
    command.add("--symbol", options->verification.symbols,
                "With --verify: value of a symbolic size, such as s0=7; repeatable");
    command.add("--timeout", options->verification.timeout,
                "With --verify: seconds that the engine may take for one graph");
    command.flag("--json", options->json, "One JSON document on stdout");
    addEngineOption(command, options->verification.engine);
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
