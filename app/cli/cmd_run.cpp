// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli run [--into DIR] [--what WHAT,...] [--set NAME=VALUE ...] [--open | --follow] -- python train.py ARGS
//
// What capture does, into a folder of its own for each run; ends as the program does, after the answers of info.
#include "app/cli/command.h"
#include "app/cli/info.h"
#include "app/cli/recorded_program.h"
#include "core/base/own_program.h"
#include "core/base/text.h"
#include "core/runs/run_list.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <spawn.h>
#include <unistd.h>

namespace dynascope::cli {

namespace {

namespace fs = std::filesystem;
using runs::followedPath;
using runs::RunRecord;
using runs::tracesIn;

constexpr std::array<std::string_view, 7> parts{"trace",  "steps",  "passes", "profile",
                                                "flight", "memory", "values"};
constexpr int profiledSteps = 5;

struct RunOptions {
    std::string into = "dynascope-runs";
    std::string what = "trace,steps";
    std::vector<std::string> settings, program;
    bool open = false, follow = false;
};

void onStderr(const std::string& text) {
    std::fputs(withoutControlCodes(text).c_str(), stderr);
}

Result<std::vector<std::string>> partsOf(const std::string& list) {
    std::vector<std::string> out;
    for (std::size_t at = 0; at <= list.size();) {
        const std::size_t end = std::min(list.find(',', at), list.size());
        const std::string part = list.substr(at, end - at);
        if (std::ranges::find(parts, part) == parts.end())
            return failure("--what has no '" + part + "'; it takes " + joined(parts, ","));
        out.push_back(part);
        at = end + 1;
    }
    return out;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

/// A job of several tasks under Slurm, each of which starts us: they share one folder, and the first one tells.
struct Task {
    std::string job; ///< empty: we are alone
    bool isFirst = true;
};
Task taskOfSlurm() {
    const std::string tasks = variable("SLURM_NTASKS"), job = variable("SLURM_JOB_ID");
    if (job.empty() || tasks.empty() || tasks == "1" || variable("SLURM_PROCID").empty()) return {};
    const std::string step = variable("SLURM_STEP_ID");
    return {"job-" + job + (step.empty() ? "" : '.' + step) + '_', variable("SLURM_PROCID") == "0"};
}

/// The folder of this run, made. Two runs of one second have names of their own.
Result<std::string> makeFolder(const RunOptions& options, std::int64_t started, const Task& task) {
    std::error_code problem;
    fs::create_directories(options.into, problem);
    if (problem) return failure(problem.message(), options.into);
    const fs::path into = fs::canonical(options.into, problem);
    if (problem) return failure(problem.message(), options.into);
    if (!task.job.empty()) {
        const fs::path path = into / (task.job + runs::programName(options.program));
        fs::create_directories(path, problem);
        if (problem) return failure(problem.message(), path.string());
        return path.string();
    }
    const std::string name = runs::runName(started, options.program);
    constexpr int most = 1000;
    for (int i = 1; i <= most; ++i) {
        const fs::path path = into / (i == 1 ? name : name + '-' + std::to_string(i));
        if (fs::create_directory(path, problem)) return path.string();
        if (problem) return failure(problem.message(), path.string());
    }
    return failure("a thousand runs of one second are there", (into / name).string());
}

/// The window beside us, on its own from then on.
void openWindow(std::string path, bool follows) {
    std::string window = (ownFolder() / "dynascope").string();
    std::string option = "--follow";
    std::array<char*, 4> words{window.data(), path.data(), follows ? option.data() : nullptr, nullptr};
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    // While the program runs we hold signals back; the window must not.
    sigset_t none;
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    pid_t child = 0;
    const int started = posix_spawn(&child, window.c_str(), nullptr, &attributes, words.data(), environ);
    posix_spawnattr_destroy(&attributes);
    if (started != 0) onStderr("dynascope-cli: " + window + ": " + std::strerror(started) + '\n');
}

/// Also where nothing was compiled, but memory recorded.
bool holdsCapture(const std::string& folder) {
    return !tracesIn(folder).empty() || captureFiles(folder).memories > 0;
}

void tell(const std::string& folder, const CaptureRequest& request) {
    onStderr('\n' + captureSummary(folder) + '\n' + missingLines(request, folder));
    if (!holdsCapture(folder))
        return onStderr(
            "Nothing to answer: no trace was written. PyTorch compiled nothing here, or did not run.\n");
    const auto session = openInput(folder);
    if (!session)
        onStderr("Nothing to answer: " + session.error().message + '\n');
    else
        onStderr(answersText(**session));
}

int run(const RunOptions& options) {
    const auto what = partsOf(options.what);
    if (!what) return fail(what.error());
    const auto asked = [&what](std::string_view part) {
        return std::ranges::find(*what, part) != what->end();
    };
    RecordedProgram program;
    program.command = options.program;
    program.request.settings = options.settings;
    program.request.passes = asked("passes");
    program.request.profileSteps = asked("profile") ? profiledSteps : 0;
    program.request.flight = asked("flight");
    program.request.memory = asked("memory");
    program.request.values = asked("values");
    program.request.steps =
        std::ranges::any_of(*what, [](const std::string& part) { return part != "trace"; });
    if (!program.request.steps && !options.settings.empty())
        return fail("--set needs the recorder, which --what " + options.what + " leaves out");
    if (program.request.steps) {
        const auto recorder = recorderFolder();
        if (!recorder) return fail(recorder.error());
        program.recorder = *recorder;
    }

    const Task task = taskOfSlurm();
    RunRecord record;
    record.started = std::time(nullptr);
    const auto folder = makeFolder(options, record.started, task);
    if (!folder) return fail(folder.error());
    program.folder = *folder;
    record.command = options.program;
    std::error_code problem;
    record.folder = fs::current_path(problem).string();
    std::array<char, 256> host{};
    if (gethostname(host.data(), host.size() - 1) == 0) record.host = host.data();
    record.what = *what;
    record.settings = options.settings;
    record.environment = runs::environmentForRecord();
    if (task.isFirst)
        if (const auto kept = runs::writeRun(*folder, record); !kept) return fail(kept.error());

    bool isShown = false;
    if (options.follow && task.isFirst)
        program.meanwhile = [&isShown, &folder] {
            const std::string path = isShown ? std::string() : followedPath(*folder);
            if (path.empty()) return;
            isShown = true;
            openWindow(path, true);
        };
    const auto before = std::chrono::steady_clock::now();
    const Result<int> status = runRecorded(program, nullptr);
    if (!status) {
        if (task.job.empty()) fs::remove_all(*folder, problem); // nothing ran
        return fail(status.error());
    }
    if (!task.isFirst) return *status;
    record.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
    record.exitStatus = *status;
    const auto kept = runs::writeRun(*folder, record);
    tell(*folder, program.request);
    if ((options.open || options.follow) && !isShown && holdsCapture(*folder)) openWindow(*folder, false);
    if (!kept) return fail(kept.error());
    return *status;
}

} // namespace

void addRun(Parser& parser) {
    auto options = std::make_shared<RunOptions>();
    Command command = parser.command("run", "Run a program, keep what PyTorch's compiler leaves behind in a "
                                            "folder of its own, and say what is asked first");
    command.add("--into", options->into, "Folder of the runs; each has a folder with date and name in it")
        .showDefault();
    command
        .add("--what", options->what,
             "What is kept, with commas: trace, steps (of Dynamo), passes (of AOTAutograd and Inductor), "
             "profile (of five "
             "steps once compiling has settled), flight (dumps of the flight recorder, a rank each), memory "
             "(a snapshot of a GPU's allocator at the end), values (what each graph is called with at first, "
             "for exec --inputs); all but trace come with steps")
        .showDefault();
    command.add("--set", options->settings,
                "A setting of torch._dynamo.config for this run, as capture takes it");
    command.flag("--open", options->open, "Open the window on it once the program has ended");
    command.flag("--follow", options->follow,
                 "Open the window as soon as something was compiled, and show there what comes");
    command
        .add("program", options->program, "After --: the program and its arguments, such as python train.py")
        .required();
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
