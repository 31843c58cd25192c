// SPDX-License-Identifier: BSD-3-Clause
#include "app/gui/desktop_libraries.h"

#include "core/base/own_program.h"

#include <array>
#include <dlfcn.h>
#include <filesystem>

namespace dynascope::app {

namespace {

// Each needs none but those before it.
constexpr std::array libraries{"libxcb-util.so.1",  "libxcb-render.so.0", "libxcb-render-util.so.0",
                               "libxcb-shm.so.0",   "libxcb-image.so.0",  "libxcb-keysyms.so.1",
                               "libxcb-icccm.so.4", "libxcb-randr.so.0",  "libxcb-shape.so.0",
                               "libxcb-sync.so.1",  "libxcb-xfixes.so.0", "libxcb-xkb.so.1",
                               "libxcb-cursor.so.0"};

} // namespace

int loadDesktopLibraries(const std::string& folder) {
    int loaded = 0;
    std::error_code failure;
    if (!std::filesystem::is_directory(folder, failure)) return 0;
    for (const char* const name : libraries)
        // What is opened stays open: the loader takes a library of that name for what Qt's platform asks for.
        if (!dlopen(name, RTLD_LAZY) && dlopen((folder + '/' + name).c_str(), RTLD_LAZY)) ++loaded;
    return loaded;
}

std::string desktopLibraryFolder() {
    const std::filesystem::path own = ownPrefix();
    return own.empty() ? std::string() : (own / "lib" / "desktop").string();
}

} // namespace dynascope::app
