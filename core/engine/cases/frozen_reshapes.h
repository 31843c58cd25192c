// SPDX-License-Identifier: BSD-3-Clause
//
// torch.reshape in traced graphs: it decomposes to a view or to a copy by the strides of the moment, with all
// sizes written out. Internal to the oracle runner.
#pragma once

#include <string>
#include <string_view>

namespace dynascope::engine {

struct FrozenReshapes {
    /// Whether two FX texts differ only in sizes of views that the first leaves to be inferred (-1).
    [[nodiscard]] static bool sameButInferredSizes(std::string_view inferred, std::string_view written);
    /// The FX text with aten.reshape in the place of each clone that an _unsafe_view alone reads. Empty where
    /// there is none, or where the text cannot be read.
    [[nodiscard]] static std::string thawed(const std::string& graph);
};

} // namespace dynascope::engine
