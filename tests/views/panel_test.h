// SPDX-License-Identifier: BSD-3-Clause
//
// A workspace, a theme and a shown panel, for the offscreen tests of panels.
#pragma once

#include "tests/support/open_captures.h"
#include "tests/support/patience.h"
#include "views/base/panel.h"
#include "views/base/panel_turns.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QSignalSpy>

#include <functional>

namespace dynascope::test {

struct Fixture {
    views::TaskRunner tasks;
    views::Workspace workspace{tasks};
    views::Theme theme;

    Fixture() { theme.setScheme(views::ColourScheme::Dark); }

    template <typename T>
    std::unique_ptr<T> show(int width = 900, int height = 500) {
        auto panel = std::make_unique<T>(workspace, theme);
        panel->resize(width, height);
        panel->show();
        settle();
        return panel;
    }

    /// Until no task is running, nor one that a deferred refresh began, and `also` holds. QTRY_VERIFY asks once more
    /// after a yes, and isCalm() runs events, so that the second answer may be no: the first one counts.
    void settle(const std::function<bool()>& also = {}) {
        bool held = false;
        QTRY_VERIFY_WITH_TIMEOUT(held || (held = isCalm() && (!also || also())), patience);
    }
    [[nodiscard]] bool isCalm() {
        for (int i = 0; i < 5; ++i) {
            QCoreApplication::processEvents();
            if (!tasks.isIdle() || !views::PanelTurns::of(workspace).isIdle()) return false;
        }
        return true;
    }

    void select(views::Side side, const char* node) {
        const ir::GraphPtr graph = workspace.stage(side).graph;
        QVERIFY(graph);
        workspace.selectNode({side, graph->find(node)});
        settle();
    }

    int compileIndex(const char* id) {
        const session::Session* session = workspace.session();
        return int(session->find(0, id) - session->compiles.data());
    }
};

inline views::Workspace::Capture captureOf(session::Session session) {
    auto shared = std::make_shared<const session::Session>(std::move(session));
    return {shared, session::summarizeBreaks(*shared)};
}

} // namespace dynascope::test
