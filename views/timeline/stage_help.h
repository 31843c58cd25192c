// SPDX-License-Identifier: BSD-3-Clause
//
// What each captured stage is, in a sentence or two: the tooltips of the timeline and the inspector.
#pragma once

#include <QString>
#include <string_view>

namespace dynascope::views {

/// By the trace's own stage name ("before_post_grad_graph"). Names that are not known get a general sentence.
[[nodiscard]] QString stageHelp(std::string_view stageName);

} // namespace dynascope::views
