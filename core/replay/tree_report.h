// SPDX-License-Identifier: BSD-3-Clause
//
// What a run through a tree of CUDA graphs did, as plain values: the engine makes it of a run on a device,
// the command line prints it.
#pragma once

#include "core/base/result.h"
#include "core/replay/tree_manager.h"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace dynascope::replay {

/// One step, in words.
struct TreeReportStep {
    std::string event;    ///< "call", "mark step", "new generation", "eager backward", "drop"
    std::string function; ///< of a call
    std::string action;   ///< "warmup", "record", ..; empty for what is no call
    NodeId node = noNode; ///< that ran
    NodeId parent = noNode;
    bool again = false; ///< a recording in the place of one that did not fit
    std::string why;    ///< a sentence, or PyTorch's message
    std::string path;   ///< how the path before it ended, and what the allocator did; sentences, or empty
    /// Inputs that no longer hold what their call put there, each with where it was made and overwritten.
    std::vector<std::string> overwritten;
    double us = 0;          ///< of a call, on the host
    std::string difference; ///< from an eager run with the same inputs; empty where there is none
    friend bool operator==(const TreeReportStep&, const TreeReportStep&) = default;
};

struct TreeReport {
    std::string backend; ///< "cpu", "cuda"
    std::vector<TreeReportStep> steps;
    std::size_t nodes = 0; ///< warm-ups and recordings
    std::uint64_t poolBytes = 0;
    std::uint64_t verified = 0, different = 0; ///< calls held against eager runs, bit by bit
    std::uint64_t undecided = 0;               ///< calls whose eager run gives something else each time
    friend bool operator==(const TreeReport&, const TreeReport&) = default;

    [[nodiscard]] std::size_t count(std::string_view action) const;
    [[nodiscard]] std::size_t rerecords() const;
};

/// Words for all steps so far; what was measured is left to the caller.
[[nodiscard]] TreeReport reportOf(const TreeManager& manager);

[[nodiscard]] nlohmann::json toJson(const TreeReport& report);
/// Fails on anything but what toJson makes.
[[nodiscard]] Result<TreeReport> treeReportFromJson(const nlohmann::json& document);

} // namespace dynascope::replay
