// SPDX-License-Identifier: BSD-3-Clause
#include "plugins/cuda/cupti_api.h"

#include "plugins/cuda/shared_library.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <vector>

namespace dynascope::cuda {

namespace {

using engine::CudaLaunchTimes;

constexpr std::size_t bufferBytes = std::size_t{1} << 20;
constexpr std::size_t bufferAlignment = 8; // as CUPTI asks

struct Loaded {
    SharedLibrary library;
    CuptiApi api;
};

/// Where CUPTI's buffers go. Its callbacks carry no pointer of ours, so there is one in the process.
struct Sink {
    std::mutex mutex;
    const CuptiApi* api = nullptr;
    CudaLaunchTimes* times = nullptr;
};
Sink& sink() {
    static Sink only;
    return only;
}

template <typename Record>
void addNode(const CUpti_Activity* activity, CudaLaunchTimes& times) {
    const auto& record = *reinterpret_cast<const Record*>(activity);
    if (record.graphNodeId != 0) times.nodes.push_back({record.graphNodeId, record.end - record.start});
}

void addRecord(const CUpti_Activity* activity, CudaLaunchTimes& times) {
    switch (activity->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return addNode<CUpti_ActivityKernel10>(activity, times);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return addNode<CUpti_ActivityMemcpy6>(activity, times);
    case CUPTI_ACTIVITY_KIND_MEMSET:
        return addNode<CUpti_ActivityMemset4>(activity, times);
    default:
        return;
    }
}

void CUPTIAPI requestBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(bufferAlignment, bufferBytes));
    *size = *buffer ? bufferBytes : 0;
    *records = 0; // as many as there is room for
}

void CUPTIAPI takeBuffer(CUcontext /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer,
                         std::size_t /*size*/, std::size_t valid) {
    Sink& to = sink();
    CUpti_Activity* record = nullptr;
    while (to.api && to.times && valid > 0 &&
           to.api->activityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS)
        addRecord(record, *to.times);
    std::free(buffer);
}

/// What comes goes there for as long as it lives.
class Listening {
public:
    Listening(Sink& sink, CudaLaunchTimes& times)
        : m_sink(sink) {
        m_sink.times = &times;
    }
    Listening(const Listening&) = delete;
    Listening& operator=(const Listening&) = delete;
    ~Listening() { m_sink.times = nullptr; }

private:
    Sink& m_sink;
};

/// Kinds of records that are on for as long as it lives.
class Enabled {
public:
    explicit Enabled(const CuptiApi& api)
        : m_api(api) {}
    Enabled(const Enabled&) = delete;
    Enabled& operator=(const Enabled&) = delete;
    ~Enabled() {
        for (const CUpti_ActivityKind kind : m_kinds)
            (void)m_api.activityDisable(kind);
    }
    [[nodiscard]] CUptiResult add(CUpti_ActivityKind kind) {
        const CUptiResult result = m_api.activityEnable(kind);
        if (result == CUPTI_SUCCESS) m_kinds.push_back(kind);
        return result;
    }

private:
    const CuptiApi& m_api;
    std::vector<CUpti_ActivityKind> m_kinds;
};

/// What is heard of copies while a subscription lasts.
class Subscription {
public:
    Subscription(const CuptiApi& api, NodeCopies& copies)
        : m_api(api)
        , m_copies(copies) {
        CUptiResult result = api.subscribe(&m_handle, &Subscription::hear, this);
        m_subscribed = result == CUPTI_SUCCESS;
        if (m_subscribed)
            result = api.enableCallback(1, m_handle, CUPTI_CB_DOMAIN_RESOURCE,
                                        CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED);
        if (result != CUPTI_SUCCESS)
            copies.problem = "CUPTI does not tell of copies: " + api.errorText(result);
    }
    Subscription(const Subscription&) = delete;
    Subscription& operator=(const Subscription&) = delete;
    ~Subscription() {
        if (m_subscribed) (void)m_api.unsubscribe(m_handle);
    }

private:
    static void CUPTIAPI hear(void* context, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                              const void* data) {
        if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) return;
        const auto& self = *static_cast<Subscription*>(context);
        const auto* graph = static_cast<const CUpti_GraphData*>(
            static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
        std::uint64_t original = 0, copy = 0;
        if (graph && self.m_api.getGraphNodeId(graph->originalNode, &original) == CUPTI_SUCCESS &&
            self.m_api.getGraphNodeId(graph->node, &copy) == CUPTI_SUCCESS)
            self.m_copies.ids[original] = copy;
    }

