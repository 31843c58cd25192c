// SPDX-License-Identifier: BSD-3-Clause
//
// Small libraries over X11 that Qt's platform xcb needs and many desktops lack: Qt 6.5 and newer do not start without libxcb-cursor,
// say, which no GNOME brings.
#pragma once

#include <string>

namespace dynascope::app {

/// Loads those of `folder` (in a wheel lib/desktop beside the programs, elsewhere there is none) that the system lacks. Qt's platform,
/// loaded later, then has them by their names. Call it before QApplication is made. Returns how many were loaded.
int loadDesktopLibraries(const std::string& folder);
/// That folder of this program.
[[nodiscard]] std::string desktopLibraryFolder();

} // namespace dynascope::app
