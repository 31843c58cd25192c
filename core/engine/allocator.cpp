// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/allocator.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace dynascope::engine {

void tuneAllocator() {
#ifdef __GLIBC__
    constexpr int kept = 128 << 20, pad = 32 << 20;
    ::mallopt(M_MXFAST, 0);
    ::mallopt(M_TRIM_THRESHOLD, kept);
    ::mallopt(M_TOP_PAD, pad);
#endif
}

} // namespace dynascope::engine
