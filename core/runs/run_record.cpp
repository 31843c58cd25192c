// SPDX-License-Identifier: BSD-3-Clause
#include "core/runs/run_record.h"

#include "core/base/codec.h"
#include "core/store/atomic_file.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace dynascope::wire {

template <>
struct Fields<runs::RunRecord> {
    static constexpr const char* name = "no record of a run";
    static void of(auto& f, auto& x) {
        constexpr int current = 1;
        int format = current;
        f("format", format);
        f.check("format", format == current, "expected 1");
        f("command", x.command);
        f("folder", x.folder);
        f("host", x.host);
        f("started", x.started);
        f("seconds", x.seconds);
        f("exit_status", x.exitStatus);
        f("what", x.what);
        f("settings", x.settings);
        f("environment", x.environment);
    }
};
DYNASCOPE_WIRE(runs::RunRecord)

} // namespace dynascope::wire

namespace dynascope::runs {

namespace {

namespace fs = std::filesystem;

constexpr const char* recordName = "dynascope-run.json";
constexpr std::uintmax_t mostBytes = 4 << 20;

constexpr std::array<std::string_view, 16> kept{"TORCH",  "PYTORCH",  "CUDA", "NVIDIA", "NCCL",   "GLOO",
                                                "TRITON", "INDUCTOR", "RANK", "WORLD_", "LOCAL_", "MASTER",
                                                "SLURM_", "OMP_",     "MKL_", "OMPI_"};
constexpr std::array<std::string_view, 5> secrets{"KEY", "TOKEN", "SECRET", "PASS", "CREDENTIAL"};

} // namespace

std::map<std::string, std::string> environmentForRecord() {
    std::map<std::string, std::string> out;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t sign = text.find('=');
        if (sign == std::string_view::npos) continue;
        const std::string_view name = text.substr(0, sign);
        const auto isIn = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
        if (std::ranges::none_of(kept, [name](std::string_view part) { return name.starts_with(part); }))
            continue;
        if (std::ranges::any_of(secrets, isIn)) continue;
        out.emplace(name, text.substr(sign + 1));
    }
    return out;
}

std::string programName(const std::vector<std::string>& command) {
    std::string found;
    for (std::size_t i = 0; i < command.size() && found.empty(); ++i) {
        if (command[i].ends_with(".py") || command[i].ends_with(".ipynb"))
            found = fs::path(command[i]).stem().string();
        if (command[i] == "-m" && i + 1 < command.size()) found = command[i + 1];
    }
    if (found.empty() && !command.empty()) found = fs::path(command.front()).filename().string();
    std::string out;
    constexpr std::size_t longest = 40;
    for (const char c : found.substr(0, longest))
        out += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' ? c : '_';
    return out.empty() ? "program" : out;
}

std::string localTime(std::int64_t when, const char* format) {
    const std::time_t seconds = when;
    std::tm local{};
    std::array<char, 64> text{};
    if (localtime_r(&seconds, &local) == nullptr) return {}; // a year that no calendar has
    std::strftime(text.data(), text.size(), format, &local);
    return text.data();
}

std::string runName(std::int64_t started, const std::vector<std::string>& command) {
    return localTime(started, "%Y-%m-%d_%H%M%S_") + programName(command);
}

Result<void> writeRun(const std::string& folder, const RunRecord& record) {
    const std::string text =
        wire::encode(record).dump(2, ' ', false, wire::Any::error_handler_t::replace) + '\n';
    return store::writeWhole((fs::path(folder) / recordName).string(), text);
}

Result<RunRecord> readRun(const std::string& folder) {
    const std::string path = (fs::path(folder) / recordName).string();
    std::error_code problem;
    const std::uintmax_t size = fs::is_regular_file(path, problem) ? fs::file_size(path, problem) : 0;
    if (problem) return failure(problem.message(), path);
    if (size > mostBytes) return failure("no record of a run: it is larger than 4 MiB", path);
    std::ifstream file(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Result<RunRecord> record = wire::decode<RunRecord>(wire::parsed(text));
    if (!record) return failure(record.error().message, path);
    return record;
}

Result<std::vector<FoundRun>> runsIn(const std::string& folder) {
    std::vector<FoundRun> out;
    std::error_code problem;
    for (auto entry = fs::directory_iterator(folder, problem); !problem && entry != fs::directory_iterator();
         entry.increment(problem)) {
        std::error_code gone;
        if (entry->is_symlink(gone) || !entry->is_directory(gone)) continue;
        if (!fs::exists(entry->path() / recordName, gone)) continue;
        out.push_back(
            {entry->path().filename().string(), entry->path().string(), readRun(entry->path().string())});
    }
    if (problem) return failure(problem.message(), folder);
    std::ranges::sort(out, [](const FoundRun& a, const FoundRun& b) {
        const auto key = [](const FoundRun& run) {
            return std::pair(run.record ? run.record->started : INT64_MIN, run.name);
        };
        return key(a) < key(b);
    });
    return out;
}

} // namespace dynascope::runs