    const CuptiApi& m_api;
    NodeCopies& m_copies;
    CUpti_SubscriberHandle m_handle = nullptr;
    bool m_subscribed = false;
};

tl::unexpected<Error> callFailure(const CuptiApi& api, const char* call, CUptiResult result) {
    return failure(std::string(call) + ": " + api.errorText(result));
}

} // namespace

std::string cuptiVersionText(std::uint32_t version) {
    return std::to_string(version / 10000) + '.' + std::to_string(version / 100 % 100);
}

std::string CuptiApi::errorText(CUptiResult result) const {
    const char* text = nullptr;
    if (getResultString(result, &text) == CUPTI_SUCCESS && text) return text;
    return "error " + std::to_string(static_cast<int>(result));
}

Result<CuptiApiPtr> loadCupti(const std::string& library) {
    Result<SharedLibrary> opened = SharedLibrary::open(library);
    if (!opened) return failure("no CUPTI: " + opened.error().message);
    auto loaded = std::make_shared<Loaded>(Loaded{std::move(*opened), {}});
    CuptiApi& api = loaded->api;
    Symbols find(loaded->library);
    find("cuptiGetVersion", api.getVersion);
    find("cuptiGetResultString", api.getResultString);
    find("cuptiGetGraphNodeId", api.getGraphNodeId);
    find("cuptiActivityRegisterCallbacks", api.activityRegisterCallbacks);
    find("cuptiActivityEnable", api.activityEnable);
    find("cuptiActivityDisable", api.activityDisable);
    find("cuptiActivityFlushAll", api.activityFlushAll);
    find("cuptiActivityGetNextRecord", api.activityGetNextRecord);
    find("cuptiSubscribe", api.subscribe);
    find("cuptiUnsubscribe", api.unsubscribe);
    find("cuptiEnableCallback", api.enableCallback);
    if (const auto filled = find.result(); !filled) return tl::unexpected(filled.error());
    if (const CUptiResult result = api.getVersion(&api.version); result != CUPTI_SUCCESS)
        return callFailure(api, "cuptiGetVersion", result);
    constexpr std::uint32_t major = 13;
    if (api.version / 10000 != major)
        return failure("CUPTI is of version " + cuptiVersionText(api.version) +
                       "; its records are read as 13 has them");
    return CuptiApiPtr(loaded, &loaded->api);
}

NodeCopies watchCopies(const CuptiApi& api, const std::function<void()>& instantiate) {
    NodeCopies out;
    const Subscription subscription(api, out);
    instantiate();
    return out;
}

Result<CudaLaunchTimes> timeNodes(const CuptiApi& api, const std::function<void()>& launch) {
    CudaLaunchTimes out;
    Sink& to = sink();
    const std::scoped_lock one(to.mutex);
    to.api = &api;
    if (const CUptiResult result = api.activityRegisterCallbacks(requestBuffer, takeBuffer);
        result != CUPTI_SUCCESS)
        return callFailure(api, "cuptiActivityRegisterCallbacks", result);
    Enabled enabled(api);
    for (const CUpti_ActivityKind kind :
         {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
        if (const CUptiResult result = enabled.add(kind); result != CUPTI_SUCCESS)
            return callFailure(api, "cuptiActivityEnable", result);
    (void)api.activityFlushAll(0); // what came before is somebody else's
    const Listening listening(to, out);
    launch();
    if (const CUptiResult flushed = api.activityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
        flushed != CUPTI_SUCCESS)
        return callFailure(api, "cuptiActivityFlushAll", flushed);
    return out;
}

} // namespace dynascope::cuda
