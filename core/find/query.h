// SPDX-License-Identifier: BSD-3-Clause
//
// Which rows a filter finds. A row is found where the filter says yes of it: terms about what a row of its kind does not
// have (`kernel:` of a node, `status:` of a graph that nothing came before) are neither yes nor no.
#pragma once

#include "core/find/entries.h"
#include "core/session/filter.h"

#include <string_view>
#include <vector>

namespace dynascope::find {

/// Indices into Entries::rows, rising; `capture:` looks at `title`. Each text is looked at once for each term. Pure; any thread.
[[nodiscard]] std::vector<std::size_t> findIn(const Entries& entries, std::string_view title,
                                              const session::Filter& filter);

} // namespace dynascope::find
