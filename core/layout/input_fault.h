// SPDX-License-Identifier: BSD-3-Clause
//
// What both engines of layout ask of an input before they begin.
#pragma once

#include "core/layout/layout.h"

#include <optional>

namespace dynascope::layout::detail {

/// Why nothing can be laid out: names of boxes and clusters that do not exist, sizes that are none, clusters
/// in a circle or nested over 200 deep. Nothing where all is sound; then every chain of parents ends.
[[nodiscard]] std::optional<Error> inputFault(const LayoutInput& input);

} // namespace dynascope::layout::detail
