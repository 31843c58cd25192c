// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/cuda/driver_api.h"

#include "plugins/cuda/shared_library.h"

namespace dynascope::cuda {

namespace {

struct Loaded {
    SharedLibrary library;
    DriverApi api;
};

Result<void> fill(const SharedLibrary& library, DriverApi& api) {
    Symbols find(library);
    find("cuInit", api.init);
    find("cuDriverGetVersion", api.driverGetVersion);
    find("cuDeviceGetCount", api.deviceGetCount);
    find("cuDeviceGet", api.deviceGet);
    find("cuDeviceGetName", api.deviceGetName);
    find("cuDeviceTotalMem_v2", api.deviceTotalMem);
    find("cuDeviceGetAttribute", api.deviceGetAttribute);
    find("cuGetErrorString", api.getErrorString);
    find("cuGraphGetNodes", api.graphGetNodes);
    find("cuGraphNodeGetType", api.graphNodeGetType);
    find("cuGraphKernelNodeGetParams_v2", api.graphKernelNodeGetParams);
    find("cuGraphMemcpyNodeGetParams", api.graphMemcpyNodeGetParams);
    find("cuGraphMemsetNodeGetParams", api.graphMemsetNodeGetParams);
    find("cuGraphMemAllocNodeGetParams", api.graphMemAllocNodeGetParams);
    find("cuGraphMemFreeNodeGetParams", api.graphMemFreeNodeGetParams);
    find("cuGraphChildGraphNodeGetGraph", api.graphChildGraphNodeGetGraph);
    find("cuGraphDebugDotPrint", api.graphDebugDotPrint);
    find("cuGraphExecUpdate_v2", api.graphExecUpdate);
    find("cuFuncGetName", api.funcGetName);
    find("cuFuncGetParamInfo", api.funcGetParamInfo);
    find("cuKernelGetName", api.kernelGetName);
    find("cuKernelGetParamInfo", api.kernelGetParamInfo);
    find("cuGraphGetEdges_v2", api.graphGetEdges);
    find("cuGraphNodeGetDependencies_v2", api.graphNodeGetDependencies);
    find("cuStreamGetCaptureInfo_v3", api.streamGetCaptureInfo);
    find.optional("cuGraphNodeGetParams", api.graphNodeGetParams);
    find.optional("cuGraphUpload", api.graphUpload);
    find.optional("cuEventCreate", api.eventCreate);
    find.optional("cuEventDestroy_v2", api.eventDestroy);
    find.optional("cuEventRecord", api.eventRecord);
    find.optional("cuEventSynchronize", api.eventSynchronize);
    find.optional("cuEventElapsedTime", api.eventElapsedTime);
    find.optional("cuMemHostAlloc", api.memHostAlloc);
    find.optional("cuMemFreeHost", api.memFreeHost);
    find.optional("cuMemHostGetDevicePointer_v2", api.memHostGetDevicePointer);
    find.optional("cuStreamWaitValue32_v2", api.streamWaitValue32);
    find.optional("cuStreamSynchronize", api.streamSynchronize);
    return find.result();
}

} // namespace

std::string versionText(int version) {
    return std::to_string(version / 1000) + '.' + std::to_string(version % 1000 / 10);
}

bool DriverApi::timesLaunches() const {
    return graphUpload && eventCreate && eventDestroy && eventRecord && eventSynchronize &&
           eventElapsedTime && memHostAlloc && memFreeHost && memHostGetDevicePointer && streamWaitValue32 &&
           streamSynchronize;
}

std::string DriverApi::errorText(CUresult error) const {
    const char* text = nullptr;
    if (getErrorString(error, &text) == CUDA_SUCCESS && text) return text;
    return "error " + std::to_string(static_cast<int>(error));
}

Result<DriverApiPtr> loadDriver(const std::string& library) {
    Result<SharedLibrary> opened = SharedLibrary::open(library);
    if (!opened) return failure("no CUDA driver: " + opened.error().message);
    auto loaded = std::make_shared<Loaded>(Loaded{std::move(*opened), {}});
    DriverApi& api = loaded->api;
    // The version comes first: it says why a call is missing.
    const auto driverGetVersion = loaded->library.find<decltype(api.driverGetVersion)>("cuDriverGetVersion");
    int version = 0;
    if (!driverGetVersion || driverGetVersion(&version) != CUDA_SUCCESS)
        return failure("no CUDA driver: " + library + " does not tell its version");
    if (version < oldestDriver)
        return failure("the CUDA driver is of version " + versionText(version) + "; this needs " +
                       versionText(oldestDriver) + " or newer");
    if (const auto filled = fill(loaded->library, api); !filled) return tl::unexpected(filled.error());
    api.version = version;
    if (const CUresult status = api.init(0); status != CUDA_SUCCESS)
        return failure("the CUDA driver does not start: " + api.errorText(status));
    if (const CUresult status = api.deviceGetCount(&api.devices); status != CUDA_SUCCESS || api.devices == 0)
        return failure("the CUDA driver knows of no device");
    return DriverApiPtr(loaded, &loaded->api);
}

} // namespace dynascope::cuda
