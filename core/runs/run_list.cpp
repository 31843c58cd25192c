// SPDX-License-Identifier: BSD-3-Clause
#include "core/runs/run_list.h"

#include "core/base/words.h"
#include "core/capture/open.h"
#include "core/session/breaks.h"

#include <algorithm>
#include <filesystem>

namespace dynascope::runs {

namespace fs = std::filesystem;

RunSummary summaryOf(const FoundRun& run, const TaskContext& task) {
    RunSummary out;
    const auto session = capture::open(run.path, task);
    if (!session) {
        out.problem = session.error().message;
        return out;
    }
    const session::BreakSummary found = session::summarizeBreaks(**session);
    out.torch = (*session)->torchVersion;
    out.compiles = found.compiles;
    out.recompiles = found.recompiles;
    out.breaks = found.breaks;
    out.compileSeconds = found.compileSeconds;
    return out;
}

std::string commandText(const RunRecord& record) {
    std::string out;
    for (const std::string& word : record.command) {
        // Options read as they were typed: here the dashes cannot be taken for options of ours.
        const std::size_t dashes = std::min(word.find_first_not_of('-'), word.size());
        out += (out.empty() ? "" : " ") + word.substr(0, dashes) +
               (dashes > 0 && dashes == word.size() ? std::string() : shellWord(word.substr(dashes)));
    }
    return out;
}

std::string endText(const RunRecord& record) {
    return record.exitStatus ? "exit " + std::to_string(*record.exitStatus) : std::string("has not ended");
}

std::vector<const FoundRun*> runsBeyond(const std::vector<FoundRun>& runs, std::size_t keep) {
    std::vector<const FoundRun*> ended;
    for (const FoundRun& run : runs)
        if (run.record && run.record->exitStatus) ended.push_back(&run);
    ended.resize(ended.size() - std::min(keep, ended.size()));
    return ended;
}

Result<void> removeRun(const std::string& path) {
    const Result<RunRecord> record = readRun(path);
    if (!record) return tl::unexpected(record.error());
    if (!record->exitStatus) return failure("has not ended", path);
    std::error_code problem;
    fs::remove_all(path, problem);
    if (problem) return failure(problem.message(), path);
    return {};
}

std::vector<std::string> tracesIn(const std::string& folder) {
    std::vector<std::string> out;
    std::error_code problem, gone;
    for (auto entry = fs::directory_iterator(folder, problem); !problem && entry != fs::directory_iterator();
         entry.increment(problem))
        if (entry->path().extension() == ".log" && entry->file_size(gone) > 0 && !gone)
            out.push_back(entry->path().string());
    return out;
}

std::string followedPath(const std::string& folder) {
    const std::vector<std::string> traces = tracesIn(folder);
    if (traces.empty()) return {};
    return traces.size() == 1 ? traces.front() : folder;
}

} // namespace dynascope::runs
