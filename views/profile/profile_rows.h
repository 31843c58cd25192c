// SPDX-License-Identifier: BSD-3-Clause
//
// What the page Profile shows of a joined profile, made on a worker.
#pragma once

#include "core/profile/grouped.h"
#include "views/base/row_table.h"
#include "views/profile/roofline_view.h"
#include "views/workspace/joined_profiles.h"

#include <optional>
#include <string>
#include <vector>

namespace dynascope::views {

/// Where a row leads; compile -1 for nowhere.
struct ProfileLink {
    int compile = -1;
    session::StagePtr graph, code; ///< the graph with `node`; output code
    std::string node;
    ir::SourceLocation line; ///< line 0 for none
    int otherLines = 0;      ///< that a fused kernel computes besides
    bool isBreak = false;
};

struct ProfileRow {
    profile::GroupedRow row;
    ProfileLink link;
};

/// Columns of the table; kernels and lines are links.
enum class ProfileColumn : int {
    What,
    Self,
    Share,
    Median,
    Spread,
    Count,
    Achieved,
    Saveable, ///< with peaks alone
    Compile,
    Kernel,
    Line,
    Module,
    Evidence
};
[[nodiscard]] std::vector<TableColumn> profileColumns();

/// `profile` is locked by who calls, here and below.
[[nodiscard]] std::vector<ProfileRow> profileRows(JoinedProfile& profile, profile::By by, int step);

/// Where rows (into Joined::rows) lead: the first that leads anywhere.
[[nodiscard]] ProfileLink rowLink(JoinedProfile& profile, const std::vector<std::uint32_t>& rows);
/// Where each row of the joined profile leads.
[[nodiscard]] std::vector<ProfileLink> rowLinks(JoinedProfile& profile);

/// The rows of a device (into Profile::devices) in which `filter` is, in any column, whatever the case; with their numbers.
/// Shares are of the time that the device was busy, or all of them.
[[nodiscard]] std::vector<TableRow> tableRows(const profile::Joined& joined,
                                              const std::vector<ProfileRow>& rows, const QString& filter,
                                              std::vector<int>& numbers,
                                              const std::optional<profile::Peaks>& peaks = {},
                                              int device = profile::everyDevice);

/// Those of `numbers` whose FLOPs and bytes are known, over all steps; a point's row is its place in `numbers`.
/// `moveOnly` counts those with bytes and without FLOPs.
[[nodiscard]] std::vector<RooflinePoint>
rooflinePoints(const std::vector<ProfileRow>& rows, const std::vector<int>& numbers, std::size_t& moveOnly);

/// "12.3 µs" of nanoseconds.
[[nodiscard]] QString profileTime(double nanoseconds);

} // namespace dynascope::views
