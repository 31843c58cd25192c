// SPDX-License-Identifier: BSD-3-Clause
#include "tests/cuda/fake_cupti.h"

#include <algorithm>
#include <cstring>

using namespace dynascope::test;

namespace {

FakeCupti& state() {
    static FakeCupti cupti;
    return cupti;
}

CUpti_ActivityKind kindOf(const std::vector<std::uint8_t>& record) {
    CUpti_ActivityKind kind{};
    std::memcpy(&kind, record.data(), sizeof kind);
    return kind;
}

} // namespace

extern "C" {

FakeCupti* fakeCupti() {
    return &state();
}

CUptiResult cuptiGetVersion(uint32_t* version) {
    *version = state().version;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiGetResultString(CUptiResult result, const char** text) {
    *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : nullptr;
    return *text ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiGetGraphNodeId(CUgraphNode node, uint64_t* id) {
    *id = reinterpret_cast<std::uintptr_t>(node);
    return node ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}
CUptiResult cuptiSubscribe(CUpti_SubscriberHandle* handle, CUpti_CallbackFunc callback, void* data) {
    if (state().subscribe != CUPTI_SUCCESS) return state().subscribe;
    if (state().subscriber) return CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED;
    state().subscriber = callback;
    state().subscriberData = data;
    *handle = reinterpret_cast<CUpti_SubscriberHandle>(&state());
    return CUPTI_SUCCESS;
}
CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
    state().subscriber = nullptr;
    state().heard.clear();
    return CUPTI_SUCCESS;
}
CUptiResult cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                CUpti_CallbackId id) {
    if (domain != CUPTI_CB_DOMAIN_RESOURCE) return CUPTI_ERROR_INVALID_PARAMETER;
    if (on != 0)
        state().heard.insert(id);
    else
        state().heard.erase(id);
    return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc request,
                                           CUpti_BuffersCallbackCompleteFunc complete) {
    state().request = request;
    state().complete = complete;
    return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnable(CUpti_ActivityKind kind) {
    if (state().enable == CUPTI_SUCCESS) state().enabled.insert(kind);
    return state().enable;
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind kind) {
    state().enabled.erase(kind);
    return CUPTI_SUCCESS;
}
/// All records in one buffer, one after the other, as CUPTI fills them.
CUptiResult cuptiActivityFlushAll(uint32_t) {
    std::uint8_t* buffer = nullptr;
    std::size_t size = 0, count = 0, used = 0;
    state().request(&buffer, &size, &count);
    for (const auto& record : state().records) {
        if (!state().enabled.contains(kindOf(record))) continue;
        std::memcpy(buffer + used, record.data(), record.size());
        used += record.size();
    }
    state().records.clear();
    state().complete(nullptr, 0, buffer, size, used);
    return state().flush;
}
CUptiResult cuptiActivityGetNextRecord(uint8_t* buffer, size_t valid, CUpti_Activity** record) {
    const auto sizeOf = [](CUpti_ActivityKind kind) -> std::size_t {
        return kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL ? sizeof(CUpti_ActivityKernel10)
               : kind == CUPTI_ACTIVITY_KIND_MEMCPY          ? sizeof(CUpti_ActivityMemcpy6)
               : kind == CUPTI_ACTIVITY_KIND_MEMSET          ? sizeof(CUpti_ActivityMemset4)
                                                             : sizeof(CUpti_ActivityGraphTrace2);
    };
    std::uint8_t* next = buffer;
    if (*record) next = reinterpret_cast<std::uint8_t*>(*record) + sizeOf((*record)->kind);
    if (next >= buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(next);
    return CUPTI_SUCCESS;
}

} // extern "C"
