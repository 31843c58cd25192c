// SPDX-License-Identifier: BSD-3-Clause
//
// Finds and opens the CUDA plugin.
#pragma once

#include "core/engine/replay/cuda_device.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

/// The plugin of this installation: lib/dynascope/libdynascope_cuda_plugin.so beside the program's folder.
[[nodiscard]] std::string cudaPluginPath();

/// The number in "cuda" (0) or "cuda:1"; nothing for any other text.
[[nodiscard]] std::optional<int> cudaDeviceIndex(std::string_view backend);

/// Opens the plugin and a device of it. One line says what is missing: the plugin, LibTorch with CUDA, the
/// driver, its device files or the device; or that the plugin belongs to another build or another PyTorch. A
/// plugin stays loaded for ever, as LibTorch does.
[[nodiscard]] Result<std::unique_ptr<CudaDevice>> loadCudaDevice(const std::string& plugin, int device = 0);

/// What of CUDA is there, for whoever wants to know why the backend works or does not.
struct CudaPresence {
    std::string plugin;               ///< its path, whether it exists or not
    std::string pluginProblem;        ///< why it cannot be used; empty where it can
    std::vector<std::string> devices; ///< files of GPUs: "/dev/nvidia0", "/dev/nvidiactl", ...
    std::optional<CudaStatus> status; ///< what the plugin says, where it can be used
};
[[nodiscard]] CudaPresence cudaPresence(const std::string& plugin);

} // namespace dynascope::engine
