// SPDX-License-Identifier: BSD-3-Clause
//
// Internal to the layers: outputs that count their inputs in another list.
#pragma once

#include "core/passes/aot/metadata.h"

namespace dynascope::passes::aot {

/// `remap(From)` gives the place of an input in the new list.
template <typename To, typename From, typename Remap>
[[nodiscard]] OutputAliasInfo<To> remapped(const OutputAliasInfo<From>& output, const Remap& remap) {
    OutputAliasInfo<To> out;
    out.type = output.type;
    if (output.input) out.input = remap(*output.input);
    out.base = output.base;
    out.requiresGrad = output.requiresGrad;
    out.requiresGradForBackward = output.requiresGradForBackward;
    out.rawType = output.rawType;
    return out;
}

} // namespace dynascope::passes::aot
