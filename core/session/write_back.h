// SPDX-License-Identifier: BSD-3-Clause
//
// Why a graph's input that the graph writes has to hold its new value once the graph returns: where the frame
// breaks, the code after the break is outside the graph and reads the tensor itself.
#pragma once

#include "core/session/breaks.h"

#include <optional>
#include <string_view>

namespace dynascope::session {

/// Indices into Session::compiles and BreakSummary::groups; SIZE_MAX for none.
struct BreakAfterWrite {
    const GraphBreak* graphBreak = nullptr; ///< the one that ends the compile's graph
    std::size_t group = SIZE_MAX;
    /// The frame that goes on after the break and takes the same input in. None where only the code between
    /// the two, or the caller, can see it.
    std::size_t resumed = SIZE_MAX;
};

/// For input `source` ("L['x']") of compile `compile`. Nothing where the compile's frame ends without a
/// break: then the input belongs to the caller alone.
[[nodiscard]] std::optional<BreakAfterWrite> breakAfterWrite(const Session& session,
                                                             const BreakSummary& breaks, std::size_t compile,
                                                             std::string_view source);

} // namespace dynascope::session
