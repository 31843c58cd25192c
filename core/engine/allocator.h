// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dynascope::engine {

/// Sets the C library's allocator up for a process that makes and drops millions of small nodes. Fastbins are
/// off, since glibc merges all of them at every larger request; freed memory stays with the process up to a
/// limit, so that the next run need not fault its pages in again. To be called before other threads start;
/// does nothing where the C library is not glibc.
void tuneAllocator();

} // namespace dynascope::engine
