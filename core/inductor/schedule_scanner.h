// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the records of a recording of passes that are about a scheduler. Internal to core/inductor.
#pragma once

#include "core/base/json.h"
#include "core/inductor/schedule.h"

#include <string>
#include <vector>

namespace dynascope::inductor {

/// Numbers count records: a higher one is a lie.
inline constexpr std::uint64_t mostRecords = 50'000'000;

/// Each item of a list; none where there is no list.
template <typename Take>
void forEach(const capture::json::element& object, std::string_view key, Take take) {
    simdjson::dom::array items;
    if (object[key].get(items) != simdjson::SUCCESS) return;
    for (const capture::json::element item : items)
        take(item);
}

/// [number, name]
[[nodiscard]] NodeRef nodeOf(const capture::json::element& pair);

/// Of a node that was lowered; without `why` where code is generated for it.
[[nodiscard]] Fallback fallbackOf(const capture::json::element& object);

[[nodiscard]] Tuning tuningOf(const capture::json::element& object);

class ScheduleScanner {
public:
    ScheduleScanner(std::vector<Schedule>& schedules, std::vector<std::string>& reasons)
        : m_schedules(schedules)
        , m_reasons(reasons) {}

    /// False where the record makes no sense; tags that it does not know are left alone.
    bool take(char tag, const capture::json::element& object);

private:
    using element = capture::json::element;
    [[nodiscard]] Schedule* of(const element& object);
    bool event(const element& object);
    bool node(const element& object);
    bool reason(const element& object);
    bool asked(const element& object);
    bool fused(const element& object);
    static void timed(Schedule& schedule, const element& object);
    static bool orders(Schedule& schedule, const capture::json::element& object);
    static void step(Schedule& schedule, const capture::json::element& object, bool changed);
    bool kernel(const element& object);
    bool wrapper(const element& object);
    void addQuestion(Schedule& schedule, const element& row, std::uint32_t round);

    std::vector<Schedule>& m_schedules;
    std::vector<std::string>& m_reasons;
};

} // namespace dynascope::inductor
