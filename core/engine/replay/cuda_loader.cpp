// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/cuda_loader.h"

#include "core/base/own_program.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <dlfcn.h>
#include <filesystem>
#include <torch/headeronly/version.h>
#include <unistd.h>

// Headers of CUDA that the build did not find, separated by commas; empty where the plugin was built.
#ifndef DYNASCOPE_CUDA_LACKS
#define DYNASCOPE_CUDA_LACKS ""
#endif

namespace dynascope::engine {

namespace {

std::string lastError() {
    const char* const why = ::dlerror();
    return why ? why : "it cannot be opened";
}

std::string absence(const std::string& plugin) {
    if (constexpr std::string_view lacks(DYNASCOPE_CUDA_LACKS); !lacks.empty())
        return "this build has no CUDA plugin: it found no " + std::string(lacks) + " (see CONTRIBUTING.md)";
    return "the CUDA plugin is not there: " + plugin;
}

/// Why dlopen() refused: what it says names a library, not what to do about it.
std::string openFailure(const std::string& why) {
    for (const char* const ofTorch : {"libtorch_cuda.so", "libc10_cuda.so"})
        if (why.starts_with(ofTorch))
            return "the engine's PyTorch, " TORCH_VERSION ", is built without CUDA (" + why + ")";
    return why + " (the engine's PyTorch is " TORCH_VERSION ")";
}

Result<const CudaPlugin*> loadPlugin(const std::string& plugin) {
    std::error_code error;
    if (!std::filesystem::exists(plugin, error)) return failure(absence(plugin));
    void* const library = ::dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return failure(openFailure(lastError()));
    const auto entry = reinterpret_cast<CudaPluginEntry>(::dlsym(library, cudaPluginEntry));
    const CudaPlugin* const table = entry ? entry() : nullptr;
    if (!table || table->abi != cudaPluginAbi) return failure(plugin + " belongs to another build");
    if (std::string_view(table->torch) != TORCH_VERSION)
        return failure(plugin + " was built for PyTorch " + table->torch +
                       ", and this engine for " TORCH_VERSION);
    return table;
}

/// What people can do something about: a driver without device files, or files that are somebody else's.
std::string aboutFiles(const std::vector<std::string>& files) {
    if (std::none_of(files.begin(), files.end(), [](const std::string& file) {
            return std::isdigit(static_cast<unsigned char>(file.back()));
        }))
        return "; there is no /dev/nvidia0: the kernel's module is not loaded, or a container was started "
               "without its "
               "GPUs";
    for (const std::string& file : files)
        if (::access(file.c_str(), R_OK | W_OK) != 0) return "; " + file + ": " + std::strerror(errno);
    return {};
}

/// Files of GPUs, not the folder of their parts. By name: the confined engine may not list /dev.
std::vector<std::string> deviceFiles() {
    std::vector<std::string> out;
    const auto add = [&](const std::string& name) {
        std::error_code error;
        if (std::filesystem::is_character_file("/dev/" + name, error)) out.push_back("/dev/" + name);
    };
    constexpr int most = 128; // as cudaDeviceIndex()
    for (int gpu = 0; gpu < most; ++gpu)
        add("nvidia" + std::to_string(gpu));
    for (const char* const name : {"nvidia-modeset", "nvidia-uvm", "nvidia-uvm-tools", "nvidiactl"})
        add(name);
    std::sort(out.begin(), out.end());
    return out;
}

} // namespace

std::string cudaPluginPath() {
    return (ownPrefix() / "lib/dynascope/libdynascope_cuda_plugin.so").string();
}

std::optional<int> cudaDeviceIndex(std::string_view backend) {
    if (backend == "cuda") return 0;
    if (!backend.starts_with("cuda:")) return std::nullopt;
    backend.remove_prefix(5);
    int index = 0;
    const auto [end, problem] = std::from_chars(backend.data(), backend.data() + backend.size(), index);
    constexpr int most = 127; // c10::DeviceIndex is a signed byte
    if (problem != std::errc() || end != backend.data() + backend.size() || index < 0 || index > most)
        return std::nullopt;
    return index;
}

Result<std::unique_ptr<CudaDevice>> loadCudaDevice(const std::string& plugin, int device) {
    const Result<const CudaPlugin*> table = loadPlugin(plugin);
    if (!table) return failure("no CUDA backend: " + table.error().message);
    Result<std::unique_ptr<CudaDevice>> out = (*table)->open(device);
    if (!out) return failure("no CUDA backend: " + out.error().message + aboutFiles(deviceFiles()));
    return out;
}

CudaPresence cudaPresence(const std::string& plugin) {
    CudaPresence out;
    out.plugin = plugin;
    out.devices = deviceFiles();
    if (const Result<const CudaPlugin*> table = loadPlugin(plugin)) {
        out.status = (*table)->status();
        if (!out.status->problem.empty()) out.status->problem += aboutFiles(out.devices);
    } else {
        out.pluginProblem = table.error().message;
    }
    return out;
}

} // namespace dynascope::engine
