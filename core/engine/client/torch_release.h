// SPDX-License-Identifier: BSD-3-Clause
//
// Releases of PyTorch: what one derives, another may have done otherwise.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dynascope::engine {

/// "PyTorch 2.13 here, 2.11 there" of the engine's version and a capture's, such as "2.11.0+cu130". Empty
/// where they are one release, or where either is not known.
[[nodiscard]] std::string releasesApart(std::string_view here, std::string_view there);

/// The PyTorch that an engine was built with and does not find.
struct LackingTorch {
    std::string needed;           ///< "2.13.0"
    std::string found;            ///< the version that is there, "2.11.0+cu130"; empty: none
    std::filesystem::path folder; ///< where it was looked for
    /// A sentence with what to do about it.
    [[nodiscard]] std::string words() const;
};

/// What the engine `command`, a path with its arguments, lacks before it is started: one from a wheel has a file beside it,
/// "dynascope-engine.needs", with version and folder of its PyTorch ("torch 2.13.0 ../../torch"). Another version has other
/// symbols, which the loader would name one of, or other layouts of the same. Nothing where that version is there, or where
/// no such file is.
[[nodiscard]] std::optional<LackingTorch> lackingTorch(const std::vector<std::string>& command);

} // namespace dynascope::engine
