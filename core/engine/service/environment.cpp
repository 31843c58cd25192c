// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/environment.h"

#include "core/engine/replay/cuda_loader.h"
#include "core/engine/sandbox/confine.h"

#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

namespace dynascope::engine {

namespace {

wire::CudaPresence cudaFacts(const CudaPresence& cuda) {
    wire::CudaPresence out;
    out.plugin = cuda.plugin;
    out.pluginProblem = cuda.pluginProblem;
    out.deviceFiles = cuda.devices;
    if (!cuda.status) return out;
    wire::CudaStatus& status = out.status.emplace();
    status.driver = cuda.status->driver;
    status.problem = cuda.status->problem;
    status.cupti = cuda.status->cupti;
    status.cuptiProblem = cuda.status->cuptiProblem;
    for (const CudaDeviceFacts& device : cuda.status->devices)
        status.devices.push_back(
            {device.name, device.bytes, std::to_string(device.major) + '.' + std::to_string(device.minor)});
    return out;
}

} // namespace

wire::Confinement confinementFacts() {
    const Confinement confined = confinement();
    wire::Confinement out;
    out.landlock = confined.landlock;
    out.writesFiles = confined.writesFiles;
    out.readsFiles = confined.readsFiles;
    out.opensSockets = confined.opensSockets;
    out.startsPrograms = confined.startsPrograms;
    out.otherThreads = confined.otherThreads;
    out.memoryLimitBytes = confined.memoryBytes;
    out.seccomp = confined.seccomp == 2;
    out.noNewPrivileges = confined.noNewPrivileges;
    return out;
}

wire::EnvironmentReply environment() {
    return {TORCH_VERSION, at::get_num_threads(), confinementFacts(),
            cudaFacts(cudaPresence(cudaPluginPath()))};
}

} // namespace dynascope::engine
