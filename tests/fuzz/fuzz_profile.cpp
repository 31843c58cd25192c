// SPDX-License-Identifier: BSD-3-Clause
//
// Profiles, and behind a line "---" the trace that one is joined to. Whatever opens nests, adds up and can be grouped.
#include "core/capture/open.h"
#include "core/profile/grouped.h"
#include "tests/fuzz/expect.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

using namespace dynascope;
using namespace dynascope::profile;

namespace {

void checkEvents(const Profile& profile) {
    for (std::uint32_t i = 0; i < profile.events.size(); ++i) {
        const Event& event = profile.events[i];
        fuzz::expect(event.start >= 0 && event.duration >= 0 && event.end() <= profile.duration);
        fuzz::expect(event.name < profile.names.size() && event.dims < profile.names.size());
        fuzz::expect(event.track < profile.tracks.size() && event.device < profile.devices.size());
        fuzz::expect(event.self >= 0);
        if (event.parent == none) continue;
        const Event& parent = profile.events[event.parent];
        fuzz::expect(event.parent < i && parent.track == event.track && parent.depth + 1 == event.depth);
        fuzz::expect(parent.start <= event.start);
    }
    for (std::size_t i = 1; i < profile.steps.size(); ++i)
        fuzz::expect(profile.steps[i - 1].start + profile.steps[i - 1].duration <= profile.steps[i].start);
}

/// To a microsecond, or what a double tells apart where times are beyond all clocks.
bool isSame(double a, double b) {
    return std::abs(a - b) <= std::max(1000.0, 1e-9 * std::max(std::abs(a), std::abs(b)));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    constexpr std::string_view mark = "\n---\n";
    const std::size_t end = std::min(input.find(mark), input.size());
    static_cast<void>(looksLikeProfile(input));
    const auto profile = read(input.substr(0, end), "fuzz.json");
    if (!profile) {
        fuzz::expect(!profile.error().message.empty());
        return 0;
    }
    checkEvents(**profile);
    session::SessionPtr session;
    if (end < input.size())
        session = capture::openText(std::string(input.substr(end + mark.size()))).value_or(nullptr);
    const auto joined = join(session, *profile);
    fuzz::expect(joined.has_value());
    Facts facts(*joined);
    for (std::size_t by = 0; by < byNames.size(); ++by) {
        std::vector<double> sums((*profile)->devices.size(), 0.0);
        for (const GroupedRow& row : grouped(facts, static_cast<By>(by)))
            sums[row.device] += row.self;
        for (std::size_t device = 0; device < sums.size(); ++device)
            fuzz::expect(isSame(sums[device], (*profile)->busy[device]));
    }
    return 0;
}
