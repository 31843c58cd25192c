// SPDX-License-Identifier: BSD-3-Clause
//
// A stand-in for CUPTI: a library that hands out the records that a test put into it.
#pragma once

#include <cstdint>
#include <cupti.h>
#include <set>
#include <vector>

namespace dynascope::test {

struct FakeCupti {
    std::uint32_t version = CUPTI_API_VERSION;
    CUptiResult enable = CUPTI_SUCCESS, flush = CUPTI_SUCCESS, subscribe = CUPTI_SUCCESS;
    std::set<CUpti_ActivityKind> enabled;
    std::vector<std::vector<std::uint8_t>> records; ///< given out at the next flush, where their kind is on
    CUpti_CallbackFunc subscriber = nullptr;        ///< while somebody listens
    void* subscriberData = nullptr;
    std::set<CUpti_CallbackId> heard; ///< resource callbacks that are on
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;

    /// What the driver does when it makes a graph executable. A node's name is its handle.
    void copy(std::uintptr_t original, std::uintptr_t copied) const {
        if (!subscriber || !heard.contains(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED)) return;
        CUpti_GraphData graph{};
        graph.originalNode = reinterpret_cast<CUgraphNode>(original);
        graph.node = reinterpret_cast<CUgraphNode>(copied);
        CUpti_ResourceData resource{};
        resource.resourceDescriptor = &graph;
        subscriber(subscriberData, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, &resource);
        subscriber(subscriberData, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED,
                   &resource);
    }
    template <typename Record>
    void add(CUpti_ActivityKind kind, Record record) {
        record.kind = kind;
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(&record);
        records.emplace_back(bytes, bytes + sizeof record);
    }
};
using FakeCuptiOf = FakeCupti* (*)();

} // namespace dynascope::test
