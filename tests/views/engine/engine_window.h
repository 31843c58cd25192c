// SPDX-License-Identifier: BSD-3-Clause
//
// The window with an engine that a test chooses, offscreen.
#pragma once

#include "app/gui/main_window.h"
#include "tests/support/patience.h"
#include "tests/views/engine/engine_fixture.h"

namespace dynascope::test {

struct EngineWindow {
    views::TaskRunner tasks;
    views::Workspace workspace{tasks};
    views::Theme theme;
    app::Settings settings{QString()};
    app::MainWindow window;

    explicit EngineWindow(std::vector<std::string> engine)
        : window(workspace, theme, settings, nullptr, std::move(engine)) {
        settings.setOpensOnAnswers(false); // most tests are about stages, and ask the engine themselves
        settings.setChecksStages(false);
        window.resize(1600, 1000);
        window.show();
    }
    /// Waits until everything that was asked for is shown.
    [[nodiscard]] bool settles() {
        return QTest::qWaitFor([this] { return window.isSettled(); }, test::patience);
    }
};

} // namespace dynascope::test
