// SPDX-License-Identifier: BSD-3-Clause
#include "core/engine/sandbox/environment_variables.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace dynascope::engine {

bool isNeededVariable(std::string_view name) {
    constexpr std::array names{"LANG",         "LANGUAGE",         "TZ",           "LD_LIBRARY_PATH",
                               "ASAN_OPTIONS", "LSAN_OPTIONS",     "TSAN_OPTIONS", "UBSAN_OPTIONS",
                               "MSAN_OPTIONS", "LLVM_PROFILE_FILE"};
    constexpr std::array families{"LC_",     "OMP_",  "GOMP_",   "KMP_",       "MKL_",    "DNNL_",
                                  "ONEDNN_", "ATEN_", "TORCH",   "PYTORCH",    "CUDA_",   "CUDNN_",
                                  "CUBLAS",  "CUPTI", "NVIDIA_", "DYNASCOPE_", "MALLOC_", "GLIBC_"};
    return std::any_of(names.begin(), names.end(), [&](std::string_view known) { return name == known; }) ||
           std::any_of(families.begin(), families.end(),
                       [&](std::string_view family) { return name.starts_with(family); });
}

void scrubEnvironment() {
    std::vector<char*> entries;
    for (char** entry = environ; entry && *entry; ++entry) {
        const std::string_view text = *entry;
        if (!isNeededVariable(text.substr(0, text.find('=')))) entries.push_back(*entry);
    }
    for (char* entry : entries) {
        const std::string_view text = entry;
        ::unsetenv(std::string(text.substr(0, text.find('='))).c_str());
        std::memset(entry, 0, text.size());
    }
}

} // namespace dynascope::engine
