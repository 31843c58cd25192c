// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/service/environment.h"

#include "core/engine/replay/cuda_loader.h"
#include "core/engine/sandbox/confine.h"

#include <ATen/Parallel.h>
#include <torch/headeronly/version.h>

namespace dynascope::engine {

namespace {

using nlohmann::json;

json cudaToJson(const CudaPresence& cuda) {
    json out{{"plugin", cuda.plugin}, {"plugin_problem", cuda.pluginProblem}, {"device_files", cuda.devices}};
    if (!cuda.status) return out;
    out["driver"] = cuda.status->driver;
    out["problem"] = cuda.status->problem;
    out["cupti"] = cuda.status->cupti;
    out["cupti_problem"] = cuda.status->cuptiProblem;
    json devices = json::array();
    for (const CudaDeviceFacts& device : cuda.status->devices)
        devices.push_back(
            {{"name", device.name},
             {"bytes", device.bytes},
             {"capability", std::to_string(device.major) + '.' + std::to_string(device.minor)}});
    out["devices"] = std::move(devices);
    return out;
}

} // namespace

nlohmann::json confinementJson() {
    const Confinement confined = confinement();
    return {{"landlock", confined.landlock},
            {"writes_files", confined.writesFiles},
            {"reads_files", confined.readsFiles},
            {"opens_sockets", confined.opensSockets},
            {"starts_programs", confined.startsPrograms},
            {"other_threads", confined.otherThreads},
            {"memory_limit_bytes", confined.memoryBytes},
            {"seccomp", confined.seccomp == 2},
            {"no_new_privileges", confined.noNewPrivileges}};
}

Reply environment() {
    return json{{"torch", TORCH_VERSION},
                {"threads", at::get_num_threads()},
                {"confinement", confinementJson()},
                {"cuda", cudaToJson(cudaPresence(cudaPluginPath()))}};
}

} // namespace dynascope::engine
