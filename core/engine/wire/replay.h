// SPDX-License-Identifier: BSD-3-Clause
//
// The methods "record", "replay" and "drop": plans by which a graph runs again without allocating.
#pragma once

#include "core/engine/wire/execute.h"
#include "core/replay/recording.h"

#include <map>

namespace dynascope::wire {

/// An input that lies in the memory of an output, or of an input, of a recorded plan, which lives on for it.
struct InputWire {
    std::uint64_t input = 0;
    std::string plan;
    std::optional<std::uint64_t> output, source; ///< one of the two
};

struct RecordRequest {
    RunOn on;
    std::string title;               ///< "0/0 forward": what sentences call it; may be empty
    std::string backend = "cpu";     ///< "cpu", "cuda", "cuda:N"
    int threads = 0;                 ///< of an op; 0: the engine chooses
    bool oneDnn = true;              ///< the CPU's ops may use it
    std::vector<std::uint64_t> kept; ///< positions of inputs whose content stays as a run leaves it
    std::vector<InputWire> wires;
    /// A plan of the same graph that this one takes the place of; on a GPU its executable graph is updated
    /// where the driver can, and the recording's `rerecording` tells.
    std::optional<std::string> again;
};

struct RecordReply {
    std::string plan; ///< how requests name it
    replay::ReplayRecording recording;
};

/// Runs plans one after the other, `iterations` times; between batches of these the same graphs run node by
/// node, unless `eager` is false. After that `nodeIterations` more replays measure every node. One that is
/// cancelled leaves its plans usable.
struct ReplayRequest {
    std::vector<std::string> plans;
    std::optional<std::uint64_t> iterations, nodeIterations; ///< nothing: as the engine has it
    std::optional<std::uint64_t> verifyEvery; ///< replays between two that are held against eager; 0: never
    bool eager = true;
    std::string times = "nodes"; ///< what nodeIterations measure: "nodes", "launch" or "both"
    bool live = false;           ///< events of the replays as bulk data (core/replay/live_events.h)
    bool outputs = false;        ///< describe what the last replay gave
};

/// A result, as "execute" describes tensors; of what is none nothing is said.
struct ReplayedResult {
    std::optional<RunTensor> tensor;
};

struct ReplayReply {
    replay::ReplayRun run;
    std::map<std::string, replay::ReplayRecording> recordings;       ///< those that changed, by plan
    std::optional<std::uint64_t> liveEvents;                         ///< how many there were
    std::optional<std::vector<std::vector<ReplayedResult>>> outputs; ///< by plan
};

struct DropRequest {
    std::vector<std::string> plans;
};

struct DropReply {
    std::vector<std::string> plans; ///< that are left
};

} // namespace dynascope::wire
