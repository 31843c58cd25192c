// SPDX-License-Identifier: BSD-3-Clause
//
// What the window says in the bar above its pages.
#pragma once

#include "app/gui/chrome.h"
#include "app/gui/main_window.h"
#include "tests/support/parts.h"

namespace dynascope::test {

[[nodiscard]] inline const app::MessageBar& messageBar(const app::MainWindow& window) {
    return *part<app::MessageBar>(window, "messageBar");
}

} // namespace dynascope::test
