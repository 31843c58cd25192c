// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli oracle DIR [--json] [--faithful] [--jobs N]
#include "app/cli/engine_command.h"
#include "core/base/threads.h"
#include "core/oracle/oracle.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>

namespace dynascope::cli {

namespace {

using engine::CaseReport;
using engine::CaseVerdict;
using nlohmann::json;

struct OracleOptions {
    std::string folder, recordings;
    EngineOptions engine;
    bool json = false;
    bool faithful = false;
    unsigned jobs = 1;
};

constexpr std::array caseVerdicts{CaseVerdict::Passed, CaseVerdict::Failed, CaseVerdict::Declined,
                                  CaseVerdict::Skipped};

struct Tally {
    std::map<CaseVerdict, std::size_t> cases;
    void add(CaseVerdict verdict) { ++cases[verdict]; }
    [[nodiscard]] std::size_t of(CaseVerdict verdict) const {
        const auto found = cases.find(verdict);
        return found == cases.end() ? 0 : found->second;
    }
};

struct Results {
    std::map<std::string, Tally> kinds;
    std::map<std::string, Tally> parts; ///< "random mutations"
    std::vector<CaseReport> notPassed;  ///< failed and declined
    std::map<std::string, std::size_t> skipReasons;
    Tally total;

    void add(CaseReport report) {
        const CaseVerdict verdict = report.verdict();
        kinds[report.kind].add(verdict);
        total.add(verdict);
        if (verdict == CaseVerdict::Skipped) {
            ++skipReasons[report.reason()];
            return;
        }
        for (const engine::PartReport& part : report.parts)
            parts[report.kind + ' ' + part.part].add(part.verdict);
        if (verdict != CaseVerdict::Passed) notPassed.push_back(std::move(report));
    }
};

/// All *.json files below the folder, or the file itself, in order of their paths.
Result<std::vector<std::string>> caseFiles(const std::string& path) {
    namespace fs = std::filesystem;
    std::error_code status;
    if (fs::is_regular_file(path, status)) return std::vector<std::string>{path};
    std::vector<std::string> files;
    auto walk = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, status);
    for (; !status && walk != fs::recursive_directory_iterator(); walk.increment(status)) {
        if (walk->path().extension() == ".json" && walk->is_regular_file(status))
            files.push_back(walk->path().string());
    }
    if (status) return failure(status.message(), path);
    if (files.empty()) return failure("no case (*.json) in this folder", path);
    std::sort(files.begin(), files.end());
    return files;
}

std::string cell(const std::string& text, std::size_t width, bool left) {
    const std::string blanks(text.size() < width ? width - text.size() : 0, ' ');
    return left ? text + blanks : blanks + text;
}

std::string table(const std::map<std::string, Tally>& rows, const std::string& heading) {
    std::size_t width = heading.size();
    for (const auto& [name, tally] : rows)
        width = std::max(width, name.size());
    std::string out = cell(heading, width, true);
    for (const CaseVerdict verdict : caseVerdicts)
        out += cell(std::string(engine::verdictName(verdict)), 10, false);
    out += '\n';
    for (const auto& [name, tally] : rows) {
        out += cell(name, width, true);
        for (const CaseVerdict verdict : caseVerdicts)
            out += cell(std::to_string(tally.of(verdict)), 10, false);
        out += '\n';
    }
    return out;
}

std::string report(const Results& results) {
    std::string out;
    for (const CaseReport& entry : results.notPassed)
        out += std::string(engine::verdictName(entry.verdict())) + ' ' + entry.name + ": " + entry.reason() +
               '\n';
    for (const auto& [reason, cases] : results.skipReasons)
        out += "skipped " + count(cases, "case") + ": " + reason + '\n';
    out += '\n' + table(results.kinds, "kind") + '\n' + table(results.parts, "part") + '\n';
    if (const std::size_t declined = results.total.of(CaseVerdict::Declined); declined > 0)
        out += count(declined, "case") + " declined, each for the reason given above\n";
    return out + std::to_string(results.total.of(CaseVerdict::Passed)) + " passed, " +
           std::to_string(results.total.of(CaseVerdict::Failed)) + " failed, " +
           std::to_string(results.total.of(CaseVerdict::Skipped)) + " skipped\n";
}

json tallies(const std::map<std::string, Tally>& rows) {
    json out = json::object();
    for (const auto& [name, tally] : rows) {
        for (const CaseVerdict verdict : caseVerdicts)
            out[name][std::string(engine::verdictName(verdict))] = tally.of(verdict);
    }
    return out;
}

json document(const Results& results) {
    json failures = json::array();
    json declined = json::array();
    for (const CaseReport& entry : results.notPassed)
        (entry.verdict() == CaseVerdict::Failed ? failures : declined)
            .push_back({{"case", entry.name}, {"reason", entry.reason()}});
    return {{"kinds", tallies(results.kinds)},
            {"parts", tallies(results.parts)},
            {"failures", failures},
            {"declined", declined},
            {"skipped", results.skipReasons}};
}

/// One engine judges cases until there are none left. `next` counts through `files`; a file that cannot be
/// read stops everybody.
void judgeSome(const OracleOptions& options, const std::vector<std::string>& files,
               std::atomic<std::size_t>& next, std::vector<Result<CaseReport>>& reports) {
    engine::Client client = makeClient(options.engine);
    engine::JudgeOptions how;
    how.faithful = options.faithful;
    how.recordings = options.recordings;
    for (std::size_t i = next++; i < files.size(); i = next++) {
        const Result<std::string> text = readFile(files[i]);
        if (!text) {
            reports[i] = tl::unexpected(text.error());
            next = files.size();
            return;
        }
        reports[i] = engine::judgeCase(client, *text, files[i], how);
    }
}

int run(const OracleOptions& options) {
    const Result<std::vector<std::string>> files = caseFiles(options.folder);
    if (!files) return fail(files.error());
    {
        engine::Client client = makeClient(options.engine);
        if (const auto started = client.start(); !started) return fail(started.error(), {});
    }
    std::vector<Result<CaseReport>> reports(files->size());
    std::atomic<std::size_t> next = 0;
    shareWork(std::clamp<std::size_t>(files->size(), 1, options.jobs) - 1,
              [&](const Sharer& /*sharer*/) { judgeSome(options, *files, next, reports); });
    Results results;
    for (Result<CaseReport>& report : reports) {
        if (!report) return fail(report.error());
        results.add(std::move(*report));
    }
    print(options.json ? document(results).dump() + '\n' : report(results));
    return results.total.of(CaseVerdict::Failed) == 0 ? exitOk : exitFailure;
}

} // namespace

void addOracle(Parser& parser) {
    auto options = std::make_shared<OracleOptions>();
    Command command = parser.command(
        "oracle", "Judge the engine by cases that PyTorch answered; exit status 1 if one fails");
    command.add("folder", options->folder, "Folder of case files, or one file").required();
    command.flag("--json", options->json, "One JSON document on stdout");
    command.flag("--faithful", options->faithful,
                 "Judge by PyTorch's own graphs and errors, also where they differ from eager");
    command.add("--recordings", options->recordings,
                "Folder with NAME.dsteps of the cases of kind dynamo_program");
    command.add("--jobs", options->jobs, "Engines that work at the same time").between(1, 64).showDefault();
    addEngineOption(command, options->engine);
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
