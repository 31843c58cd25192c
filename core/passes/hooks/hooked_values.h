// SPDX-License-Identifier: BSD-3-Clause
//
// What saved-tensors hooks made of each value that forward saves, in words: packed into what, or why the
// filter left it as it is.
#pragma once

#include "core/ir/symbol_value.h"
#include "core/passes/hooks/saved_tensors_hooks.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::passes::hooks {

/// Who says which filter was on.
enum class FilterSource : std::uint8_t {
    Default,  ///< nobody: it is PyTorch's default
    Recorded, ///< the capture
    Given,    ///< whoever asks
};

/// A filter's name as PyTorch spells it; what it does not know it treats as "all", and so does this.
[[nodiscard]] Filter filterNamed(std::string_view mode);
[[nodiscard]] std::string_view filterName(Filter filter); ///< "donated"

/// What became of one value that is saved for backward.
struct HookedValue {
    std::string saved;
    bool packed = false;             ///< else it is saved as it is
    std::vector<std::string> values; ///< what is saved in its place: outputs of forward
    std::string text;                ///< "f8e4m3fn[4, 6]", of all of them
    std::int64_t bytes = 0;          ///< of all of them; -1 where a size has no value
    std::int64_t bytesBefore = -1;   ///< of the saved tensor itself; -1 where a size has no value
    std::string why;                 ///< one sentence, without a full stop
};

/// In the order of forward's outputs. Sizes that are symbols count with the values in `hints`.
[[nodiscard]] std::vector<HookedValue> hookedValues(const Request& request, const Hooked& hooked,
                                                    FilterSource source, const ir::SymbolValues& hints);

/// One sentence where hooks were on and nothing was packed: what was saved and which filter left it out;
/// empty where something was packed.
[[nodiscard]] std::string nothingPacked(const std::vector<HookedValue>& values, Filter filter,
                                        FilterSource source);

/// The bytes of a dense tensor with these symbols; nothing where a size has no value.
[[nodiscard]] std::optional<std::int64_t> bytesAt(const ir::TensorMeta& meta, const ir::SymbolValues& hints);

} // namespace dynascope::passes::hooks
