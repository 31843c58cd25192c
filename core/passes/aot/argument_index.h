// SPDX-License-Identifier: BSD-3-Clause
//
// Positions in the argument lists of AOTAutograd's layers. Each layer has its own list, so each has its own
// type: an index of one cannot be taken for an index of another.
#pragma once

#include <compare>
#include <cstddef>

namespace dynascope::passes::aot {

template <typename Layer>
struct ArgumentIndex {
    std::size_t value = 0;
    friend auto operator<=>(const ArgumentIndex&, const ArgumentIndex&) = default;
};

/// As the compiled function is called.
using OuterIndex = ArgumentIndex<struct OuterArguments>;
/// After repeated tensors were dropped.
using KeptIndex = ArgumentIndex<struct KeptArguments>;
/// As the traced graph takes them: synthetic bases first.
using InnerIndex = ArgumentIndex<struct InnerArguments>;

} // namespace dynascope::passes::aot
