// SPDX-License-Identifier: BSD-3-Clause
//
// dynascope-cli doctor [--gpu [--backend cuda:N] [-o FILE]] [--python PATH] [--json]
// dynascope-cli doctor --read FILE
#include "app/cli/child_program.h"
#include "app/cli/command.h"
#include "app/cli/doctor.h"
#include "app/cli/engine_command.h"
#include "core/capture/packed.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <optional>
#include <sys/utsname.h>

namespace dynascope::cli {

namespace {

using doctor::Finding;

struct DoctorOptions {
    EngineOptions engine;
    std::string python, output, read, backend = "cuda";
    bool gpu = false, json = false;
};

std::optional<std::string> systemName() {
    utsname kernel{};
    if (::uname(&kernel) != 0) return std::nullopt;
    return std::string(kernel.sysname) + ' ' + kernel.release + ' ' + kernel.machine;
}

/// Of a document, packed or not.
Result<std::string> contentOf(const std::string& path) {
    Result<std::string> text = readFile(path);
    if (!text || !capture::looksPacked(*text)) return text;
    const auto unpacked = capture::unpack(*text, path, {}, {.bytes = std::uint64_t{1} << 30U, .files = 1});
    if (!unpacked) return tl::unexpected(unpacked.error());
    if (unpacked->files.empty() || !unpacked->files.front().source) return failure("holds no file", path);
    return std::string(unpacked->files.front().source->bytes());
}

int readBack(const std::string& path) {
    const Result<std::string> content = contentOf(path);
    if (!content) return fail(content.error());
    const Result<doctor::Document> read = doctor::documentFrom(*content);
    if (!read) return fail(read.error().message, path);
    for (const Finding& line : read->findings)
        print(std::string(doctor::stateName(line.state)) + "  " + line.what + "  " + line.text + '\n');
    if (!read->gpu) return exitOk;
    const BatterySummary summary = summarise(*read->gpu);
    print(summary.text);
    return summary.passed ? exitOk : exitFailure;
}

int run(const DoctorOptions& options) {
    if (!options.read.empty()) return readBack(options.read);
    const std::string python = options.python.empty() ? defaultPython() : options.python;
    engine::Client client = makeClient(options.engine);
    doctor::Document document{DYNASCOPE_VERSION, systemName(), doctorFindings(client, python), {}};
    const std::vector<Finding>& findings = document.findings;
    if (!options.json) print(findingsText(findings));
    bool passed = true;
    if (options.gpu) {
        const auto blocked = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
            return (finding.what == "CUDA" || finding.what == "engine") &&
                   finding.state == Finding::State::Missing;
        });
        if (blocked != findings.end()) return fail("the GPU was not tried: " + blocked->text);
        auto battery = runGpuBattery(client, {options.backend, python, 200});
        if (!battery) return fail(battery.error());
        document.gpu = std::move(*battery);
        const BatterySummary summary = summarise(*document.gpu);
        if (!options.json) print(summary.text);
        passed = summary.passed;
    }
    const std::string text = doctor::textOf(document) + '\n';
    if (options.json) print(text);
    if (!options.output.empty()) {
        std::ofstream file(options.output, std::ios::binary | std::ios::trunc);
        file << text;
        file.close();
        if (!file) return fail("cannot be written", options.output);
    }
    // A machine without a GPU is whole.
    const auto missing = [](const Finding& finding) {
        return finding.state == Finding::State::Missing && finding.what != "CUDA";
    };
    const bool whole = std::none_of(findings.begin(), findings.end(), missing);
    return passed && whole ? exitOk : exitFailure;
}

} // namespace

void addDoctor(Parser& parser) {
    auto options = std::make_shared<DoctorOptions>();
    Command command = parser.command(
        "doctor",
        "Say what works on this machine (window, Graphviz, engine, sandbox, CUDA, CUPTI, recorder) and "
        "what to do about the rest; exit status 1 where something is missing");
    command.flag(
        "--gpu", options->gpu,
        "Also record and replay Dynascope's own programs on a GPU, beside eager runs and PyTorch's CUDA "
        "graphs; about a minute");
    command.add("--backend", options->backend, "With --gpu: cuda or cuda:N").showDefault();
    command.add(
        "--python", options->python,
        "Interpreter of your programs: the recorder is tried with it, and its PyTorch is what --gpu compares "
        "with");
    command.add("-o,--output", options->output,
                "Write all that was found, recorded and measured to this file, to attach to a report");
    command.add("--read", options->read, "Show what such a file says, and do nothing else");
    command.flag("--json", options->json, "One JSON document on stdout");
    addEngineOption(command, options->engine);
    command.run([options] { return run(*options); });
}

} // namespace dynascope::cli
