// SPDX-License-Identifier: BSD-3-Clause
//
// Replays recorded graphs many times, measures them beside eager runs and holds results against those.
#pragma once

#include "core/engine/replay/backend.h"

#include <set>
#include <string>
#include <vector>

namespace dynascope::engine {

struct PlanToRun {
    std::string name;
    RecordedGraph* graph = nullptr; ///< not owned
    std::string title = {};         ///< what sentences call it; `name` where it is empty

    [[nodiscard]] const std::string& inWords() const { return title.empty() ? name : title; }
};

/// What is measured besides whole replays.
enum class TimesOf : std::uint8_t { Nodes, Launches, Both };

struct RunRequest {
    std::vector<PlanToRun> plans; ///< run one after the other
    std::uint64_t iterations = 100;
    std::uint64_t nodeIterations = 0; ///< more replays, to measure every node, or launches on the device
    std::uint64_t verifyEvery = 0;    ///< 0: never
    bool eager = true;
    replay::LiveFeed* feed = nullptr; ///< not owned; hears of the first `iterations` replays
    TimesOf times = TimesOf::Nodes;
    /// Where a result differs, whether eager runs a second time, to tell what is not the same twice by itself. False
    /// where other ranks would wait for what the other run does.
    bool eagerTwice = true;
};

struct PlanError {
    std::size_t plan = 0; ///< index into RunRequest::plans
    RunError error;
};

[[nodiscard]] tl::expected<replay::ReplayRun, PlanError> replayMany(const RunRequest& request,
                                                                    const TaskContext& task);

/// Where random numbers go on, on the CPU and on a device.
class RandomState {
public:
    explicit RandomState(c10::Device device);
    /// They go on from there once more.
    void put() const;

private:
    c10::Device m_device;
    std::vector<at::Tensor> m_states;
};

/// The first bit that differs between two results, as a sentence; empty if none does. Those in `unset` hold no value
/// (unset_results.h).
[[nodiscard]] std::string bitDifference(const std::vector<c10::IValue>& expected,
                                        const std::vector<c10::IValue>& got,
                                        const std::set<std::size_t>& unset = {});

} // namespace dynascope::engine
