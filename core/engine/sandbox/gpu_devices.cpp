// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/sandbox/gpu_devices.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace dynascope::engine {

namespace {

namespace fs = std::filesystem;

constexpr const char* program = "/usr/bin/nvidia-modprobe";
constexpr const char* controlMinor = "255"; // of nvidiactl

bool hasGpuFile(const std::string& root) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(root + "/dev", failure)) {
        const std::string name = entry.path().filename().string();
        constexpr std::string_view begins = "nvidia";
        if (name.starts_with(begins) && name.size() > begins.size() &&
            std::all_of(name.begin() + begins.size(), name.end(),
                        [](unsigned char c) { return std::isdigit(c) != 0; }))
            return true;
    }
    return false;
}

/// Of the GPUs that the driver knows, as it prints them.
std::set<std::string> minors(const std::string& root) {
    std::set<std::string> out;
    std::error_code failure;
    for (const auto& gpu : fs::directory_iterator(root + "/proc/driver/nvidia/gpus", failure)) {
        std::ifstream information(gpu.path() / "information");
        constexpr std::string_view key = "Device Minor:";
        for (std::string line; std::getline(information, line);) {
            if (!line.starts_with(key)) continue;
            const std::size_t digits = line.find_first_of("0123456789", key.size());
            if (digits != std::string::npos)
                out.insert(line.substr(digits, line.find_first_not_of("0123456789", digits) - digits));
        }
    }
    if (out.empty()) out.insert("0");
    return out;
}

} // namespace

GpuDriver machineDriver() {
    return {{}, [](const std::vector<std::string>& command) {
                std::vector<char*> arguments;
                for (const std::string& word : command)
                    arguments.push_back(const_cast<char*>(word.c_str())); // execv() changes none
                arguments.push_back(nullptr);
                const pid_t child = ::fork();
                if (child == 0) {
                    ::execv(arguments.front(), arguments.data());
                    ::_exit(1);
                }
                if (child > 0) ::waitpid(child, nullptr, 0);
            }};
}

void makeGpuDevices(const GpuDriver& driver) {
    std::error_code failure;
    const auto exists = [&](const char* path) { return fs::exists(driver.root + path, failure); };
    if (!exists("/proc/driver/nvidia/version")) return;
    std::vector<std::string> command{program};
    if (!exists("/dev/nvidia-uvm")) command.emplace_back("-u");
    if (!exists("/dev/nvidiactl")) command.insert(command.end(), {"-c", controlMinor});
    if (!hasGpuFile(driver.root))
        for (const std::string& minor : minors(driver.root))
            command.insert(command.end(), {"-c", minor});
    if (command.size() > 1) driver.run(command);
}

} // namespace dynascope::engine
