// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdlib>

namespace dynascope::fuzz {

/// What must hold for every input; the fuzzer takes an abort for a find.
inline void expect(bool good) {
    if (!good) std::abort();
}

} // namespace dynascope::fuzz
