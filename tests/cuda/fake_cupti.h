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
    CUptiResult enable = CUPTI_SUCCESS, flush = CUPTI_SUCCESS;
    std::set<CUpti_ActivityKind> enabled;
    std::vector<std::vector<std::uint8_t>> records; ///< given out at the next flush, where their kind is on
    CUpti_BuffersCallbackRequestFunc request = nullptr;
    CUpti_BuffersCallbackCompleteFunc complete = nullptr;

    template <typename Record>
    void add(CUpti_ActivityKind kind, Record record) {
        record.kind = kind;
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(&record);
        records.emplace_back(bytes, bytes + sizeof record);
    }
};
using FakeCuptiOf = FakeCupti* (*)();

} // namespace dynascope::test
