// SPDX-License-Identifier: BSD-3-Clause
//
// CUPTI's calls as a table that is filled at run time, and times of launches taken with it.
#pragma once

#include "core/base/result.h"
#include "core/engine/replay/cuda_times.h"

#include <cupti.h>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

namespace dynascope::cuda {

struct CuptiApi {
    decltype(&::cuptiGetVersion) getVersion = nullptr;
    decltype(&::cuptiGetResultString) getResultString = nullptr;
    decltype(&::cuptiGetGraphNodeId) getGraphNodeId = nullptr;
    decltype(&::cuptiActivityRegisterCallbacks) activityRegisterCallbacks = nullptr;
    decltype(&::cuptiActivityEnable) activityEnable = nullptr;
    decltype(&::cuptiActivityDisable) activityDisable = nullptr;
    decltype(&::cuptiActivityFlushAll) activityFlushAll = nullptr;
    decltype(&::cuptiActivityGetNextRecord) activityGetNextRecord = nullptr;
    decltype(&::cuptiSubscribe) subscribe = nullptr;
    decltype(&::cuptiUnsubscribe) unsubscribe = nullptr;
    decltype(&::cuptiEnableCallback) enableCallback = nullptr;

    std::uint32_t version = 0; ///< 130000 for CUDA 13.0

    [[nodiscard]] std::string errorText(CUptiResult result) const;
};
/// "13.0" of 130000.
[[nodiscard]] std::string cuptiVersionText(std::uint32_t version);

using CuptiApiPtr = std::shared_ptr<const CuptiApi>;

/// Opens the library. Records are read as CUDA 13 lays them out, so any other major version is refused.
[[nodiscard]] Result<CuptiApiPtr> loadCupti(const std::string& library = "libcupti.so.13");

/// Of an executable graph's nodes, by that of the node which each was copied from: what CUPTI calls them.
/// Records of launches have the copies' names.
struct NodeCopies {
    std::unordered_map<std::uint64_t, std::uint64_t> ids;
    std::string problem; ///< why there are none; empty where nothing went wrong
};
/// Runs `instantiate`, whatever CUPTI says, and listens what it copies.
[[nodiscard]] NodeCopies watchCopies(const CuptiApi& api, const std::function<void()>& instantiate);

/// Runs `launch`, which waits for what it launched, and tells how long the device took for each node. One at
/// a time in a process: CUPTI's buffers have no owner. Launches as a whole are not asked of CUPTI: its
/// records of them (GRAPH_TRACE) crash the launch of a graph that was made executable before they were on
/// (seen with CUPTI 13.0).
[[nodiscard]] Result<engine::CudaLaunchTimes> timeNodes(const CuptiApi& api,
                                                        const std::function<void()>& launch);

} // namespace dynascope::cuda
