// SPDX-License-Identifier: BSD-3-Clause
//
// Device files of NVIDIA GPUs that are not there although the driver is: its library makes them by a program
// that gains rights when a GPU is first used, which a confined process cannot start. So they are made before.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace dynascope::engine {

/// The machine as makeGpuDevices() sees it; tests put a folder and a program of their own there.
struct GpuDriver {
    std::string root; ///< before "/proc" and "/dev"; empty for the machine itself
    /// Starts a program and waits for its end.
    std::function<void(const std::vector<std::string>& command)> run;
};
[[nodiscard]] GpuDriver machineDriver();

/// Has `nvidia-modprobe` make the control file, the files of unified memory, and those of the GPUs where not
/// one of them is there. Where there is one, the others may be missing on purpose, as in a container. Does
/// nothing where the driver is not loaded, or nothing is missing.
void makeGpuDevices(const GpuDriver& driver);

} // namespace dynascope::engine
