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

int run(const MemoryOptions& options) {
    std::error_code status;
    if (std::filesystem::is_directory(options.path, status))
        return fail(
            "a folder, and no memory snapshot: name the file that torch.cuda.memory._dump_snapshot wrote",
            options.path);
    const auto snapshot = capture::openMemorySnapshot(options.path);
    if (!snapshot) return fail(snapshot.error());
    print(options.json
              ? memoryJson(*snapshot, options.top).dump(-1, ' ', false, json::error_handler_t::replace) + '\n'
              : memoryText(*snapshot, options.top));
    return exitOk;
}

} // namespace

void addMemory(Parser& parser) {
    auto options = std::make_shared<MemoryOptions>();
    Command command = parser.command(
        "memory", "Say what a PyTorch memory snapshot holds: totals, live blocks by line, peak");
    command.add("path", options->path, "Pickle of torch.cuda.memory._dump_snapshot").required();
    command.add("--top", options->top, "How many lines of code to list").showDefault();
    command.flag("--json", options->json, "One JSON document on stdout");
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
