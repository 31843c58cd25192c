// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace dynascope::test {

/// How long a test waits for what must come, in ms, before it says that it did not: long enough for a busy machine.
inline constexpr int patience = 60'000;

} // namespace dynascope::test
