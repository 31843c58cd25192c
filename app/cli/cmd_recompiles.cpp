// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli recompiles PATH [--json]
#include "app/cli/command.h"
#include "core/base/words.h"
#include "core/dynamo/recompiles.h"
#include "core/profile/compile_runs.h"
#include "core/profile/shown_profile.h"

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

namespace dynascope::cli {

namespace {

using dynamo::FailedGuard;
using dynamo::FrameCache;
using nlohmann::json;

struct RecompilesOptions {
    std::string path;
    bool json = false;
};

std::string values(const FailedGuard& guard) {
    std::string out;
    if (!guard.expected.empty()) out += "expected " + guard.expected;
    if (!guard.actual.empty()) out += (out.empty() ? "the call had " : ", the call had ") + guard.actual;
    return out;
}

/// The entry whose guard failed, as the program calls it.
std::string entryName(const session::Session& session, const session::Compile& made,
                      const FailedGuard& guard) {
    const session::Compile* entry = session.findBeside(made, guard.entry);
    return entry ? compileName(session, *entry) : guard.entry;
}

/// "8 entries of at most 8": what the cache holds, and what recompile_limit allows.
std::string entriesText(const session::Session& session, const FrameCache& cache) {
    const auto limit = dynamo::recompileLimit(session.compiles[cache.recompiles.back().compile]);
    std::string out = std::to_string(cache.entries) + (cache.entries == 1 ? " entry" : " entries");
    if (limit) return out + " of at most " + std::to_string(*limit);
    if (cache.entries >= FrameCache::limit)
        out += "; recompile_limit is " + std::to_string(FrameCache::limit) + " unless set";
    return out;
}

using Runs = std::vector<profile::CompileRun>;

/// By compile, of the profile that was opened with the capture; empty where there is none.
Result<Runs> runsOf(const session::SessionPtr& session) {
    const int number = profile::shownProfile(*session);
    if (number < 0) return Runs();
    const auto joined = profile::join(
        session, session::attachedAs<profile::Profile>(session->profiles[static_cast<std::size_t>(number)]));
    if (!joined) return tl::unexpected(joined.error());
    return compileRuns(**joined);
}

/// "ran 6 times in the profile, 45.1 us in a step".
std::string runText(const profile::CompileRun& run) {
    if (run.runs == 0 && run.all <= 0) return "did not run in the profile";
    std::string out = "ran " + count(run.runs, "time") + " in the profile";
    char time[64];
    std::snprintf(time, sizeof time, ", %.1f us in %s", run.inAStep.value_or(run.all) / 1000,
                  run.inAStep ? "a step" : "all");
    return out + time;
}

std::string paragraph(const session::Session& session, const FrameCache& cache, const Runs& runs) {
    const session::Compile& first = session.compiles[cache.first];
    std::string out = compileName(session, first) + "  " + first.function;
    if (const ir::SourceLocation* at = first.location()) out += "  " + placeText(*at);
    out += "  " + entriesText(session, cache) + '\n';
    if (!runs.empty()) out += "  " + compileName(session, first) + ' ' + runText(runs[cache.first]) + '\n';
    for (const dynamo::Recompile& recompile : cache.recompiles) {
        const session::Compile& made = session.compiles[recompile.compile];
        std::string ran;
        out += "  " + compileName(session, made) +
               (recompile.refused ? " was refused, the cache being full: its call runs eagerly, because\n"
                                  : " was compiled because\n");
        if (!runs.empty() && !recompile.refused) ran = "    it " + runText(runs[recompile.compile]) + '\n';
        if (recompile.failed.empty()) out += "    the trace does not say why\n";
        for (const FailedGuard& guard : recompile.failed) {
            out += "    " +
                   (guard.entry.empty() ? std::string() : entryName(session, made, guard) + " failed: ") +
                   guard.check + '\n';
            if (const std::string both = values(guard); !both.empty()) out += "      " + both + '\n';
            if (guard.addedAt.line != 0)
                out += "      added at " + placeText(guard.addedAt) + "  " + guard.addedAt.code + '\n';
        }
        if (!recompile.failed.empty() && !recompile.failed.front().advice.empty())
            out += "    " + recompile.failed.front().advice + '\n';
        out += ran;
    }
    return out;
}

/// Null of what was refused, and without a profile.
json runJson(const Runs& runs, std::size_t compile, bool refused = false) {
    if (runs.empty() || refused) return nullptr;
    const profile::CompileRun& run = runs[compile];
    return {{"count", run.runs},
            {"self_us", run.all / 1000},
            {"median_us", run.inAStep ? json(*run.inAStep / 1000) : json()}};
}

json document(const session::Session& session, const std::vector<FrameCache>& caches, const Runs& runs) {
    json out = json::array();
    for (const FrameCache& cache : caches) {
        json recompiles = json::array();
        for (const dynamo::Recompile& recompile : cache.recompiles) {
            json failed = json::array();
            for (const FailedGuard& guard : recompile.failed)
                failed.push_back({{"entry", entryName(session, session.compiles[recompile.compile], guard)},
                                  {"check", guard.check},
                                  {"subject", guard.subject},
                                  {"expected", guard.expected},
                                  {"actual", guard.actual},
                                  {"file", guard.addedAt.file},
                                  {"line", guard.addedAt.line},
                                  {"code", guard.addedAt.code},
                                  {"advice", guard.advice}});
            recompiles.push_back({{"compile_id", compileName(session, session.compiles[recompile.compile])},
                                  {"refused", recompile.refused},
                                  {"failed", failed},
                                  {"run", runJson(runs, recompile.compile, recompile.refused)}});
        }
        out.push_back({{"first", compileName(session, session.compiles[cache.first])},
                       {"function", session.compiles[cache.first].function},
                       {"entries", cache.entries},
                       {"first_run", runJson(runs, cache.first)},
                       {"recompiles", recompiles}});
    }
    return out;
}

int run(const RecompilesOptions& options) {
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    const std::vector<FrameCache> caches = dynamo::explainRecompiles(**session);
    const Result<Runs> runs = runsOf(*session);
    if (!runs) return fail(runs.error());
    if (options.json) {
        print(document(**session, caches, *runs).dump(2, ' ', false, json::error_handler_t::replace) + '\n');
        return exitOk;
    }
    std::string out;
    for (const FrameCache& cache : caches)
        out += paragraph(**session, cache, *runs);
    print(out.empty() ? "nothing was compiled twice\n" : out);
    return exitOk;
}

} // namespace

void addRecompiles(Parser& parser) {
    auto options = std::make_shared<RecompilesOptions>();
    Command command = parser.command(
        "recompiles", "Why frames were compiled again: the guards that failed, with both values");
    command.add("path", options->path, "Capture; - for standard input").required();
    command.flag("--json", options->json, "One JSON document on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
