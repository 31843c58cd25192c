// SPDX-License-Identifier: BSD-3-Clause
#include "core/base/own_program.h"

namespace dynascope {

std::filesystem::path ownFolder() {
    std::error_code failure;
    return std::filesystem::read_symlink("/proc/self/exe", failure).parent_path();
}

} // namespace dynascope
