// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of a joined profile: its time by node, kernel, source line, module, stage, compile, graph break, step, or operator as
// PyTorch's own table has it. However it is grouped, the rows of a device add up to its busy time.
#pragma once

#include "core/profile/facts.h"
#include "core/profile/lanes.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::profile {

enum class By : std::uint8_t { Node, Kernel, Line, Module, Stage, Compile, Break, Step, Operator };
inline constexpr std::array<std::string_view, 9> byNames = {"node",    "kernel", "line", "module",  "stage",
                                                            "compile", "break",  "step", "operator"};
[[nodiscard]] std::optional<By> byNamed(std::string_view name);

struct GroupedRow {
    std::string key; ///< what the row is of, in words
    std::uint8_t device = 0;
    std::vector<std::uint32_t> rows; ///< into Joined::rows; empty for By::Step and By::Operator
    Part part = Part::Eager;         ///< of all of them, else of the longest
    std::string compile, stage, node, kernel, file, module; ///< empty where they differ, or none
    std::string evidence;                                   ///< of the row with the most time
    std::uint32_t line = 0;
    bool joined = false;          ///< to a compile or a graph break
    std::size_t count = 0;        ///< events; turns for By::Step
    double self = 0;              ///< nanoseconds
    std::optional<double> median; ///< nanoseconds in a step; nothing where there are no steps
    Work work; ///< of all its events, over all steps; nothing where one of its rows has none that is known
    std::vector<std::pair<int, double>> bySteps; ///< as Row::bySteps; empty for By::Step
};

inline constexpr int allSteps = -2;

/// The most time first; steps in their order. Of one step (into Profile::steps) where one is given: then rows without
/// time in it are left out, and the others keep their counts and medians over all.
[[nodiscard]] std::vector<GroupedRow> grouped(Facts& facts, By by, int step = allSteps);

/// Of Profile::devices.
inline constexpr int everyDevice = -1;
/// The one that programs are written for: of those that are no CPU the one that was busy longest; everyDevice where there
/// is none. Its time and the CPU's, which mostly launches what it runs, mean nothing when they are added up.
[[nodiscard]] int mainGpu(const Profile& profile);

/// Where the time of all devices, or of one, goes, in nanoseconds.
struct Shares {
    std::array<double, spentCount> time{}; ///< by Spent
    [[nodiscard]] double on(Spent spent) const { return time[static_cast<std::size_t>(spent)]; }
    [[nodiscard]] double all() const;
};
/// As spentOn(), with collectives apart.
[[nodiscard]] Spent spentOf(Facts& facts, std::size_t row);
[[nodiscard]] Shares sharesOf(Facts& facts, int step = allSteps, int device = everyDevice);

/// What a device can do at most.
struct Peaks {
    double flopsPerSecond = 0; ///< of any type; of several the fastest
    double bytesPerSecond = 0;
    std::map<std::string, double> flopsByType{}; ///< "bf16": where it was measured of that type

    /// Of products of that type (Work::type), else of any.
    [[nodiscard]] double flopsOf(const std::string& type) const;
};
/// The device that a profile is about, whose peaks bound it: mainGpu(), else "cpu".
[[nodiscard]] const std::string& mainDevice(const Profile& profile);
/// Nanoseconds that a row would take less at those peaks; nothing where its work is not known, or is none.
[[nodiscard]] std::optional<double> saveable(const GroupedRow& row, const Peaks& peaks);

/// Adds so much of a row's time to that of each step, by step; what lies outside all steps is left out.
void addSteps(const Row& row, double part, std::vector<double>& bySteps);

/// Median of numbers; 0 of none.
[[nodiscard]] double medianOf(std::vector<double> values);
/// Of how far numbers lie from their median.
[[nodiscard]] double medianDeviation(const std::vector<double>& values);
inline constexpr std::size_t fewestSteps = 3; ///< that noise can be told from

} // namespace dynascope::profile
