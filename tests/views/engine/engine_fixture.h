// SPDX-License-Identifier: BSD-3-Clause
//
// A workspace with the bundled case open and an engine that answers from recorded replies.
#pragma once

#include "core/capture/open.h"
#include "tests/support/patience.h"
#include "views/engine/passes.h"
#include "views/functionalize/stepper.h"
#include "views/theme/theme.h"

#include <QtTest>

namespace dynascope::test {

/// `replies`: a file of tests/data/engine, or the path of one.
inline std::vector<std::string> cannedEngine(const char* mode = "",
                                             const std::string& replies = "sibling_views") {
    if (replies.starts_with('/')) return {CANNED_ENGINE, replies, mode};
    return {CANNED_ENGINE, DYNASCOPE_TEST_DATA "/engine/" + replies + ".json", mode};
}

inline void addCapture(views::Workspace& workspace, const std::string& path) {
    auto session = capture::open(path);
    if (!session) qFatal("%s", session.error().toString().c_str());
    workspace.addCapture({*session, session::summarizeBreaks(**session)});
}

inline void addCase(views::Workspace& workspace) {
    addCapture(workspace, DYNASCOPE_SOURCE_DIR "/resources/samples/sibling_views.json");
}

/// x.mul_(2); ...; a break; the frame that goes on reads x.
inline void addWriteBeforeBreak(views::Workspace& workspace) {
    addCapture(workspace, DYNASCOPE_TEST_DATA "/captures/write_before_break.log.gz");
    workspace.selectCompile(0, 0);
}

struct EngineFixture {
    views::TaskRunner tasks;
    views::Workspace workspace{tasks};
    views::Theme theme;
    views::Engine engine;
    views::Passes passes;
    views::Stepper stepper;

    explicit EngineFixture(const char* mode = "", const std::string& replies = "sibling_views")
        : engine(cannedEngine(mode, replies))
        , passes(workspace, engine)
        , stepper(workspace, passes) {
        theme.setScheme(views::ColourScheme::Dark);
        if (replies == "write_before_break")
            addWriteBeforeBreak(workspace);
        else
            addCase(workspace);
    }

    /// Runs functionalize on the case's graph and waits for it and its verification.
    void functionalize() {
        passes.run(QStringLiteral("functionalize"), 0);
        QTRY_VERIFY_WITH_TIMEOUT(stepper.recording(), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!engine.isBusy(), patience);
    }
};

} // namespace dynascope::test
