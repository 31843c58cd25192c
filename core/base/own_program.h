// SPDX-License-Identifier: BSD-3-Clause
//
// Where the running program lies, and what was installed with it.
#pragma once

#include <filesystem>

namespace dynascope {

/// The folder of the running program, as the kernel knows it: links are followed, and PATH plays no part. Empty where
/// /proc does not say. Any thread.
[[nodiscard]] std::filesystem::path ownFolder();

/// Where it was installed: "share" and "lib" lie there. Empty where ownFolder() is.
[[nodiscard]] inline std::filesystem::path ownPrefix() {
    return ownFolder().parent_path();
}

} // namespace dynascope
