// SPDX-License-Identifier: BSD-3-Clause
//
// Releases of PyTorch: what one derives, another may have done otherwise.
#pragma once

#include <string>
#include <string_view>

namespace dynascope::engine {

/// "PyTorch 2.13 here, 2.11 there" of the engine's version and a capture's, such as "2.11.0+cu130". Empty
/// where they are one release, or where either is not known.
[[nodiscard]] std::string releasesApart(std::string_view here, std::string_view there);

} // namespace dynascope::engine
