// SPDX-License-Identifier: BSD-3-Clause
//
// What the page Profile shows of a joined profile, made on a worker.
#pragma once

#include "core/profile/grouped.h"
#include "views/base/row_table.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace dynascope::views {

/// A joined profile with what is known of its rows. Workers ask one at a time.
struct JoinedProfile {
    std::mutex mutex;
    profile::JoinedPtr joined;
    std::unique_ptr<profile::Facts> facts; ///< guarded by `mutex`
};

/// Where a row leads; compile -1 for nowhere.
struct ProfileLink {
    int compile = -1;
    session::StagePtr graph, code; ///< the graph with `node`; output code
    std::string node;
    ir::SourceLocation line; ///< line 0 for none
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
    Compile,
    Kernel,
    Line,
    Module,
    Evidence
};
[[nodiscard]] std::vector<TableColumn> profileColumns();

/// Joins where that was not done yet. Nothing where the task was cancelled.
[[nodiscard]] std::vector<ProfileRow> profileRows(JoinedProfile& profile, profile::By by, int step);

/// Where each row of the joined profile leads.
[[nodiscard]] std::vector<ProfileLink> rowLinks(JoinedProfile& profile);

/// The rows in which `filter` is, in any column, whatever the case; with their numbers.
[[nodiscard]] std::vector<TableRow> tableRows(const profile::Joined& joined,
                                              const std::vector<ProfileRow>& rows, const QString& filter,
                                              std::vector<int>& numbers);

/// "12.3 µs" of nanoseconds.
[[nodiscard]] QString profileTime(double nanoseconds);

} // namespace dynascope::views
