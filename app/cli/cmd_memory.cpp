// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli memory PATH [--top N] [--json]
#include "app/cli/command.h"
#include "app/cli/memory_report.h"
#include "core/capture/memory_reader.h"

#include <filesystem>
#include <memory>

namespace dynascope::cli {

namespace {

using nlohmann::json;

struct MemoryOptions {
    std::string path;
    std::size_t top = 10;
    bool json = false;
};

void printJson(const json& document) {
    print(document.dump(-1, ' ', false, json::error_handler_t::replace) + '\n');
}

/// Of a run: the snapshots beside its traces, one a rank.
int runFolder(const MemoryOptions& options) {
    const auto session = openInput(options.path);
    if (!session) return fail(session.error());
    if ((*session)->memories.empty())
        return fail("no memory snapshot is in this folder: run --what memory records one a rank, and "
                    "torch.cuda.memory._dump_snapshot writes one",
                    options.path);
    if (!options.json) {
        print(memoriesText(**session, options.top));
        return exitOk;
    }
    json snapshots = json::array();
    for (const session::FoundMemory& found : (*session)->memories) {
        json one = memoryJson(*found.snapshot, options.top);
        one["file"] = found.file;
        one["rank"] = found.rank < 0 ? json() : json(found.rank);
        snapshots.push_back(std::move(one));
    }
    printJson({{"path", options.path}, {"snapshots", std::move(snapshots)}});
    return exitOk;
}

int run(const MemoryOptions& options) {
    std::error_code status;
    if (std::filesystem::is_directory(options.path, status)) return runFolder(options);
    const auto snapshot = capture::openMemorySnapshot(options.path);
    if (!snapshot) return fail(snapshot.error());
    if (options.json)
        printJson(memoryJson(*snapshot, options.top));
    else
        print(memoryText(*snapshot, options.top));
    return exitOk;
}

} // namespace

void addMemory(Parser& parser) {
    auto options = std::make_shared<MemoryOptions>();
    Command command = parser.command(
        "memory", "Say what a PyTorch memory snapshot holds: totals, live blocks by line, peak");
    command
        .add("path", options->path, "Pickle of torch.cuda.memory._dump_snapshot, or a folder with one a rank")
        .required();
    command.add("--top", options->top, "How many lines of code to list").showDefault();
    command.flag("--json", options->json, "One JSON document on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
