// SPDX-License-Identifier: BSD-3-Clause
//
// What of a compile's inputs a rank holds, and which of them are a part of something that all ranks hold together: by
// DTensor's placements in Dynamo's graph, and by collectives that gather an input. Used by core/ranks only.
#pragma once

#include "core/session/session.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dynascope::ranks::detail {

struct HeldPart {
    std::string name;
    std::uint64_t bytes = 0; ///< on a rank
    std::string words;       ///< how it is known to be a part
};

struct HeldInputs {
    std::uint64_t bytes = 0;     ///< of all inputs whose sizes are numbers
    std::vector<HeldPart> parts; ///< sharded over all `ranks`, in order of the inputs
    std::vector<std::string> limits;
};

[[nodiscard]] HeldInputs heldInputs(const session::Compile& compile, std::int64_t ranks);

} // namespace dynascope::ranks::detail
