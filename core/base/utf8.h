// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

namespace dynascope {

/// Appends a code point below 0x110000 as UTF-8. A surrogate is encoded as it is; who must not have one
/// replaces it first.
void appendUtf8(std::string& out, std::uint32_t point);

} // namespace dynascope
