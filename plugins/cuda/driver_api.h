// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of the CUDA driver that look at graphs, as a table that is filled at run time: nothing links to
// libcuda, so that a machine without a driver says so in one line, and a test puts a library of its own
// there.
#pragma once

#include "core/base/result.h"

#include <cuda.h>
#include <memory>
#include <string>

namespace dynascope::cuda {

/// Calls are named as the driver exports them, without "cu". Those under "may be null" came with later
/// drivers.
struct DriverApi {
    CUresult (*init)(unsigned flags) = nullptr;
    CUresult (*driverGetVersion)(int* version) = nullptr;
    CUresult (*deviceGetCount)(int* count) = nullptr;
    CUresult (*deviceGet)(CUdevice* device, int ordinal) = nullptr;
    CUresult (*deviceGetName)(char* name, int bytes, CUdevice device) = nullptr;
    CUresult (*deviceTotalMem)(size_t* bytes, CUdevice device) = nullptr;
    CUresult (*deviceGetAttribute)(int* value, CUdevice_attribute, CUdevice device) = nullptr;
    CUresult (*getErrorString)(CUresult error, const char** text) = nullptr;

    CUresult (*streamGetCaptureInfo)(CUstream, CUstreamCaptureStatus*, cuuint64_t* id, CUgraph*,
                                     const CUgraphNode** dependencies, const CUgraphEdgeData** edges,
                                     size_t* count) = nullptr;
    CUresult (*graphGetNodes)(CUgraph, CUgraphNode*, size_t* count) = nullptr;
    CUresult (*graphGetEdges)(CUgraph, CUgraphNode* from, CUgraphNode* to, CUgraphEdgeData*,
                              size_t* count) = nullptr;
    CUresult (*graphNodeGetDependencies)(CUgraphNode, CUgraphNode*, CUgraphEdgeData*,
                                         size_t* count) = nullptr;
    CUresult (*graphNodeGetType)(CUgraphNode, CUgraphNodeType*) = nullptr;
    CUresult (*graphKernelNodeGetParams)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = nullptr;
    CUresult (*graphMemcpyNodeGetParams)(CUgraphNode, CUDA_MEMCPY3D*) = nullptr;
    CUresult (*graphMemsetNodeGetParams)(CUgraphNode, CUDA_MEMSET_NODE_PARAMS*) = nullptr;
    CUresult (*graphMemAllocNodeGetParams)(CUgraphNode, CUDA_MEM_ALLOC_NODE_PARAMS*) = nullptr;
    CUresult (*graphMemFreeNodeGetParams)(CUgraphNode, CUdeviceptr*) = nullptr;
    CUresult (*graphChildGraphNodeGetGraph)(CUgraphNode, CUgraph*) = nullptr;
    CUresult (*graphDebugDotPrint)(CUgraph, const char* path, unsigned flags) = nullptr;
    CUresult (*graphExecUpdate)(CUgraphExec, CUgraph, CUgraphExecUpdateResultInfo*) = nullptr;
    CUresult (*funcGetName)(const char** name, CUfunction) = nullptr;
    CUresult (*funcGetParamInfo)(CUfunction, size_t index, size_t* offset, size_t* size) = nullptr;
    CUresult (*kernelGetName)(const char** name, CUkernel) = nullptr;
    CUresult (*kernelGetParamInfo)(CUkernel, size_t index, size_t* offset, size_t* size) = nullptr;

    // May be null.
    CUresult (*graphNodeGetParams)(CUgraphNode, CUgraphNodeParams*) = nullptr;
    CUresult (*graphUpload)(CUgraphExec, CUstream) = nullptr;
    CUresult (*eventCreate)(CUevent*, unsigned flags) = nullptr;
    CUresult (*eventDestroy)(CUevent) = nullptr;
    CUresult (*eventRecord)(CUevent, CUstream) = nullptr;
    CUresult (*eventSynchronize)(CUevent) = nullptr;
    CUresult (*eventElapsedTime)(float* ms, CUevent begin, CUevent end) = nullptr;
    CUresult (*memHostAlloc)(void** memory, size_t bytes, unsigned flags) = nullptr;
    CUresult (*memFreeHost)(void* memory) = nullptr;
    CUresult (*memHostGetDevicePointer)(CUdeviceptr*, void* memory, unsigned flags) = nullptr;
    CUresult (*streamWaitValue32)(CUstream, CUdeviceptr, cuuint32_t value, unsigned flags) = nullptr;
    CUresult (*streamSynchronize)(CUstream) = nullptr;
    /// Whether all those are there that time a launch.
    [[nodiscard]] bool timesLaunches() const;

    int version = 0; ///< of the driver: 13000 for CUDA 13.0
    int devices = 0; ///< how many it has, at least one

    /// The driver's words for an error.
    [[nodiscard]] std::string errorText(CUresult error) const;
};

/// Older drivers lack calls of the table.
inline constexpr int oldestDriver = 12040;

/// "13.0" of 13000.
[[nodiscard]] std::string versionText(int version);

/// The table stays valid as long as the pointer lives; copies share the library.
using DriverApiPtr = std::shared_ptr<const DriverApi>;

/// Opens the library and initialises the driver. Fails, in one line, where there is no library, where it is
/// too old, where a call is missing and where there is no device.
[[nodiscard]] Result<DriverApiPtr> loadDriver(const std::string& library = "libcuda.so.1");

} // namespace dynascope::cuda
