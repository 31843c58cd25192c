// SPDX-License-Identifier: BSD-3-Clause
//
// The pages of the centre, in the order of their bar.
#pragma once

#include "views/workspace/page_spec.h"

#include <vector>

namespace dynascope::app {

[[nodiscard]] const std::vector<views::PageSpec>& pageSpecs();
/// Null for the page that welcomes, which has no place of its own.
[[nodiscard]] const views::PageSpec* pageSpec(views::Page page);
/// "go.breaks".
[[nodiscard]] QString pageAction(const views::PageSpec& spec);

} // namespace dynascope::app
