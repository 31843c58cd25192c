// SPDX-License-Identifier: BSD-3-Clause
//
// Captures whose files change while they are open: what changed, and reading them again. A log that grows is
// read on from memory, and what it held before stays the same objects, so that whoever shows it need not
// begin anew.
#pragma once

#include "core/base/task.h"
#include "core/capture/disk_stamp.h"
#include "core/capture/open.h"
#include "core/session/session.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::capture {

/// Of a file, or of all files below a folder (at most 5000). Blocks for as many calls of the system; contents
/// are not read.
[[nodiscard]] DiskStamp stampOf(const std::string& path);
/// Of the files alone that a session was read from.
[[nodiscard]] DiskStamp stampOf(const session::Inputs& inputs);

/// What happened to the files of a capture; of several things the last in this order.
enum class DiskChange : std::uint8_t {
    None,
    Grew,      ///< or another log came into the folder
    Rewritten, ///< written to, and no larger than it was
    Truncated,
    Replaced, ///< another file has its name
    Gone
};

struct Changed {
    DiskChange change = DiskChange::None;
    std::string file; ///< the path of the first file that it happened to
};
[[nodiscard]] Changed changedSince(const DiskStamp& before, const DiskStamp& now);

/// "train.log was replaced by another file", "train.log grew"; empty for None.
[[nodiscard]] std::string changeWords(const Changed& changed);

/// How a capture is read again.
enum class Again : std::uint8_t {
    Whole, ///< as it is: a record that is cut off at the end is a warning
    SoFar  ///< as far as its records are complete: the last one may still be in the making
};

class LogMemory;

/// Reads the input of `before` again. Stages that are what they were are those of `before` (of the same
/// compile, the same name and the same bytes), with the graphs that were read of them. An Error where
/// nothing can be read, as open() has it; of a log without a single complete record one with the
/// code NothingToRead. With a `memory` that earlier
/// calls had, TORCH_TRACE logs are read on from where they were read to; what comes out is the same. Blocks.
[[nodiscard]] Result<session::SessionPtr> readAgain(const session::Session& before, Again again,
                                                    const TaskContext& task = {},
                                                    std::shared_ptr<LogMemory> memory = nullptr);

/// The same of files that were got again elsewhere: `now` is of the same path, and lacks what was attached.
[[nodiscard]] Result<session::SessionPtr> readAgain(const session::Session& before, session::Inputs now,
                                                    const std::vector<session::Warning>& unusable,
                                                    const TaskContext& task = {});

/// Whether every file of an input begins as it did before: nothing of what was read is another now. Compares
/// bytes that are not the same memory.
[[nodiscard]] bool goesOn(const session::Inputs& before, const session::Inputs& now);

/// Where the last record of a log begins that is not complete, by its end of line and by its payload's hash;
/// the log's size where it is.
[[nodiscard]] std::uint64_t completeLength(std::string_view log);

} // namespace dynascope::capture
