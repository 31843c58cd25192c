// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli rederive PATH [--saved] [--convention] [--json] [--repeat N] [--timeout SECONDS] [--engine
// COMMAND]
#include "app/cli/command.h"
#include "app/cli/computed_text.h"
#include "app/cli/engine_command.h"
#include "core/rederive/rederive.h"
#include "core/rederive/rederive_json.h"

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace dynascope::cli {

namespace {

using engine::Rederived;
using engine::RederivedStage;
using nlohmann::json;

struct RederiveOptions {
    std::string path;
    bool json = false;
    bool saved = false;
    bool convention = false;
    std::size_t repeat = 1, timeout = 600;
    EngineOptions engine;
};

using passes::partition::Decision;

/// The largest first.
std::string decisionsText(std::vector<Decision> decisions) {
    std::stable_sort(decisions.begin(), decisions.end(),
                     [](const Decision& a, const Decision& b) { return a.bytes > b.bytes; });
    std::string out;
    for (const Decision& decision : decisions) {
        const std::string bytes = std::to_string(decision.bytes);
        out += "    " + std::string(bytes.size() < 12 ? 12 - bytes.size() : 0, ' ') + bytes + "  " +
               std::string(engine::decisionName(decision.kind)) + ' ' + decision.node + ": " + decision.why +
               '\n';
    }
    return out;
}

json document(const std::vector<RederivedStage>& stages) {
    json list = json::array();
    for (const RederivedStage& stage : stages)
        list.push_back(engine::rederivedJson(stage));
    return {{"stages", std::move(list)},
            {"isomorphic", std::count_if(stages.begin(), stages.end(),
                                         [](const RederivedStage& stage) {
                                             return stage.verdict == Rederived::Isomorphic;
                                         })},
            {"total", stages.size()}};
}

std::string report(const std::vector<RederivedStage>& stages, bool saved) {
    std::string out;
    const bool severalRanks = std::any_of(stages.begin(), stages.end(), [&](const RederivedStage& stage) {
        return stage.rank != stages.front().rank;
    });
    // Attempts of one compile have stages of one name.
    std::map<std::pair<int, std::string>, std::set<int>> attempts;
    for (const RederivedStage& stage : stages)
        attempts[{stage.rank, stage.compile}].insert(stage.attempt);
    for (const RederivedStage& stage : stages) {
        if (severalRanks) out += std::to_string(stage.rank) + ':';
        out += stage.compile + ' ';
        if (attempts[{stage.rank, stage.compile}].size() > 1)
            out += "attempt " + std::to_string(stage.attempt) + ' ';
        out += stage.stage;
        if (!stage.from.empty()) out += " from " + stage.from;
        const bool differs = stage.verdict == Rederived::Different && !stage.versions.empty();
        out += ": " + (differs ? std::string("differs") : std::string(engine::rederivedName(stage.verdict)));
        const bool isMetadata = stage.stage.ends_with("_metadata");
        if (stage.verdict == Rederived::Isomorphic)
            out += " (" + count(stage.nodes, isMetadata ? "field" : "node") + ')';
        if (!stage.versions.empty()) out += "; " + stage.versions;
        if (!stage.reason.empty()) out += ": " + stage.reason;
        out += '\n';
        if (!stage.leftOut.empty()) out += "  " + stage.leftOut + '\n';
        if (!stage.missedGuard.empty()) out += "  " + stage.missedGuard + '\n';
        if (!stage.hooks.empty()) out += "  " + stage.hooks + '\n';
        if (saved) out += decisionsText(stage.decisions);
        for (const auto& [title, lines] :
             {std::pair("  captured\n", &stage.captured), std::pair("  derived\n", &stage.got)}) {
            if (!lines->empty()) out += title;
            for (const std::string& line : *lines)
                out += "    " + line + '\n';
        }
    }
    const auto of = [&](Rederived verdict) {
        return std::to_string(
                   std::count_if(stages.begin(), stages.end(),
                                 [&](const RederivedStage& stage) { return stage.verdict == verdict; })) +
               ' ' + std::string(engine::rederivedName(verdict));
    };
    out += of(Rederived::Isomorphic) + ", " + of(Rederived::Equivalent) + ", " + of(Rederived::Different) +
           ", " + of(Rederived::Declined);
    const bool lost = std::any_of(stages.begin(), stages.end(), [](const RederivedStage& stage) {
        return stage.verdict == Rederived::NotDerived;
    });
    if (std::any_of(stages.begin(), stages.end(),
                    [](const RederivedStage& stage) { return stage.verdict == Rederived::Alone; }))
        out += ", " + of(Rederived::Alone);
    return out + (lost ? ", " + of(Rederived::NotDerived) : "") + '\n';
}

/// How each compile's function is called, as the page Autograd shows it.
std::vector<std::pair<std::string, computed::AotConvention>> conventionsOf(const session::Session& session) {
    std::vector<std::pair<std::string, computed::AotConvention>> out;
    if (session.kind == session::Kind::OracleCase) return {{"case", computed::conventionOfCase(session)}};
    for (std::size_t i = 0; i < session.compiles.size(); ++i) {
        const session::Compile& compile = session.compiles[i];
        const std::string rank =
            session.ranks.size() > 1 ? std::to_string(compile.rank) + ':' : std::string();
        out.emplace_back(rank + compile.id.toString(), computed::conventionOfCapture(session, i));
    }
    return out;
}

/// Needs no engine.
int printConventions(const session::Session& session, const RederiveOptions& options) {
    json list = json::array();
    std::string out;
    for (const auto& [compile, convention] : conventionsOf(session)) {
        if (options.json) {
            json entry = conventionJson(convention);
            entry["compile"] = compile;
            list.push_back(std::move(entry));
        } else {
            out += compile + '\n' + conventionReport(convention);
        }
    }
    print(options.json ? json{{"conventions", std::move(list)}}.dump() + '\n' : out);
    return exitOk;
}

int run(const RederiveOptions& options) {
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    if (options.convention) return printConventions(**session, options);
    engine::Client client = makeClient(options.engine);
    engine::RederiveLimits limits;
    limits.call = std::chrono::seconds(options.timeout);
    std::vector<RederivedStage> stages = engine::rederive(**session, &client, limits);
    for (std::size_t done = 1; done < options.repeat; ++done) {
        const std::vector<RederivedStage> again = engine::rederive(**session, &client, limits);
        for (std::size_t i = 0; i < std::min(stages.size(), again.size()); ++i)
            if (again[i].verdict == stages[i].verdict) // else the engine was lost, and took no time
                stages[i].microseconds = std::min(stages[i].microseconds, again[i].microseconds);
    }
    print(options.json ? document(stages).dump() + '\n' : report(stages, options.saved));
    const auto lost = std::find_if(stages.begin(), stages.end(),
                                   [](const RederivedStage& stage) { return stage.lost.has_value(); });
    if (lost != stages.end()) return fail(*lost->lost, options.path);
    return std::any_of(stages.begin(), stages.end(),
                       [](const RederivedStage& stage) { return stage.verdict == Rederived::Different; })
               ? exitFailure
               : exitOk;
}

} // namespace

void addRederive(Parser& parser) {
    auto options = std::make_shared<RederiveOptions>();
    Command command = parser.command(
        "rederive",
        "Derive AOTAutograd's graphs from Dynamo's and compare; exit status 1 if one differs, 2 without "
        "an engine");
    command.add("path", options->path, "Capture; - for standard input").required();
    command.flag("--saved", options->saved,
                 "What is saved for backward and what is recomputed, with bytes and why");
    command.flag(
        "--convention", options->convention,
        "Instead: how AOTAutograd's runtime calls each function (arguments, synthetic bases, outputs, "
        "what it does after the call), from the capture's metadata; needs no engine");
    command.flag("--json", options->json, "One JSON document on stdout");
    command.add("--repeat", options->repeat,
                "Derive so many times in a row; each stage's time is the shortest");
    command.add("--timeout", options->timeout, "Seconds that the engine may take for one graph");
    addEngineOption(command, options->engine);
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
