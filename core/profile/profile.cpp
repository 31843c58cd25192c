// SPDX-License-Identifier: BSD-3-Clause
#include "core/profile/profile.h"

#include "core/base/log.h"
#include "core/base/words.h"
#include "core/profile/scan_events.h"

#include <algorithm>
#include <array>

namespace dynascope::profile {

namespace {

struct Category {
    std::string_view name;
    Kind kind;
};

/// Kineto's, newest first, then as it wrote them until 2022.
constexpr Category categories[] = {{"cpu_op", Kind::Operator},
                                   {"python_function", Kind::Python},
                                   {"user_annotation", Kind::Annotation},
                                   {"kernel", Kind::Kernel},
                                   {"cuda_runtime", Kind::Runtime},
                                   {"cuda_driver", Kind::Runtime},
                                   {"gpu_memcpy", Kind::Copy},
                                   {"gpu_memset", Kind::Copy},
                                   {"gpu_user_annotation", Kind::DeviceRange},
                                   {"xpu_runtime", Kind::Runtime},
                                   {"xpu_driver", Kind::Runtime},
                                   {"mtia_runtime", Kind::Runtime},
                                   {"mtia_ccp_events", Kind::Kernel},
                                   {"privateuse1_runtime", Kind::Runtime},
                                   {"privateuse1_driver", Kind::Runtime},
                                   {"glow_runtime", Kind::Runtime},
                                   {"cuda_sync", Kind::Marker},
                                   {"xpu_sync", Kind::Marker},
                                   {"cuda_event", Kind::Marker},
                                   {"cuda_profiler_range", Kind::Marker},
                                   {"xpu_scope_profiler", Kind::Marker},
                                   {"mtia_insight", Kind::Marker},
                                   {"hpu_op", Kind::Kernel},
                                   {"overhead", Kind::Overhead},
                                   {"Trace", Kind::Span},
                                   {"Operator", Kind::Operator},
                                   {"Kernel", Kind::Kernel},
                                   {"Memcpy", Kind::Copy},
                                   {"Memset", Kind::Copy},
                                   {"Runtime", Kind::Runtime}};

void warnOfCategories(Scanned& scanned) {
    std::size_t events = 0;
    std::string names;
    for (const auto& [category, times] : scanned.unknown) {
        events += times;
        names +=
            (names.empty() ? "" : ", ") + (category.empty() ? std::string("none") : category.substr(0, 40));
    }
    if (events > 0)
        scanned.profile.warnings.push_back(count(events, "event") + " of categories that are not known (" +
                                           names + "): their time is told as other");
}

} // namespace

Kind kindOf(std::string_view category) {
    const auto* const found = std::find_if(std::begin(categories), std::end(categories),
                                           [&](const Category& entry) { return entry.name == category; });
    return found == std::end(categories) ? Kind::Other : found->kind;
}

std::string_view kindName(Kind kind) {
    static constexpr std::array<std::string_view, 11> names = {
        "operator",     "annotation", "runtime call", "kernel", "copy", "Python",
        "device range", "overhead",   "span",         "marker", "other"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view launchLinkName(LaunchLink link) {
    static constexpr std::array<std::string_view, 4> names = {"", "correlation", "ac2g flow", "External id"};
    return names[static_cast<std::size_t>(link)];
}

int Profile::stepAt(std::int64_t time) const {
    const auto after = std::ranges::upper_bound(steps, time, {}, [](const Step& step) { return step.start; });
    if (after == steps.begin()) return -1;
    const Step& step = *std::prev(after);
    return time < step.start + step.duration ? static_cast<int>(after - steps.begin()) - 1 : -1;
}

int Profile::stepOf(const Event& event) const {
    if (isOnDevice(event.kind) && event.launch != none && launches[event.launch].event != none)
        return stepAt(events[launches[event.launch].event].start);
    return stepAt(event.start);
}

Result<ProfilePtr> read(std::string_view text, const std::string& path, const TaskContext& task) {
    const log::Stopwatch watch;
    Result<Scanned> scanned = scanEvents(text, path, task);
    if (!scanned) return tl::unexpected(scanned.error());
    const std::int64_t scanning = watch.ms();
    arrange(*scanned);
    if (task.cancelled()) return cancellation();
    log::write(log::Topic::Profile, path, ": ", text.size(), " bytes, ", scanned->profile.events.size(),
               " events read in ", scanning, " ms, nested in ", watch.ms() - scanning, " ms");
    scanned->profile.path = path;
    // Flows, instants, counters and metadata are known and take no time.
    std::string others;
    for (const auto& [phase, times] : scanned->phases)
        if (std::string_view("sftiICbneNODPp").find(phase) == std::string_view::npos)
            others +=
                (others.empty() ? "" : ", ") + count(times, "event") + " of phase " + phase.substr(0, 8);
    if (!others.empty()) scanned->profile.warnings.push_back(others + ", which are not known, left out");
    // All events of another producer are; PyTorch's say with it what this program does not know.
    if (scanned->profile.isKineto) warnOfCategories(*scanned);
    return std::make_shared<const Profile>(std::move(scanned->profile));
}

} // namespace dynascope::profile
