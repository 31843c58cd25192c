// SPDX-License-Identifier: BSD-3-Clause
//
// Searching many captures at once: those of a folder, below it too, by an index in SQLite that lies in it
// (".dynascope-find.sqlite"). A file is read again where its size or time is another than the index says. The index is
// only ever replaced as a whole, so that several may search at once; one that is damaged, or of another version, is made
// anew. Files are captures by their names: *.log, packed or not, *.pt2 and *.dynascope; hidden folders and links to
// folders are passed by.
#pragma once

#include "core/base/result.h"
#include "core/base/task.h"
#include "core/find/entries.h"
#include "core/session/filter.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace dynascope::find {

/// Of one file what was found. References live as long as the call that hands them over.
struct FoundIn {
    const std::string& path;  ///< within the folder; of a single file as it was given
    const std::string& title; ///< of the capture
    const Entries& entries;
    std::vector<std::size_t> rows; ///< into Entries::rows, rising
};

struct Searched {
    std::size_t captures = 0; ///< that were searched
    std::size_t read = 0;     ///< of them, those that the index did not have as they are
    std::size_t unread = 0;   ///< graphs that cannot be read
    /// Files that are no capture that can be read, with the reason.
    std::vector<Error> problems;
    std::string notKept; ///< why the index could not be written; empty where it was, or need not be
};

/// Searches a file, without an index, or a folder, in the order of paths, and calls `found` for each capture that has
/// something. An Error where `path` cannot be read at all, or when it was cancelled. Blocks.
[[nodiscard]] Result<Searched> search(const std::string& path, const session::Filter& filter,
                                      const std::function<void(const FoundIn&)>& found,
                                      const TaskContext& task = {});

} // namespace dynascope::find
