// SPDX-License-Identifier: BSD-3-Clause
#include "core/replay/recording.h"

#include "core/replay/recording_fields.h"

#include <algorithm>

namespace dynascope::wire {

DYNASCOPE_WIRE(replay::ReplayRecording)
DYNASCOPE_WIRE(replay::ReplayRun)

} // namespace dynascope::wire

namespace dynascope::replay {

using nlohmann::json;

std::string_view nodeModeName(NodeMode mode) {
    return wire::Words<NodeMode>::of[static_cast<std::size_t>(mode)];
}

std::size_t ReplayRecording::count(NodeMode mode) const {
    return static_cast<std::size_t>(std::count_if(
        nodes.begin(), nodes.end(), [&](const RecordedNode& node) { return node.mode == mode; }));
}

json toJson(const ReplayRecording& recording) {
    return wire::encode(recording);
}

Result<ReplayRecording> recordingFromJson(const json& document) {
    return wire::decode<ReplayRecording>(document);
}

Spread spreadOf(std::vector<double>& samples) {
    if (samples.empty()) return {};
    std::sort(samples.begin(), samples.end());
    const std::size_t n = samples.size();
    return {samples.front(), samples[n / 2], samples[std::min(n - 1, n * 99 / 100)]};
}

json toJson(const ReplayRun& run) {
    return wire::encode(run);
}

Result<ReplayRun> replayRunFromJson(const json& document) {
    return wire::decode<ReplayRun>(document);
}

} // namespace dynascope::replay
