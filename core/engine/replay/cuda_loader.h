// SPDX-License-Identifier: BSD-3-Clause
//
// Finds and opens the CUDA plugin.
#pragma once

#include "core/engine/replay/cuda_device.h"

#include <string>

namespace dynascope::engine {

/// The plugin of this installation: lib/dynascope/libdynascope_cuda_plugin.so beside the program's folder.
[[nodiscard]] std::string cudaPluginPath();

/// Opens the plugin and its first device. One line says what is missing: the plugin, LibTorch with CUDA, the
/// driver or a device; or that the plugin belongs to another build or another PyTorch. A plugin stays loaded
/// for ever, as LibTorch does.
[[nodiscard]] Result<std::unique_ptr<CudaDevice>> loadCudaDevice(const std::string& plugin);

} // namespace dynascope::engine
