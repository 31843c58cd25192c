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
#include <sys/utsname.h>

namespace dynascope::cli {

namespace {

using nlohmann::json;

constexpr int documentVersion = 1;

struct DoctorOptions {
    EngineOptions engine;
    std::string python, output, read, backend = "cuda";
    bool gpu = false, json = false;
};

std::string text(const json& document) {
    return document.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
}

json header() {
    json out{{"dynascope_doctor", documentVersion}, {"version", DYNASCOPE_VERSION}};
    if (utsname kernel{}; ::uname(&kernel) == 0)
        out["system"] = std::string(kernel.sysname) + ' ' + kernel.release + ' ' + kernel.machine;
    return out;
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
    const json document = json::parse(*content, nullptr, false);
    if (!document.is_object() || document.value("dynascope_doctor", 0) != documentVersion)
        return fail("is no document of 'doctor -o'", path);
    const Result<DoctorDocument> read = doctorDocumentFromJson(document);
    if (!read) return fail(read.error().message, path);
    for (const DoctorDocument::Line& line : read->findings)
        print(line.state + "  " + line.what + "  " + line.text + '\n');
    if (!read->gpu) return exitOk;
    const BatterySummary summary = summarise(*read->gpu);
    print(summary.text);
    return summary.passed ? exitOk : exitFailure;
}

int run(const DoctorOptions& options) {
    if (!options.read.empty()) return readBack(options.read);
    const std::string python = options.python.empty() ? defaultPython() : options.python;
    engine::Client client = makeClient(options.engine);
    const std::vector<Finding> findings = doctorFindings(client, python);
    json document = header();
    document["findings"] = toJson(findings);
    if (!options.json) print(findingsText(findings));
    bool passed = true;
    if (options.gpu) {
        const auto blocked = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
            return (finding.what == "CUDA" || finding.what == "engine") &&
                   finding.state == Finding::State::Missing;
        });
        if (blocked != findings.end()) return fail("the GPU was not tried: " + blocked->text);
        const auto battery = runGpuBattery(client, {options.backend, python, 200});
        if (!battery) return fail(battery.error());
        document["gpu"] = toJson(*battery);
        const BatterySummary summary = summarise(*battery);
        if (!options.json) print(summary.text);
        passed = summary.passed;
    }
    if (options.json) print(text(document));
    if (!options.output.empty()) {
        std::ofstream file(options.output, std::ios::binary | std::ios::trunc);
        file << text(document);
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
