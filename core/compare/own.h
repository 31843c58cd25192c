// SPDX-License-Identifier: BSD-3-Clause
//
// What is a process's own in the texts that it wrote: the index of its device, addresses and object ids. Pure; any
// thread.
#pragma once

#include "core/session/session.h"

#include <cstddef>
#include <string>
#include <string_view>

namespace dynascope::compare {

/// The device index that a rank's graphs, code and inputs name most; -1 where they name none, or two alike often.
[[nodiscard]] int ownDevice(const session::Session& session, int rank);

/// The text with "own" in the place of every device index that is `own`: alike for all ranks that do the same.
/// As it is where `own` is negative. Linear.
[[nodiscard]] std::string withoutOwnDevice(std::string_view text, int own);

/// The text as two processes can share it: addresses ("0x7f5510b32a20", and numbers of at least `digits`
/// digits) become "<id>".
[[nodiscard]] std::string withoutAddresses(std::string_view text, std::size_t digits = 12);

} // namespace dynascope::compare
