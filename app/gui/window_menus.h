// SPDX-License-Identifier: BSD-3-Clause
//
// What is made of the window's actions: menus, the list of keys, icons.
#pragma once

#include "app/gui/window_part.h"

namespace dynascope::app {

class WindowMenus : public WindowPart {
    Q_OBJECT
public:
    using WindowPart::WindowPart;

    void documentKeys(); ///< those that widgets handle themselves
    /// Made anew of all actions that there are now.
    void rebuild();
    void refreshIcons();

signals:
    void pathChosen(const QString& path); ///< of what was opened lately
};

} // namespace dynascope::app
