// SPDX-License-Identifier: BSD-3-Clause
//
// A report of a capture as one HTML file, which opens without this program and without a network: answers, breaks,
// recompiles, times, CUDA graphs and memory, and every stage's graph with what changed in it. Of the same capture the same
// bytes, but for the path it was opened by, so that two reports can be compared as texts. What comes from a capture is text
// in it, never markup, and its Content-Security-Policy lets it load and send nothing.
#pragma once

#include "core/base/task.h"
#include "core/report/documents.h"
#include "core/session/session.h"

#include <cstddef>
#include <string>

namespace dynascope::report {

struct HtmlOptions {
    /// Bytes that the file may have. Where a capture holds more, first what blocks hold is not drawn, then pictures and texts of
    /// later stages are left out, and each place says so. What else is in a report is not cut, and may alone be more.
    std::size_t mostBytes = 4'800'000;
};

/// Never fails: a stage that cannot be read says so in its place. Reads every graph and aligns each with the one before, so that
/// it takes seconds for large captures: for a worker. What was cancelled is incomplete.
[[nodiscard]] std::string html(const Contents& contents, const session::SessionPtr& session,
                               const HtmlOptions& options = {}, const TaskContext& task = {});

} // namespace dynascope::report
