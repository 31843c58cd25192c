// SPDX-License-Identifier: BSD-3-Clause
//
// Run times beside the lines of a source file, as perf annotate has them.
#pragma once

#include "core/profile/line_times.h"
#include "views/base/code_view.h"
#include "views/base/source_text.h"

namespace dynascope::views {

/// Gives the marks of a file the run times of its lines, in the place of compile times, which the tool tips keep. Of a
/// file without times nothing changes. Times are milliseconds where one takes 10 or more, else microseconds.
void addRunTimes(QHash<int, GutterMark>& marks, const profile::LineTimes& times, const SourceText& text);

/// "Run time: µs in a step; 98 % of the time of kernels and nodes has a line"; empty where the file has no times.
[[nodiscard]] QString runTimesNote(const profile::LineTimes& times, const SourceText& text, bool steps);

} // namespace dynascope::views
