// SPDX-License-Identifier: BSD-3-Clause
#include "app/cli/capture_setup.h"

#include "app/cli/child_program.h"
#include "app/cli/command.h"
#include "core/base/own_program.h"

#include <filesystem>

namespace dynascope::cli {

namespace fs = std::filesystem;

Result<std::string> recorderFolder() {
    std::error_code status;
    const fs::path folder = ownPrefix() / "share" / "dynascope" / "capture";
    if (!fs::exists(folder / "startup" / "sitecustomize.py", status))
        return failure("the recorder is missing", folder.string());
    return fs::canonical(folder, status).string();
}

std::vector<std::pair<std::string, std::string>> captureVariables(const std::string& folder,
                                                                  const std::string& recorder,
                                                                  std::string_view pythonPath,
                                                                  const CaptureRequest& request) {
    if (!request.steps) return {{"TORCH_TRACE", folder}};
    std::string path = recorder + "/startup:" + recorder;
    if (!pythonPath.empty()) path.append(":").append(pythonPath);
    std::vector<std::pair<std::string, std::string>> out{
        {"PYTHONPATH", std::move(path)}, {"DYNASCOPE_CAPTURE", folder}, {"TORCH_TRACE", folder}};
    if (!request.live.empty()) out.emplace_back("DYNASCOPE_LIVE", request.live);
    if (request.passes) out.emplace_back("DYNASCOPE_PASSES", "1");
    if (request.flight) {
        out.emplace_back("DYNASCOPE_FLIGHT", "1");
        // What the program's own environment says of it stays.
        const auto unlessSet = [&out](const char* name, std::string value) {
            if (environmentVariable(name).empty()) out.emplace_back(name, std::move(value));
        };
        unlessSet("TORCH_FR_BUFFER_SIZE", "2000"); // entries; without it nothing is recorded
        unlessSet("TORCH_NCCL_DUMP_ON_TIMEOUT", "1");
        unlessSet("TORCH_FR_DUMP_TEMP_FILE", folder + "/flight_rank_"); // NCCL's watchdog adds the rank
    }
    if (request.memory) out.emplace_back("DYNASCOPE_MEMORY", "1");
    if (request.values) out.emplace_back("DYNASCOPE_VALUES", "1");
    if (request.profileSteps > 0) {
        out.emplace_back("DYNASCOPE_PROFILE", std::to_string(request.profileSteps));
        // Names of C++ kernels in the profile, and which nodes a kernel computes.
        out.emplace_back("TORCHINDUCTOR_CPP_ENABLE_KERNEL_PROFILE", "1");
        out.emplace_back("INDUCTOR_PROVENANCE", "1");
    }
    std::string all;
    for (const std::string& setting : request.settings)
        (all += all.empty() ? "" : "; ") += setting;
    if (!all.empty()) out.emplace_back("DYNASCOPE_SETTINGS", std::move(all));
    return out;
}

CaptureFiles captureFiles(const std::string& folder) {
    CaptureFiles out;
    std::error_code status;
    for (auto entry = fs::directory_iterator(folder, status); !status && entry != fs::directory_iterator();
         entry.increment(status)) {
        std::error_code gone;
        const std::uint64_t size = entry->file_size(gone);
        if (gone || entry->path().extension() == ".tail") continue;
        out.bytes += size;
        if (entry->path().extension() == ".log" && size > 0) ++out.traces;
        if (entry->path().extension() == ".dsteps") ++out.recordings;
        if (entry->path().extension() == ".dpasses") ++out.passes;
        const std::string name = entry->path().filename().string();
        if (name.starts_with("flight_rank_")) ++out.flights;
        if (name.starts_with("memory_snapshot_") && name.ends_with(".pickle")) ++out.memories;
        if (name.starts_with("values_") && name.ends_with(".inputs.json")) ++out.values;
        if (name.starts_with("profile_") && name.ends_with(".json.gz")) ++out.profiles;
    }
    return out;
}

std::string besideText(const CaptureFiles& found) {
    std::string out;
    const auto add = [&out](std::size_t n, const std::string& words) {
        if (n > 0) out += (out.empty() ? "" : ", ") + words;
    };
    add(found.recordings, count(found.recordings, "recording"));
    add(found.passes, std::to_string(found.passes) + " of passes");
    add(found.flights, count(found.flights, "flight-recorder dump"));
    add(found.profiles, count(found.profiles, "profile"));
    add(found.memories, count(found.memories, "memory snapshot"));
    add(found.values, "values of " + count(found.values, "graph"));
    return out;
}

std::string captureSummary(const std::string& folder) {
    const CaptureFiles found = captureFiles(folder);
    std::string beside = besideText(found);
    if (!beside.empty()) beside += ", ";
    return folder + ": " + (found.recordings == 0 ? "0 recordings, " : "") + beside +
           std::to_string((found.bytes + 1023) / 1024) + " KiB";
}

std::string missingLines(const CaptureRequest& request, const std::string& folder) {
    const CaptureFiles found = captureFiles(folder);
    std::string out;
    if (request.memory && found.memories == 0)
        out +=
            "No memory snapshot: no process used a GPU through PyTorch, or none that did came to its end.\n";
    if (request.values && found.values == 0)
        out += "No values: no graph was compiled, or none whose inputs can be kept.\n";
    return out;
}

} // namespace dynascope::cli
