// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli capture [-o DIR] [--set NAME=VALUE ...] [--passes] [--profile[=STEPS]] [--flight] [--memory]
//   [--values] [--break WHERE ... | --live SOCKET] -- python script.py ARGS
//
// The program runs as it is: what is asked of PyTorch and of the recorder stands in the environment, and so
// holds for every Python below it, the ranks of torchrun among them. With --break the compilation stops where
// it is asked to, and standard input has the commands; the program gets none.
#include "app/cli/command.h"
#include "app/cli/live_console.h"
#include "app/cli/recorded_program.h"

#include <cstdio>
#include <filesystem>
#include <memory>

namespace dynascope::cli {

namespace {

namespace fs = std::filesystem;

struct CaptureOptions {
    std::string folder = "dynascope-capture";
    std::vector<std::string> breakpoints;
    CaptureRequest request;
    std::vector<std::string> program;
};

int run(CaptureOptions& options) {
    const Result<std::string> recorder = recorderFolder();
    if (!recorder) return fail(recorder.error());
    std::error_code problem;
    fs::create_directories(options.folder, problem);
    const std::string folder = problem ? std::string() : fs::canonical(options.folder, problem).string();
    if (problem) return fail(problem.message(), options.folder);

    std::unique_ptr<LiveConsole> console;
    if (!options.breakpoints.empty()) {
        if (!options.request.live.empty()) return fail("--break and --live exclude each other");
        Result<std::unique_ptr<LiveConsole>> opened = LiveConsole::open(options.breakpoints);
        if (!opened) return fail(opened.error());
        console = std::move(*opened);
        options.request.live = console->socketPath();
    }

    const Result<int> status =
        runRecorded({options.program, folder, *recorder, options.request, true}, console.get());
    if (!status) return fail(status.error());
    std::fprintf(stderr, "%s\n%s", withoutControlCodes(captureSummary(folder)).c_str(),
                 missingLines(options.request, folder).c_str());
    return *status;
}

} // namespace

void addCapture(Parser& parser) {
    auto options = std::make_shared<CaptureOptions>();
    Command command = parser.command(
        "capture", "Run a program with TORCH_TRACE and the recorder of Dynamo on; ends as the program does");
    command.add("-o,--output", options->folder, "Folder for the trace and the recordings").showDefault();
    command.add(
        "--break", options->breakpoints,
        "Stop where Dynamo traces this, and take commands from the terminal: FILE:LINE, \"FILE:LINE if "
        "CONDITION\", CONDITION, \"graph break\", exception, or start");
    command.add("--live", options->request.live, "Unix socket of a client that is to pause the compilation");
    command.add("--set", options->request.settings,
                "A setting of torch._dynamo.config for this run, which the program need not make: "
                "capture_scalar_outputs=True, reorderable_logging_functions+=print");
    command.flag(
        "--passes", options->request.passes,
        "Also record every pass of AOTAutograd and Inductor: what it changed, and the graphs between");
    command.flag("--flight", options->request.flight,
                 "Also keep what PyTorch's flight recorder holds of each rank's collectives, for ranks and "
                 "the page Ranks");
    command.flag("--memory", options->request.memory,
                 "Also keep what PyTorch's allocator of a GPU did, as a memory snapshot at the end");
    command.flag("--values", options->request.values,
                 "Also keep what each graph of Dynamo's is called with at first, as exec --inputs reads it");
    command
        .addAlone(
            "--profile", options->request.profileSteps, 5,
            "Also profile so many steps (5) once compiling has settled: calls of the compiled function that "
            "comes "
            "again and again, with what lies between them")
        .between(1, 1000);
    command
        .add("program", options->program, "After --: the program and its arguments, such as python train.py")
        .required();
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
