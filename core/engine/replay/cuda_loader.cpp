// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/replay/cuda_loader.h"

#include <dlfcn.h>
#include <filesystem>
#include <torch/headeronly/version.h>

namespace dynascope::engine {

namespace {

tl::unexpected<Error> none(std::string why) {
    return tl::unexpected(Error{"no CUDA backend: " + std::move(why), {}, 0, 0});
}

std::string lastError() {
    const char* const why = ::dlerror();
    return why ? why : "it cannot be opened";
}

} // namespace

std::string cudaPluginPath() {
    std::error_code failure;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", failure);
    return (self.parent_path().parent_path() / "lib/dynascope/libdynascope_cuda_plugin.so").string();
}

Result<std::unique_ptr<CudaDevice>> loadCudaDevice(const std::string& plugin) {
    std::error_code failure;
    if (!std::filesystem::exists(plugin, failure))
        return none("this build has no CUDA plugin (it needs CUDA's headers, see CONTRIBUTING.md)");
    void* const library = ::dlopen(plugin.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) return none(lastError() + " (the engine's PyTorch is " TORCH_VERSION ")");
    const auto entry = reinterpret_cast<CudaPluginEntry>(::dlsym(library, cudaPluginEntry));
    const CudaPlugin* const table = entry ? entry() : nullptr;
    if (!table || table->abi != cudaPluginAbi) return none(plugin + " belongs to another build");
    if (std::string_view(table->torch) != TORCH_VERSION)
        return none(plugin + " was built for PyTorch " + table->torch +
                    ", and this engine for " TORCH_VERSION);
    Result<std::unique_ptr<CudaDevice>> device = table->open();
    if (!device) return none(device.error().message);
    return device;
}

} // namespace dynascope::engine
