// SPDX-License-Identifier: BSD-3-Clause
//
// A joined profile as a picture over time: which events lie beside each other in which row. Positions are left to who
// draws. Any thread.
#pragma once

#include "core/profile/join.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::profile {

/// What time was spent on, as sharesOf() adds it up.
enum class Spent : std::uint8_t {
    Computed, ///< kernels and nodes of compiled graphs
    Guards,
    Wrappers, ///< and bytecode around them
    /// Collectives of compiled graphs, with the waits for other ranks in them; told apart by spentOf() alone, since it
    /// takes the graph to know.
    Collective,
    Broken,  ///< eager code after graph breaks
    Outside, ///< outside compiled code
    Groups,  ///< collectives on threads of process groups
    Other    ///< no node that is known, or on a device and launched by nobody
};
inline constexpr std::size_t spentCount = 8;
/// In a few words: "wrappers".
[[nodiscard]] std::string_view spentWords(Spent spent);
[[nodiscard]] Spent spentOn(const Row& row);
/// Of an event that takes time; Spent::Other for any other.
[[nodiscard]] Spent spentOn(const Joined& joined, std::uint32_t event);

struct Lane {
    enum class What : std::uint8_t {
        Regions,  ///< compiled regions, of all threads
        Guards,   ///< of all threads
        Graphs,   ///< calls of graphs with AOTAutograd's wrapper around them, of all threads
        Computed, ///< kernels and nodes on the CPU, of all threads, without what they call
        Broken,   ///< eager code after graph breaks, of all threads, without what it calls
        Thread,   ///< what a thread ran, nested
        Stream,   ///< of a device
        Foreign   ///< events of another producer, nested
    };
    What what = What::Thread;
    std::uint32_t track = none; ///< into Profile::tracks; none for lanes of all threads
    std::uint8_t device = 0;    ///< into Profile::devices
    /// Events, outermost row first. Within a row by start, and none begins before the one before it ends.
    std::vector<std::vector<std::uint32_t>> rows;
    std::size_t leftOut = 0; ///< events that would lie deeper than the last row
};

inline constexpr std::size_t mostLaneRows = 48;

/// Lanes that hold anything: regions, guards, graphs, kernels, breaks, streams, then threads by how long they were
/// busy. Linear in the events but for sorting; empty where the task was cancelled.
[[nodiscard]] std::vector<Lane> lanesOf(const Joined& joined, const TaskContext& task = {});

/// The event of a row that a time lies in; none for none.
[[nodiscard]] std::uint32_t eventAt(const Profile& profile, const std::vector<std::uint32_t>& row,
                                    std::int64_t time);

/// "0/0" of a region and its guards, "0/0 backward" of a call that is joined, "0/0 backward wrapper" of what AOTAutograd has around it, "cpp_fused_relu_0" of "graph_0_cpp_fused_relu_0"; else
/// the name as it is.
[[nodiscard]] std::string boxLabel(const Joined& joined, std::uint32_t event);

} // namespace dynascope::profile
