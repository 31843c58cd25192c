// SPDX-License-Identifier: BSD-3-Clause
//
// A workspace, a theme and a shown panel, for the offscreen tests of panels.
#pragma once

#include "tests/support/open_captures.h"
#include "views/text/panel.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QSignalSpy>

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

    /// Until no task of a panel is running and deferred refreshes are done.
    void settle() {
        for (const char* tag : {"textdiff", "source", "bytecode", "outputcode", "breaks.source", "diff",
                                "stage.a", "stage.b", "trace"})
            QTRY_VERIFY_WITH_TIMEOUT(
                (QCoreApplication::processEvents(), !tasks.isRunning(QLatin1String(tag))), 20000);
        for (int i = 0; i < 5; ++i)
            QCoreApplication::processEvents();
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
